import pytest

from mastermind_client.bot_runner import command
from mastermind_client.cli.command import EXIT_OK, EXIT_USAGE, main
from mastermind_client.config.options import DEFAULT_SERVER, BotOptions
from mastermind_protocol.events import MAX_NAME_LENGTH
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules


@pytest.fixture
def asked_for(monkeypatch):
    """Run a command line; return the runner's options."""
    started: list[BotOptions] = []

    async def run(_context, options):
        started.append(options)

    monkeypatch.setattr(command, "run", run)

    def ask(*arguments):
        assert main(["bot", *arguments]) == EXIT_OK
        return started.pop()

    return ask


def test_the_defaults_are_classic_and_the_usual_server(asked_for):
    assert asked_for("bots:Both") == BotOptions("bots:Both", (DEFAULT,), DEFAULT_SERVER)


def test_every_option_can_be_given(asked_for):
    line = "my.bots:Both --rules mini --rules 5x8 --rules MINI --server wss://x --name Eliza"
    more = "--rounds 4 --games 7 --seconds 0.5 --matches 3"
    assert asked_for(*line.split(), *more.split()) == BotOptions(
        bot="my.bots:Both",
        rules=(PRESETS["mini"], find_rules("5x8/12")),
        server="wss://x",
        name="Eliza",
        rounds=4,
        games=7,
        move_seconds=0.5,
        matches=3,
    )


def test_a_bot_is_named_after_its_class_unless_it_has_a_name():
    assert command.choose_name(BotOptions("bots:Both")) == "Both"
    assert command.choose_name(BotOptions("bots:Both", name="Eliza")) == "Eliza"
    assert command.choose_name(BotOptions(f"bots:{'x' * 30}")) == "x" * MAX_NAME_LENGTH


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "the following arguments are required: MODULE:CLASS"),
        ("bots", "'bots' is no MODULE:CLASS: write greedy_bot:GreedyBot"),
        *((bot, f"'{bot}' is no MODULE:CLASS")
          for bot in ("bots.py:Both", "bots:", ":Both", "a/bots:Both", "bots:Both.inner")),
        ("bots:Both --rules chess", "'chess' names no rules"),
        ("bots:Both --games 0", "argument --games: '0' is no number of games at once: 1 to 32"),
        ("bots:Both --games 33", "argument --games: '33' is no number of games at once"),
        ("bots:Both --matches x", "argument --matches: 'x' is no number of matches: 1 to 1000000"),
        ("bots:Both --seconds 0", "argument --seconds: '0' is no time for a move"),
        ("bots:Both --seconds nan", "'nan' is no time for a move"),
        ("bots:Both --seconds 3601", "more than 0, at most 3600 seconds"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_explained(line, named, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bot", *line.split()])
    assert ended.value.code == EXIT_USAGE
    assert named in " ".join(capsys.readouterr().err.split())
