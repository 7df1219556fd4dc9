"""docs/PROTOCOL.md is checked against the code, so that neither can change alone.

Its tables are compared with rows rendered from the types; a table that differs is printed as it
should be. Its examples are frames, and are decoded and encoded again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args
from unicodedata import category

import msgpack
import msgspec
import pytest
from msgspec import inspect

from mastermind_client.words.chat import PHRASES
from mastermind_protocol import chat, codec, commands, commitment, events, messages, rules, text
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.commands import LEGAL
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Match, Phase, evolve
from mastermind_server import limits
from mastermind_server.network.terms import TERMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from enum import StrEnum
    from types import ModuleType

    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.messages import AnyMessage, AnyRequest

DOCUMENT = (Path(__file__).parents[2] / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
NONE = "-"

REQUESTS: tuple[type[messages.Request], ...] = get_args(messages.AnyRequest)
MESSAGES: tuple[type[messages.ServerMessage], ...] = get_args(messages.AnyMessage)
EVENTS: tuple[type[events.Event], ...] = get_args(events.AnyEvent)
VALUES: tuple[type[msgspec.Struct], ...] = (
    events.Player,
    messages.Row,
    messages.Absent,
    chat.ChatLine,
    messages.Listed,
    messages.Weighed,
    messages.Reviewed,
    messages.KnownBot,
    messages.Terms,
    messages.Bounds,
    messages.Rates,
    messages.Allowance,
    messages.ArchivedMatch,
)


def title_of(kind: type[msgspec.Struct]) -> str:
    """Return the heading of the section that describes a struct."""
    if issubclass(kind, messages.Request):
        word = "Request"
    elif issubclass(kind, messages.ServerMessage):
        word = "Message"
    else:
        word = "Event" if issubclass(kind, events.Event) else "Value"
    return f"{word} `{kind.__struct_config__.tag or kind.__name__.lower()}`"


# Reading the document.


def sections() -> dict[str, str]:
    """Return the text of each section by its heading; headings are unlike each other."""
    parts = re.split(r"^#{1,3} (.+)\n", DOCUMENT, flags=re.MULTILINE)
    titles = parts[1::2]
    assert len(set(titles)) == len(titles), "two sections have one heading"
    return dict(zip(titles, parts[2::2], strict=True))


SECTIONS = sections()


def table_of(title: str) -> list[list[str]]:
    """Return the rows of the first table of a section, without its head."""
    assert title in SECTIONS, f"a section is missing: {title}"
    lines = SECTIONS[title].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def write_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def check_table(title: str, expected: list[list[str]]) -> None:
    """Compare the first columns of a section's table; the others say what is meant."""
    found = table_of(title)
    width = len(expected[0])
    right = "\n".join(write_row(row) for row in expected)
    assert [row[:width] for row in found] == expected, f"{title} should have these rows:\n{right}"
    for row in found:
        assert all(row), f"{title}: a cell is empty in {write_row(row)}"


def blocks_of(title: str, language: str) -> list[str]:
    """Return the fenced blocks of that language in a section."""
    return re.findall(rf"^```{language}\n(.*?)^```", SECTIONS[title], re.MULTILINE | re.DOTALL)


# The notation of decoded values: JSON, with binary values as h'00ff'.


def write_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {write_value(of)}' for key, of in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(write_value, value)) + "]"
    return f"h'{value.hex()}'" if isinstance(value, bytes) else json.dumps(value)


def read_value(text: str) -> Any:
    marked = re.sub(r"h'([0-9a-f]*)'", r'{"h": "\1"}', text)
    return json.loads(
        marked, object_hook=lambda found: bytes.fromhex(found["h"]) if "h" in found else found
    )


# Fields, rendered from the types.


class Described(NamedTuple):
    """A type as the document has it: a word for it, and its limits."""

    word: str
    limits: str


def span(least: int | None, most: int | None, unit: str = "") -> str:
    """Return two bounds in words; an end that is open is not named."""
    if least is None and most is None:
        return NONE
    if most is None:
        return f"from {least}{unit}"
    return f"{least}{unit}" if least == most else f"{least or 0} to {most}{unit}"


