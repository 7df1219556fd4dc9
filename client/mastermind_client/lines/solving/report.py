"""The analysis of a position as lines, and positions and puzzles as JSON."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from msgspec import structs

from mastermind_client.language import gettext as _
from mastermind_client.messages.analysis import MEASURE_NAMES, list_guesses
from mastermind_client.messages.codes import format_count, prefer_letters_in
from mastermind_client.messages.solving.sentences import (
    describe_correction,
    describe_corrections,
    describe_estimate,
    describe_left,
    describe_places,
    describe_surrender,
    name_puzzle_rules,
    rank_colours,
)
from mastermind_protocol.code import format_code
from mastermind_protocol.messages import MAX_ANALYSED_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.config.options import PuzzleOptions, SolveOptions
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules

FEW_CODES = 12  # are listed without being asked for: one line
LISTED_CORRECTIONS = 5  # in a dialogue; a script gets all
LINE_COLUMNS = 78


def list_analysis(
    analysis: PositionAnalysis, rules: Rules, by: Measure, *, corrections: int = LISTED_CORRECTIONS
) -> Iterator[str]:
    """Yield the number of remaining codes and the best guesses, or at most `corrections`."""
    if not analysis.left:
        if len(analysis.corrections) <= 1:
            yield describe_corrections(analysis, rules)
            return
        yield _("No code fits. Changing one answer is enough:")
        for number, correction in enumerate(analysis.corrections[:corrections], start=1):
            yield f"{number:2}  {describe_correction(correction, rules)}"
        return
    shown = prefer_letters_in(rules)
    if analysis.left == 1 and analysis.codes:
        yield f"{describe_left(analysis)}. {describe_surrender(analysis.codes[0], shown)}"
        return
    if analysis.left == len(analysis.codes) <= FEW_CODES:
        yield f"{describe_left(analysis)}: {_join_codes(analysis.codes, shown)}."
    else:
        yield f"{describe_left(analysis)}."
    yield _("Best next guesses, by {measure}:").format(measure=_(MEASURE_NAMES[by]))
    yield from list_guesses(analysis.guesses, shown, estimated=analysis.estimated)


def list_knowledge(analysis: PositionAnalysis, rules: Rules) -> Iterator[str]:
    """Yield the colours of each place, and the number of remaining codes with each colour."""
    if analysis.estimated:
        yield describe_estimate(rules)
        return
    for place, colours in enumerate(describe_places(analysis, rules), start=1):
        yield _("Place {place}: {colours}").format(place=place, colours=colours)
    shown, counts = prefer_letters_in(rules), analysis.colours
    colours = ", ".join(
        _("{colour} in {number}").format(
            colour=shown.alphabets[0][colour], number=format_count(counts[colour])
        )
        for colour in rank_colours(counts)
    )
    left = format_count(analysis.left)
    yield _("Colours in {left} codes: {colours}.").format(left=left, colours=colours)


def list_codes(analysis: PositionAnalysis, rules: Rules, page: int) -> Iterator[str]:
    """Yield page number `page`, from 1, of the remaining codes."""
    if analysis.estimated:
        yield describe_estimate(rules)
        return
    first = (page - 1) * MAX_ANALYSED_CODES + 1
    last = first + len(analysis.codes) - 1
    if last < first:
        yield _("There is no such page.")
        return
    text = _("Codes {first} to {last} of {number}:")
    yield text.format(
        first=format_count(first), last=format_count(last), number=format_count(analysis.left)
    )
    yield _wrap(_join_codes(analysis.codes, prefer_letters_in(rules), "  "))


def _join_codes(codes: Sequence[Code], rules: Rules, separator: str = ", ") -> str:
    return separator.join(format_code(code, rules) for code in codes)


def _wrap(text: str) -> str:
    return fill(text, LINE_COLUMNS, break_on_hyphens=False)


def build_analysis_dict(analysis: PositionAnalysis, options: SolveOptions) -> dict[str, Any]:
    """Return a position and its analysis as a dictionary for JSON, as in docs/CLIENT.md."""
    rules = prefer_letters_in(options.rules)
    symbols = rules.alphabets[0]
    after = analysis.after or (None,) * len(options.turns)
    return {
        "rules": rules.name,
        "turns": [
            {**_build_turn_dict(turn, rules), "left": left}
            for turn, left in zip(options.turns, after, strict=True)
        ],
        "left": analysis.left,
        "estimated": analysis.estimated,
        "sampled": analysis.sampled,
        "by": options.by,
        "guesses": [
            {**structs.asdict(guess), "code": format_code(guess.code, rules)}
            for guess in analysis.guesses
        ],
        "bot": options.bot,
        "choice": None if analysis.choice is None else format_code(analysis.choice, rules),
        "codes": [format_code(code, rules) for code in analysis.codes],
        "places": [dict(zip(symbols, counts, strict=True)) for counts in analysis.places],
        "colours": dict(zip(symbols, analysis.colours, strict=False)),
        "corrections": [structs.asdict(correction) for correction in analysis.corrections],
    }


def build_puzzle_dict(
    turns: Sequence[Turn], options: PuzzleOptions, seed: int, command: str
) -> dict[str, Any]:
    """Return a puzzle as a dictionary for JSON, as in docs/CLIENT.md."""
    rules = prefer_letters_in(options.rules)
    return {
        "rules": name_puzzle_rules(rules),
        "level": options.level,
        "seed": seed,
        "turns": [_build_turn_dict(turn, rules) for turn in turns],
        "command": command,
    }


def _build_turn_dict(turn: Turn, rules: Rules) -> dict[str, Any]:
    black, white = turn.feedback
    return {"guess": format_code(turn.code, rules), "black": black, "white": white}
