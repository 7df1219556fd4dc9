"""Bots in processes of their own: the runner reports any failure and survives it."""

import asyncio
import os
import socket
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from kit.people import PATIENCE
from mastermind_client.bot_runner import process as process_module
from mastermind_client.bot_runner import worker
from mastermind_client.bot_runner.process import BotProcess, Forfeited
from mastermind_client.bot_runner.worker import Abilities
from mastermind_protocol.events import Forfeit
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import DEFAULT, find_rules

ENOUGH = 30.0  # seconds, far more than any move takes
MISSED = Turn((0, 0, 0, 0), Feedback(0, 0))
RUNNER = """
import asyncio, sys
from mastermind_client.bot_runner.process import BotProcess
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import DEFAULT

async def run():
    async with BotProcess.start(sys.argv[1], 1000) as process:
        await process.choose(BreakerView(DEFAULT))

asyncio.run(run())
"""


@pytest.mark.parametrize(
    ("bot", "chooses", "makes"),
    [("Both", True, True), ("Breaker", True, False), ("Maker", False, True)],
)
async def test_a_bots_methods_are_its_abilities(bot, chooses, makes):
    async with BotProcess.start(f"bots:{bot}", ENOUGH) as process:
        assert process.abilities == Abilities(chooses=chooses, makes=makes)


async def test_a_bot_gets_the_codebreakers_view():
    async with BotProcess.start("bots:make_a_bot", ENOUGH) as process:
        assert await process.choose(BreakerView(DEFAULT)) == (0, 0, 0, 0)
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)
        assert await process.make(find_rules("5x8/12")) == (1, 1, 1, 1, 1)


MEDDLES = "meddles with its process's messages"


@pytest.mark.parametrize(
    ("answer", "why", "told"),
    [
        ("fail(SystemExit(f'no code of {rules} today'))", Forfeit.FAILED,
         "raised SystemExit: no code of classic today (bots.py:"),
        ("fail(Silent())", Forfeit.FAILED, "raised Silent: its text cannot be read (bots.py:"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", Forfeit.FAILED, "crashed its process: SIGSEGV"),
        ("os._exit(3)", Forfeit.FAILED, "ended its process with status 3"),
        ("hang()", Forfeit.FAILED, "closed the files of its process"),
        ("meddle(b'{}\\n')", Forfeit.FAILED, MEDDLES),
        ("meddle(write_message(Abilities(chooses=True, makes=True)))", Forfeit.FAILED, MEDDLES),
        ("meddle(b' ' * 70_000)", Forfeit.FAILED, MEDDLES),
        ("[0, 1, 2, 6]", Forfeit.ILLEGAL,
         "returned [0, 1, 2, 6]: peg 4: 6 is no colour of classic; allowed: 0 to 5"),
        ("linger()", Forfeit.SLOW, "took longer than 0.5 s"),
    ],
)  # fmt: skip
async def test_a_misbehaving_bot_forfeits_with_one_line(answer, why, told, monkeypatch):
    monkeypatch.setenv("ANSWER", answer)
    monkeypatch.setattr(process_module, "END_SECONDS", 0.1)
    seconds = 0.5 if why is Forfeit.SLOW else ENOUGH
    async with BotProcess.start("bots:Answering", seconds) as process:
        with pytest.raises(Forfeited) as forfeited:
            await process.make(DEFAULT)
    assert forfeited.value.why is why
    assert str(forfeited.value).startswith(f"make() {told}")


@pytest.mark.parametrize(
    ("bot", "seconds", "why", "told"),
    [
        ("bots:Broken", ENOUGH, Forfeit.FAILED,
         "bots:Broken() raised RuntimeError: no opening book (bots.py:"),
        ("spoilt:Bot", ENOUGH, Forfeit.FAILED,
         "loading spoilt:Bot ended its process with status 4"),
        ("bots:Endless", 1.0, Forfeit.SLOW, "loading bots:Endless took longer than 1 s"),
    ],
)  # fmt: skip
async def test_a_bot_that_cannot_be_loaded_is_reported_in_one_line(
    bot, seconds, why, told, tmp_path, monkeypatch
):
    monkeypatch.setattr(process_module, "LOAD_SECONDS", seconds)
    if bot.startswith("spoilt"):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "spoilt.py").write_text("import os\nos._exit(4)\n")
    with pytest.raises(Forfeited) as failed:
        async with BotProcess.start(bot, ENOUGH):
            pass
    assert failed.value.why is why
    assert str(failed.value).startswith(told)
    assert "\n" not in str(failed.value)


