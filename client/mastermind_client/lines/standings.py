"""The commands leaderboard and profile, which print what a server knows about rated matches."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mastermind_client.lines.terminal import can_write
from mastermind_client.messages.standings import (
    list_leaderboard,
    list_profile,
    write_in_ascii,
)
from mastermind_client.network.opening import open_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from mastermind_client.config.options import LeaderboardOptions, ProfileOptions
    from mastermind_client.context import ClientContext
    from mastermind_client.network.session import Session
    from mastermind_protocol.messages import Leaderboard, Profile, RankedPlayer, RatedRecord


async def print_leaderboard(context: ClientContext, options: LeaderboardOptions) -> None:
    """Print a page of the leaderboard. Raises ServerUnreachable, Refused."""
    async with _open(context, options.server) as session:
        board = await session.show_leaderboard(options.rules.name, options.after)
    if options.json:
        _print_json(context, write_leaderboard(board))
        return
    _print_lines(context, list_leaderboard(board, context.zone))


async def print_profile(context: ClientContext, options: ProfileOptions) -> None:
    """Print the profile of a player. Raises ServerUnreachable, Refused."""
    async with _open(context, options.server) as session:
        profile = await session.show_profile(name=options.name, rules=options.rules)
        own = profile.player == session.player.id
    if options.json:
        _print_json(context, write_profile(profile))
        return
    _print_lines(context, list_profile(profile, own=own, zone=context.zone))


def write_leaderboard(board: Leaderboard) -> dict[str, Any]:
    """Return a page of the leaderboard as JSON, in the format of docs/CLIENT.md."""
    return {
        "rules": board.rules,
        "total": board.total,
        "players": [_write_ranked(each) for each in board.players],
        "own": None if board.own is None else _write_ranked(board.own),
        "more": board.more,
        "bot": board.bot,
    }


def write_profile(profile: Profile) -> dict[str, Any]:
    """Return a profile as JSON, in the format of docs/CLIENT.md."""
    return {
        "player": profile.player,
        "name": profile.name,
        "by_rules": [_write_record(each) for each in profile.records],
        "rules": profile.rules,
        "place": profile.place,
        "total": profile.total,
        "form": _write_results(profile.form),
        "history": list(profile.history),
        "matches": [
            {
                "match": each.match, "at": each.at, "rules": each.rules,
                "opponent": each.opponent, "score": each.score, "points": list(each.points),
                "rating": each.rating, "change": each.change,
            }
            for each in profile.matches
        ],
        "against": _write_results(profile.against),
        "games": profile.games,
        "since": profile.since,
    }  # fmt: skip


def _write_results(results: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("won", "drawn", "lost"), results, strict=True))


def _write_ranked(ranked: RankedPlayer) -> dict[str, Any]:
    return {
        "place": ranked.place,
        "player": ranked.player,
        "name": ranked.name,
        **_write_record(ranked.record),
    }


def _write_record(record: RatedRecord) -> dict[str, Any]:
    return {
        "rules": record.rules,
        "rating": record.rating.rating,
        "deviation": record.rating.deviation,
        "provisional": record.rating.provisional,
        "matches": record.matches,
        "won": record.wins,
        "drawn": record.draws,
        "lost": record.losses,
        "last": record.last,
        "codes": record.played,
        "broken": record.broken,
        "average": record.guesses,
        "less_luck": record.less_luck,
        "best": record.best,
        "best_at": record.best_at,
    }


def _print_lines(context: ClientContext, lines: Iterable[str]) -> None:
    """Print lines, in ASCII for an output whose encoding lacks the sign of ratings."""
    plain = not can_write("±", context.output)
    for line in lines:
        print(write_in_ascii(line) if plain else line, file=context.output)


def _print_json(context: ClientContext, value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False), file=context.output)


@asynccontextmanager
async def _open(context: ClientContext, server: str) -> AsyncIterator[Session]:
    """Open a session of the player on this computer, who keeps the name on the server."""
    async with open_session(context, server, None, guest=False) as session:
        yield session
