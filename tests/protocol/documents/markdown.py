"""The documents of the protocol as tests read them: sections, tables, fenced blocks and links."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

DOCUMENTS = Path(__file__).parents[3] / "docs"
ONE_SITTING = "PROTOCOL.md"
REFERENCE = "protocol"
ITEM = re.compile(r"- (`\w+`(?:, `\w+`)*)(?: \(([^)]*)\))?(?:: (.*))?")
"""An item of a list of fields: a name, its type and meaning; or only names of common fields."""


class Block(NamedTuple):
    """A fenced block of a section; `about` is the line above it, if that ends with a colon."""

    title: str
    about: str
    text: str


@dataclass(frozen=True)
class Document:
    """One document, by its path below docs/."""

    path: str

    @cached_property
    def text(self) -> str:
        """The text of the document."""
        return (DOCUMENTS / self.path).read_text(encoding="utf-8")

    @cached_property
    def sections(self) -> dict[str, str]:
        """The text of each section by its heading; the headings of a document are all different."""
        parts = re.split(r"^#{1,4} (.+)\n", self.text, flags=re.MULTILINE)
        titles = parts[1::2]
        assert len(set(titles)) == len(titles), f"two sections of {self.path} have one heading"
        return dict(zip(titles, parts[2::2], strict=True))

    @cached_property
    def anchors(self) -> set[str]:
        """The anchors of this document's headings."""
        titles = [re.sub(r"[^a-z0-9_ -]", "", title.lower()) for title in self.sections]
        return {title.replace(" ", "-") for title in titles}

    def blocks(self, language: str) -> list[Block]:
        """Return the fenced blocks in that language, in order."""
        fence = re.compile(
            rf"(?:^([^\n]+):\n\n)?^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL
        )
        return [
            Block(title, found[1] or "", found[2])
            for title, section in self.sections.items()
            for found in fence.finditer(section)
        ]

    def block(self, title: str, language: str) -> str:
        """Return the first block of a section in that language."""
        return next(block.text for block in self.blocks(language) if block.title == title)

    def table(self, title: str) -> list[list[str]]:
        """Return the rows of the first table of a section, without its head."""
        lines = self._lines_from(title, "|")[2:]
        table = itertools.takewhile(lambda line: line.startswith("|"), lines)
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]

    def fields(self, title: str) -> list[list[str]]:
        """Return name, type and meaning of each field in the list of a section.

        Common fields that are listed by name alone have an empty type and meaning.
        """
        return [
            [name, *item.groups("")[1:]]
            for item in self._items(title)
            for name in item[1].split(", ")
        ]

    def _items(self, title: str) -> list[re.Match[str]]:
        found = map(ITEM.fullmatch, self._lines_from(title, "- `"))
        return [item for item in itertools.takewhile(bool, found) if item]

    def _lines_from(self, title: str, mark: str) -> list[str]:
        """Return the lines of a section from the first one that starts with the mark."""
        assert title in self.sections, f"{self.path} has no section {title!r}"
        lines = self.sections[title].splitlines()
        start = next((at for at, line in enumerate(lines) if line.startswith(mark)), None)
        assert start is not None, f"{self.path}, {title}: no line starts with {mark!r}"
        return lines[start:]

    def with_table(self, title: str, rows: list[list[str]]) -> Document:
        """Return a copy whose table has these first cells; later cells of a row are kept."""
        found, width = self.table(title), len(rows[0])
        kept = {row[0]: row[width:] for row in found}
        missing = [""] * (len(found[0]) - width)
        old, new = (
            "".join(f"{write_row(row)}\n" for row in table)
            for table in (found, [[*row, *kept.get(row[0], missing)] for row in rows])
        )
        return self._replaced(title, old, new)

    def with_fields(self, title: str, rows: list[list[str]], common: Mapping[str, str]) -> Document:
        """Return a copy whose list of fields has these names and types; meanings are kept."""
        kept = {name: meaning for name, _, meaning in self.fields(title)}
        new = write_fields([[*row, kept.get(row[0], "")] for row in rows], common)
        return self._replaced(title, "\n".join(item[0] for item in self._items(title)), new)

    def _replaced(self, title: str, old: str, new: str) -> Document:
        section = f"{title}\n{self.sections[title]}"
        assert old in section, f"{self.path}, {title}: the cells of the table have other blanks"
        changed = Document(self.path)
        changed.__dict__["text"] = self.text.replace(section, section.replace(old, new))
        return changed

    def with_section(self, title: str, before: str, text: str) -> Document:
        """Return a copy with a new section after the section `before`, at the same level."""
        (level,) = re.findall(rf"^(#+) {re.escape(before)}$", self.text, re.MULTILINE)
        changed = Document(self.path)
        old = f"{level} {before}\n{self.sections[before]}"
        end = old[len(old.rstrip()) :]
        new = f"{old.rstrip()}\n\n{level} {title}\n\n{text}{end}"
        changed.__dict__["text"] = self.text.replace(old, new)
        return changed

    def check_table(self, title: str, expected: list[list[str]]) -> None:
        """Compare the first columns of a section's table; the other columns explain."""
        found = self.table(title)
        width = len(expected[0])
        right = "\n".join(write_row(row) for row in expected)
        told = f"{self.path}, {title}: these rows are right:\n{right}"
        assert [row[:width] for row in found] == expected, told
        for row in found:
            assert all(row), f"{self.path}, {title}: a cell is empty in {write_row(row)}"


