"""Plays a scene of the line interface: real commands, a real server, and their whole output.

A scene is text, in a file with others of its kind:

    == Its title
    * ada opens mini as codemaker
    $ mastermind join AAAAAA --server ws://HERE --name Bob
    Waiting for Ada to set the secret ...
    * ada sets 1234
    Guess 1 of 6: «rrrr»

- `$` runs a command whose input is a pipe, `tty$` one at a terminal.
- `*` is an action of other players or the environment: see `_DIRECTIONS`.
- «» encloses a typed line that is printed behind the question. ‹› encloses one without echo, or a
  key: ‹^C›, or ‹^D› for the end of input.
- `! ` marks a line on standard error, `\\` the end of an unfinished line.
- `...` replaces lines that another scene shows.
- All other text is output. `MASKS` replace values that differ between runs.

An action or a typed line waits until exactly the text before it has been printed.
"""

from __future__ import annotations

import asyncio
import io
import os
import queue
import re
import shlex
import signal
import sys
import threading
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from kit.days import NOON, make_day
from kit.pages import WEB
from kit.people import PATIENCE, People, SessionClient
from kit.server import GameServer
from kit.terminal import open_terminal
from mastermind_client.cli.command import main
from mastermind_client.cli.process import settings_path
from mastermind_client.config.settings import save
from mastermind_client.language import SOURCE_LANGUAGE, use_language
from mastermind_client.network import entering
from mastermind_client.network.updates import ChatReceived, Moved
from mastermind_protocol import events
from mastermind_protocol.code import parse_code
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.events import MATCH_CODE_ALPHABET, Seat
from mastermind_protocol.match import Phase
from mastermind_server import app
from mastermind_server.clock import Clock
from mastermind_server.matches.tables import filled_lobby
from mastermind_server.storage.statements.days import add_day

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from kit.proxy import RelayProxy
    from mastermind_client.network.mirror import Mirror

QUIET_SECONDS = 0.3  # without output, before a step of a rewritten scene ends
SEED = 28
MASKS = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-11-21 15:04"),
    (r"since \d\d:\d\d", "since 14:05"),
    (r"away for \d+ seconds?", "away for 7 seconds"),
    (r"(?<=mastermind transfer )[2-9A-Z]{8}\b", "TRANSFER"),
    (r"(?<=Commitment: )[0-9a-f]{64}", "43a7186f" * 8),
    (r"guest-[2-9A-Z]{4}", "guest-K7QX"),
    (r"(?<= )5\d seconds(?= left)", "59 seconds"),
    (r"2 d(?= left)", "1 d 23 h"),
    (r"(?:(?<=code in )|(?<=n within ))\d\d:\d\d:\d\d", "11:59:59"),
    (r"(?<= guesses in )\d\d:\d\d\b(?!:)", "00:07"),
)
_ELSEWHERE = "...\n"
_MARK = re.compile(r"(?m)^(\$|tty\$|\*) (.*)\n|(«)([^»\n]*)»|(‹)([^›\n]*)›")


class Differs(Exception):
    """The output differs from the scene."""


@dataclass
class Step:
    """One action or typed line, and the output until the next step."""

    kind: str
    text: str
    shown: str = ""

    @property
    def gives_command(self) -> bool:
        return self.kind.endswith("$")

    def fits(self, shown: str) -> bool:
        """Return whether the output fits the scene."""
        before, after = self._parts
        if after is None:
            return shown == before
        rest = shown.removeprefix(before)
        return shown.startswith(before) and f"\n{rest}".endswith(f"\n{after}")

    def may_become(self, shown: str) -> bool:
        """Return whether more output can make this fit."""
        before, after = self._parts
        return before.startswith(shown) or (after is not None and shown.startswith(before))

    def take(self, shown: str) -> None:
        """Store new output; a shortened step stays shortened."""
        left_out = self._parts[1] is not None
        if self.kind in "«‹":
            self.kind = "«" if shown.startswith(f"{self.text}\n") else "‹"
        self.shown = shown
        echo = f"{self.text}\n" if self.kind == "«" else ""
        *lines, last = shown.removeprefix(echo).splitlines(keepends=True) or [""]
        if left_out and lines:
            self.shown = f"{echo}{_ELSEWHERE}{last}"

    @property
    def _parts(self) -> tuple[str, str | None]:
        """The output before `...` and after it; None without `...`."""
        parts = re.split(rf"(?m)^{re.escape(_ELSEWHERE)}", self.shown, maxsplit=1)
        return parts[0], parts[1] if len(parts) > 1 else None


