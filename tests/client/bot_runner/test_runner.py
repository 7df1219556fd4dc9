"""A bot and its matches: lobbies, games, rematches, failures and the end."""

import asyncio

import pytest

from kit.clock import ManualClock
from kit.clocked import pass_time
from kit.people import PATIENCE, SessionClient, skip_until_suspected, unreachable
from kit.server import MANUAL
from mastermind_client.bot_runner import player as player_module
from mastermind_client.bot_runner import refusals
from mastermind_client.bot_runner import runner as runner_module
from mastermind_client.config.options import BotOptions
from mastermind_client.context import Network
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network import entering
from mastermind_client.network.connection import exchange
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import MatchRestored, PresenceChanged
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Finished, Forfeit, Joined, Left, RoundEnd, RoundEnded, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Guess, Join, Leave, ListOwn, Open, Rematch
from mastermind_protocol.rules import DEFAULT, PRESETS
from mastermind_server.matches.lobby import lists

I_BREAK, I_MAKE = "classic, I break", "classic, I make"


async def test_a_lobby_is_open_for_each_rules_and_each_seat(ada, owner):
    await owner.start(BotOptions("bots:Both", (DEFAULT, PRESETS["mini"])))
    for told in (I_BREAK, I_MAKE, "mini, I break", "mini, I make"):
        await owner.read(f", {told}")
    listed = await ada.session.list_matches("waiting")
    assert {(waiting.rules, waiting.maker, waiting.breaker) for waiting in listed} == {
        ("classic", None, "Both"),
        ("classic", "Both", None),
        ("mini", None, "Both"),
        ("mini", "Both", None),
    }
    assert all(len(waiting.bots) == 1 for waiting in listed)


async def test_a_bot_breaks_an_opponents_code(ada, owner):
    await owner.start(BotOptions("bots:Breaker", matches=1))
    code = await owner.read_lobby(I_BREAK)
    mirror = await ada.session.join(code)
    assert mirror.state.seat_of(ada.id) is Seat.MAKER
    assert mirror.state.breaker is not None
    assert mirror.state.breaker.is_bot
    await ada.set(mirror, "4444")
    assert await owner.finish() == [
        f"open: match {code}, classic, I break",
        f"{code}: Ada joined",
        f"{code}: broke the code in 4 guesses",
        f"{code}: won",
    ]
    left = await ada.wait_for_event(Left)
    assert left.why is None
    assert mirror.state.rematch is None  # a bot for one seat leaves at once


async def test_lobbies_open_up_to_the_number_of_games(ada, bob, owner):
    await owner.start(BotOptions("bots:Breaker", games=2))
    first = await ada.session.join(await owner.read_lobby(I_BREAK))
    second = await bob.session.join(await owner.read_lobby(I_BREAK))
    await owner.read(f"{second.code}: Bob joined")
    assert await ada.session.list_matches("waiting") == ()
    await ada.set(first, "1111")
    third = await owner.read_lobby(I_BREAK)
    await bob.set(second, "1111")
    assert len({first.code, second.code, third}) == 3


async def test_a_rematch_is_accepted_with_the_seats_swapped(ada, owner):
    await owner.start(BotOptions("bots:Both", matches=2, games=1))
    first = await ada.session.join(await owner.read_lobby(I_BREAK))
    await ada.set(first, "1111")
    await ada.wait_for_event(RoundEnded)
    second = await ada.session.rematch(first)
    gone = await ada.wait_for_update(PresenceChanged)
    assert (gone.mirror, gone.connected) == (first, False)
    assert describe_session_update(gone) is None  # the bot plays the rematch
    await owner.read(f"{first.code}: Ada offered a rematch: match {second.code}.")
    await owner.read(f"{second.code}: rematch of {first.code}, I make")
    await ada.guess(second, "2222")
    said = await owner.finish()
    assert said[-2:] == [f"{second.code}: Ada broke the code in 1 guess.", f"{second.code}: lost"]
    assert sum(line.startswith("open: ") for line in said) == 1


