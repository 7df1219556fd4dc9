from __future__ import annotations

import pytest

from mastermind_client.lines.commands import Command, find_command, write_help


class Ledger:
    """Keeps what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def last(self, argument: str) -> None:
        self.done.append(f"last {argument}")

    async def leave(self, argument: str) -> None:
        self.done.append(f"leave {argument}")

    async def ask(self, argument: str) -> None:
        self.done.append(f"ask {argument}")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def commands(ledger: Ledger) -> tuple[Command, ...]:
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
async def test_a_line_is_the_command_that_it_begins_with(
    line: str, done: str, commands: tuple[Command, ...], ledger: Ledger
) -> None:
    found = find_command(line, commands)
    assert found is not None
    command, name, argument = found
    await command.run(name, argument)
    assert ledger.done == [done]


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_is_none(line: str, commands: tuple[Command, ...]) -> None:
    assert find_command(line, commands) is None


def test_the_help_is_made_of_the_commands(commands: tuple[Command, ...]) -> None:
    assert write_help(commands) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, quit            go",
    ]
