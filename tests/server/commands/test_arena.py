import io
import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from kit.processes import BIN, Machine, Program
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import arena, find_bot
from mastermind_server.bots.arena import Contest, Tally
from mastermind_server.cli import INTERRUPTED_STATUS, main
from mastermind_server.commands import arena as arena_command
from mastermind_server.commands.arena import MAKER_GAMES, MAX_DRAWN_SEED, MAX_GAMES

Capture = pytest.CaptureFixture[str]

KEYS = ["rules", "bot", "codes", "games", "total", "mean", "max", "histogram", "seconds", "move_ms"]


class Asked(NamedTuple):
    rules: Rules
    bots: list[str]
    drawn: int | None
    seed: int
    json_lines: bool = False
    maker: str | None = None


@pytest.fixture
def asked_for(monkeypatch):
    """Return a function that returns the options which the arena gets for a command line."""
    opened: list[Asked] = []

    def note(rules, bots, drawn, seed, maker, _load_bot, *, json_lines):
        opened.append(Asked(rules, bots, drawn, seed, json_lines, maker))

    monkeypatch.setattr(arena_command, "run", note)

    def ask(*arguments):
        assert main(["arena", *arguments]) == 0
        return opened.pop()

    return ask


def json_lines(capsys: Capture, *arguments: str) -> list[dict[str, object]]:
    """Return the lines that `--json` prints, as objects."""
    assert main(["arena", "--json", *arguments]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return [json.loads(line) for line in said.out.splitlines()]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        (
            "--rules 5x8 --bot knuth --bot RANDOM --games 20 --seed -7 --json",
            Asked(find_rules("5x8"), ["knuth", "random"], 20, -7, json_lines=True),
        ),
        ("--bot hard --all --seed 3 --rules 6x9", Asked(find_rules("6x9"), ["hard"], None, 3)),
        ("--bot knuth --seed 1 --rules 4x10", Asked(find_rules("4x10"), ["knuth"], None, 1)),
        (
            "--bot knuth --seed 1 --maker EASY --rules 6x9",
            Asked(find_rules("6x9"), ["knuth"], MAKER_GAMES, 1, maker="easy"),
        ),
        (
            f"--bot knuth --seed 1 --games {MAX_GAMES}",
            Asked(PRESETS["classic"], ["knuth"], MAX_GAMES, 1),
        ),
    ],
)
def test_options_are_parsed(asked_for, line, asked):
    assert asked_for(*line.split()) == asked


def test_a_missing_seed_is_drawn(asked_for):
    seeds = {asked_for("--bot", "knuth", "--games", "3").seed for _ in range(20)}
    assert len(seeds) > 1
    assert seeds <= set(range(MAX_DRAWN_SEED + 1))


