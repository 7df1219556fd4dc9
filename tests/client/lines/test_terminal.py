import asyncio
import fcntl
import io
import os
import struct
import sys
import termios
import threading
import tracemalloc
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper

import pytest

from kit.people import PATIENCE
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import make_context
from mastermind_client.lines.terminal import (
    MAX_LINE_CHARACTERS,
    InputEnded,
    StreamTerminal,
    choose_bar,
    choose_marks,
)
from mastermind_client.messages.codes import ASCII_MARKS, MARKS


async def test_lines_come_in_order_and_without_their_ends(desk):
    desk.send("1122\n\nžluť\r\n  a b \nquit".encode())
    desk.end_input()
    assert await _read_all(desk) == ["1122", "", "žluť", "  a b ", "quit"]


async def test_a_line_is_available_only_when_it_is_complete(desk):
    desk.send(b"11")
    desk.send(b"22\n33")
    assert await desk.terminal.read_line() == "1122"
    assert not desk.terminal.has_line
    desk.send(b"44\n")
    assert await desk.terminal.read_line() == "3344"


async def test_the_end_of_the_input_stays_the_end(desk):
    desk.end_input()
    for _ in range(2):
        with pytest.raises(InputEnded):
            await desk.terminal.read_line()
        assert desk.terminal.has_line  # without waiting
        with pytest.raises(InputEnded):
            desk.terminal.take_line()


async def test_invalid_utf8_is_replaced(desk):
    desk.send(b"\xff\xc5")
    desk.send(b"\xbe\n")
    assert await desk.terminal.read_line() == "\N{REPLACEMENT CHARACTER}ž"


async def test_a_byte_order_mark_before_the_first_line_is_dropped(desk):
    for part in (b"\xef", b"\xbb\xbf11", b"22\n\xef\xbb\xbf33\n"):
        desk.send(part)
    assert await desk.terminal.read_line() == "1122"
    assert await desk.terminal.read_line() == "\N{ZERO WIDTH NO-BREAK SPACE}33"


async def test_a_line_longer_than_the_maximum_is_truncated(desk):
    desk.send(b"x" * 3 * MAX_LINE_CHARACTERS + b"\n" + b"1122\n")
    assert await desk.terminal.read_line() == "x" * MAX_LINE_CHARACTERS
    assert await desk.terminal.read_line() == "1122"


async def test_a_line_without_end_uses_little_memory(desk):
    tracemalloc.start()
    try:
        for _ in range(256):
            desk.send(b"x" * 4096)
        desk.end_input()
        assert await _read_all(desk) == ["x" * MAX_LINE_CHARACTERS]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 256 * 1024  # of a line of a megabyte


async def test_only_one_buffer_is_read_ahead_from_a_pipe():
    read, write = os.pipe()
    typed = os.write(write, b"1122\n" * 12_000)  # a little less than a pipe holds
    terminal = StreamTerminal(replace(make_context(), output=io.StringIO()), read)
    async with asyncio.timeout(PATIENCE):
        await terminal.activity.wait()
        (waiting,) = struct.unpack("i", fcntl.ioctl(read, termios.FIONREAD, bytes(4)))
        assert waiting == typed - 4096  # one reading is far more than is read ahead
        assert [await terminal.read_line() for _ in range(12_000)] == ["1122"] * 12_000
        os.close(write)
        with pytest.raises(InputEnded):
            await terminal.read_line()
    os.close(read)


async def test_activity_is_set_when_input_arrives_or_ends(desk):
    desk.type("a")
    async with asyncio.timeout(PATIENCE):
        await desk.terminal.activity.wait()
    assert desk.terminal.has_line
    assert desk.terminal.take_line() == "a"
    desk.terminal.activity.clear()
    desk.end_input()
    async with asyncio.timeout(PATIENCE):
        await desk.terminal.activity.wait()


async def test_a_prompt_is_printed_once_until_it_is_answered(desk):
    desk.terminal.prompt("Guess: ")
    desk.terminal.prompt("Guess: ")
    assert desk.shown == "Guess: "
    desk.type("1122")
    await desk.terminal.read_line()
    desk.terminal.prompt("Guess: ")
    assert desk.shown == "Guess: Guess: "


async def test_output_starts_on_a_new_line_after_an_unanswered_prompt(desk):
    desk.terminal.prompt("Guess: ")
    desk.terminal.write("Ada left.")
    desk.terminal.write("You win.")
    desk.terminal.prompt("Again? ")
    assert desk.shown == "Guess: \nAda left.\nYou win.\nAgain? "


async def test_only_piped_input_is_echoed_after_its_prompt(new_desk):
    piped, typed = new_desk(), new_desk(person=True)
    for desk in (piped, typed):
        desk.terminal.prompt("Guess: ")
        desk.type("1122")
        desk.terminal.echo(await desk.terminal.read_line())
    assert (piped.terminal.interactive, piped.shown) == (False, "Guess: 1122\n")
    assert (typed.terminal.interactive, typed.shown) == (True, "Guess: ")


async def test_ctrl_d_and_a_closed_window_end_a_persons_input(new_desk):
    ctrl_d, closed = new_desk(person=True), new_desk(person=True)
    ctrl_d.send(b"\x04")
    closed.end_input()
    for desk in (ctrl_d, closed):
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(InputEnded):
                await desk.terminal.read_line()


async def test_a_warning_goes_to_standard_error(desk):
    desk.terminal.write_error("WARNING!")
    assert (desk.shown, desk.errors.getvalue()) == ("", "WARNING!\n")


async def test_the_default_terminal_is_standard_input_and_output(capsys):
    read, write = os.pipe()
    ours = os.dup(sys.__stdin__.fileno() if sys.__stdin__ else 0)
    os.dup2(read, 0)
    try:
        terminal = StreamTerminal(make_context())
        terminal.write("hello")
        os.write(write, b"1122\n")
        os.close(write)
        assert await terminal.read_line() == "1122"
        with pytest.raises(InputEnded):
            await terminal.read_line()
    finally:
        os.dup2(ours, 0)
        os.close(ours)
        os.close(read)
    assert capsys.readouterr().out == "hello\n"


def test_a_line_typed_after_the_game_raises_no_error():
    read, write = os.pipe()
    others = set(threading.enumerate())

    async def play() -> None:
        StreamTerminal(replace(make_context(), output=io.StringIO()), read)

    asyncio.run(play())
    (reader,) = set(threading.enumerate()) - others
    os.write(write, b"1122\n")
    reader.join(PATIENCE)
    assert not reader.is_alive()
    os.close(write)
    os.close(read)


async def _read_all(desk: TerminalUser) -> list[str]:
    lines: list[str] = []
    async with asyncio.timeout(PATIENCE):
        try:
            while True:
                lines.append(await desk.terminal.read_line())
        except InputEnded:
            return lines


@pytest.mark.parametrize(
    ("encoding", "bar", "marks"),
    [("utf-8", "▆", MARKS), ("ascii", "#", ASCII_MARKS), ("latin-1", "#", ASCII_MARKS)],
)
def test_signs_are_limited_to_the_outputs_encoding(encoding, bar, marks):
    output = TextIOWrapper(BytesIO(), encoding=encoding)
    assert choose_bar(output) == bar
    assert choose_marks(output) == marks


def test_an_output_without_an_encoding_gets_ascii():
    assert choose_bar(StringIO()) == "#"
