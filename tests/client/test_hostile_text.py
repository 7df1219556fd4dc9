"""Text from others never reaches a terminal raw: it cannot move the cursor or hide anything.

Every string of every message is drawn from control sequences and format strings, and is put into
the sentences that both interfaces share. A walk in each interface shows that it prints them.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import get_args

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect
from websockets.asyncio.server import ServerConnection, serve

from kit.matches import NONCE, pegs
from kit.people import PATIENCE
from kit.proxy import SPOKEN
from kit.screen.scripted import ScriptedMatch, settle
from kit.screen.stage import stage
from kit.statistics import sum_matches
from kit.strategies import brief
from mastermind_client.bot_runner.report import describe_update
from mastermind_client.columns import write_cells
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.figures import MetPerson, combine_statistics
from mastermind_client.lines.player import LinePlayer
from mastermind_client.messages.analysis import describe_review
from mastermind_client.messages.days.tables import list_places
from mastermind_client.messages.events import describe_events
from mastermind_client.messages.failures import (
    describe_refusal,
    explain_disconnect,
    explain_failure,
)
from mastermind_client.messages.listings import (
    describe_archived,
    describe_listed,
    describe_seat,
    describe_suspended,
    describe_unfinished,
)
from mastermind_client.messages.players import (
    choose_sentence,
    describe_bot,
    describe_bots,
    describe_chat_line,
    describe_players,
    describe_transferred,
    find_name,
    format_name,
)
from mastermind_client.messages.ratings import list_leaderboard, list_profile
from mastermind_client.messages.statistics import PEOPLE_COLUMNS, format_uncounted, list_statistics
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.connection.reconnecting import to_refused
from mastermind_client.network.failures import (
    Cause,
    DisconnectReason,
    Fault,
    ServerUnreachable,
    Value,
)
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.running import OwnSeat, UnfinishedMatch, WhoseTurn
from mastermind_client.network.session import Session
from mastermind_client.network.updates import (
    Announced,
    ChallengeReceived,
    ConnectionLost,
    Moved,
    PresenceChanged,
    RequestDelayed,
)
from mastermind_client.screen.app import App
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.pages.list_page import (
    ArchiveScreen,
    FindOpponentScreen,
    RunningMatchesScreen,
)
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.screen import MatchPage, MenuPage, Screen
from mastermind_client.screen.servers.server import Server
from mastermind_protocol import messages
from mastermind_protocol.chat import ROOMS, ChatLine
from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.glicko import INITIAL_RATING
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    Announcement,
    AnyMessage,
    Archived,
    ArchivedMatch,
    Bots,
    Challenged,
    Details,
    Error,
    Happened,
    KnownBot,
    Leaderboard,
    Listed,
    Listing,
    Person,
    PlacedTry,
    Places,
    Presence,
    Profile,
    RankedPlayer,
    RatedMatch,
    RatedRecord,
    Row,
    Said,
)
from mastermind_protocol.requests import AnyRequest, Archive, ListBots, ListMatches
from mastermind_protocol.text import JOINERS
from mastermind_protocol.transitions import fold

OBEYED = [
    "\x1b]52;c;QUFB\x07", "\x1b[2J", "\x9b31m", "\r", "\n", "\t", "\x00", "\x08", "\x7f",
    "\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\xad",
    "\u2028", "\x85", "\ue000", "\U000e0041", "\ufff9", "\ud7ff",
    "{", "}", "{name}", "{0}", "{0.__class__}", "%s", "%(name)s", "<b>", "&amp;", "<ansired>",
    "[ZeroWidthEscape]", "class:error", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
]  # fmt: skip
hostile: st.SearchStrategy[str] = st.lists(
    st.sampled_from(OBEYED) | st.text(max_size=3), min_size=1, max_size=6
).map("".join)
ANN = Player(id="ANN", name="Ann")


def tell_match(words: str) -> Iterable[str]:
    """Yield the lines about a match with a player of this name, for either reader and a bot."""
    eve = Player(id="EVE", name=words)
    for seats in ((eve, ANN), (ANN, eve)):
        events: list[AnyEvent] = [Opened(rules="mini", rounds=1)]
        events += [
            Joined(player=player, seat=seat) for player, seat in zip(seats, Seat, strict=True)
        ]
        match = fold(events)
        yield from (format_name(eve), format_name(eve, mark_bot=False))
        yield from (find_name(match, "EVE"), find_name(match, "EVE", mark_bot=False))
        yield choose_sentence(match, "EVE", "ANN", "you", "{name} leaves.")
        ending: list[AnyEvent] = [
            SecretSet(by=seats[0].id, commitment=commit(NONCE, pegs("1234"))),
            RoundEnded(how=RoundEnd.RESIGNED, points=7, code=pegs("1234"), nonce=NONCE),
            Finished(how=MatchEnd.PLAYED, winner=seats[0].id),
            RematchOffered(by="EVE", match="DEF567"),
        ]
        mirror = Mirror("ABC234")
        mirror.apply(Row(1, tuple(events)))
        left: list[AnyEvent] = [Left(player="EVE"), Finished(how=MatchEnd.LEFT, winner="ANN")]
        for row in (events, left, ending):
            before = None if row is events else match
            after = fold(row, before)
            yield from describe_events(row, before, "ANN")
            yield from describe_events(row, before, None)
            yield from describe_update(Moved(mirror, tuple(row), before, after), "ANN")
        yield from describe_review((), fold(ending, match), 1, None)


def tell_presence(words: str) -> Iterable[str]:
    """Yield the lines about a player of this name, or a bot of this method, that disconnects."""
    for eve in (Player(id="EVE", name=words), Player(id="EVE", name=words, bot=words)):
        mirror = Mirror("ABC234")
        joined = Joined(player=eve, seat=Seat.MAKER), Joined(player=ANN, seat=Seat.BREAKER)
        mirror.apply(Row(1, (Opened(rules="mini", rounds=1), *joined)))
        for here in (False, True):
            update = PresenceChanged(mirror, mirror.state, "EVE", connected=here)
            yield describe_session_update(update) or ""
            yield from describe_update(update, "ANN")
        yield from describe_players(mirror, "ANN", 0.0)


def tell_chat(words: str) -> Iterable[str]:
    """Yield chat by a player of this name, in either room."""
    match = fold([Opened(rules="mini", rounds=1), Joined(player=ANN, seat=Seat.MAKER)])
    for room in ROOMS:
        line = ChatLine(room=room, n=1, by="EVE", name=words, text=words)
        yield describe_chat_line(line, match, "ANN")


def tell_refusal(words: str) -> Iterable[str]:
    """Yield refusals with this code, text and values."""
    yield describe_refusal(to_refused(Error(id=1, code=words, message=words)))
    for reason in Reason:
        for value in (words, (words,)):
            values: Details = {"reason": reason.key, **dict.fromkeys(reason.placeholders, value)}
            error = Error(id=1, code=reason.code, message=words, details=values)
            refused = to_refused(error)
            yield describe_refusal(refused)
            yield explain_failure(refused)
            yield describe_session_update(RequestDelayed(refused)) or ""


def tell_unfinished(words: str) -> Iterable[str]:
    """Yield matches to continue against an opponent of this name."""
    for turn in WhoseTurn:
        match = UnfinishedMatch(code="ABCDEF", rules=words, opponent=words, turn=turn)
        yield from (describe_suspended(match), describe_unfinished(match))
        yield describe_seat(OwnSeat("ws://localhost", "Ann", match, from_server=False))


def tell_archive(words: str) -> Iterable[str]:
    """Yield finished matches, and statistics about them."""
    match = ArchivedMatch(
        match="ABCDEF", rules=words, rounds=1, at=0, seat=Seat.MAKER, opponent=words,
        how=MatchEnd.PLAYED, guesses=1, points=(0, 0), tries=(1,),
    )  # fmt: skip
    yield describe_archived(match)
    yield from list_statistics(combine_statistics([sum_matches([match])]), [words], "#")
    yield format_uncounted(words, words)


def tell_challenge(words: str) -> Iterable[str]:
    """Yield the challenge of a player of this name."""
    challenge = Challenged(
        match="ABCDEF", by=Player(id="EVE", name=words), rules=words, rounds=2, seat=Seat.MAKER,
        seconds=9,
    )  # fmt: skip
    yield describe_session_update(ChallengeReceived(challenge)) or ""


def tell_list(words: str) -> Iterable[str]:
    """Yield a listed match of these players and rules."""
    yield describe_listed(
        Listed(
            match="ABCDEF", rules=words, rounds=2, phase=Phase.BREAKING, maker=words, breaker=words
        )
    )


def tell_leaderboard(words: str) -> Iterable[str]:
    """Yield a leaderboard with a player of this name, alone or beside the reader."""
    ranked = RankedPlayer(player="EVE", name=words, record=make_record(words), place=1)
    for players, own in (((ranked,), None), ((), ranked)):
        yield from list_leaderboard(
            Leaderboard(id=1, rules=words, players=players, total=1, own=own)
        )


def tell_people(words: str) -> Iterable[str]:
    """Yield a former opponent of this name, who hosts matches or not."""
    person = Person(player="EVE", name=words, last=0)
    for hosts in (False, True):
        yield from write_cells(PEOPLE_COLUMNS, MetPerson("", person, hosts))


def tell_profile(words: str) -> Iterable[str]:
    """Yield a profile of a player of this name, with a match against such a player."""
    rated = RatedMatch(
        match="ABC234", at=0, rules=words, opponent=words, score=1.0, points=(5, 4),
        rating=1500.0, change=8.0,
    )  # fmt: skip
    profile = Profile(
        id=1, player="EVE", name=words, records=(make_record(words), make_record(words)),
        history=(1500.0,), matches=(rated,),
    )  # fmt: skip
    yield from list_profile(profile, own=False)


def make_record(rules: str) -> RatedRecord:
    """Return the record of one match by these rules."""
    return RatedRecord(
        rules=rules, rating=INITIAL_RATING, matches=1, wins=1, draws=0, losses=0, last=0
    )


def tell_places(words: str) -> Iterable[str]:
    """Yield the place of a player of this name."""
    placed = PlacedTry(place=1, player="EVE", name=words, guesses=4)
    yield from list_places(Places(id=1, rules="classic", day=147, places=(placed,)))


def tell_bots(words: str) -> Iterable[str]:
    """Yield a server's bots."""
    bot = KnownBot(name=words, about=words, largest=1, aliases=(words,))
    yield describe_bot(bot)
    yield from describe_bots([bot])


