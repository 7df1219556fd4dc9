from typing import Literal

import pytest

from kit.desk import TerminalUser
from kit.people import SessionClient, unreachable
from mastermind_client.lines.dialogue import Command, find_command, write_help
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lists import pick_match
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Listed, Listing
from mastermind_protocol.requests import ListMatches


@pytest.fixture
async def desk(new_desk):
    """Bob's desk."""
    return new_desk()


async def test_a_server_that_is_lost_for_good_ends_the_picking(bob, desk, relay):
    _pick(desk, bob)
    await desk.until("Which one?")
    await relay.close(1008, "abuse")
    with unreachable("abuse"):
        await desk.finish()


async def test_a_list_cannot_draw_on_the_screen(bob, desk, relay):
    listed = Listed(
        match="ABC234", rules="\x1b[2J", rounds=1, phase=Phase.SETTING, maker="\x07", breaker=None
    )
    relay.answer(ListMatches, lambda request: Listing(id=request.id, matches=(listed,)))
    _pick(desk, bob)
    await desk.until(" 1  ABC234  ?[2J: ? sets, ? breaks (setting)\n")


def _pick(
    desk: TerminalUser, person: SessionClient, what: Literal["waiting", "running"] = "running"
) -> list[str | None]:
    """Start picking; return the list that receives the picked code."""
    picked: list[str | None] = []

    async def pick() -> None:
        async with Inbox.open(person.session, desk.terminal) as inbox:
            picked.append(await pick_match(inbox, what))

    desk.start(pick())
    return picked


class Ledger:
    """Records executed commands."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def last(self, argument: str) -> None:
        self.done.append(f"last {argument}")

    async def leave(self, argument: str) -> None:
        self.done.append(f"leave {argument}")

    async def ask(self, argument: str) -> None:
        self.done.append(f"ask {argument}")


@pytest.fixture
def ledger():
    return Ledger()


@pytest.fixture
def commands(ledger):
    return (
        Command("l", ("last",), "the last guess", ledger.last),
        Command("", ("rules",), "what is played", ledger.last, takes="[NAME]"),
        Command("q", ("quit", "leave"), "go", ledger.leave, by_letter=ledger.ask),
    )


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("l", "last "),
        (" LAST ", "last "),
        ("rules", "last "),
        ("rules  Two Words ", "last Two Words"),
        ("q", "ask "),
        ("Q", "ask "),
        ("quit", "leave "),
        ("leave", "leave "),
    ],
)
async def test_a_line_is_the_command_that_it_begins_with(line, done, commands, ledger):
    found = find_command(line, commands)
    assert found is not None
    command, name, argument = found
    await command.run(name, argument)
    assert ledger.done == [done]


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_is_none(line, commands):
    assert find_command(line, commands) is None


def test_the_help_is_made_of_the_commands(commands):
    assert write_help(commands) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, quit            go",
    ]
