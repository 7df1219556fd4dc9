"""The commands stats, leaderboard, profile, transfer and logout: the data of players on servers."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.config.puzzle_record import PuzzleRecord, load_record
from mastermind_client.figures import combine_statistics
from mastermind_client.language import gettext as _
from mastermind_client.lines.terminal import can_write, choose_bar
from mastermind_client.messages.failures import explain_failure
from mastermind_client.messages.players import (
    describe_logout,
    describe_transfer,
    describe_transferred,
    format_transfer_command,
)
from mastermind_client.messages.ratings import list_leaderboard, list_profile, write_in_ascii
from mastermind_client.messages.solving.sentences import describe_puzzle_record
from mastermind_client.messages.statistics import (
    explain_uncounted,
    format_uncounted,
    list_statistics,
)
from mastermind_client.messages.updates import describe_connecting
from mastermind_client.network import account
from mastermind_client.network.embedded import (
    GAMES_FILE,
    DatabaseInUse,
    copy_hosted_matches,
    embedded_server,
)
from mastermind_client.network.failures import ServerUnreachable, TooManyClients
from mastermind_client.network.opening import check_kept, open_session
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.session import Session
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.config.options import (
        LeaderboardOptions,
        LogoutOptions,
        ProfileOptions,
        StatsOptions,
        TransferOptions,
    )
    from mastermind_client.context import ClientContext
    from mastermind_client.figures import Figures, Statistics
    from mastermind_protocol import messages as wire
    from mastermind_protocol.messages import (
        Leaderboard,
        Profile,
        RankedPlayer,
        RatedRecord,
    )


@dataclass(slots=True)
class FoundStatistics:
    """The statistics of several servers.

    `answers` maps the address of a server to its answer. `failed` maps the address of a server to
    the reason why its matches are not counted.
    """

    answers: dict[str, wire.Statistics] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


async def print_statistics(context: ClientContext, options: StatsOptions) -> None:
    """Print the player's statistics.

    Raises ServerUnreachable and Refused for a server that `options` name. A failure of the usual
    server is printed.
    """
    found = FoundStatistics()
    await _add_offline_statistics(context, found)
    try:
        await _add_server_statistics(context, found, options)
    except (ServerUnreachable, Refused, TooManyClients) as error:
        if options.server is not None:
            raise
        found.failed[options.usual_server] = explain_uncounted(error)
    statistics, puzzles = combine_statistics(found.answers.values()), _load_puzzles(context)
    if options.json:
        written = build_statistics_dict(statistics, found, puzzles)
        print(json.dumps(written, indent=2, ensure_ascii=False), file=context.output)
    else:
        told = list_statistics(statistics, found.answers, choose_bar(context.output))
        print(*told, *describe_puzzle_record(puzzles), sep="\n", file=context.output)
    for server, why in found.failed.items():
        print(f"mastermind: {format_uncounted(server, why)}", file=context.errors)


def _load_puzzles(context: ClientContext) -> PuzzleRecord:
    """Return the record of puzzles. If it cannot be read, print the reason, return an empty one."""
    try:
        return load_record(context.folder)
    except OSError as error:
        print(f"mastermind: {explain_failure(error)}", file=context.errors)
        return PuzzleRecord()


def build_statistics_dict(
    statistics: Statistics, found: FoundStatistics, puzzles: PuzzleRecord
) -> dict[str, Any]:
    """Return the statistics as a dictionary for JSON, in the format of docs/CLIENT.md."""
    return {
        "places": [
            {"server": place or None, "games": answer.total.matches}
            for place, answer in found.answers.items()
        ],
        "unread": [{"server": place or None, "reason": why} for place, why in found.failed.items()],
        "total": _build_figures_dict(statistics.total),
        "by_rules": [
            {"rules": rules, **_build_figures_dict(figures)}
            for rules, figures in statistics.by_rules.items()
        ],
        "by_opponent": [
            {"opponent": opponent.name, "bot": opponent.bot, **_build_figures_dict(figures)}
            for opponent, figures in statistics.by_opponent.items()
        ],
        "puzzles": {"solved": puzzles.solved, "streak": puzzles.streak, "best": puzzles.best},
    }


def _build_figures_dict(figures: Figures) -> dict[str, Any]:
    record = figures.record
    return {
        **{name: getattr(figures, name) for name in ("games", "won", "lost", "drawn")},
        "streak": figures.streak,
        "longest_streak": figures.longest,
        "measured": figures.measured,
        "measured_guesses": figures.measured_guesses,
        "advised": figures.advised,
        "codes": record.games,
        "stood": record.unbroken,
        "best": record.best,
        "average": record.average,
        "distribution": {str(guesses): games for guesses, games in record.broken.items()},
    }


async def _add_offline_statistics(context: ClientContext, found: FoundStatistics) -> None:
    """Add the statistics of the stored offline games to `found`."""
    if (failure := await copy_hosted_matches(context)) is not None:
        found.failed[HOSTED] = explain_uncounted(failure)
    stored = Identities.of(context)
    folder = stored.offline_folder
    if not (folder / GAMES_FILE).exists():
        return
    async with AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(embedded_server(folder))
        except DatabaseInUse:
            found.failed[OFFLINE] = _("its games are open in another terminal")
            return
        identity = stored.find_offline()
        connecting = Session.connect(address, identity, network=context.network)
        session = await stack.enter_async_context(connecting)
        found.answers[OFFLINE] = await session.load_statistics()


async def _add_server_statistics(
    context: ClientContext, found: FoundStatistics, options: StatsOptions
) -> None:
    """Add the statistics of the matches on a server to `found`.

    The usual server is skipped if this computer has no player there. A server that a friend hosts
    is skipped, because its matches are copied to the offline games.
    """
    server = options.server or options.usual_server
    stored = Identities.of(context)
    if options.server is None and not await asyncio.to_thread(stored.keeps_matches_on, server):
        return
    async with AsyncExitStack() as stack:
        connect = _connect_known if options.server is None else _connect
        session = await connect(stack, context, server)
        if session is not None and not session.identity.stored.host:
            found.answers[server] = await session.load_statistics()
            keep_names = Identities.of(context).keep_names
            await asyncio.to_thread(keep_names, found.answers[server])


async def transfer(context: ClientContext, options: TransferOptions) -> None:
    """Print a transfer code for another computer, or use the code in `options`.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    server = options.server
    if options.code is not None:
        with context.announce_if_slow(describe_connecting(server)):
            player = await account.take_transfer(context, server, options.code)
        print(describe_transferred(player.name, server), file=context.output)
        return
    with context.announce_if_slow(describe_connecting(server)):
        player, offered = await account.offer_transfer(context, server)
    print(describe_transfer(player.name, offered), file=context.output)
    print(" ", format_transfer_command(offered.code, server), file=context.output)