@pytest.mark.parametrize("offered", [False, True])
async def test_without_a_rematch_the_next_lobby_opens(ada, owner, relay, monkeypatch, offered):
    if not offered:
        monkeypatch.setattr(runner_module, "REMATCH_WAIT_SECONDS", 0.1)
    await owner.start(BotOptions("bots:Both", games=1), relay.address)
    mirror = await ada.session.join(await owner.read_lobby(I_BREAK))
    await ada.set(mirror, "1111")
    if offered:
        await ada.wait_for_event(RoundEnded)
        relay.refuse(Rematch, ErrorCode.WRONG_PHASE)
        await ada.session.rematch(mirror)
    await ada.wait_for_event(Left)
    await owner.read_lobby(I_MAKE)


async def test_in_several_rounds_a_bot_plays_both_seats(ada, owner):
    await owner.start(BotOptions("bots:Both", rounds=2, matches=1))
    code = await owner.read_lobby("classic, 2 rounds, I break")
    mirror = await ada.session.join(code)
    await ada.set(mirror, "2222")
    await ada.guess(mirror, "1111")
    await ada.guess(mirror, "1111")
    await ada.guess(mirror, "2222")
    said = await owner.finish()
    assert said[-3:] == [
        f"{code}: broke the code in 2 guesses",
        f"{code}: Ada broke the code in 3 guesses.",
        f"{code}: won, 3 points to 2",
    ]


@pytest.mark.parametrize(
    ("guess", "why", "told"),
    [
        ("fail(ValueError('no idea'))", Forfeit.FAILED,
         "choose() raised ValueError: no idea (bots.py"),
        ("[0, 1, 2, 9]", Forfeit.ILLEGAL, "choose() returned [0, 1, 2, 9]: peg 4: 9 is no colour"),
        ("os._exit(3)", Forfeit.FAILED, "choose() ended its process with status 3"),
        ("[0, 0, 0, 0]", Forfeit.FAILED, "the move was refused: no programs"),
    ],
)  # fmt: skip
async def test_a_misbehaving_bot_forfeits_the_match_and_plays_the_next(
    ada, owner, relay, guess, why, told, monkeypatch
):
    monkeypatch.setenv("ANSWER", guess)
    await owner.start(BotOptions("bots:AtFirst", matches=2, games=1), relay.address)
    first = await ada.session.join(await owner.read_lobby(I_BREAK))
    if "refused" in told:
        relay.refuse(Guess, ErrorCode.RATED, "no programs")
    relay.cut_before_answer(Leave)  # which is sent again
    await ada.set(first, "1111")
    assert (await ada.wait_for_event(Left)).why is why
    assert first.state.outcome is not None
    assert first.state.outcome.winner == ada.id
    await owner.read(f"{first.code}: forfeited: {told}")
    second = await ada.session.join(await owner.read_lobby(I_BREAK))
    await ada.set(second, "1111")
    await owner.finish()
    assert owner.said[-1] == f"{second.code}: won"


async def test_a_thinking_bot_is_stopped_when_its_opponent_leaves(ada, owner, line):
    await owner.start(BotOptions("bots:Pondering", move_seconds=1000.0, matches=2, games=1))
    mirror = await ada.session.join(await owner.read_lobby(I_BREAK))
    await ada.set(mirror, "1111")
    call = await line.opened()
    await ada.session.leave(mirror)
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""
    await owner.read(f"{mirror.code}: won")
    await owner.read_lobby(I_BREAK)
    assert not any("forfeited" in line for line in owner.said)


@pytest.mark.parametrize("server", [MANUAL], indirect=True)
async def test_a_bot_whose_time_ends_loses_the_round_and_plays_on(ada, owner, server, line):
    await owner.start(BotOptions("bots:Dawdling", rounds=2, clock="10/move", matches=1))
    mirror = await ada.session.join(await owner.read_lobby("I break"))
    await ada.set(mirror, "1111")
    await line.opened()
    await pass_time(server, 10)
    assert (await ada.wait_for_event(RoundEnded)).how is RoundEnd.TIME
    line.hang_up()
    await ada.guess(mirror, "2222")
    said = await owner.finish()
    assert not any("forfeited" in each for each in said)


