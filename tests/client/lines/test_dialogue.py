from collections.abc import Awaitable, Callable

import pytest

from mastermind_client.lines.dialogue import Command, find_command, write_help


def make_commands(done: list[str]) -> tuple[Command, ...]:
    """Return commands that record their names and arguments."""

    def record(name: str) -> Callable[[str], Awaitable[None]]:
        async def run(argument: str) -> None:
            done.append(f"{name} {argument}")

        return run

    return (
        Command("l", ("last",), "the last guess", record("last")),
        Command("", ("rules",), "what is played", record("rules"), takes="[NAME]"),
        Command("q", ("quit", "leave"), "go", record("leave"), by_letter=record("ask")),
    )


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("l", "last "),
        (" LAST ", "last "),
        ("rules", "rules "),
        ("rules  Two Words ", "rules Two Words"),
        ("q", "ask "),
        ("Q", "ask "),
        ("quit", "leave "),
        ("leave", "leave "),
    ],
)
async def test_a_line_is_the_command_it_starts_with(line, done):
    ledger: list[str] = []
    found = find_command(line, make_commands(ledger))
    assert found is not None
    command, name, argument = found
    await command.run(name, argument)
    assert ledger == [done]


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_is_no_command(line):
    assert find_command(line, make_commands([])) is None


def test_the_help_lists_the_commands():
    assert write_help(make_commands([])) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, quit            go",
    ]
