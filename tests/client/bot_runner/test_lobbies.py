from collections import deque

from mastermind_client.bot_runner.lobbies import LobbyTerms, Unfinished, list_unfinished
from mastermind_client.config.options import BotOptions
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import OwnMatch
from mastermind_protocol.rules import DEFAULT, PRESETS

BREAKS, MAKES = LobbyTerms(DEFAULT, Seat.BREAKER), LobbyTerms(DEFAULT, Seat.MAKER)


def own(
    code: str,
    phase: Phase = Phase.GATHERING,
    *,
    rounds: int = 1,
    clock: str | None = None,
    opponent: str | None = None,
) -> OwnMatch:
    if phase is not Phase.GATHERING:
        opponent = "Ann"
    return OwnMatch(
        match=code, rules=DEFAULT.name, rounds=rounds, round=1, phase=phase, seat=Seat.BREAKER,
        since=0, clock=clock, opponent=opponent,
    )  # fmt: skip


def test_matches_with_an_opponent_come_first_and_one_lobby_is_kept_for_each_terms():
    closed = deque([MAKES, BREAKS, LobbyTerms(PRESETS["mini"], Seat.BREAKER)])
    found = [
        own("LOBBY2"),
        own("THEIRS", Phase.SETTING),
        own("LOBBY3"),
        own("PLAYED", Phase.BREAKING),
        own("REPLAY", opponent="Ann"),  # a rematch
    ]
    assert list_unfinished(found, closed, BotOptions("bots:Both")) == [
        Unfinished("THEIRS", None),
        Unfinished("PLAYED", None),
        Unfinished("REPLAY", None),
        Unfinished("LOBBY2", BREAKS),
        Unfinished("LOBBY3", None),
    ]
    assert list(closed) == [MAKES, LobbyTerms(PRESETS["mini"], Seat.BREAKER)]


def test_a_lobby_with_other_rounds_or_another_clock_is_not_kept():
    closed = deque([BREAKS])
    found = [own("LOBBY2", rounds=2), own("LOBBY3", clock="10/move")]
    unfinished = list_unfinished(found, closed, BotOptions("bots:Both"))
    assert [match.lobby for match in unfinished] == [None, None]
    assert list(closed) == [BREAKS]