async def test_a_bot_plays_on_when_its_line_dies_while_a_clock_runs(ada, owner, proxy):
    clock = ManualClock()
    options = BotOptions("bots:Breaker", clock="10/move", matches=1)
    await owner.start(options, proxy.address, Network(clock=clock))
    mirror = await ada.session.join(await owner.read_lobby("I break"))
    await owner.read("Ada joined")
    proxy.swallow()
    await ada.set(mirror, "1111")
    await skip_until_suspected(clock)
    assert (await owner.finish())[-1] == f"{mirror.code}: won"


async def test_a_bot_that_is_ended_leaves_its_matches(ada, bob, owner):
    await owner.start(BotOptions("bots:Both"))
    breaks, makes = await owner.read_lobby(I_BREAK), await owner.read_lobby(I_MAKE)
    ours, theirs = await ada.session.join(breaks), await bob.session.join(makes)
    lobbies = {await owner.read_lobby(I_BREAK), await owner.read_lobby(I_MAKE)}
    said = len(owner.said)
    await owner.stop()
    assert (await ada.wait_for_event(Finished)).winner == ada.id
    assert (await bob.wait_for_event(Finished)).winner == bob.id
    assert {ours.code, theirs.code} == {breaks, makes}
    assert set(owner.said[said:]) == {f"{code}: left" for code in (breaks, makes, *lobbies)}
    assert await ada.session.list_matches("waiting") == ()


async def test_a_bot_that_is_ended_as_it_opens_a_match_leaves_it(ada, owner, relay, monkeypatch):
    monkeypatch.setattr(entering, "LEAVE_SECONDS", PATIENCE)
    await owner.start(BotOptions("bots:Breaker"), relay.address)
    async with asyncio.timeout(PATIENCE):
        await relay.wait_for_request(Open)
    await owner.stop()
    assert [type(request) for request in relay.asked] == [ListOwn, Open, Leave]
    assert owner.said[-1].endswith(": left")
    assert await ada.session.list_matches("waiting") == ()


@pytest.mark.parametrize("silent", [False, True], ids=["no line", "no answer"])
async def test_the_end_does_not_wait_for_an_absent_server(owner, relay, silent, monkeypatch):
    monkeypatch.setattr(entering, "LEAVE_SECONDS", 0.1)
    await owner.start(BotOptions("bots:Breaker"), relay.address)
    code = await owner.read_lobby(I_BREAK)
    if silent:
        relay.answer(Leave, lambda _: None)
    else:
        relay.hold()
        relay.cut()
        await owner.read("CONNECTION LOST: ")
    await owner.stop()
    assert owner.said[-1] == f"{code}: could not be left"


async def test_a_match_is_left_when_the_opponent_stays_away(people, owner, monkeypatch):
    monkeypatch.setattr(player_module, "MAX_AWAY_SECONDS", 0.1)
    await owner.start(BotOptions("bots:Breaker", games=1))
    eve = await people.meet("Eve")
    mirror = await eve.session.join(await owner.read_lobby(I_BREAK))
    await owner.read("Eve joined")
    await eve.session.unfollow(mirror)
    await owner.read(f"{mirror.code}: Eve has lost the connection")
    await owner.read(f"{mirror.code}: no move for a long time; leaving")
    await owner.read_lobby(I_BREAK)
    again = await eve.session.follow(mirror.code)
    assert again.state.outcome is not None
    assert again.state.outcome.winner == eve.id


async def test_a_closed_lobby_is_opened_again(people, owner):
    await owner.start(BotOptions("bots:Breaker", matches=1))
    code = await owner.read_lobby(I_BREAK)
    again = await people.connect_program("Breaker", owner.identity)
    await again.session.leave(await again.session.join(code))
    await owner.read(f"{code}: The match is closed: nobody joined.")
    mirror = await again.session.follow(await owner.read_lobby(I_BREAK))
    assert mirror.code != code
    assert await again.wait_for_event(Joined)


# Unfinished matches of an earlier run, which was killed.


