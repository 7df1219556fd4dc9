"""docs/LINES.md against the lines of real games: every line has a pattern there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit.matches import pegs
from mastermind_client.config.options import BotsOptions, JoinOptions, PlayOptions, WatchOptions
from mastermind_client.lines import app
from mastermind_client.lines.ask import ask_open_questions
from mastermind_client.lines.dialogue import MatchDialogue
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lists import pick_archived
from mastermind_client.lines.player import LinePlayer
from mastermind_protocol.events import Finished, Seat
from mastermind_protocol.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.people import People, Person
    from kit.relay import Relay
    from kit.server import RestartableServer

    NewDesk = Callable[..., Desk]

DOCUMENT = Path(__file__).parents[3] / "docs" / "LINES.md"
BEGIN = "\n## Before a match\n"
A_BOT = "{names}: {text}"
"""The pattern of `mastermind bots`, which many other lines would fit too."""
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
RARE = {
    "*** CONNECTED AGAIN. ***",
    "*** CONNECTION LOST: {text}. Your seat is kept; trying to come back. ***",
    "*** RECONNECTING, try {number} ... ***",
    "{name} has lost the connection; the seat is kept.",
    "{name} is back.",
    "{name} has been away for {seconds}; the seat is kept.",
    "{name} has been away for {minutes}; the seat is kept.",
    "{name} is the bot {text}.",
    "{name} is somebody's own program.",
    "{name} left: {text}.",
    "WARNING! CODE NOT PROVEN: {text}. You have been cheated.",
    "The match is closed: nobody joined.",
    "You left.",
    "This is match {match}.",
    "{row}  {match}  {rules}: {name}, your turn",
    "{row}  {match}  {rules}: {name}, {name} thinks",
    "{row}  {match}  {rules}: {name}, {name} is away since {text}",
    "{row}  {match}  {rules}: An invitation, waiting for a friend",
    "Put aside: {name}, {match}, {text}. Come back: {text}",
    "{name} thinks ...",
    "The settings cannot be kept: {text}.",
    "The other guesses until it is found. Each guess is answered:",
    "Type a code, such as {text}; Enter sends it.",
    "{text}: in its place; {text}: elsewhere. But which?",
    "The secret that you have set is {code}: {text}.",
    "Which one? (number, Enter for older ones, q to quit) {typed}",
}
"""Of trouble, programs, commands, long lists, first games: they have tests where they are made."""


def read_patterns() -> list[tuple[str, str]]:
    """Return the document's patterns, with their examples."""
    _places, patterns = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    return re.findall(r"(?m)^\| `(.+?)` \| `(.+)` \|$", patterns)


def fit(pattern: str, line: str) -> bool:
    """Tell whether a line is of a pattern."""
    parts = re.split(r"\{(\w+)\}", pattern)
    for index, part in enumerate(parts):
        parts[index] = f"(?:{PLACES[part]})" if index % 2 else re.escape(part)
    return re.fullmatch("".join(parts), line) is not None


def check(shown: str) -> set[str]:
    """Return the patterns that the lines are of. Every line must be of one."""
    patterns = [pattern for pattern, _ in read_patterns() if pattern != A_BOT]
    used: set[str] = set()
    for line in shown.removesuffix("\n").split("\n"):
        found = [pattern for pattern in patterns if fit(pattern, line)]
        assert found, f"docs/LINES.md has no pattern for {line!r}"
        used |= set(found)
    return used


@pytest.mark.parametrize(("pattern", "example"), read_patterns())
def test_an_example_is_of_its_pattern(pattern: str, example: str) -> None:
    assert fit(pattern, example)


def test_every_place_of_a_pattern_is_explained() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    explained = set(re.findall(r"`\{(\w+)\}`", text.partition(BEGIN)[0]))
    used = {place for pattern, _ in read_patterns() for place in re.findall(r"\{(\w+)\}", pattern)}
    assert used <= explained
    assert explained == set(PLACES)


async def test_every_command_is_in_the_document(bob: Person, new_desk: NewDesk) -> None:
    mirror = await bob.session.open("classic", maker="me", breaker="open")
    told = re.findall(
        r"(?m)^\| (?:`(.)`(?: [A-Z]+)?)? ?\| `(\w+)` \| ", DOCUMENT.read_text(encoding="utf-8")
    )
    async with Inbox.open(bob.session, new_desk().terminal) as inbox:
        commands = LinePlayer(inbox, mirror).commands
        shared = MatchDialogue(inbox, mirror).commands
    assert told == [(command.letter, command.words[0]) for command in commands]
    assert {command.letter for command in shared} == set("hlosm?") | {""}


