"""docs/lines.txt against the transcripts: every printed line has a pattern."""

import re
from pathlib import Path

from tools.translations import find_marked
from transcripts.runner import read

DOCUMENT = Path(__file__).parents[2] / "docs" / "lines.txt"
EVENTS = DOCUMENT.parents[1] / "client" / "mastermind_client" / "messages" / "events.py"
A_BOT = "{names}: {text}"
"""The pattern of `mastermind bots`, which fits many other lines too."""
ELSEWHERE = {
    "{name} has been away for {minutes}; the seat is kept.",
    "The settings cannot be kept: {text}.",
    "Which one? (number, Enter for older ones, q to quit) {typed}",
    "{row}  {match}  {rules}{clock}: {name}, away since {text}",
    "WARNING! CODE NOT PROVEN: {text}. You have been cheated.",
    "{name} left: {text}.",
    "{name} has {duration} left.",
    "You have {duration} ahead.",
    "{row}  {match}  {time}  {terms}: closed with {name}, {played}",
    "This match does not change ratings: you have played six rated ones today.",
    "Your time is over after {guesses}: the code stands.",
    "{name}'s time is over after {guesses}: the code stands.",
    "The time to set a secret is over: the server has drawn one.",
    "The server lost time: the clock gets {seconds} back.",
    "You were away for too long, so you have left the match.",
    "{name} was away for too long and has left the match.",
    "The match is closed: the first code was not set in time.",
    "{name} challenges you: match {match}.",
    "{terms}: type accept or decline within {number} seconds.",
    "The other player is asked while online, for two minutes.",
    "The challenge was declined.",
    "The challenge has expired: there was no answer.",
    "The challenge of {name} has expired.",
    "{name} takes the challenge back.",
    "You decline the challenge of {name}.",
    "{terms}: type accept or decline.",
    "{name} takes the rematch back.",
    "No such challenge waits for you.",
    "You take no challenges.",
    "You take challenges.",
    "Type challenges off, or challenges on.",
    "Finish this match first: it cannot be saved for later.",
    "Not saved, because its files have been removed: {name}, {match}, {text}.",
    "{name} needed {guesses}.",
    "{name} did not break the code; it usually needs {text} guesses.",
    "{name} did not break the code.",
    "Nobody has won or lost.",
    "Not cracked{better}",
    "Withdrawn",
    "{place}: {guesses} in {length}",
}
"""Of failures, long waits, long lists, clocks, ratings and days: other tests print them."""
TRANSCRIPTS = sorted(DOCUMENT.parents[1].glob("tests/transcripts/*.txt"))
OWN_WORDS = ("lab", "polish", "solving")  # dialogues of their own, and another language


def read_patterns():
    """Return the regular expressions of the document's places, and its patterns."""
    text = re.sub(r"(?m)^#.*\n", "", DOCUMENT.read_text(encoding="utf-8"))
    places, _, patterns = text.strip().partition("\n\n")
    return dict(re.findall(r"(?m)^\{(\w+)\} +(.+)$", places)), re.findall(".+", patterns)


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


PLACES, PATTERNS = read_patterns()
LINES = read_lines()


def test_every_line_has_a_pattern():
    unknown = [line for line in LINES if not any(fit(pattern, line) for pattern in PATTERNS)]
    assert unknown == []


def test_every_pattern_has_a_line():
    unprinted = {pattern for pattern in PATTERNS if not any(fit(pattern, line) for line in LINES)}
    assert unprinted == ELSEWHERE


def test_every_sentence_about_an_event_has_a_pattern():
    _places, patterns = read_patterns()
    texts = {text for _context, text in find_marked([EVENTS]) if text.endswith(".")}
    sentences = {text for text in texts if not re.search(r"{number} (guess|round)\b", text)}
    missing = [
        sentence
        for sentence in sorted(sentences)  # with any values
        if not any(
            re.fullmatch(re.sub(r"\\{.*?\\}", ".+", re.escape(sentence)), pattern)
            for pattern in patterns
        )
    ]
    assert len(sentences) > 30
    assert missing == [], "docs/lines.txt needs a pattern for each"