async def begin(killed: SessionClient, opponent: SessionClient, *, maker: str = "open") -> Mirror:
    """Begin a match between the bot and an opponent, and return the opponent's mirror."""
    breaker = "me" if maker == "open" else "open"
    lobby = await killed.session.open("classic", maker=maker, breaker=breaker, public=True)
    return await opponent.session.join(lobby.code)


async def test_an_unfinished_match_is_played_before_a_lobby_opens(killed, ada, owner):
    mirror = await begin(killed, ada)
    await ada.set(mirror, "1111")
    await owner.start(BotOptions("bots:Breaker", games=1))
    await owner.read_lobby(I_BREAK)
    assert owner.said[:3] == [
        f"{mirror.code}: resumed",
        f"{mirror.code}: broke the code in 1 guess",
        f"{mirror.code}: won",
    ]


async def test_unfinished_matches_count_but_are_all_played(killed, ada, owner, monkeypatch):
    monkeypatch.setattr(lists, "MAX_OWN_MATCHES", 2)  # so the oldest is listed later
    first, second, third = [await begin(killed, ada) for _ in range(3)]
    await owner.start(BotOptions("bots:Breaker", games=2, matches=1))
    await ada.set(third, "1111")
    await owner.read(f"{third.code}: won")
    await owner.read(f"{first.code}: resumed")  # while the second one is still played
    await ada.set(first, "1111")
    await ada.set(second, "1111")
    await owner.finish()
    for mirror in (first, second, third):
        assert owner.said.count(f"{mirror.code}: resumed") == 1
        assert owner.said.count(f"{mirror.code}: won") == 1
    assert not any("open: " in line for line in owner.said)


async def test_a_lobby_is_used_again_and_one_by_other_terms_is_closed(killed, ada, owner):
    same = await killed.session.open("classic", maker="open", breaker="me", public=True)
    other = await killed.session.open("mini", maker="open", breaker="me", public=True)
    await owner.start(BotOptions("bots:Breaker", matches=1))
    await owner.read(f"{other.code}: left")
    assert f"open: match {same.code}, {I_BREAK}" in owner.said
    (waiting,) = await ada.session.list_matches("waiting")
    assert waiting.match == same.code
    mirror = await ada.session.join(same.code)
    await ada.set(mirror, "1111")
    assert (await owner.finish())[-1] == f"{same.code}: won"


async def test_a_seat_that_the_bot_can_no_longer_play_is_forfeited(killed, ada, owner):
    mirror = await begin(killed, ada, maker="me")
    await owner.start(BotOptions("bots:Breaker", games=1))
    await owner.read(f"{mirror.code}: forfeited: make() raised AttributeError")
    assert (await ada.wait_for_event(Left)).why is Forfeit.FAILED


@pytest.mark.parametrize("code", [ErrorCode.STORAGE_FAILED, ErrorCode.UNKNOWN_MATCH])
async def test_a_match_that_cannot_be_resumed_now_is_tried_again(
    killed, ada, owner, relay, monkeypatch, code
):
    monkeypatch.setattr(refusals, "RETRY_SECONDS", 0.01)
    mirror = await begin(killed, ada)
    await ada.set(mirror, "1111")
    relay.refuse(Join, code)
    await owner.start(BotOptions("bots:Breaker", games=1), relay.address)
    await owner.read_lobby(I_BREAK)
    assert (f"{mirror.code}: won" in owner.said) is (code == ErrorCode.STORAGE_FAILED)


async def test_a_server_that_does_not_list_matches_has_none_to_resume(owner, relay):
    relay.refuse(ListOwn, ErrorCode.UNKNOWN_MESSAGE)
    await owner.start(BotOptions("bots:Breaker", games=1), relay.address)
    await owner.read_lobby(I_BREAK)


# Refusals.


@pytest.mark.parametrize("kind", [Guess, Leave])
async def test_a_move_or_an_end_that_is_refused_temporarily_is_repeated(
    ada, owner, relay, monkeypatch, kind
):
    monkeypatch.setattr(refusals, "RETRY_SECONDS", 0.01)
    await owner.start(BotOptions("bots:Breaker", matches=1), relay.address)
    mirror = await ada.session.join(await owner.read_lobby(I_BREAK))
    relay.refuse(kind, ErrorCode.STORAGE_FAILED)
    await ada.set(mirror, "1111")
    await ada.wait_for_event(Left)
    assert (await owner.finish())[-1] == f"{mirror.code}: won"