@dataclass
class Scene:
    """A title and its steps."""

    title: str
    steps: list[Step] = field(default_factory=list)

    def write(self) -> str:
        """Return the scene as text."""
        text = f"{self.title}\n"
        for step in self.steps:
            if step.kind in "«‹":
                shown = step.shown.removeprefix(step.text) if step.kind == "«" else step.shown
                text += f"{step.kind}{step.text}{'»' if step.kind == '«' else '›'}{shown}"
            else:
                text += f"{_end_line(text)}{step.kind} {step.text}\n{step.shown}"
        return text + _end_line(text)


def _end_line(text: str) -> str:
    return "" if text.endswith("\n") else "\\\n"


def read(text: str) -> list[Scene]:
    """Return the scenes of a file."""
    return [_read_scene(part) for part in f"\n{text}".split("\n== ")[1:]]


def write(scenes: list[Scene]) -> str:
    """Return the text of a file with these scenes."""
    return "".join(f"\n== {scene.write()}" for scene in scenes)[1:]


def _read_scene(text: str) -> Scene:
    title, _, body = text.partition("\n")
    scene = Scene(title)
    marks = list(_MARK.finditer(body))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        kind, typed = (part for part in mark.groups() if part is not None)
        shown = body[mark.end() : following.start() if following else len(body)]
        if following is None or following[1]:
            shown = shown.removesuffix("\\\n")
        scene.steps.append(Step(kind, typed, (typed if kind == "«" else "") + shown))
    return scene


class Chance(Random):
    """A seeded source of chance for the server, with match codes AAAAAA, BBBBBB and so on."""

    def __init__(self) -> None:
        super().__init__(SEED)
        self._letters = iter(sorted(filter(str.isalpha, MATCH_CODE_ALPHABET)))

    def choices(self, population, *arguments, k=1, **options):
        if population is MATCH_CODE_ALPHABET:
            return [next(self._letters)] * k
        return super().choices(population, *arguments, k=k, **options)


class Record:
    """The output of all commands of a scene, from any thread."""

    def __init__(self) -> None:
        self.masks = list(MASKS)
        self.changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._text = ""
        self._taken = 0
        self._secrets: dict[str, str] = {}

    def write(self, text: str) -> None:
        self._text += text
        self._loop.call_soon_threadsafe(self.changed.set)

    def complain(self, text: str) -> None:
        """Write a line of standard error."""
        if self._text.endswith("\n") or not self._text or self._text.endswith("\n! "):
            lead = ""
        else:
            lead = "\\\n"
        lines = "".join(f"! {line}" for line in text.splitlines(keepends=True))
        self.write(lead + lines)

    @property
    def shown(self) -> str:
        """The masked output since the last `take`."""
        text = self._text[self._taken :]
        for pattern, mask in self.masks:
            if found := re.search(pattern, text):
                self._secrets[mask] = found[0]
            text = re.sub(pattern, mask, text)
        return text

    def take(self) -> None:
        self._taken = len(self._text)

    def unmask(self, text: str) -> str:
        """Return a command line with the real values of its masks."""
        for mask, secret in self._secrets.items():
            text = text.replace(mask, secret)
        return text


class Stream(io.StringIO):
    """Standard output or standard error of a command."""

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None], *, terminal: bool) -> None:
        super().__init__()
        self._write, self._terminal = write, terminal

    def write(self, text: str) -> int:
        if text:
            self._write(text)
        return len(text)

    def isatty(self) -> bool:
        return self._terminal


class Command:
    """One command and its keyboard. The main thread runs it."""

    def __init__(self, line: str, record: Record, *, terminal: bool) -> None:
        self.arguments = shlex.split(line)[1:]
        self.terminal = terminal
        self.over = threading.Event()
        self.interrupted = False
        self._record = record
        self._keyboard, self._stdin = open_terminal() if terminal else os.pipe()[::-1]
        self._lock = threading.Lock()

    def run(self) -> None:
        """Run it, with its own standard streams, in the main thread."""
        out = Stream(self._record.write, terminal=self.terminal)
        lines = Stream(self._gather, terminal=self.terminal)
        self._line = ""
        try:
            with _standard_input(self._stdin), redirect_stdout(out), redirect_stderr(lines):
                status = _run(self.arguments)
            if status:
                self._record.write(f"(exit {status})\n")
            self.close()
            for thread in threading.enumerate():
                if thread.name == "stdin":
                    thread.join(1)
            os.close(self._stdin)
        except KeyboardInterrupt:
            pass
        finally:
            self.over.set()
            self._record.write("")

    def type(self, text: str) -> None:
        """Type a line, or a key: ^C or ^D."""
        if text == "^C":
            self.interrupt()
        elif text == "^D" and not self.terminal:
            self.close()
        else:
            if self.terminal and text != "^D":
                self._record.write(f"{text}\n")
            os.write(self._keyboard, b"\x04" if text == "^D" else f"{text}\n".encode())

    def interrupt(self) -> None:
        """Interrupt a running command as Ctrl-C does."""
        if not self.over.is_set():
            self.interrupted = True
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def close(self) -> None:
        """End the input."""
        with self._lock:
            if self._keyboard >= 0:
                os.close(self._keyboard)
                self._keyboard = -1

    def _gather(self, text: str) -> None:
        self._line += text
        if self._line.endswith("\n"):
            self._record.complain(self._line)
            self._line = ""


