"""A server that dies in the middle of a match: everybody comes back, and nothing is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import SystemRandom
from typing import TYPE_CHECKING, Any

import msgpack

from processes import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from processes import Machine, Program, Server

BACK = "*** CONNECTED AGAIN. ***\n"
REMATCH = "Rematch, with the seats swapped? (Y/N) "
LONG_GAME = 40  # guesses
KILLS = 3


def read_log(database: Path, match: str) -> list[list[dict[str, Any]]]:
    """Return the rows of a match's log, which must be numbered 1, 2, 3 ..."""
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute(
            "SELECT version, events FROM log WHERE match = ? ORDER BY version", (match,)
        ).fetchall()
        (health,) = connection.execute("PRAGMA integrity_check").fetchone()
    assert health == "ok"
    assert [version for version, _ in found] == list(range(1, len(found) + 1))
    return [msgpack.unpackb(events) for _, events in found]


def name_events(rows: list[list[dict[str, Any]]]) -> list[list[str]]:
    return [[event["event"] for event in row] for row in rows]


def guesses_in(rows: list[list[dict[str, Any]]]) -> list[str]:
    """Return the guesses, as digits from 1."""
    return [
        "".join(str(colour + 1) for colour in event["code"])
        for row in rows
        for event in row
        if event["event"] == "guessed"
    ]


def sit_down(machine: Machine, server: Server, rules: str) -> tuple[Program, Program, str]:
    """Return Ada, codemaker, and Bob, codebreaker, at a match, and its code."""
    at = ("--server", server.address)
    ada = machine.start(
        "play", "--versus=friend", "--as=maker", "--name=Ada", "--rules", rules, *at
    )
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    bob = machine.start("join", code, "--name=Bob", *at, user="bob")
    return ada, bob, code


def test_every_move_is_made_once_though_the_server_is_killed_again_and_again(
    machine: Machine,
) -> None:
    random = SystemRandom()
    guesses = ["".join(random.choices("RGBYOP", k=5)) + "R" for _ in range(LONG_GAME)]
    hidden = "PGBYOP"  # no guess ends like this
    server = machine.serve(port=free_port())
    ada, bob, code = sit_down(machine, server, f"6x6/{LONG_GAME + 1}")
    eve = machine.start("watch", code, "--server", server.address, user="eve")
    ada.answer("Your secret (6 pegs): ", hidden)
    everybody = (ada, bob, eve)
    bob.expect("Guess 1 of ")
    eve.expect("The secret is set")
    bob.send(*guesses, hidden)
    moments = sorted(random.sample(range(1, LONG_GAME), KILLS - 1))
    for killed, number in enumerate(moments, start=1):
        # The next guess is being sent, decided, written or told while the server dies.
        random.choice(everybody).see(f"\n{number:2}  {' '.join(guesses[number - 1])}  ")
        server.kill()
        server = machine.serve(port=server.port)
        for program in everybody if killed < KILLS - 1 else (bob,):
            program.see(BACK, times=killed)
    server.kill()  # again, while everybody comes back
    server = machine.serve(port=server.port)
    bob.see(BACK, times=KILLS)
    for program in (ada, bob):
        program.expect("The secret was P G B Y O P: purple green blue yellow orange purple.\n")
        program.expect("Code proven", REMATCH)
    bob.send("n")
    shown = [program.finish() for program in everybody]
    server.stop()

    rows = read_log(machine.database, code)
    assert name_events(rows) == [
        ["opened", "joined"],
        ["joined"],
        ["secret"],
        *[["guessed"]] * LONG_GAME,
        ["guessed", "round_ended", "finished"],
        ["left"],
        ["left"],
    ]
    digits = str.maketrans("RGBYOP", "123456")
    assert guesses_in(rows) == [guess.translate(digits) for guess in (*guesses, hidden)]
    for text in shown:
        told = [line for line in text.splitlines() if line.endswith(" white")]
        assert [line[4:15].replace(" ", "") for line in told] == [*guesses, hidden]
