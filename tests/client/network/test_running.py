from kit.people import sit_down
from kit.players import identities
from mastermind_client.network.running import WhoseTurn
from mastermind_protocol.events import Left


async def test_a_match_is_remembered_from_the_seat_to_the_end(server, people, bob):
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        mirror = await ada.session.open("mini", maker="me", breaker="open")
        (waiting,) = identity.stored.matches
        assert (waiting.code, waiting.opponent, waiting.turn) == (mirror.code, "", WhoseTurn.NOBODY)

        his = await bob.session.join(mirror.code)
        await ada.wait_for_turn(mirror)
        (mine,) = identity.stored.matches
        assert (mine.opponent, mine.turn, mine.guess) == ("Bob", WhoseTurn.MINE, 0)
        await ada.set(mirror, "1234")
        (theirs,) = identity.stored.matches
        assert (theirs.turn, theirs.guess) == (WhoseTurn.THEIRS, 1)

        await bob.session.leave(his)
        await ada.wait_for_event(Left)

        assert identity.stored.matches == ()


async def test_only_people_with_a_seat_remember_a_match(ada, bob, people):
    mirror, _his = await sit_down(ada, bob)
    eve, robot = await people.meet("Eve"), await people.connect_program("Robot")
    await eve.session.follow(mirror.code)
    await robot.session.join((await eve.session.open("mini", maker="me", breaker="open")).code)
    assert ada.identity.has_seat(mirror.code)
    assert not eve.identity.has_seat(mirror.code)
    assert robot.identity.stored.matches == ()

    await ada.session.leave(mirror)

    assert not ada.identity.has_seat(mirror.code)
