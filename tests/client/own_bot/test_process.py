"""Bots in processes of their own: whatever they do, the runner is told what, and lives."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from kit.people import PATIENCE
from mastermind_client.own_bot import process as process_module
from mastermind_client.own_bot import worker
from mastermind_client.own_bot.process import BotProcess, Forfeited
from mastermind_client.own_bot.wire import Abilities, Played, pack
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.events import Forfeit
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import DEFAULT, find_rules

ENOUGH = 30.0  # seconds for a move that comes: far more than any takes
MISSED = Turn((0, 0, 0, 0), Feedback(0, 0))
RUNNER = """
import asyncio, sys
from mastermind_client.own_bot.process import BotProcess
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.rules import DEFAULT

async def run():
    async with BotProcess.start(sys.argv[1], 1000) as process:
        await process.choose(BreakerView(DEFAULT))

asyncio.run(run())
"""


@pytest.fixture
def home():
    """Where the bots leave their notes."""
    return Path(os.environ["HOME"])


@pytest.mark.parametrize(
    ("bot", "chooses", "makes"),
    [("Both", True, True), ("Breaker", True, False), ("Maker", False, True)],
)
async def test_a_bot_does_what_it_has_methods_for(bot, chooses, makes):
    async with BotProcess.start(f"bots:{bot}", ENOUGH) as process:
        assert process.abilities == Abilities(chooses=chooses, makes=makes)


async def test_a_bot_chooses_by_what_a_codebreaker_sees():
    async with BotProcess.start("bots:make_a_bot", ENOUGH) as process:
        assert await process.choose(BreakerView(DEFAULT)) == (0, 0, 0, 0)
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)
        assert await process.make(find_rules("5x8/12")) == (1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        ("Quitting", "make() raised SystemExit: no code of classic today (bots.py:"),
        ("Crashing", "make() crashed its process: SIGSEGV"),
        ("Meddling", "make() meddles with its process's messages"),
        ("Flooding", "make() meddles with its process's messages: a message of 4294967295 bytes"),
        ("Mute", "make() raised Silent: its text cannot be had (bots.py:"),
    ],
)
async def test_a_bot_that_fails_is_told_of_in_one_line(bot, told):
    async with BotProcess.start(f"bots:{bot}", ENOUGH) as process:
        with pytest.raises(Forfeited) as forfeited:
            await process.make(DEFAULT)
    assert forfeited.value.why is Forfeit.FAILED
    assert str(forfeited.value).startswith(told)


async def test_what_a_bot_raises_is_told_with_its_place_and_its_traceback_is_seen(capfd):
    async with BotProcess.start("bots:Raising", ENOUGH) as process:
        with pytest.raises(Forfeited, match="raised ZeroDivisionError: division by zero") as failed:
            await process.choose(BreakerView(DEFAULT))
    place = str(failed.value).rpartition("(bots.py:")[2].removesuffix(")")
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("Traceback (most recent call last):\n")
    assert f'bots.py", line {place}, in choose\n    1 / 0' in said.err
    assert worker.__file__ not in said.err


async def test_a_code_that_the_rules_do_not_know_is_illegal(monkeypatch):
    monkeypatch.setenv("ANSWER", "[0, 1, 2, 6]")
    async with BotProcess.start("bots:Answering", ENOUGH) as process:
        with pytest.raises(Forfeited) as forfeited:
            await process.make(DEFAULT)
    assert forfeited.value.why is Forfeit.ILLEGAL
    assert str(forfeited.value) == (
        "make() returned [0, 1, 2, 6]: peg 4: 6 is no colour of classic; allowed: 0 to 5"
    )


async def test_a_bot_that_ends_its_process_is_told_of_by_the_status():
    async with BotProcess.start("bots:Exiting", ENOUGH) as process:
        with pytest.raises(Forfeited, match=r"choose\(\) ended its process with status 3"):
            await process.choose(BreakerView(DEFAULT))


async def test_a_bot_that_is_too_slow_is_killed_with_all_that_it_has_started(line):
    timeouts: list[asyncio.Timeout] = []

    def hold(seconds):
        timeouts.append(asyncio.timeout(seconds))
        return timeouts[-1]

    async with BotProcess.start("bots:Parent", 1000.0, hold) as process:
        making = asyncio.create_task(process.make(DEFAULT))
        call = await line.opened()
        timeouts[-1].reschedule(asyncio.get_running_loop().time())  # now they are over
        with pytest.raises(Forfeited, match=r"make\(\) took longer than 1000 s") as forfeited:
            await making
        assert forfeited.value.why is Forfeit.SLOW
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""  # at its end: nobody has it open any more


async def test_what_a_bot_has_started_ends_with_its_match(line):
    async with BotProcess.start("bots:Leaving", ENOUGH) as process:
        await process.make(DEFAULT)
        call = await line.opened()
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""


async def test_what_a_bot_has_started_ends_after_the_bot_has_ended_itself(line):
    async with BotProcess.start("bots:Abandoning", ENOUGH) as process:
        with pytest.raises(Forfeited, match=r"make\(\) ended its process with status 3"):
            await process.make(DEFAULT)
    call = await line.opened()
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""


async def test_a_bot_that_forks_is_there_once_and_answers_once():
    async with BotProcess.start("bots:Forking", ENOUGH) as process:
        assert process.abilities == Abilities(chooses=True, makes=True)
        assert await process.choose(BreakerView(DEFAULT)) == (0, 0, 0, 0)
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)


@pytest.mark.parametrize("number", [0, 2])
async def test_an_answer_to_another_order_is_none(number, monkeypatch):
    monkeypatch.setenv("REPLY", pack(Played((5, 5, 5, 5)), number).hex())
    async with BotProcess.start("bots:Prompt", ENOUGH) as process:
        with pytest.raises(Forfeited, match=r"meddles .*: an answer to order \d, and not to 1"):
            await process.make(DEFAULT)


@pytest.mark.skipif(sys.platform != "linux", reason="what the kernel of Linux promises")
@pytest.mark.parametrize("bot", ["Pondering", "Matching"])
async def test_a_bot_is_gone_with_its_runner_whatever_it_is_doing(bot, line):
    runner = await asyncio.create_subprocess_exec(sys.executable, "-c", RUNNER, f"bots:{bot}")
    call = await line.opened()
    runner.kill()
    async with asyncio.timeout(PATIENCE):
        assert await call.read() == b""
    await runner.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="what the kernel of Linux promises")
async def test_a_bot_whose_runner_has_gone_before_it_began_does_not_begin():
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "mastermind_client.own_bot.worker", "bots:Both", "1",
            stdin=theirs.fileno(),
        )  # fmt: skip
    reader, writer = await asyncio.open_connection(sock=ours)
    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == b""
        assert await process.wait() == 1
    writer.close()


async def test_a_bot_that_will_not_end_is_ended():
    async with BotProcess.start("bots:Slow", 0.5) as process:
        with pytest.raises(Forfeited, match=r"choose\(\) took longer than 0.5 s"):
            await process.choose(BreakerView(DEFAULT))


async def test_a_bot_that_cuts_its_line_is_told_of(monkeypatch):
    monkeypatch.setattr(process_module, "END_SECONDS", 0.1)
    async with BotProcess.start("bots:Hanging", ENOUGH) as process:
        with pytest.raises(Forfeited, match=r"make\(\) closed the files of its process"):
            await process.make(DEFAULT)


async def test_a_bot_may_talk_and_nobody_is_confused(capfd):
    async with BotProcess.start("bots:Talking", ENOUGH) as process:
        assert await process.choose(BreakerView(DEFAULT, (MISSED,))) == (1, 1, 1, 1)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[:3] == [
        "I guess 1",
        "written at the lowest level",
        "said by a program of mine",
    ]


async def test_a_bot_may_tidy_up_when_its_match_is_over(home, monkeypatch):
    monkeypatch.setattr(process_module, "END_SECONDS", ENOUGH)
    async with BotProcess.start("bots:Tidy", ENOUGH) as process:
        await process.make(DEFAULT)
        assert not (home / "tidied").exists()
    assert (home / "tidied").exists()


async def test_a_bot_that_cannot_be_loaded_is_told_of_in_one_line():
    with pytest.raises(Forfeited) as failed:
        async with BotProcess.start("bots:Broken", ENOUGH):
            pass
    assert str(failed.value).startswith("bots:Broken() raised RuntimeError: no opening book (bots")
    assert "\n" not in str(failed.value)


async def test_a_module_that_ends_its_process_is_told_of_by_the_status(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spoilt.py").write_text("import os\nos._exit(4)\n")
    with pytest.raises(Forfeited, match="loading spoilt:Bot ended its process with status 4"):
        async with BotProcess.start("spoilt:Bot", ENOUGH):
            pass


async def test_a_bot_that_loads_for_ever_is_too_slow(monkeypatch):
    monkeypatch.setattr(process_module, "LOAD_SECONDS", 1.0)
    with pytest.raises(Forfeited, match="loading bots:Endless took longer than 1 s") as failed:
        async with BotProcess.start("bots:Endless", ENOUGH):
            pass
    assert failed.value.why is Forfeit.SLOW


async def test_files_beside_a_bot_do_not_stand_in_the_way_of_its_process(tmp_path, monkeypatch):
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