def write_row(cells: Iterable[str]) -> str:
    """Return a row of a table as the document has it."""
    return "| " + " | ".join(cells) + " |"


def write_fields(rows: Sequence[Sequence[str]], common: Mapping[str, str]) -> str:
    """Return the list of fields as the document has it, from name, type and meaning of each.

    Fields without a meaning that have the type of the common field of their name are one item,
    without their types, in the place of the first.
    """
    named = [name for name, kind, meaning in rows if not meaning and common.get(name) == kind]
    items = []
    for name, kind, meaning in rows:
        if name not in named:
            items.append(f"- {name} ({kind})" + (f": {meaning}" if meaning else ""))
        elif name == named[0]:
            items.append(f"- {', '.join(named)}")
    return "\n".join(items)


def read_reference() -> list[Document]:
    """Return the documents about the protocol, PROTOCOL.md first."""
    folder = DOCUMENTS / REFERENCE
    pages = sorted(path.relative_to(DOCUMENTS).as_posix() for path in folder.glob("*.md"))
    return [Document(path) for path in (ONE_SITTING, *pages)]


# Values are written as JSON, with binary ones as {"$hex": "00ff"}.


def write_value(value: Any) -> Any:
    """Return a message's value as it is written in JSON."""
    if isinstance(value, dict):
        return {name: write_value(of) for name, of in value.items()}
    if isinstance(value, list):
        return [write_value(item) for item in value]
    return {"$hex": value.hex()} if isinstance(value, bytes) else value


def read_vectors(name: str) -> list[dict[str, Any]]:
    """Return the vectors of one file below docs/protocol/vectors."""
    text = (DOCUMENTS / REFERENCE / "vectors" / f"{name}.json").read_text(encoding="utf-8")
    vectors: list[dict[str, Any]] = json.loads(text)
    return vectors


def read_value(text: str) -> Any:
    """Return the value of a JSON text, with hex strings as bytes."""

    def read_bytes(found: dict[str, Any]) -> Any:
        return bytes.fromhex(found["$hex"]) if "$hex" in found else found

    return json.loads(text, object_hook=read_bytes)


class Line(NamedTuple):
    """One line of a session: the player, whether the player sent it, and the message."""

    player: str
    sent: bool
    value: Any


def read_session(block: str) -> list[Line]:
    """Return the lines of a session. An indented line continues the last; `--` is a comment."""
    told = "".join(f"{line}\n" for line in block.splitlines() if not line.startswith("--"))
    lines = re.sub(r"\n +", " ", told).splitlines()
    parsed = [re.fullmatch(r"(\w+) ([→←]) (.+)", line) for line in lines if line]
    assert all(parsed), "a line of a session is neither a remark nor a message"
    return [Line(found[1], found[2] == "→", read_value(found[3])) for found in parsed if found]