def describe(info: inspect.Type) -> Described:
    match info:
        case inspect.UnionType(types=types):
            kinds = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
            return describe(kinds[0]) if len(kinds) == 1 else Described("event", NONE)
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            each = describe(item)
            bounds = [span(least, most, " items")] if most else []
            bounds += [f"each {each.limits}"] if each.limits != NONE else []
            return Described(f"array of {each.word}", ", ".join(bounds) or NONE)
        case inspect.TupleType(item_types=items):
            each = describe(items[0])
            assert all(describe(item) == each for item in items)
            return Described(f"array of {each.word}", f"{len(items)} items, each {each.limits}")
        case inspect.IntType(ge=least, le=most):
            return Described("int", span(least, most))
        case inspect.StrType(pattern=str(pattern)):
            found = re.match(r"\^\[(\w+)\]\{(\d+)\}", pattern)
            assert found, f"the document has no words for the pattern {pattern}"
            return Described("str", f"{found[2]} characters of `{found[1]}`")
        case inspect.StrType(min_length=least, max_length=most):
            return Described("str", span(least, most, " characters"))
        case inspect.BytesType(min_length=least, max_length=most):
            return Described("bin", span(least, most, " bytes"))
        case inspect.EnumType(cls=kind):
            return Described("str", " or ".join(f"`{value.value}`" for value in kind))
        case inspect.LiteralType(values=values):
            return Described("str", " or ".join(f"`{value}`" for value in values))
        case inspect.StructType(cls=kind):
            return Described(kind.__name__.lower(), NONE)
        case inspect.BoolType():
            return Described("bool", NONE)
        case inspect.FloatType():
            return Described("float", NONE)
    raise AssertionError(f"the document has no word for {info}")


def write_default(field: inspect.Field) -> str:
    if field.required:
        return "required"
    if field.default is None:
        return "absent"
    return json.dumps(field.default)


