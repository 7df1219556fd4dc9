"""Sentences about a position, its corrections and a puzzle, for both interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.values import COMMAND
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import (
    describe_feedback,
    format_count,
    format_mean_count,
    format_pegs,
    list_peg_symbols,
)
from mastermind_client.messages.failures import write_sentence
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import find_excluding_guess
from mastermind_protocol.rules import DEFAULT, MAX_WEIGHED_CODES, PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.config.puzzle_record import PuzzleRecord
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import Correction, GuessMeasures, PositionAnalysis
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules


def describe_left(analysis: PositionAnalysis) -> str:
    """Return the number of codes that fit all answers: ``18 codes left``."""
    text = ngettext("{number} code left", "{number} codes left", analysis.left)
    return text.format(number=format_count(analysis.left, estimated=analysis.estimated))


def describe_estimate(rules: Rules) -> str:
    """Return why an analysis is estimated: the rules have too many codes."""
    text = _("{rules} has more than {most} codes: numbers are estimates, and codes are not listed.")
    return text.format(rules=rules, most=format_count(MAX_WEIGHED_CODES))


def describe_corrections(analysis: PositionAnalysis, rules: Rules) -> str:
    """Return sentences about a position that no code fits: with the best correction, if any."""
    if analysis.estimated:
        return _("No code was found that fits.")
    if not analysis.corrections:
        return _("No code fits, and changing one answer is not enough.")
    best = write_sentence(describe_correction(analysis.corrections[0], rules))
    return _("No code fits. {change}").format(change=best)


def describe_correction(correction: Correction, rules: Rules) -> str:
    """Return a clause: ``guess 2 may be 1 black, 2 white: then 6 codes fit``."""
    text = ngettext(
        "guess {turn} may be {answer}: then {number} code fits",
        "guess {turn} may be {answer}: then {number} codes fit",
        correction.left,
    )
    answer = describe_feedback(Feedback(correction.black, correction.white), rules)
    left = format_count(correction.left)
    return text.format(turn=correction.turn, answer=answer, number=left)


def describe_guess(guess: GuessMeasures, by: Measure, *, estimated: bool = False) -> str:
    """Return the expected effect of a next guess by a measure: ``2.0 left, may be the code``."""
    chance = _("may be the code") if guess.possible else _("cannot be the code")
    return f"{describe_effect(guess, by, estimated=estimated)}, {chance}"


def describe_effect(guess: GuessMeasures, by: Measure, *, estimated: bool = False) -> str:
    """Return the expected effect of a next guess: ``2.0 left``, ``at most 4 left`` or ``9 parts``.

    The measures "bits" and "size" have the mean number of codes left.
    """
    match by:
        case "worst":
            worst = format_count(guess.worst, estimated=estimated)
            return _("at most {number} left").format(number=worst)
        case "parts":
            text = ngettext("{number} part", "{number} parts", guess.parts)
            return text.format(number=guess.parts)
        case "bits" | "size":
            size = format_mean_count(guess.size, estimated=estimated)
            return _("{number} left").format(number=size)


def rank_colours(counts: Sequence[int]) -> list[int]:
    """Return the colours with a number of codes, those with most codes first."""
    return sorted(
        (colour for colour, number in enumerate(counts) if number),
        key=lambda colour: -counts[colour],
    )


def describe_places(analysis: PositionAnalysis, rules: Rules) -> list[str]:
    """Return the colours that each place can have, the likeliest first: ``G O P Y``."""
    symbols = list_peg_symbols(rules)
    return [
        " ".join(symbols[colour] for colour in rank_colours(counts)) for counts in analysis.places
    ]


def describe_colours(analysis: PositionAnalysis, rules: Rules) -> list[str]:
    """Return the colours of the remaining codes, the likeliest first: ``G is in 17 of 18``."""
    symbols, left = list_peg_symbols(rules), format_count(analysis.left)
    return [
        _("{colour} is in {number} of {left}").format(
            colour=symbols[colour], number=format_count(analysis.colours[colour]), left=left
        )
        for colour in rank_colours(analysis.colours)
    ]


def name_puzzle_rules(rules: Rules) -> str:
    """Return the shortest name of rules with the same puzzles: a preset, or ``5x8``."""
    return rules.name if rules.name in PRESETS else str(rules.space)


def describe_puzzle(rules: Rules, level: int, seed: int) -> str:
    """Return the title of a puzzle: ``Puzzle 8812, level 2, classic``."""
    text = _("Puzzle {seed}, level {level}, {rules}")
    return text.format(seed=seed, level=level, rules=name_puzzle_rules(rules))


def describe_puzzle_task(turns: Sequence[Turn]) -> str:
    """Return the question of a puzzle."""
    return ngettext(
        "Exactly one code fits the answer. Which?",
        "Exactly one code fits all answers. Which?",
        len(turns),
    )


def describe_solution(code: Code, turns: Sequence[Turn], rules: Rules) -> str:
    """Return whether `code` solves the puzzle with these turns, and if not, the first reason."""
    pegs = format_pegs(code, rules)
    if (number := find_excluding_guess(code, turns)) is None:
        return _("Right: {code} is the only code that fits.").format(code=pegs)
    turn = turns[number - 1]
    return _(
        "Wrong: if {code} were the code, the answer to guess {number} would be {answer}."
    ).format(code=pegs, number=number, answer=describe_feedback(score(code, turn.code), rules))


def describe_surrender(code: Code, rules: Rules) -> str:
    """Return the code of a puzzle that the player has given up."""
    return _("The code is {code}.").format(code=format_pegs(code, rules))


def write_puzzle_command(rules: Rules, level: int, seed: int) -> str:
    """Return the command that shows a puzzle on a friend's computer, without the default rules."""
    name = name_puzzle_rules(rules)
    chosen = () if name == DEFAULT.name else ("--rules", name)
    options = ("--level", str(level), "--seed", str(seed))
    return " ".join((COMMAND, "solve", "--puzzle", *chosen, *options))


def write_puzzle_link(page: str, rules: Rules, level: int, seed: int) -> str:
    """Return the link to a puzzle at the web page with the address `page`, which ends with /."""
    return f"{page}#puzzle/{name_puzzle_rules(rules)}/{level}/{seed}"


def describe_puzzle_record(record: PuzzleRecord) -> Iterator[str]:
    """Yield the record of this computer's puzzles. Nothing without a solved one."""
    if not record.solved:
        return
    text = ngettext("{number} puzzle solved", "{number} puzzles solved", record.solved)
    solved = text.format(number=format_count(record.solved))
    row = _("in a row at the first answer: {streak}, most: {best}")
    yield f"{solved}; {row.format(streak=record.streak, best=record.best)}."