async def test_every_line_of_real_games_has_a_pattern_and_every_pattern_a_line(
    ada: Person,
    bob: Person,
    people: People,
    new_desk: NewDesk,
    server: RestartableServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eve, carl = await people.meet("Eve"), await people.meet("Carl")
    shown = [
        *await be_asked(new_desk),  # before the first game is over
        await pick_from_lists(ada, carl, new_desk, server.address, monkeypatch),
        *await play_two_rounds(ada, bob, eve, new_desk),
        *await play_rated(ada, bob, (eve, carl), new_desk),
        await be_left(ada, bob, new_desk),
        *await play_bots(bob, new_desk),
        await watch_bots(eve, new_desk),
        *[await pick_what_is_over(person, new_desk) for person in (ada, bob, eve)],
    ]
    used = set().union(*map(check, shown))
    for line in (await list_bots(new_desk, monkeypatch)).splitlines():
        assert fit(A_BOT, line)
        used.add(A_BOT)
    assert {pattern for pattern, _ in read_patterns()} - used <= RARE


async def pick_from_lists(
    ada: Person, carl: Person, new_desk: NewDesk, address: str, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Let somebody pick a match to join, too late, and one to watch; another one ends in a draw."""
    desk = new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    desk.start(app.join(JoinOptions(None, address, "Zoe")))
    await desk.until("No public match is waiting.\n")
    ours = await ada.session.seek("mini", rounds=2, seat=Seat.MAKER)
    await ada.session.seek("eight", seat=Seat.BREAKER, rated=True)
    desk.type("", "3")
    await desk.until("There is no match 3 in the list.\n")
    await desk.until("Which one? ")
    theirs = await carl.session.join(ours.code)
    desk.type("2")
    await desk.until("You are too late: ")
    desk.type("q")
    await desk.finish()
    desk.start(app.look_on(WatchOptions(address, name="Zoe")))
    await desk.until("Ada sets, Carl breaks (setting)\n")
    await ada.set(ours, "1234")
    desk.type("")
    await desk.until("Ada sets, Carl breaks (breaking)\n")
    await carl.guess(theirs, "1234")
    await carl.set(theirs, "1234")
    await ada.guess(ours, "1234")
    await ada.hear_of(Finished)
    desk.type("")
    await desk.until("No public match is running.\n")
    desk.type("q")
    await desk.finish()
    return desk.shown


async def pick_what_is_over(person: Person, new_desk: NewDesk) -> str:
    """Let somebody look at the matches played before, and pick none."""
    desk = new_desk()

    async def pick() -> None:
        async with Inbox.open(person.session, desk.terminal) as inbox:
            assert await pick_archived(inbox) is None

    desk.type("q")
    desk.start(pick())
    await desk.finish()
    return desk.shown


async def be_asked(new_desk: NewDesk) -> list[str]:
    """Let a person answer what is asked before a game, wrongly at first."""
    shown = []
    for rules, typed in (
        ("classic", ["x" * 25, "Ada", "x", "m"]),
        ("mini", ["", "4", "2"]),
        ("lab", ["nope", "classic", ""]),  # the name is kept
    ):
        desk = new_desk(person=True)
        desk.type(*typed)
        options = PlayOptions(PRESETS[rules], rules_from_before=rules != "classic")
        await ask_open_questions(options, desk.terminal)
        shown.append(_as_piped(desk.shown))
    return shown


async def list_bots(new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch) -> str:
    """List the bots of this process."""
    desk = new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    desk.start(app.list_bots(BotsOptions(None)))
    await desk.finish()
    return desk.shown


async def play_two_rounds(ada: Person, bob: Person, eve: Person, new_desk: NewDesk) -> list[str]:
    """Let two friends ask all that can be asked, watched by a third, and decline a rematch."""
    ours = await ada.session.open("mini", maker="me", breaker="open", rounds=2)
    maker, breaker, looking = new_desk(), new_desk(person=True), new_desk(person=True)
    maker.play(LinePlayer, ada.session, ours)
    await maker.until("Waiting for your friend ...\n")
    theirs = await bob.session.join(ours.code)
    watched = await eve.session.follow(ours.code)
    looking.watch(eve.session, watched)
    breaker.play(LinePlayer, bob.session, theirs)
    await breaker.until("Waiting for Ada to set the secret ...\n")
    breaker.type("1122", "resign", "?", "h", "l", "o", "s", "s 2", "m", "m", "seal", "x")
    await breaker.until("1 spectator looks on.\n")
    looking.type("1234", "o", "s hello", "o")
    await looking.until("You say: hello\n")
    maker.type("rgx", "rgobb", "h", "o", "s hello", "g rgob")
    await breaker.until("Guess 1 of 6: ")
    breaker.type("share", "rrgg", "a", "a size", "a luck", "rrgb", "seal", "q", "n", "r", "y")
    await breaker.until("You gave up after 2 guesses: the code stands.\n")
    await breaker.until("Your secret (4 pegs): ")
    breaker.type("pppp")
    await maker.until("Guess 1 of 6: ")
    maker.type("rrrr", "gggg", "r", "y", "review x", "review", "review 2", "share")
    await maker.until("Review of round 2, you breaking:\n")
    await breaker.until("Rematch, with the seats swapped? (Y/N) ")
    maker.type("y")
    await maker.until("Waiting for the answer ...\n")
    await breaker.until("Ada offered a rematch: match ")
    breaker.type("review", "share", "maybe", "n")
    for desk in (maker, breaker, looking):
        await desk.finish()
    return [maker.shown, _as_piped(breaker.shown), looking.shown]


async def play_rated(
    ada: Person, bob: Person, looking: tuple[Person, ...], new_desk: NewDesk
) -> list[str]:
    """Let two strangers play a rated match in which the code stands."""
    ours = await ada.session.seek("4x2/1", seat=Seat.MAKER, rated=True)
    for person in looking:
        await person.session.follow(ours.code)
    theirs = await bob.session.seek("4x2/1", rated=True)
    maker, breaker = new_desk(), new_desk()
    maker.play(LinePlayer, ada.session, ours)
    breaker.play(LinePlayer, bob.session, theirs)
    maker.type("rrrr", "n")
    breaker.type("o", "gggg", "n")
    for desk in (maker, breaker):
        await desk.finish()
    return [maker.shown, breaker.shown]


async def be_left(ada: Person, bob: Person, new_desk: NewDesk) -> str:
    """Let a codemaker wait for anybody, who comes and goes again."""
    desk = new_desk(person=True)
    ours = await ada.session.seek("mini", seat=Seat.MAKER)
    desk.play(LinePlayer, ada.session, ours)
    await desk.until(") ...\n")
    desk.type("o")
    await desk.until("Nobody has joined yet.\n")
    theirs = await bob.session.join(ours.code)
    await desk.until("Your secret (4 pegs): ")
    desk.type("rgob")
    await desk.until("Waiting for Bob to guess ...\n")
    desk.type("resign")
    await desk.until("Not your turn: the codebreaker is to guess.\n")
    await bob.session.leave(theirs)
    await desk.finish()
    return _as_piped(desk.shown)


async def play_bots(bob: Person, new_desk: NewDesk) -> list[str]:
    """Play a bot that keeps no code, on a whole board, without a limit, and with one peg."""
    shown = []
    for rules, bot, typed in (
        ("mini", "devious", ["rrrr", "o", "a", "resign", "n"]),
        ("thirteen", "random", ["roro", "surrender", "n"]),
        ("knuth", "random", ["1122", "resign", "n"]),
        ("eight", "random", ["rules", "rgop", "resign", "n"]),
        ("1x2/2", "random", ["r", "g", "n"]),
    ):
        desk = new_desk()
        mirror = await bob.session.open(rules, maker=bot, breaker="me")
        desk.play(LinePlayer, bob.session, mirror)
        desk.type(*typed)
        await desk.finish()
        shown.append(desk.shown)
    return shown


async def watch_bots(eve: Person, new_desk: NewDesk) -> str:
    """Look on at two bots."""
    desk = new_desk()
    mirror = await eve.session.open("knuth", maker="random", breaker="knuth", secret=pegs("1234"))
    desk.watch(eve.session, mirror)
    await desk.finish()
    return desk.shown


async def test_the_lines_of_trouble_have_patterns_too(
    ada: Person, bob: Person, desk_of_bob: Desk, relay: Relay
) -> None:
    ours = await ada.session.open("classic", maker="me", breaker="open")
    theirs = await bob.session.join(ours.code)
    await ada.set(ours, "1234")
    desk_of_bob.play(LinePlayer, bob.session, theirs)
    await desk_of_bob.until("Guess 1 of 12: ")
    relay.cut()
    await desk_of_bob.until("*** CONNECTED AGAIN. ***\n")
    desk_of_bob.type("1234", "n")
    await desk_of_bob.finish()
    assert "*** CONNECTED AGAIN. ***" in check(desk_of_bob.shown)


@pytest.fixture
async def desk_of_bob(new_desk: NewDesk) -> Desk:
    return new_desk()


def _as_piped(shown: str) -> str:
    """Return what a desk without an echo shows as a terminal would: an answer ends its line."""
    asked = r"\? \((?:Y/N|m/B|1|Enter.*?)\) |Guess \d of \d: |Your (?:secret|name) \(.*?\): "
    return re.sub(f"({asked})(?!\\n)", r"\1\n", shown)
