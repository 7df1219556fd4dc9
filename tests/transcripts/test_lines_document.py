"""docs/LINES.md against the transcripts: every printed line has a pattern."""

import os
import re
from pathlib import Path

import pytest

from transcripts.runner import read

DOCUMENT = Path(__file__).parents[2] / "docs" / "LINES.md"
BEGIN = "\n## Before a match\n"
A_BOT = "{names}: {text}"
"""The pattern of `mastermind bots`, which fits many other lines too."""
COUNTED = {
    "pegs": "peg", "colours": "colour", "guesses": "guess", "rounds": "round", "codes": "code",
    "parts": "part", "spectators": "spectator", "seconds": "second", "minutes": "minute",
}  # fmt: skip
PLACES = {
    "number": r"\d+",
    "digit": r"[1-9]",
    "bits": r"[+-]?\d+\.\d+",
    "row": r"[ \d]\d",
    "code": r"\w( \w)*",
    "dots": r"\.( \.)*",
    "feedback": r"(\S.*  )?\d+ black, \d+ (white|gray)(, \d+ empty)?",
    "match": r"[2-9A-Z]{6}",
    "name": r"\S.*?",
    "rules": r"\S+",
    "hex": r"[0-9a-f]{64}",
    "time": r"\d{4}-\d\d-\d\d \d\d:\d\d",
    "terms": r"\S+(, \d+ rounds)?(, rated)?",
    "phase": r"setting|breaking",
    "played": r"(first )?as code(maker|breaker), (1 guess|\d+ guesses)(, \d+ points? to \d+)?",
    "verdict": r"(found it|excellent|good|weak|wasted)(, (un)?lucky)?(, with advice)?",
    "marks": r"[●○·]+|[Xo.]+",
    "names": r"[a-z\d-]+( or [a-z\d-]+)*",
    "typed": r".*",
    "text": r"\S.*",
} | {many: rf"(1 {one}|\d+ {one}e?s)" for many, one in COUNTED.items()}
ELSEWHERE = {
    "{name} has been away for {minutes}; the seat is kept.",
    "The settings cannot be kept: {text}.",
    "Which one? (number, Enter for older ones, q to quit) {typed}",
    "{row}  {match}  {rules}: {name}, {name} is away since {text}",
    "WARNING! CODE NOT PROVEN: {text}. You have been cheated.",
    "You left.",
    "{name} left: {text}.",
}
"""Of failures, long waits and long lists: other tests print them."""
WRITE = os.environ.get("TRANSCRIPTS") == "write"
TRANSCRIPTS = sorted(DOCUMENT.parents[1].glob("tests/transcripts/*.txt"))
OWN_WORDS = ("lab", "polish")  # a dialogue of its own, and another language


def read_patterns():
    """Return the document's patterns, with their examples."""
    _places, patterns = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    return re.findall(r"(?m)^\| `(.+?)` \| `(.+)` \|$", patterns)


def read_lines():
    """Return the lines of all transcripts, as a terminal shows them."""
    lines = []
    for path in TRANSCRIPTS:
        for scene in read(path.read_text(encoding="utf-8")):
            text = ""
            for step in scene.steps:
                if step.kind == "*" and not text.endswith("\n"):
                    text += "\n"
                unasked = step.kind == "«" and text.endswith("\n")
                shown = step.shown.partition("\n")[2] if unasked else step.shown
                text += shown.replace("\\\n", "\n")
            if path.stem not in OWN_WORDS:
                lines += text.splitlines()
    return [
        line.removeprefix("! ")
        for line in dict.fromkeys(lines)
        if line not in ("", "...") and not re.match(r"\(exit |! (?!mastermind: )", line)
    ]


def fit(pattern, line):
    """Return whether a line fits a pattern."""
    parts = re.split(r"\{(\w+)\}", pattern)
    for index, part in enumerate(parts):
        parts[index] = f"(?:{PLACES[part]})" if index % 2 else re.escape(part)
    if pattern == A_BOT and line.startswith("mastermind: "):
        return False
    if pattern.startswith("{name}") and line.startswith("You "):
        return False
    return re.fullmatch("".join(parts), line) is not None


PATTERNS, LINES = read_patterns(), read_lines()


def test_every_line_has_a_pattern():
    def is_known(line):
        return any(fit(pattern, line) for pattern, _ in PATTERNS)

    assert [line for line in LINES if not is_known(line)] == []


@pytest.mark.parametrize(("pattern", "example"), PATTERNS)
def test_a_patterns_example_is_in_a_transcript(pattern, example):
    assert WRITE or fit(pattern, example)
    if pattern in ELSEWHERE:
        return
    found = [line for line in LINES if fit(pattern, line)]
    assert found, "no transcript prints such a line"
    if WRITE and example not in found:
        row, text = "| `{}` | `{}` |", DOCUMENT.read_text(encoding="utf-8")
        text = text.replace(row.format(pattern, example), row.format(pattern, found[0]))
        DOCUMENT.write_text(text, encoding="utf-8")
    else:
        assert example in found, f"make transcripts writes such as {found[0]!r}"


def test_every_place_of_a_pattern_is_explained():
    text = DOCUMENT.read_text(encoding="utf-8")
    explained = set(re.findall(r"`\{(\w+)\}`", text.partition(BEGIN)[0]))
    used = {place for pattern, _ in read_patterns() for place in re.findall(r"\{(\w+)\}", pattern)}
    assert used <= explained
    assert explained == set(PLACES)