async def test_an_exception_is_reported_with_its_place_and_traceback(capfd, monkeypatch):
    monkeypatch.setenv("ANSWER", "fail(ValueError('no idea'))")
    async with BotProcess.start("bots:AtFirst", ENOUGH) as process:
        with pytest.raises(Forfeited, match=r"choose\(\) raised ValueError: no idea") as failed:
            await process.choose(BreakerView(DEFAULT))
    place = str(failed.value).rpartition("(bots.py:")[2].removesuffix(")")
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("Traceback (most recent call last):\n")
    assert f'bots.py", line {place}, in fail\n    raise error' in said.err
    assert worker.__file__ not in said.err


async def test_a_slow_bot_is_killed_with_the_programs_that_it_started(line):
    timeouts: list[asyncio.Timeout] = []

    def hold(seconds):
        timeouts.append(asyncio.timeout(seconds))
        return timeouts[-1]

    async with BotProcess.start("bots:Parent", 1000.0, hold) as process:
        making = asyncio.create_task(process.make(DEFAULT))
        call = await line.opened()
        timeouts[-1].reschedule(asyncio.get_running_loop().time())
        with pytest.raises(Forfeited, match=r"make\(\) took longer than 1000 s") as forfeited:
            await making
        assert forfeited.value.why is Forfeit.SLOW
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""


@pytest.mark.parametrize("bot", ["Leaving", "Abandoning"])
async def test_programs_started_by_a_bot_end_with_its_match(bot, line):
    ends = pytest.raises(Forfeited, match=r"make\(\) ended its process with status 3")
    async with BotProcess.start(f"bots:{bot}", ENOUGH) as process:
        with ends if bot == "Abandoning" else nullcontext():
            await process.make(DEFAULT)
        call = await line.opened()
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""


async def test_a_bot_that_forks_answers_once():
    async with BotProcess.start("bots:Forking", ENOUGH) as process:
        assert process.abilities == Abilities(chooses=True, makes=True)
        assert await process.choose(BreakerView(DEFAULT)) == (0, 0, 0, 0)
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a signal of Linux")
@pytest.mark.parametrize("bot", ["Pondering", "Matching"])
async def test_a_bot_ends_with_its_runner(bot, line):
    runner = await asyncio.create_subprocess_exec(sys.executable, "-c", RUNNER, f"bots:{bot}")
    call = await line.opened()
    runner.kill()
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""
    await runner.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a signal of Linux")
async def test_a_bot_does_not_start_without_its_runner():
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "mastermind_client.bot_runner.worker", "bots:Both", "1",
            stdin=theirs.fileno(),
        )  # fmt: skip
    reader, writer = await asyncio.open_connection(sock=ours)
    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == b""
        assert await process.wait() == 1
    writer.close()


async def test_a_bot_may_print(capfd):
    async with BotProcess.start("bots:Talking", ENOUGH) as process:
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[:3] == [
        "I guess 1",
        "written at the lowest level",
        "said by a program of mine",
    ]


async def test_a_bot_may_clean_up_after_its_match(monkeypatch):
    monkeypatch.setattr(process_module, "END_SECONDS", ENOUGH)
    tidied = Path(os.environ["HOME"]) / "tidied"
    async with BotProcess.start("bots:Tidy", ENOUGH) as process:
        await process.make(DEFAULT)
        assert not tidied.exists()
    assert tidied.exists()


async def test_files_next_to_a_bot_do_not_shadow_modules_of_its_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("msgspec", "queue", "mastermind_protocol"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError\n")
    (tmp_path / "lonely.py").write_text("class Bot:\n    def make(self, rules): return [0] * 4\n")
    async with BotProcess.start("lonely:Bot", ENOUGH) as process:
        assert await process.make(DEFAULT) == (0, 0, 0, 0)


async def test_a_process_that_cannot_be_started_leaves_nothing_open(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError):
        async with BotProcess.start("bots:Both", ENOUGH):
            pass
