import pytest

from mastermind_client.lines.dialogue import Command, find_command, write_help


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
async def test_a_line_is_the_command_it_starts_with(line, done, commands, ledger):
    found = find_command(line, commands)
    assert found is not None
    command, name, argument = found
    await command.run(name, argument)
    assert ledger.done == [done]


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_is_no_command(line, commands):
    assert find_command(line, commands) is None


def test_the_help_lists_the_commands(commands):
    assert write_help(commands) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, quit            go",
    ]