def tell_disconnects(words: str) -> Iterable[str]:
    """Yield every end of a connection or a session, with a reason written by others."""
    for fault in Fault:
        yield explain_disconnect(DisconnectReason(fault, words))
        yield describe_session_update(ConnectionLost(DisconnectReason(fault, words))) or ""
        yield from describe_update(ConnectionLost(DisconnectReason(fault, words)), "ANN")
    for cause in Cause:
        reason = (
            OSError(words)
            if cause is Cause.IDENTITY_NOT_KEPT
            else DisconnectReason(Fault.OTHER, words)
        )
        values: dict[str, Value] = {"server": words, "kind": words, "match": words, "error": words}
        values |= {"reason": reason, "seconds": 1, "version": 1, "host": words}
        yield explain_failure(ServerUnreachable(cause, **values))


TOLD: dict[object, Callable[[str], Iterable[str]]] = {
    messages.Welcome: lambda words: [describe_transferred(words, words)],
    messages.Log: tell_match,
    messages.Happened: tell_match,
    messages.Presence: tell_presence,
    messages.Said: tell_chat,
    messages.Chat: tell_chat,
    messages.Listing: tell_list,
    messages.Bots: tell_bots,
    messages.Archived: tell_archive,
    messages.Statistics: tell_archive,
    messages.OwnMatches: tell_unfinished,
    messages.Challenged: tell_challenge,
    messages.Leaderboard: tell_leaderboard,
    messages.People: tell_people,
    messages.Profile: tell_profile,
    messages.Places: tell_places,
    messages.Announcement: lambda words: [
        describe_session_update(Announced(words, match)) or "" for match in (None, "ABC234")
    ],
    messages.Error: tell_refusal,
    "a close": tell_disconnects,
}