async def log_out(context: ClientContext, options: LogoutOptions) -> None:
    """Log out this computer, or all other computers of the player.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    log_out = account.log_out_elsewhere if options.everywhere else account.log_out
    with context.announce_if_slow(describe_connecting(options.server)):
        await log_out(context, options.server)
    text = describe_logout(options.server, elsewhere=options.everywhere)
    print(text, file=context.output)


async def print_leaderboard(context: ClientContext, options: LeaderboardOptions) -> None:
    """Print a page of the leaderboard. Raises ServerUnreachable, Refused."""
    async with AsyncExitStack() as stack:
        session = await _connect(stack, context, options.server)
        board = await session.load_leaderboard(options.rules.name, options.after)
    if options.json:
        _print_json(context, build_leaderboard_dict(board))
        return
    _print_lines(context, list_leaderboard(board, context.zone))


async def print_profile(context: ClientContext, options: ProfileOptions) -> None:
    """Print the profile of a player, after a change of the user's own one.

    Raises ServerUnreachable, Refused, GamesOpenElsewhere.
    """
    async with AsyncExitStack() as stack:
        choose = Identities.of(context).choose_profile_server
        address = await asyncio.to_thread(choose, options)
        session = await _connect(stack, context, address)
        check_kept(session, address)
        if options.challenges is not None:
            await session.allow_challenges(allowed=options.challenges)
        profile = await session.load_profile(name=options.name, rules=options.rules)
        own = profile.player == session.player.id
    if options.json:
        _print_json(context, build_profile_dict(profile))
        return
    _print_lines(context, list_profile(profile, own=own, zone=context.zone))


def build_leaderboard_dict(board: Leaderboard) -> dict[str, Any]:
    """Return a page of the leaderboard as a dictionary for JSON, as in docs/CLIENT.md."""
    return {
        "rules": board.rules,
        "total": board.total,
        "players": [_build_ranked_dict(each) for each in board.players],
        "own": None if board.own is None else _build_ranked_dict(board.own),
        "more": board.more,
        "bot": board.bot,
    }


def build_profile_dict(profile: Profile) -> dict[str, Any]:
    """Return a profile as a dictionary for JSON, in the format of docs/CLIENT.md."""
    return {
        "player": profile.player,
        "name": profile.name,
        "by_rules": [_build_record_dict(each) for each in profile.records],
        "rules": profile.rules,
        "place": profile.place,
        "total": profile.total,
        "form": _build_results_dict(profile.form),
        "history": list(profile.history),
        "matches": [
            {
                "match": each.match, "at": each.at, "rules": each.rules,
                "opponent": each.opponent, "score": each.score, "points": list(each.points),
                "rating": each.rating, "change": each.change,
            }
            for each in profile.matches
        ],
        "against": _build_results_dict(profile.against),
        "met": profile.met,
        "games": profile.games,
        "since": profile.since,
        "challenges": profile.challenges,
    }  # fmt: skip


def _build_results_dict(results: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("won", "drawn", "lost"), results, strict=True))


def _build_ranked_dict(ranked: RankedPlayer) -> dict[str, Any]:
    return {
        "place": ranked.place,
        "player": ranked.player,
        "name": ranked.name,
        **_build_record_dict(ranked.record),
    }


def _build_record_dict(record: RatedRecord) -> dict[str, Any]:
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
        "fewest": record.fewest,
    }


def _print_lines(context: ClientContext, lines: Iterable[str]) -> None:
    """Print lines. If the output cannot encode ``±``, `write_in_ascii` replaces this sign."""
    plain = not can_write("±", context.output)
    for line in lines:
        print(write_in_ascii(line) if plain else line, file=context.output)


def _print_json(context: ClientContext, value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False), file=context.output)


async def _connect(stack: AsyncExitStack, context: ClientContext, server: str) -> Session:
    """Open a session as the last used player of this computer, or else as a guest."""
    known = None if server == OFFLINE else await _connect_known(stack, context, server)
    if known is not None:
        return known
    with context.announce_if_slow(describe_connecting(server)):
        return await stack.enter_async_context(open_session(context, server, None))


async def _connect_known(
    stack: AsyncExitStack, context: ClientContext, server: str
) -> Session | None:
    """Open a session as the last used player of this computer, or return None without one."""
    with context.announce_if_slow(describe_connecting(server)):
        return await account.connect_known(stack, context, server)
