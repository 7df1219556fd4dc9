from kit.people import sit_down
from mastermind_client.net.identity import claim_identity
from mastermind_client.net.running import WhoseTurn, find_running
from mastermind_protocol.events import Left


async def test_a_match_is_remembered_from_the_seat_to_the_end(server, people, bob):
    with claim_identity(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        mirror = await ada.session.open("mini", maker="me", breaker="open")
        (waiting,) = identity.remembered.matches
        assert (waiting.code, waiting.opponent, waiting.turn) == (mirror.code, "", WhoseTurn.NOBODY)

        his = await bob.session.join(mirror.code)
        await ada.turn(mirror)
        (mine,) = identity.remembered.matches
        assert (mine.opponent, mine.turn, mine.guess) == ("Bob", WhoseTurn.MINE, 0)
        await ada.set(mirror, "1234")
        (theirs,) = identity.remembered.matches
        assert (theirs.turn, theirs.guess) == (WhoseTurn.THEIRS, 1)

        await bob.session.leave(his)
        await ada.wait_for_event(Left)

        assert identity.remembered.matches == ()


async def test_a_left_match_is_forgotten(ada, bob):
    mirror, _his = await sit_down(ada, bob)
    assert ada.identity.has_seat(mirror.code)

    await ada.session.leave(mirror)

    assert not ada.identity.has_seat(mirror.code)


async def test_a_spectator_remembers_nothing(ada, bob, people):
    mirror, _his = await sit_down(ada, bob)
    eve = await people.meet("Eve")

    await eve.session.follow(mirror.code)

    assert eve.identity.remembered.matches == ()


async def test_a_program_remembers_nothing(ada, people):
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    robot = await people.connect_program("Robot")

    await robot.session.join(mirror.code)

    assert robot.identity.remembered.matches == ()


async def test_only_a_seat_makes_a_match_run(ada, bob):
    mirror, his = await sit_down(ada, bob)

    running = find_running(mirror.code, mirror.state, ada.id)
    assert running is not None
    assert running.turn is WhoseTurn.MINE
    assert find_running(mirror.code, mirror.state, "nobody") is None
    await ada.session.leave(mirror)
    await bob.wait_for_event(Left)
    assert find_running(his.code, his.state, bob.id) is None
