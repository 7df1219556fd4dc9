"""The tables and lists of fields of docs/protocol that `make vectors` writes from the code.

The last column, or the end of an item, explains. It is kept; a new row needs its own by hand.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import msgspec

from mastermind_client.messages.players import PHRASES
from mastermind_protocol import chat, codec, errors, messages, requests, rules, text
from mastermind_protocol.commands import COMMANDS, LEGAL_SEATS, Command
from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import MatchCode, Seat, WireCode
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Month, RequestId, TransferCode, Version
from mastermind_server.bots.analysis import puzzles
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.matches.nodes import presence
from mastermind_server.matches.tables import followers
from mastermind_server.network import rate_limits
from mastermind_server.network.sockets import connection, connection_limits
from mastermind_server.storage import idempotency, records
from protocol.documents.markdown import ONE_SITTING, REFERENCE, Document, write_fields
from protocol.documents.schema import UNIONS, Schema, describe_type, make_schema, name_of

PAGES = {
    word: Document(f"{REFERENCE}/{word}s.md") for word in ("request", "message", "event", "value")
}
COMMON_FIELDS = {name: kind for name, kind, _ in PAGES["value"].table("Common fields")}
"""The types of the fields that lists name without type and meaning."""
KINDS: dict[str, Schema] = {
    name: schema for name, schema in make_schema()["$defs"].items() if name not in UNIONS
}

IMPLIED = {
    "request": {"op", "id"},
    "message": {"op"},
    "event": {"event", "seed", "drawn", "secret", "held"},  # only the first is sent
}
OF_A_MATCH = {"match", "v"}
"""Required fields of many requests. The table of requests in docs/PROTOCOL.md has them."""
TYPES = {
    name: describe_type(kind)
    for name, kind in (
        ("match code", MatchCode),
        ("transfer code", TransferCode),
        ("code", WireCode),
        ("version", Version),
        ("id", RequestId),
        ("month", Month),
        ("seat", Seat),
        ("phase", Phase),
    )
}
"""The types that the tables name instead of describing them."""

FIXED_LIMITS: dict[str, tuple[ModuleType, str]] = {
    "bytes of a request": (requests, "MAX_REQUEST_BYTES"),
    "levels of nesting in a message": (codec, "MAX_DEPTH"),
    "items of an array or a map of a request": (requests, "MAX_REQUEST_ITEMS"),
    "items of an array or a map of a message": (messages, "MAX_MESSAGE_ITEMS"),
    "rows of a `log`": (messages, "MAX_ROWS"),
    "guesses of a `reviewing`": (messages, "MAX_REVIEWED_GUESSES"),
    "codes of an `analysed`": (messages, "MAX_ANALYSED_CODES"),
    "corrections of an `analysed`": (messages, "MAX_CORRECTIONS"),
    "guesses of a `snapshot`": (messages, "MAX_SNAPSHOT_GUESSES"),
    "matches of a `listing`": (messages, "MAX_LISTED_MATCHES"),
    "matches of an `archived`": (messages, "MAX_ARCHIVED_MATCHES"),
    "matches of an `own_matches`": (messages, "MAX_OWN_MATCHES"),
    "players of a `leaderboard`": (messages, "MAX_RANKED_PLAYERS"),
    "rules of a `profile`": (messages, "MAX_PROFILE_RECORDS"),
    "ratings of a `profile`": (messages, "MAX_PROFILE_RATINGS"),
    "matches of a `profile`": (messages, "MAX_PROFILE_MATCHES"),
    "matches in the `form` of a `profile`": (messages, "MAX_FORM_MATCHES"),
    "`games` of a `profile`": (messages, "MAX_COUNTED_GAMES"),
    "matches counted in `statistics`": (messages, "MAX_STATISTICS_MATCHES"),
    "rules of `statistics`": (messages, "MAX_STATISTICS_RULES"),
    "opponents of `statistics`": (messages, "MAX_STATISTICS_OPPONENTS"),
    "players without a place in a `leaderboard`": (messages, "MAX_UNPLACED_PLAYERS"),
    "people of a `people`": (messages, "MAX_PEOPLE"),
    "tries of a `places`": (messages, "MAX_PLACED_TRIES"),
    "guesses in the `distribution` of a `day`": (messages, "MAX_DAY_GUESSES"),
    "number of a day": (requests, "MAX_DAY"),
    "bytes of a `statistics`": (messages, "MAX_STATISTICS_BYTES"),
    "numbers of guesses in a `distribution`": (messages, "MAX_DISTRIBUTION"),
    "characters of a text in `details`": (errors, "MAX_DETAIL_LENGTH"),
    "marks on one character": (text, "MAX_COMBINING_MARKS"),
    "numbers of phrases": (chat, "MAX_PHRASE_NUMBER"),
    "lines of a `chat`": (chat, "MAX_CHAT_LINES_SHOWN"),
    "seconds between two `spectators` of a match": (followers, "SPECTATOR_COUNT_SECONDS"),
    "guesses of a round": (rules, "MAX_GUESSES"),
    "codes of rules with exact analyses": (rules, "MAX_WEIGHED_CODES"),
    "codes of rules with puzzles": (puzzles, "MAX_PUZZLE_CODES"),
    "guesses of a round without a limit": (rules, "UNLIMITED_GUESSES"),
    "least guesses counted for a round without a limit": (rules, "LEAST_COUNTED_GUESSES"),
    "seconds for the client's close frame": (connection, "CLOSE_SECONDS"),
    "seconds until an abandoned lobby or challenge closes": (presence, "LOBBY_GRACE_SECONDS"),
    "seconds until a challenge expires": (records, "CHALLENGE_SECONDS"),
    "days without a move": (records, "ABANDONED_DAYS"),
    "refused connections that receive an error, at a time": (connection_limits, "REFUSED_AT_ONCE"),
    "requests read ahead of one connection": (connection, "RECEIVE_QUEUE_MESSAGES"),
    "factor for the rates of a site": (rate_limits, "SITE_FACTOR"),
    "requests remembered by a server": (idempotency, "REQUESTS_KEPT"),
}
"""The limits that operators cannot set: the constants of the rows in limits.md."""


PATTERNS = {
    describe_type(Month)["pattern"]: "str, such as `2026-11`",
    describe_type(messages.DayRules)["pattern"]: " or ".join(f"`{name}`" for name in DAY_RULES),
}
"""The words for patterns that do not only count letters of an alphabet."""


class Table(NamedTuple):
    """A table by its document and section, and the cells that the code determines."""

    document: Document
    title: str
    rows: list[list[str]]


def make_fields() -> Iterator[Table]:
    """Yield the fields of each struct."""
    for name, schema in KINDS.items():
        kind = name.partition("_")[0]
        implied = IMPLIED.get(kind, set())
        if kind == "request":
            implied = implied | OF_A_MATCH.intersection(schema["required"])
        if rows := describe_fields(schema, implied):
            yield Table(*find_page(name), rows)


def make_tables() -> Iterator[Table]:
    """Yield each table that is written from the code."""
    seats = [
        [f"`{op}`", *(_write_seats(phase, command) for phase in Phase)]
        for op, command in COMMANDS.items()
    ]
    yield Table(Document(ONE_SITTING), "Who may do what, and when", seats)
    types = [[f"*{name}*", describe_range(schema)] for name, schema in TYPES.items()]
    yield Table(PAGES["value"], "Types", types)
    errors, phrases_page, page = (
        Document(f"{REFERENCE}/{name}.md") for name in ("errors", "chat", "rules")
    )
    yield Table(errors, "Error codes", [[f"`{code}`"] for code in ErrorCode])
    phrases = [[str(number), phrase] for number, phrase in enumerate(PHRASES, start=1)]
    yield Table(phrases_page, "Phrases", phrases)
    largest = f"{rules.MAX_PEGS}x{rules.MAX_COLOURS}/{rules.MAX_GUESSES}"
    named = [*rules.PRESETS.values(), rules.find_rules(largest)]
    yield Table(page, "Presets", [_describe_rules(one) for one in named])
    yield from _make_limit_tables()


def make_pages() -> dict[str, str]:
    """Return the text of each document with these tables, by its path below docs.

    A new request, message or event gets a section with the docstring of its type.
    """
    pages = {document.path: document for document in PAGES.values()}
    for kinds in UNIONS.values():
        before = ""
        for kind in kinds:
            document, title = find_page(name_of(kind))
            page = pages[document.path]
            if title not in page.sections:
                pages[document.path] = page.with_section(title, before, _describe_kind(kind))
            before = title
    for document, title, rows in make_fields():
        pages[document.path] = pages[document.path].with_fields(title, rows, COMMON_FIELDS)
    for document, title, rows in make_tables():
        page = pages.get(document.path, document)
        pages[document.path] = page.with_table(title, rows)
    return {path: page.text for path, page in pages.items()}


def _describe_kind(kind: type[msgspec.Struct]) -> str:
    """Return the docstring of a type, and the list of its fields."""
    title = find_page(name_of(kind))[1]
    rows = next((table.rows for table in make_fields() if table.title == title), [])
    about = " ".join((kind.__doc__ or "").split())
    fields = write_fields([[*row, ""] for row in rows], COMMON_FIELDS)
    return "\n\n".join(filter(None, [about, fields]))


def _write_seats(phase: Phase, command: type[Command]) -> str:
    seats = LEGAL_SEATS.get((phase, command))
    if seats is None:
        return "-"
    if seats == {None}:
        return "those without a seat"
    return " and ".join(f"code{seat}" for seat in Seat if seat in seats)


def read_limit_notes() -> dict[str, list[str]]:
    """Return the cells that the string below each field of Limits has."""
    (limits,) = ast.parse(inspect.getsource(Limits)).body
    assert isinstance(limits, ast.ClassDef)
    found = {}
    for field, note in pairwise(limits.body):
        match field, note:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(cells))):
                found[name] = [" ".join(cell.split()) for cell in cells.split("|")]
    return found


def _make_limit_tables() -> Iterator[Table]:
    page = Document(f"{REFERENCE}/limits.md")
    fixed = [
        [limited, f"{getattr(module, name):.0f}"]
        for limited, (module, name) in FIXED_LIMITS.items()
    ]
    yield Table(page, "Limits", fixed)
    counts, rates = [], []
    for name, (first, last) in read_limit_notes().items():
        limit = getattr(DEFAULT_LIMITS, name)
        if isinstance(limit, Rate):
            rates.append([f"`{name}`", str(limit.burst), f"{limit.per_second:g}", first, last])
        else:
            counts.append([first, f"{limit:.0f}", f"`{name}`", last])
    yield Table(page, "Configurable limits", counts)
    yield Table(page, "Rates", rates)


def _describe_rules(named: rules.Rules) -> list[str]:
    guesses = str(named.guesses or f"as many as it takes, at most {named.guess_limit}")
    alphabets = " or ".join(f"`{alphabet}`" for alphabet in named.alphabets)
    shown = [f"`{named.keys.write(Feedback(*keys), named.pegs)}`" for keys in ((1, 2), (0, 0))]
    size = [str(named.pegs), str(named.colours), guesses, "yes" if named.repeats else "no"]
    return [f"`{named.name}`", *size, " ".join(named.palette), alphabets, *shown]


def find_page(name: str) -> tuple[Document, str]:
    """Return the document and the heading that a struct is described under."""
    word = next((union for union in UNIONS if name.startswith(f"{union}_")), "value")
    return PAGES[word], f"`{name.removeprefix(f'{word}_')}`"


def span(schema: Schema, least: str, most: str) -> str:
    """Return the bounds of a schema by their keywords: `1..24`, `32`, `0..`, or nothing."""
    first, last = schema.get(least), schema.get(most)
    if first is None and last is None:
        return ""
    return f" {first}" if first == last else f" {first or 0}..{'' if last is None else last}"


def describe(schema: Schema) -> str:
    """Return the type of a part of the schema; named types by their names."""
    bare = {word: value for word, value in schema.items() if word not in ("default", "title")}
    return next((name for name, known in TYPES.items() if known == bare), describe_range(bare))


def describe_range(schema: Schema) -> str:
    """Return a type in words, with its bounds."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"enum": words}:
            return " or ".join(f"`{word}`" for word in words)
        case {"anyOf": parts}:
            return " or ".join(describe(part) for part in parts)
        case {"type": "array", "prefixItems": [first, *others]}:
            assert all(item == first for item in others)
            return f"array {1 + len(others)} of {describe(first)}"
        case {"type": "array", "items": items}:
            return f"array{span(schema, 'minItems', 'maxItems')} of {describe(items)}"
        case {"type": "object", "properties": {"$hex": {"pattern": pattern}}}:
            digits = re.search(r"\{(\d+)\}", pattern)
            assert digits
            return f"bin {int(digits[1]) // 2}"
        case {"type": "object", "additionalProperties": values}:
            return f"map{span(schema, 'minProperties', 'maxProperties')} of {describe(values)}"
        case {"type": "string", "pattern": pattern} if pattern in PATTERNS:
            return PATTERNS[pattern]
        case {"type": "string", "pattern": pattern}:
            found = re.fullmatch(r"\^\[(\w+)\]\{(\d+)\}\$", pattern)
            assert found, f"the documents have no words for the pattern {pattern}"
            return f"str {found[2]}, of `{found[1]}`"
        case {"type": "string"}:
            return f"str{span(schema, 'minLength', 'maxLength')}"
        case {"type": "integer"}:
            return f"int{span(schema, 'minimum', 'maximum')}"
        case {"type": "number"}:
            return "float"
        case {"type": "boolean"}:
            return "bool"
    raise AssertionError(f"the documents have no words for {schema}")


def describe_fields(schema: Schema, implied: set[str]) -> list[list[str]]:
    """Return name and type of each field that its kind does not imply."""
    if schema["type"] == "array":
        return [[f"`{part['title']}`", describe(part)] for part in schema["prefixItems"]]
    required = schema["required"]
    if "op" in implied and "id" in required:  # an answer, with the id of its request
        implied = implied | {"id"}
    return [
        [f"`{name}`", f"{describe(field)}{write_default(name, field, required)}"]
        for name, field in schema["properties"].items()
        if name not in implied
    ]


def write_default(name: str, field: Schema, required: list[str]) -> str:
    if name in required:
        return ""
    return f" = {json.dumps(field['default'])}" if "default" in field else ", optional"
