"""The command `solve`: a dialogue, or for a script the analysis of its standard input."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mastermind_client import solver
from mastermind_client.config.options import PuzzleOptions
from mastermind_client.language import gettext as _
from mastermind_client.lines.app import open_terminal
from mastermind_client.lines.solving.breaker import BreakerDialogue
from mastermind_client.lines.solving.maker import MakerDialogue
from mastermind_client.lines.solving.puzzle import PuzzleDialogue
from mastermind_client.lines.solving.report import (
    FEW_CODES,
    build_analysis_dict,
    build_puzzle_dict,
    list_analysis,
    list_codes,
    list_knowledge,
)
from mastermind_client.lines.terminal import NegativeResult
from mastermind_client.messages.codes import format_turn, prefer_letters_in
from mastermind_client.messages.solving.sentences import write_puzzle_command
from mastermind_protocol.messages import MAX_CORRECTIONS

if TYPE_CHECKING:
    from mastermind_client.config.options import SolveOptions
    from mastermind_client.context import ClientContext
    from mastermind_protocol.messages import PositionAnalysis


async def solve(
    context: ClientContext, options: SolveOptions | PuzzleOptions, _pace: float = 0.0
) -> None:
    """Help with a game that is played elsewhere, or ask puzzles.

    A script gets the analysis of its turns. Raises NegativeResult if no code fits them, InputEnded,
    and Refused for an unknown bot.
    """
    if isinstance(options, PuzzleOptions):
        await _ask_puzzles(context, options)
    elif options.json:
        await _print_json(context, options)
    else:
        async with open_terminal(context) as terminal:
            if options.bot is not None:
                await MakerDialogue(terminal, options).run()
            elif terminal.interactive:
                await BreakerDialogue(terminal, options).run()
            else:
                await _print_report(context, options)


async def _ask_puzzles(context: ClientContext, options: PuzzleOptions) -> None:
    if options.json:
        seed = solver.draw_seed() if options.seed is None else options.seed
        turns = await solver.make_puzzle(options.rules, options.level, seed)
        command = write_puzzle_command(options.rules, options.level, seed)
        _print_dict(context, build_puzzle_dict(turns, options, seed, command))
        return
    async with open_terminal(context) as terminal:
        await PuzzleDialogue(terminal, options).run()


async def _analyse(context: ClientContext, options: SolveOptions) -> PositionAnalysis:
    with context.announce_if_slow(_("Thinking ...")):
        return await solver.analyse(options.rules, options.turns, options.by, bot=options.bot)


async def _print_json(context: ClientContext, options: SolveOptions) -> None:
    found = await _analyse(context, options)
    _print_dict(context, build_analysis_dict(found, options))
    if not found.left:
        raise NegativeResult


def _print_dict(context: ClientContext, written: dict[str, Any]) -> None:
    print(json.dumps(written, indent=2, ensure_ascii=False), file=context.output)


async def _print_report(context: ClientContext, options: SolveOptions) -> None:
    rules, found = options.rules, await _analyse(context, options)
    shown = prefer_letters_in(rules)
    lines = [format_turn(number, turn, shown) for number, turn in enumerate(options.turns, start=1)]
    lines += list_analysis(found, rules, options.by, corrections=MAX_CORRECTIONS)
    if found.left > 1:
        lines += list_knowledge(found, rules)
    if found.left > FEW_CODES and found.codes:
        lines += list_codes(found, rules, page=1)
    for line in lines:
        print(line, file=context.output)
    if not found.left:
        raise NegativeResult