def describe_fields(kind: type[msgspec.Struct]) -> list[list[str]]:
    """Return name, type, limits and default of each field as it travels, the tag first."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    tag = [[f"`{info.tag_field}`", "str", f"`{info.tag}`", "required"]] if info.tag else []
    return tag + [
        [f"`{field.encode_name}`", *describe(field.type), write_default(field)]
        for field in info.fields
    ]


@pytest.mark.parametrize("kind", [*REQUESTS, *MESSAGES, *EVENTS, *VALUES], ids=title_of)
def test_a_struct_has_a_table_of_exactly_its_fields(kind: type[msgspec.Struct]) -> None:
    check_table(title_of(kind), describe_fields(kind))


def test_no_message_is_described_that_does_not_exist() -> None:
    described = {title for title in SECTIONS if re.match(r"(Request|Message|Event|Value) `", title)}

    assert described == {title_of(kind) for kind in (*REQUESTS, *MESSAGES, *EVENTS, *VALUES)}


def test_every_link_leads_to_a_heading() -> None:
    anchors = {re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-") for title in SECTIONS}

    assert set(re.findall(r"\]\(#([^)]+)\)", DOCUMENT)) <= anchors


# Words: errors, phases, ends.


def check_words(title: str, words: type[StrEnum]) -> None:
    check_table(title, [[f"`{word}`"] for word in words])


def test_every_error_code_is_listed_and_none_that_does_not_exist() -> None:
    check_words("Error codes", ErrorCode)


def test_the_phases_and_the_ways_to_end_are_those_of_the_match() -> None:
    check_words("Phases", Phase)
    check_words("How a round ends", events.RoundEnd)
    check_words("How a match ends", events.MatchEnd)


COMMANDS: dict[str, type] = {
    "join": commands.Join,
    "secret": commands.SetSecret,
    "guess": commands.Guess,
    "advise": commands.TakeAdvice,
    "resign": commands.Resign,
    "leave": commands.Leave,
    "rematch": commands.OfferRematch,
}


def write_seats(phase: Phase, command: type) -> str:
    seats = LEGAL.get((phase, command))
    if seats is None:
        return NONE
    if seats == {None}:
        return "those without a seat"
    return " and ".join(f"code{seat}" for seat in events.Seat if seat in seats)


def test_who_may_do_what_is_the_table_of_the_law() -> None:
    assert {command for _, command in LEGAL} == set(COMMANDS.values())
    title = "Who may do what, and when"
    names = " | ".join(f"`{name}`" for name in COMMANDS)

    assert f"| phase | {names} |" in SECTIONS[title]
    check_table(
        title,
        [
            [f"`{phase}`", *(write_seats(phase, command) for command in COMMANDS.values())]
            for phase in Phase
        ],
    )


# Rules.


def describe_preset(preset: rules.Rules) -> list[str]:
    guesses = str(preset.guesses or f"as many as it takes, at most {preset.limit}")
    alphabets = " or ".join(f"`{alphabet}`" for alphabet in preset.alphabets)
    shown = [f"`{preset.keys.write(Feedback(*keys), preset.pegs)}`" for keys in ((1, 2), (0, 0))]
    size = [str(preset.pegs), str(preset.colours), guesses]
    return [f"`{preset.name}`", *size, " ".join(preset.palette), alphabets, *shown]


def test_the_presets_are_those_of_the_code() -> None:
    check_table("Presets", [describe_preset(preset) for preset in rules.PRESETS.values()])


def test_the_colours_of_other_rules_are_in_order() -> None:
    check_table(
        "Colours of other rules",
        [
            [str(index), colour, colour[0].upper()]
            for index, colour in enumerate(rules.CUSTOM_PALETTE)
        ],
    )


def test_names_of_rules_mean_what_the_document_says() -> None:
    rows = table_of("Names of other rules")

    assert rows
    for given, name, *size in rows:
        found = rules.find_rules(given.strip("`"))
        assert name == f"`{found.name}`"
        assert size == [str(found.pegs), str(found.colours), str(found.limit)]


def test_the_bounds_of_names_of_rules_are_those_of_the_code() -> None:
    text = " ".join(SECTIONS["Names of other rules"].split())
    bounds = f"PEGS 1 to {rules.MAX_PEGS}, COLOURS 2 to {rules.MAX_COLOURS}"

    assert f"{bounds}, GUESSES 1 to {rules.MAX_GUESSES}" in text
    assert f"GUESSES is {rules.DEFAULT.limit}." in text


def test_the_feedback_of_the_examples_is_right() -> None:
    rows = table_of("Feedback")

    assert rows
    for secret, guess, *feedback in rows:
        code, guessed = (tuple(json.loads(cell.strip("`"))) for cell in (secret, guess))
        assert list(map(int, feedback)) == list(score(code, guessed))


# Limits.

LIMITS: dict[str, tuple[ModuleType, str]] = {
    "bytes of a request": (messages, "MAX_REQUEST_BYTES"),
    "bytes of any frame to the server": (limits, "MAX_FRAME_BYTES"),
    "levels of nesting in a frame": (codec, "MAX_DEPTH"),
    "largest request id": (messages, "MAX_REQUEST_ID"),
    "items of an array or a map of a request": (messages, "MAX_REQUEST_ITEMS"),
    "items of an array or a map of a message": (messages, "MAX_MESSAGE_ITEMS"),
    "rows of a `log`": (messages, "MAX_ROWS"),
    "guesses of an `advice`": (messages, "MAX_ADVISED"),
    "guesses of a `reviewing`": (messages, "MAX_REVIEWED"),
    "matches of a `listing`": (messages, "MAX_LISTED"),
    "matches of an `archived`": (messages, "MAX_ARCHIVED"),
    "characters of what is said": (chat, "MAX_CHAT"),
    "marks on one character": (text, "MAX_MARKS"),
    "numbers of phrases": (chat, "MAX_PHRASE"),
    "lines of a `chat`": (chat, "MAX_CHAT_SHOWN"),
    "lines of one room of a match": (limits, "MAX_CHAT_LINES"),
    "seconds between two `spectators` of a match": (limits, "SPECTATORS_SECONDS"),
    "matches followed by one connection": (limits, "MAX_FOLLOWED"),
    "characters of a name": (events, "MAX_NAME"),
    "pegs of a code": (rules, "MAX_PEGS"),
    "colours": (rules, "MAX_COLOURS"),
    "guesses of a round": (rules, "MAX_GUESSES"),
    "guesses of a round without a limit": (rules, "UNLIMITED_GUESSES"),
    "rounds of a match": (rules, "MAX_ROUNDS"),
    "bytes of a nonce": (commitment, "NONCE_BYTES"),
    "bytes of a commitment": (commitment, "COMMITMENT_BYTES"),
    "seconds for the handshake": (limits, "HANDSHAKE_SECONDS"),
    "seconds for the client's half of a closing": (limits, "CLOSE_SECONDS"),
    "seconds to say hello in": (limits, "HELLO_SECONDS"),
    "seconds between pings": (limits, "PING_SECONDS"),
    "seconds until a deserted public lobby is closed": (limits, "LOBBY_GRACE_SECONDS"),
    "connections of a server": (limits, "MAX_CONNECTIONS"),
    "connections from one address": (limits, "MAX_CONNECTIONS_PER_ADDRESS"),
    "connections above either that are told so": (limits, "REFUSED_AT_ONCE"),
    "seconds until such a connection may try again": (limits, "REFUSED_SECONDS"),
    "bytes of a handshake": (limits, "HANDSHAKE_BYTES"),
    "requests read ahead of one connection": (limits, "RECEIVE_QUEUE"),
    "bytes sent to one connection that it has not read": (limits, "UNREAD_BYTES"),
    "bytes that wait for one connection": (limits, "OUTBOX_BYTES"),
    "requests for advice and reviews that wait": (limits, "MAX_ANALYSES"),
    "requests for advice and reviews from one address that wait": (
        limits,
        "MAX_ANALYSES_OF_ADDRESS",
    ),
    "requests for advice and reviews of one player that wait": (limits, "MAX_ANALYSES_OF_PLAYER"),
    "requests remembered by a server": (limits, "REQUESTS_KEPT"),
}
INSIDE = {
    "READ_BYTES", "ACCEPTED_AT_ONCE", "SPARE_DESCRIPTORS", "STOP_SECONDS", "TURN_SECONDS",
    "RELEASED_PER_TURN", "LOG_COST", "LIST_COST", "MAX_DEBT",
}  # fmt: skip
"""Limits of how the server does its work: no client meets them as a number of their own."""


def test_every_limit_is_listed_with_its_number() -> None:
    check_table(
        "Limits",
        [[said, f"{getattr(module, name):.0f}"] for said, (module, name) in LIMITS.items()],
    )


@pytest.mark.parametrize(
    "module", [limits, messages, rules, chat, text], ids=lambda module: module.__name__
)
def test_no_limit_of_the_code_is_left_out(module: ModuleType) -> None:
    numbers = {name for name, value in vars(module).items() if type(value) in (int, float)}

    assert numbers - INSIDE == {name for _, (listed, name) in LIMITS.items() if listed is module}


def test_every_rate_is_listed_with_its_numbers() -> None:
    rates = [rate for rate in vars(limits).values() if isinstance(rate, limits.Rate)]

    check_table("Rates", [[rate.name, str(rate.burst), f"{rate.per_second:g}"] for rate in rates])


def test_the_phrases_are_listed_with_their_numbers() -> None:
    check_table(
        "Phrases", [[str(number), phrase] for number, phrase in enumerate(PHRASES, start=1)]
    )


def test_the_terms_of_the_example_are_this_servers() -> None:
    (example,) = examples_of(messages.Welcome)
    welcome = decode_message(example.frame)

    assert isinstance(welcome, messages.Welcome)
    assert welcome.terms == TERMS


# What people write.


def code_points(text: str) -> set[str]:
    """Return the characters that a text names: U+0041, or U+0041 to U+005A."""
    spans = re.findall(r"U\+([0-9A-F]+)(?:\s+to\s+U\+([0-9A-F]+))?", text)
    return {
        chr(point)
        for first, last in spans
        for point in range(int(first, 16), int(last or first, 16) + 1)
    }


UNSHOWN = SECTIONS["Characters that cannot be shown"]
BLANK, HIDDEN, FILLERS = (
    part for part in re.split(r"^It refuses|^- |, or one\s+of", UNSHOWN, flags=re.MULTILINE)
    if "U+" in part
)  # fmt: skip


def test_what_is_cut_as_blank_is_what_the_document_lists() -> None:
    blank = {char for char in map(chr, range(0x110000)) if char.isspace()}

    assert code_points(BLANK) == {char for char in blank if category(char) != "Zs"}


def test_what_is_hidden_and_what_fills_is_what_the_document_lists() -> None:
    assert code_points(HIDDEN) == set(text.JOINERS)
    assert code_points(FILLERS) == set(text.FILLERS)


def test_characters_of_each_category_are_shown_as_the_document_says() -> None:
    hidden = set(re.findall(r"`([CZ][a-z])`", HIDDEN))
    one_of_each = {category(char): char for char in map(chr, range(0x3000)) if char != " "}
    one_of_each |= {"Cs": "\ud800", "Co": "\ue000"}
    del one_of_each["Zs"]  # a space, in what is tidy

    assert len(one_of_each) == 29
    for kind, char in one_of_each.items():
        shown = kind not in hidden or char in text.JOINERS
        assert text.can_be_shown(f"a{char}") is shown, kind
        assert text.can_be_shown(char) is (shown and kind[0] not in "CMZ"), kind


# The handshake.


def test_the_subprotocol_is_named() -> None:
    assert f"`{messages.SUBPROTOCOL}`" in SECTIONS["Connection"]


# Examples.


class Example(NamedTuple):
    """One example of a section: the bytes of a frame, and the value that they are said to be."""

    frame: bytes
    value: str


def examples_of(kind: type[msgspec.Struct]) -> list[Example]:
    title = title_of(kind)
    frames, values = blocks_of(title, "hex"), blocks_of(title, "value")
    assert frames, f"{title} has no example"
    return [
        Example(bytes.fromhex(frame), " ".join(value.split()))
        for frame, value in zip(frames, values, strict=True)
    ]


def events_in(message: AnyMessage) -> Iterator[AnyEvent]:
    for row in rows_in(message):
        yield from row.events


def rows_in(message: AnyMessage) -> tuple[messages.Row, ...]:
    if isinstance(message, messages.Log):
        return message.rows
    if isinstance(message, messages.Happened):
        return (messages.Row(message.v, message.events),)
    return ()


@pytest.mark.parametrize("kind", REQUESTS, ids=title_of)
def test_the_example_of_a_request_is_its_frame(kind: type[messages.Request]) -> None:
    for frame, value in examples_of(kind):
        request = decode_request(frame)

        assert type(request) is kind
        assert value == write_value(msgpack.unpackb(frame))
        assert encode(request).hex() == frame.hex()


@pytest.mark.parametrize("kind", [*MESSAGES, *EVENTS], ids=title_of)
def test_the_example_of_a_message_or_an_event_is_its_frame(kind: type[msgspec.Struct]) -> None:
    for frame, value in examples_of(kind):
        message = decode_message(frame)

        assert kind in {type(message), *map(type, events_in(message))}
        assert value == write_value(msgpack.unpackb(frame))
        assert encode(message).hex() == frame.hex()


def test_the_worked_commitment_comes_out() -> None:
    (block,) = blocks_of("A worked commitment", "text")
    lines = dict(line.split(": ") for line in block.splitlines())
    nonce, code = bytes.fromhex(lines["nonce"]), tuple(json.loads(lines["code"]))

    assert lines["hashed"] == (nonce + bytes(code)).hex()
    assert lines["SHA-256"] == hashlib.sha256(nonce + bytes(code)).hexdigest()
    assert lines["SHA-256"] == commitment.commit(nonce, code).hex()


# Sessions: what players send and are sent, in order.


class Line(NamedTuple):
    """One line of a session: whose connection, whether the player sent it, and the message."""

    player: str
    sent: bool
    value: Any


def read_session(title: str) -> list[Line]:
    """Return the lines of a section's session; an indented line goes on with the last."""
    (block,) = blocks_of(title, "session")
    told = "".join(f"{line}\n" for line in block.splitlines() if not line.startswith("--"))
    lines = re.sub(r"\n +", " ", told).splitlines()
    parsed = [re.fullmatch(r"(\w+) ([→←]) (.+)", line) for line in lines if line]
    assert all(parsed), f"{title}: a line is neither a comment nor a message"
    return [Line(found[1], found[2] == "→", read_value(found[3])) for found in parsed if found]