def has_text(info: inspect.Type) -> bool:
    """Return whether values of a type contain free text."""
    match info:
        case inspect.StrType():
            return info.pattern is None
        case inspect.StructType():
            return any(has_text(field.type) for field in info.fields)
        case inspect.UnionType():
            return any(has_text(kind) for kind in info.types)
        case inspect.VarTupleType():
            return has_text(info.item_type)
        case inspect.DictType():
            return has_text(info.key_type) or has_text(info.value_type)
        case _:
            return False


def test_every_message_with_a_text_has_a_row():
    kinds = {kind for kind in get_args(messages.AnyMessage) if has_text(inspect.type_info(kind))}
    assert kinds == TOLD.keys() - {"a close"}


@pytest.mark.promise("control-characters")
@pytest.mark.parametrize("tell", dict.fromkeys(TOLD.values()))
@given(words=hostile)
@brief
def test_sentences_show_text_from_others_as_text(tell, words):
    for line in tell(words):
        assert line.isprintable(), ascii(line)
        assert not set(line) & set(JOINERS)


NASTY = "\x1b]2;x\x07\x9b31m\u202e\x1b[2J{0}"  # as long as a name may be
ROGUE = Player(id="EVE", name=NASTY)
LISTED = Listed(match="ABC234", rules=NASTY, rounds=1, phase=Phase.GATHERING, maker=NASTY)
ARCHIVED = ArchivedMatch(
    match="ABC234", rules=NASTY, rounds=1, at=0, seat=Seat.MAKER, opponent=NASTY,
    how=MatchEnd.PLAYED, guesses=1, points=(0, 0),
)  # fmt: skip