def _run(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:  # of the command line's parser
        return int(end.code or 0)


@contextmanager
def _standard_input(descriptor: int) -> Iterator[None]:
    before, ours = sys.stdin, os.dup(0)
    os.dup2(descriptor, 0)
    sys.stdin = os.fdopen(os.dup(descriptor))
    try:
        yield
    finally:
        sys.stdin.close()
        sys.stdin = before
        os.dup2(ours, 0)
        os.close(ours)


class Player:
    """Another player, and the match that they entered last."""

    def __init__(self, person: SessionClient) -> None:
        self.person = person
        self._entered: Mirror | None = None

    @property
    def mirror(self) -> Mirror:
        assert self._entered is not None, "nothing was opened or joined"
        return self._entered

    async def enter(self, entering: Awaitable[Mirror]) -> None:
        self._entered = await entering

    async def until(self, phase: Phase) -> None:
        while self.mirror.state.phase is not phase:
            await self.person.wait_for_update(Moved)


class Play:
    """One run of a scene; `written` stores the output in the scene."""

    def __init__(self, scene: Scene, home: Path, *, written: bool = False) -> None:
        self._scene, self._home, self._written = scene, home, written
        self._given: queue.Queue[Command | None] = queue.Queue()
        self._command: Command | None = None
        self._failure: BaseException | None = None
        self._players: dict[str, Player] = {}
        self._lines: dict[str, RelayProxy] = {}
        self._enough = False

    def run(self) -> None:
        """Run the commands in this thread, the main one, and everything else in another."""
        with ExitStack() as stack:
            folders = {f"XDG_{kind}_HOME": str(self._home / kind) for kind in _FOLDERS}
            surroundings = {**folders, "HOME": str(self._home), "TERM": "dumb", "TZ": "UTC"}
            stack.enter_context(patch.dict(os.environ, surroundings))
            stack.enter_context(patch.object(app, "SystemRandom", Chance))
            # asyncio handles Ctrl-C only in place of this handler; earlier tests may leave another.
            stack.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
            signal.signal(signal.SIGINT, signal.default_int_handler)
            # No scene waits. A busy machine may answer a leave later than a player waits for it.
            stack.enter_context(patch.object(entering, "LEAVE_SECONDS", PATIENCE))
            stack.enter_context(
                patch.object(filled_lobby, "JUST_JOINED_SECONDS", 0)
            )  # no scene waits
            stack.callback(use_language, SOURCE_LANGUAGE)
            save({"introduction": "none"}, settings_path())
            director = threading.Thread(target=self._direct, name="director")
            director.start()
            while (command := self._next()) is not None:
                command.run()
            director.join()
        if self._failure is not None:
            raise self._failure

    def _next(self) -> Command | None:
        """Wait for the next command; ignore an interruption that missed its command."""
        while True:
            try:
                return self._given.get()
            except KeyboardInterrupt:
                if self._command is None or not self._command.interrupted:
                    raise

    def _direct(self) -> None:
        try:
            asyncio.run(self._play())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._given.put(None)

    async def _play(self) -> None:
        self._record = Record()
        self._server = GameServer(self._home, clock=Clock())
        await self._server.start(random=Chance(), access=WEB)
        self._people = People(self._server)
        try:
            self._line = await self._people.relay()
            here = self._line.address.removeprefix("ws://")
            self._record.masks.insert(0, (rf"(ws://)?{re.escape(here)}", r"\1HERE"))
            following = [*self._scene.steps[1:], None]
            for step, after in zip(self._scene.steps, following, strict=True):
                await self._do(step)
                ends = not self._enough and (after is None or after.gives_command)
                await self._compare(step, ends=ends)
        finally:
            while self._command is not None and not self._command.over.is_set():
                self._line.release()
                self._command.interrupt()
                await asyncio.to_thread(self._command.over.wait, 1)
            await self._people.close_all()
            await self._server.stop()

    async def _do(self, step: Step) -> None:
        if step.gives_command:
            line = self._record.unmask(step.text).replace("ws://HERE", self._line.address)
            self._command = Command(line, self._record, terminal=step.kind == "tty$")
            self._given.put(self._command)
        elif step.kind == "*":
            async with asyncio.timeout(PATIENCE):
                await self._follow(step.text)
        else:
            assert self._command is not None, "nothing runs to which this could be typed"
            self._command.type(step.text)

    async def _compare(self, step: Step, *, ends: bool) -> None:
        """Wait for the output of a step, or store it."""
        if self._written:
            ended = await self._settle(ends=ends, begins=step.gives_command)
            step.take(self._record.shown)
            if not ended:
                told = f"{self._scene.title}: the command does not end after {step.text}"
                raise Differs(told, "", step.shown)
        elif not await self._is_printed(step, ends=ends):
            told = f"{self._scene.title}: after {step.kind} {step.text}"
            raise Differs(told, step.shown, self._record.shown)
        self._record.take()

    async def _is_printed(self, step: Step, *, ends: bool) -> bool:
        """Wait for the output of a step; return whether it fits."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not step.fits(self._record.shown) or self._runs(ends=ends):
                    over = self._command is not None and self._command.over.is_set()
                    if over or not step.may_become(self._record.shown):
                        break
                    self._record.changed.clear()
                    await self._record.changed.wait()
        return step.fits(self._record.shown) and not self._runs(ends=ends)

    def _runs(self, *, ends: bool) -> bool:
        """Return whether the step waits for the command's end."""
        return ends and self._command is not None and not self._command.over.is_set()

    async def _settle(self, *, ends: bool, begins: bool) -> bool:
        """Wait for quiet; return False if the command should have ended and still runs."""
        shown, tries = None, PATIENCE / QUIET_SECONDS
        while shown != self._record.shown or (
            tries > 0
            and (self._runs(ends=ends) or (begins and self._runs(ends=True) and not shown))
        ):
            shown, tries = self._record.shown, tries - 1
            await asyncio.sleep(QUIET_SECONDS)
        return not self._runs(ends=ends)

    async def _follow(self, text: str) -> None:
        for pattern, direction in _DIRECTIONS.items():
            if found := re.fullmatch(pattern, text):
                await direction(self, **found.groupdict())
                return
        raise LookupError(f"nobody knows what is meant by: {text}")

    async def _find(self, who: str) -> Player:
        """Return a player by name; connect them at the first use."""
        if who not in self._players:
            line = self._lines.get(who)
            address = line.address if line else ""
            self._players[who] = Player(await self._people.meet(who.capitalize(), address))
        return self._players[who]

    # Directions.

    async def _has_line(self, who: str) -> None:
        self._lines[who] = await self._people.relay()

    async def _sits_down(
        self, who: str, verb: str, rules: str, seat: str | None, terms: str
    ) -> None:
        player = await self._find(who)
        session = player.person.session
        found = re.search(r"(\d) rounds", terms)
        rated = "rated" in terms
        rounds = int(found[1]) if found else 2 if rated else 1
        timed = re.search(r"clock (\S+)", terms)
        clock = timed[1] if timed else "5+3" if rated else None
        if verb == "seeks":
            wanted = Seat(seat) if seat else None
            await player.enter(
                session.seek(rules, rounds=rounds, seat=wanted, rated=rated, clock=clock)
            )
            return
        seats = ("me", "open") if seat == "maker" else ("open", "me")
        maker, breaker = seats
        if bot := re.search(r"against ([\w-]+)", terms):
            maker, breaker = (bot[1] if taken == "open" else taken for taken in seats)
        await player.enter(
            session.open(
                rules,
                maker=maker,
                breaker=breaker,
                rounds=rounds,
                public="public" in terms,
                rated=rated,
                clock=clock,
            )
        )

    async def _comes(self, who: str, verb: str, code: str) -> None:
        player = await self._find(who)
        session = player.person.session
        await player.enter(session.join(code) if verb == "joins" else session.follow(code))

    async def _joins_as_program(self, who: str, code: str) -> None:
        player = Player(await self._people.connect_program(who.capitalize()))
        self._players[who] = player
        await player.enter(player.person.session.join(code))

    async def _moves(self, who: str, verb: str, typed: str) -> None:
        player = await self._find(who)
        session, mirror = player.person.session, player.mirror
        await player.person.wait_for_turn(mirror)
        code = parse_code(typed, mirror.state.rules)
        await (session.set_secret if verb == "sets" else session.guess)(mirror, code)

    async def _acts(self, who: str, verb: str) -> None:
        player = await self._find(who)
        session, mirror = player.person.session, player.mirror
        if verb == "offers a rematch":
            await player.until(Phase.FINISHED)
            await player.enter(session.rematch(mirror))
            return
        if verb != "leaves":
            await player.person.wait_for_turn(mirror)
        done: dict[str, Callable[[], Awaitable[object]]] = {
            "resigns": lambda: session.perform(mirror, ResignRound()),
            "takes advice": lambda: session.advise(mirror),
            "leaves": lambda: session.leave(mirror),
        }
        await done[verb]()

    async def _says(self, who: str, text: str) -> None:
        player = await self._find(who)
        await player.person.session.say(player.mirror, text)

    async def _is_told(self, who: str, kind: str) -> None:
        await (await self._find(who)).person.wait_for_event(getattr(events, kind))

    async def _hears(self, who: str, text: str) -> None:
        heard = await (await self._find(who)).person.wait_for_update(ChatReceived)
        assert (heard.line.text or f"phrase {heard.line.phrase}") == text

    async def _fails(self, how: str, who: str | None = None) -> None:
        line = self._lines[who] if who else self._line
        if how != "breaks":
            line.hold() if how == "is lost" else line.release()
        if how != "is back":
            line.cut()

    async def _stops(self, how: str) -> None:
        await (self._server.stop() if how == "stops" else self._server.start(random=Chance()))

    async def _backs_up(self) -> None:
        self._copy = await self._server.back_up()

    async def _goes_back(self) -> None:
        await self._server.restore(self._copy, random=Chance())

    async def _is_day(self) -> None:
        """Set the time of day to noon of a day of the future, whose code is 1234."""
        day = make_day(epoch=self._server.store.epoch)
        await self._server.store.write(add_day, day)
        self._server.services.clock.set_time(NOON)

    async def _is_at(self, place: str) -> None:
        os.environ["XDG_DATA_HOME"] = str(self._home / place)

    async def _plays_first(self) -> None:
        save({"introduction": "all"}, settings_path())

    async def _sets_up(self, name: str, value: str) -> None:
        save({name: value}, settings_path())

    async def _is_enough(self) -> None:
        self._enough = True


_FOLDERS = ("CONFIG", "DATA", "STATE")
_WHO = r"(?P<who>ada|carl|eve|zoe|eliza)"
_SEAT = r"( as code(?P<seat>maker|breaker))?"
_DIRECTIONS: dict[str, Callable[..., Awaitable[None]]] = {
    rf"{_WHO} has a line that can break": Play._has_line,
    rf"{_WHO} (?P<verb>opens|seeks) (?P<rules>\S+){_SEAT}(?P<terms>.*)": Play._sits_down,
    rf"{_WHO} (?P<verb>joins|watches) (?P<code>\w{{6}})": Play._comes,
    rf"{_WHO}, a program, joins (?P<code>\w{{6}})": Play._joins_as_program,
    rf"{_WHO} (?P<verb>sets|guesses) (?P<typed>.+)": Play._moves,
    rf"{_WHO} (?P<verb>resigns|leaves|takes advice|offers a rematch)": Play._acts,
    rf'{_WHO} says "(?P<text>.+)"': Play._says,
    rf"{_WHO} is told of (?P<kind>\w+)": Play._is_told,
    rf'{_WHO} hears "(?P<text>.+)"': Play._hears,
    r"the line (?P<how>breaks|is lost|is back)": Play._fails,
    rf"the line of {_WHO} (?P<how>breaks|is lost|is back)": Play._fails,
    r"the server (?P<how>stops|starts)": Play._stops,
    r"the server is backed up": Play._backs_up,
    r"the backup is restored": Play._goes_back,
    r"it is noon, and the code of the day is 1234": Play._is_day,
    r"this is the computer at (?P<place>\w+)": Play._is_at,
    r"this is a first game": Play._plays_first,
    r"the setting (?P<name>\w+) is (?P<value>\S+)": Play._sets_up,
    r"the rest is not shown": Play._is_enough,
}
