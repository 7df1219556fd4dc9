"""Servers at a chosen time of day, and tries at the code of the day on the page."""

from __future__ import annotations

import sqlite3
import sys
import time
from datetime import datetime

from playwright.sync_api import Page, expect

from kit.processes import Machine, Program, Server, free_port
from mastermind_protocol.rules import find_rules
from web.play import enter

# Runs the server's command with a time of day that differs from the system's.
_SHIFTED = """import sys, time
system_time = time.time_ns
time.time_ns = lambda: system_time() + {milliseconds} * 10**6
from mastermind_server.cli import main
sys.argv[0] = "mastermind-server"
sys.exit(main())"""


def serve_at(machine: Machine, moment: str, port: int | None = None) -> Server:
    """Start a server on the machine's database whose time of day begins at `moment`.

    `moment` is such as `2026-11-24T12:00Z`.
    """
    machine.database.parent.mkdir(exist_ok=True)
    command = _make_command(machine, moment, f"--port={port or free_port()}")
    server = machine.run(Server, command, "server")
    assert server.address
    return server


def withdraw(machine: Machine, moment: str, day: int, rules: str = "classic") -> None:
    """Withdraw a code at `moment`, as an operator does."""
    command = _make_command(machine, moment, "contest", "withdraw", str(day), rules)
    machine.run(Program, command, "operator").finish()


def _make_command(machine: Machine, moment: str, *arguments: str) -> list[str]:
    shift = int((datetime.fromisoformat(moment).timestamp() - time.time()) * 1000)
    code = _SHIFTED.format(milliseconds=shift)
    return [sys.executable, "-c", code, *arguments, f"--database={machine.database}"]


def find_code(machine: Machine, rules: str = "classic") -> str:
    """Return the code of the last day that was drawn, in letters."""
    query = "SELECT code FROM days WHERE rules = ? ORDER BY day DESC"
    with sqlite3.connect(machine.database) as database:
        (code,) = database.execute(query, [rules]).fetchone()
    letters = max(find_rules(rules).alphabets)
    return "".join(letters[colour] for colour in code)


def make_players_older(machine: Machine) -> None:
    """Let all players be older than the day: only their tries have a place."""
    with sqlite3.connect(machine.database) as database:
        database.execute("UPDATE players SET created = 0")


def miss_code(code: str) -> str:
    """Return a guess of one colour that is not in `code`."""
    return next(letter for letter in "RGBYOP" if letter not in code) * len(code)


def begin_try(page: Page, rules: str = "classic") -> None:
    """Begin the try at today's code by its page."""
    page.goto(f"/#day/{rules}")
    page.get_by_role("button", name="Break it").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def break_code(page: Page, machine: Machine) -> None:
    """Begin the try, break the code with the second guess, and open the results of the day."""
    begin_try(page)
    code = find_code(machine)
    for guess in (miss_code(code), code):
        enter(page, guess)
    page.get_by_role("link", name="The results of the day").click()
    expect(page.get_by_role("heading", name="Cracked in 2 of 12")).to_be_visible()