async def hang_up(client: ServerConnection) -> None:
    await client.recv()
    await client.close(1008, NASTY)


async def refuse(client: ServerConnection) -> None:
    hello = decode_request(await client.recv(decode=False))
    await client.send(encode(Error(id=hello.id, code=NASTY, message="")))
    await client.wait_closed()


async def babble(client: ServerConnection) -> None:
    await client.recv()
    listed = {"match": "ABCDEF", "rules": "mini", "rounds": 1, "phase": NASTY}
    await client.send(msgpack.packb({"op": "listing", "id": 1, "matches": [listed]}))
    await client.wait_closed()


@pytest.mark.parametrize("serving", [hang_up, refuse, babble])
async def test_a_server_that_fails_is_explained_in_printable_text(serving):
    async with serve(serving, "127.0.0.1", 0, subprotocols=SPOKEN) as server:
        address = "ws://{}:{}".format(*server.sockets[0].getsockname()[:2])
        connecting = Session.connect(address, Identity())
        with pytest.raises(Exception, match=r".") as raised:
            await asyncio.wait_for(connecting.__aenter__(), PATIENCE)
    assert explain_failure(raised.value).isprintable()


async def test_the_line_interface_prints_text_from_others_as_text(bob, relay, new_desk):
    theirs = await bob.session.open("classic", maker="me", breaker="open")
    desk = new_desk()
    desk.play(LinePlayer, bob.session, theirs)
    line = ChatLine(room="players", n=1, by="EVE", name=NASTY, text=NASTY)
    joined = Joined(player=ROGUE, seat=Seat.BREAKER)
    for message in (
        Happened(match=theirs.code, v=2, events=(joined,)),
        Said(match=theirs.code, line=line),
        Announcement(text=NASTY),
        Presence(match=theirs.code, player=ROGUE.id, here=False),
    ):
        await relay.say(message)
    await desk.until("has lost the connection")
    assert desk.shown.replace("\n", "").isprintable()


def answer(request: AnyRequest) -> AnyMessage:
    """Answer with lists of hostile names."""
    match request:
        case ListMatches():
            return Listing(id=request.id, matches=(LISTED,))
        case Archive():
            return Archived(id=request.id, matches=(ARCHIVED,))
        case ListBots():
            return Bots(id=request.id, bots=(KnownBot(name=NASTY, about=NASTY, largest=10**9),))
        case _:
            raise AssertionError(request)


def open_match(app: App, connected: Server) -> Screen:
    """Return the screen of a match with an opponent who also talks."""
    told = ScriptedMatch(connected, "K7M2QX", Opened(rules="classic", rounds=1), ROGUE, ANN)
    told.say(ROGUE, NASTY)
    connected.apply(ConnectionLost(DisconnectReason(Fault.OTHER, NASTY)))
    return make_screen(app, MatchPage(connected, told.mirror))


@pytest.mark.parametrize(
    "open_screen",
    [
        open_match,
        lambda app, connected: FindOpponentScreen(app, connected.address),
        lambda app, connected: ArchiveScreen(app, connected.address),
        lambda app, connected: RunningMatchesScreen(app, connected.address),
        lambda app, _: OpeningScreen(app, MenuPage.BOTS),
    ],
    ids=["match", "find", "archive", "watch", "bots"],
)
async def test_the_full_screen_shows_text_from_others_as_text(open_screen):
    def opening(app):
        settle(app, OFFLINE, ANN, answer)
        return open_screen(app, settle(app, "ws://localhost", ANN, answer))

    async with stage(opening=opening, settings=Settings(title=False)) as shown:
        await shown.until("?]2;x?")
        assert shown.text().replace("\n", "").isprintable()
    assert not any(raw in shown.glass.written for raw in ("\x1b]2;x", "\x9b", "\u202e"))