@pytest.mark.parametrize("games", ["--all", "--games=3"])
def test_a_bot_that_cannot_enter_is_refused_before_any_game(games, capsys):
    for line, error in (
        ("--bot knuth --bot hal", "'hal' is no bot here: use "),
        ("--bot devious", "devious only makes codes"),
    ):
        assert main(["arena", *line.split(), games]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("mastermind-server: ")
        assert error in said.err


@pytest.mark.parametrize(
    ("error", "status", "out", "err"),
    [
        (
            Refused.with_message(
                ErrorCode.INTERNAL, "knuth failed at guess 1: LookupError: no book"
            ),
            1,
            "",
            "mastermind-server: knuth failed at guess 1: LookupError: no book\n",
        ),
        (KeyboardInterrupt(), INTERRUPTED_STATUS, "\n", ""),
    ],
    ids=["a bot fails", "Ctrl-C"],
)
def test_a_failure_and_an_interrupt_end_the_command_with_their_status(
    monkeypatch, capsys, error, status, out, err
):
    def fail(*_):
        raise error

    monkeypatch.setattr(Contest, "play", fail)
    assert main(["arena", "--bot", "knuth"]) == status
    assert capsys.readouterr() == (out, err)


def test_json_has_one_line_for_each_bot(capsys):
    assert main(["arena", "--bot", "knuth", "--bot", "entropy", "--json"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(
        '{"rules":"classic","bot":"knuth","codes":1296,"games":1296,"total":5801,"mean":4.4761,'
        '"max":5,"histogram":{"1":1,"2":6,"3":62,"4":533,"5":694},"seconds":'
    )
    described = json.loads(first)
    assert list(described) == KEYS
    assert list(described["move_ms"]) == ["median", "max"]
    assert 0 <= described["move_ms"]["median"] <= described["move_ms"]["max"]
    assert described["move_ms"]["max"] <= described["seconds"] * 1000 + 1
    assert json.loads(second)["bot"] == "entropy"


def test_json_ends_with_the_seed_of_random_games(capsys):
    (drawn,) = json_lines(capsys, "--bot", "knuth", "--games", "9", "--seed", "-4")
    assert list(drawn) == [*KEYS, "error", "seed"]
    assert (drawn["seed"], drawn["games"], drawn["codes"]) == (-4, 9, 1296)
    (chance,) = json_lines(capsys, "--bot", "random", "--rules", "2x3", "--seed", "5")
    assert list(chance) == [*KEYS, "seed"]
    assert (chance["seed"], chance["games"]) == (5, 9)


def test_json_names_the_maker(capsys):
    (hidden,) = json_lines(
        capsys, "--bot", "knuth", "--maker", "hard", "--games", "2", "--rules", "2x3", "--seed", "1"
    )
    assert list(hidden) == [*KEYS, "maker", "error", "seed"]
    assert hidden["maker"] == "optimal"


def test_an_unknown_maker_is_refused(capsys):
    assert main(["arena", "--bot", "knuth", "--maker", "hal"]) == 1
    assert "'hal' is no bot here: use " in capsys.readouterr().err


def test_a_maker_hides_no_list_of_all_codes(capsys):
    with pytest.raises(SystemExit):
        main(["arena", "--bot", "knuth", "--maker", "hard", "--all"])
    assert "use --games N instead of --all" in capsys.readouterr().err


def test_a_bot_given_twice_plays_once_under_its_own_name(capsys):
    played = json_lines(
        capsys, "--bot", "hard", "--bot", "knuth", "--bot", "KNUTH", "--rules", "4x3"
    )
    assert [one["bot"] for one in played] == [find_bot("hard").name, "knuth"]


def tally(name: str, histogram: dict[int, int], *, drawn: bool = False, seed: int = 0) -> Tally:
    total = sum(guesses * games for guesses, games in histogram.items())
    return Tally(
        rules=PRESETS["classic"],
        bot=name,
        is_sample=drawn,
        seed=seed if drawn else None,
        histogram=histogram,
        guess_times={40: total - 1, 12_345: 1},
        cpu_nanoseconds=1_000_000,
    )


@pytest.fixture
def show(monkeypatch, capsys):
    """Return a function that returns the printed table of tallies."""

    def show(*tallies):
        def play(_contest, progress, _clock):
            tally = next(left)
            progress(tally.games)
            return tally

        left = iter(tallies)
        monkeypatch.setattr(Contest, "play", play)
        monkeypatch.setattr(arena, "find_breaker", lambda name: SimpleNamespace(name=name))
        assert main(["arena", *(f"--bot={tally.bot}" for tally in tallies)]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return "\n".join(line.rstrip() for line in said.out.splitlines())

    return show


TABLE = """\
classic: 4 pegs, 6 colours, 1296 codes, all played

 bot    games  total    mean  worst  ms a move  at most
 ──────────────────────────────────────────────────────
 knuth   1296   5801  4.4761      5       0.04     12.3
 other   1296   7776  6.0000      6       0.04     12.3

knuth
    1    1 ▏
    2    6 ▎
    3   62 ██▍
    4  533 ████████████████████▋
    5  694 ██████████████████████████▊

other
    1    0
    2    0
    3    0
    4    0
    5    0
    6 1296 ██████████████████████████████████████████████████
"""


def test_the_table_compares_the_bots_and_shows_their_histograms(show):
    knuth = tally("knuth", {1: 1, 2: 6, 3: 62, 4: 533, 5: 694})
    assert show(knuth, tally("other", {6: 1296})) == TABLE


def test_the_table_of_drawn_games_has_the_standard_error_and_the_seed(show):
    shown = show(tally("knuth", {4: 50, 5: 50}, drawn=True, seed=42))
    assert shown.startswith("classic: 4 pegs, 6 colours, 1296 codes, 100 drawn (--seed 42)\n")
    assert " knuth    100    450  4.500 ± 0.050      5 " in shown


def test_the_table_counts_digits_of_rules_without_letters(show):
    shown = show(replace(tally("knuth", {4: 1296}), rules=PRESETS["lab"]))
    assert shown.startswith("lab: 4 pegs, 6 digits, 1296 codes, all played\n")


def test_the_widest_table_fits_80_columns(show):
    most = tally("x" * 13, {1: 1, 12: MAX_GAMES - 1}, drawn=True, seed=2**63)
    most.guess_times[99_999_999] = 1  # type: ignore[index]
    shown = show(most)
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_an_ascii_output_gets_ascii_bars_and_signs(show, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    show(tally("knuth", {1: 1, 4: 500, 5: 500}, drawn=True))
    sys.stdout.flush()
    shown = written.getvalue().decode()
    assert "4.497 +- 0.016" in shown
    assert "    1   1 #\n" in shown
    assert f"    5 500 {50 * '#'}\n" in shown
    assert "?" not in shown


def test_progress_is_shown_on_a_terminal_and_not_on_a_pipe(tmp_path, capsys):
    arguments = ("--bot", "random", "--rules", "4x4", "--seed", "1")
    (piped,) = json_lines(capsys, *arguments)  # and nothing as an error
    command = [str(BIN / "mastermind-server"), "arena", "--json", *arguments]
    machine = Machine(tmp_path)
    program = machine.run(Program, command, "ada", terminal=True)
    program.expect("256/256")
    (line,) = re.findall(r'\{"rules".*\}', program.finish())
    machine.close()
    assert json.loads(line)["histogram"] == piped["histogram"]