SESSIONS = ["A whole session", "A worked reconnect"]


@pytest.mark.parametrize("title", SESSIONS)
def test_every_line_of_a_session_is_a_message(title: str) -> None:
    for _, sent, value in read_session(title):
        frame = msgpack.packb(value)
        message: AnyRequest | AnyMessage = (decode_request if sent else decode_message)(frame)

        assert msgpack.unpackb(encode(message)) == value


@pytest.mark.parametrize("title", SESSIONS)
def test_in_a_session_the_answers_come_in_the_order_of_the_requests(title: str) -> None:
    asked, answered = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for player, sent, value in read_session(title):
        if "id" in value:
            (asked if sent else answered)[player].append(value["id"])

    for player, ids in answered.items():
        requests = iter(asked[player])
        assert all(answer in requests for answer in ids)
    if title == "A whole session":
        assert asked == answered


def test_in_a_session_every_player_sees_one_match_to_its_end_and_can_prove_it_fair() -> None:
    session = read_session("A whole session")
    first = next(value["match"] for _, _, value in session if value["op"] == "log")
    mirrors: dict[str, Match | None] = {}
    versions: dict[str, int] = {}
    for player, sent, value in session:
        if sent or value.get("match") != first:
            continue
        for row in rows_in(decode_message(msgpack.packb(value))):
            assert row.v == versions.get(player, 0) + 1
            versions[player] = row.v
            for event in row.events:
                mirrors[player] = evolve(mirrors.get(player), event)

    assert set(mirrors) == {"ann", "bob"}
    ann, bob = mirrors["ann"], mirrors["bob"]
    assert ann is not None
    assert ann == bob
    assert ann.phase is Phase.FINISHED
    assert [commitment.find_fraud(played, ann.rules) for played in ann.played] == [None]


def test_in_a_session_only_the_codemaker_is_sent_the_secret() -> None:
    told = {
        player: event["code"]
        for player, sent, value in read_session("A whole session")
        for event in ([] if sent else value.get("events", ()))
        if event["event"] == "secret" and "code" in event
    }

    assert set(told) == {"ann"}
