"""What others write is data where it is shown: it moves no cursor, turns no line, hides nothing.

Names, texts, rules, what a server says: each is drawn from what terminals and formatting obey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.reconnecting import to_refused
from mastermind_client.net.running import OwnSeat, UnfinishedMatch, WhoseTurn
from mastermind_client.words.analysis import describe_bot, describe_bots
from mastermind_client.words.chat import describe_line
from mastermind_client.words.events import describe
from mastermind_client.words.failures import explain_outage
from mastermind_client.words.listings import describe_archived, describe_listed
from mastermind_client.words.players import call_player, find_call, find_name, name_player, say_of
from mastermind_client.words.refusals import describe_refusal
from mastermind_client.words.running import describe_kept, describe_seat
from mastermind_protocol.chat import ROOMS, ChatLine
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Joined, MatchEnd, Opened, Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import ArchivedMatch, Details, Error, KnownBot, Listed
from mastermind_protocol.text import JOINERS
from mastermind_protocol.transitions import fold

HOSTILE = [
    "\x1b]52;c;QUFB\x07", "\x1b[2J", "\x9b31m", "\r", "\n", "\t", "\x00", "\x08", "\x7f",
    "\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\xad",
    "\u2028", "\x85", "\ue000", "\U000e0041", "\ufff9", "\ud7ff",
    "{", "}", "{name}", "{0}", "{0.__class__}", "%s", "%(name)s", "<b>", "&amp;", "<ansired>",
    "[ZeroWidthEscape]", "class:error", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
]  # fmt: skip
others: st.SearchStrategy[str] = st.lists(
    st.sampled_from(HOSTILE) | st.text(max_size=3), min_size=1, max_size=6
).map("".join)


def _list(words: str) -> Listed:
    return Listed(
        match="ABCDEF", rules=words, rounds=2, phase=Phase.BREAKING, maker=words, breaker=words
    )


def _archive(words: str) -> ArchivedMatch:
    return ArchivedMatch(
        match="ABCDEF", rules=words, rounds=1, at=0, seat=Seat.MAKER, opponent=words,
        how=MatchEnd.PLAYED, guesses=1, points=(0, 0),
    )  # fmt: skip


def _tell_match(words: str) -> Iterable[str]:
    """Yield how somebody sits down, is named, and speaks in either room."""
    ann, player = Player(id="ANN", name="Ann"), Player(id="EVE", name=words)
    events = (
        Opened(rules="mini", rounds=1),
        Joined(player=ann, seat=Seat.MAKER),
        Joined(player=player, seat=Seat.BREAKER),
    )
    match = fold(events)
    yield from (name_player(player), call_player(player))
    yield from (find_name(match, "EVE"), find_call(match, "EVE"))
    yield say_of(match, "EVE", "ANN", "you", "{name} leaves.")
    yield from describe(events, None, "ANN")
    for room in ROOMS:
        line = ChatLine(room=room, n=1, by="EVE", name=words, text=words)
        yield describe_line(line, match, "ANN")


def _tell_unfinished(words: str) -> Iterable[str]:
    for turn in WhoseTurn:
        match = UnfinishedMatch(code="ABCDEF", rules=words, opponent=words, turn=turn)
        yield describe_kept(match)
        yield describe_seat(OwnSeat("ws://localhost", "Ann", match, reached=False))


def _tell_refusal(words: str) -> Iterable[str]:
    yield describe_refusal(to_refused(Error(id=1, code=words, message=words)))
    for reason in Reason:
        values: Details = {"reason": reason.key, **dict.fromkeys(reason.places, words)}
        error = Error(id=1, code=reason.code, message=words, details=values)
        yield describe_refusal(to_refused(error))


def _tell_bots(words: str) -> Iterable[str]:
    bot = KnownBot(name=words, about=words, largest=1, aliases=(words,))
    yield describe_bot(bot)
    yield from describe_bots([bot])


TOLD: dict[str, Callable[[str], Iterable[str]]] = {
    "a match": _tell_match,
    "a match that is put aside": _tell_unfinished,
    "a list": lambda words: [describe_listed(_list(words))],
    "an archive": lambda words: [describe_archived(_archive(words))],
    "a refusal": _tell_refusal,
    "an outage": lambda words: [explain_outage(Outage(fault, words)) for fault in Fault],
    "bots": _tell_bots,
}


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
@given(words=others)
@brief
def test_what_others_write_is_shown_as_text_alone(told, words):
    for line in told(words):
        assert line.isprintable(), ascii(line)
        assert not set(line) & set(JOINERS)