@pytest.mark.parametrize("code", ["rate_limited", "storage_failed", "internal", "too_many"])
async def test_a_refused_lobby_is_opened_later(ada, owner, relay, code, monkeypatch):
    monkeypatch.setattr(refusals, "RETRY_SECONDS", 0.01)
    relay.refuse(Open, code)
    await owner.start(BotOptions("bots:Both", games=1, matches=2), relay.address)
    await owner.read("no match of classic is opened now: not now; trying again")
    for told in (I_MAKE, I_BREAK):  # the lobby that was refused comes after the others
        mirror = await ada.session.join(await owner.read_lobby(told))
        await ada.session.leave(mirror)
    await owner.finish()
    assert sum("trying again" in line for line in owner.said) == 1


async def test_a_lobby_is_opened_at_the_time_that_the_server_names(owner, relay, monkeypatch):
    monkeypatch.setattr(refusals, "RETRY_SECONDS", 1000.0)
    monkeypatch.setattr(exchange, "MAX_RETRY_SECONDS", 0.0)  # the session does not ask again
    relay.refuse(Open, ErrorCode.RATE_LIMITED, retry_after=0.01)
    await owner.start(BotOptions("bots:Breaker", games=1), relay.address)
    await owner.read("not now; trying again")
    await owner.read_lobby(I_BREAK)


async def test_a_lasting_refusal_ends_the_bot(owner, relay):
    relay.refuse(Open, ErrorCode.INVALID_RULES, "what?")
    await owner.start(BotOptions("bots:Breaker"), relay.address)
    with pytest.raises(Refused, match=r"what\?"):
        await owner.finish()


async def test_a_server_that_is_lost_for_good_ends_the_bot(owner, relay):
    await owner.start(BotOptions("bots:Breaker"), relay.address)
    await owner.read_lobby(I_BREAK)
    await relay.close(1008, "abuse")
    with unreachable("abuse"):
        await owner.finish()


async def test_a_closed_output_ends_the_bot(ada):
    def fail(_line: str) -> None:
        raise BrokenPipeError

    options = BotOptions("bots:Breaker", games=1)
    runner = runner_module.Runner(ada.session, options, [Seat.BREAKER], fail)
    async with asyncio.timeout(PATIENCE) as patience:
        with pytest.raises(BrokenPipeError):
            await runner.run()
        assert not patience.expired()


# A server whose store has gone back.


async def test_a_bot_plays_on_after_the_server_has_gone_back(ada, owner, server):
    await owner.start(BotOptions("bots:Maker", matches=1))
    mirror_code = await owner.read_lobby(I_MAKE)
    copy = await server.back_up()
    mirror = await ada.session.join(mirror_code)
    await ada.guess(mirror, "1111")
    await server.restore(copy)
    restored = await ada.wait_for_update(MatchRestored)
    assert restored.match.phase is Phase.GATHERING
    await owner.read(f"{mirror_code}: The server has gone back to an earlier state of this match")
    assert await ada.session.join(mirror_code) is mirror
    await ada.guess(mirror, "2222")
    assert (await owner.finish())[-1] == f"{mirror_code}: lost"


@pytest.mark.parametrize("joined", [False, True])
async def test_a_bot_opens_another_match_in_place_of_a_lost_one(ada, owner, server, killed, joined):
    copy = await server.back_up()
    await owner.start(BotOptions("bots:Breaker", games=1, matches=1 + joined))
    lost = await owner.read_lobby(I_BREAK)
    if joined:
        await ada.session.join(lost)
        await owner.read(f"{lost}: Ada joined")
    await server.restore(copy)
    await owner.read(f"{lost}: There is no match {lost} on this server.")
    mirror = await ada.session.join(await owner.read_lobby(I_BREAK))
    assert mirror.code != lost
    await ada.set(mirror, "1111")
    assert (await owner.finish())[-1] == f"{mirror.code}: won"
    assert killed.id == mirror.state.played[0].breaker
