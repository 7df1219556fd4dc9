"""Texts about ratings, the leaderboard and the profiles of players, for both interfaces."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_client.columns import Column, list_table
from mastermind_client.language import LocalisedFloat, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.listings import DATE_LENGTH, format_date_time
from mastermind_client.messages.updates import describe_challenge_choice
from mastermind_protocol.clock import SECOND
from mastermind_protocol.glicko import DRAW, WIN, predict
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_COUNTED_GAMES
from mastermind_protocol.rules import PRESETS
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import (
        Leaderboard,
        Profile,
        RankedPlayer,
        RatedMatch,
        RatedRecord,
    )


def format_rating(rating: Rating) -> str:
    """Return a rounded rating: ``1498``, or ``1500?`` for a provisional one."""
    return f"{round(rating.rating)}{'?' if rating.provisional else ''}"


def describe_prospects(match: Match, ratings: Mapping[str, Rating], me: str | None) -> str:
    """Return a sentence: how a win and a loss would change the rating of the player id `me`.

    `ratings` maps the ids of the players to their ratings before the match. The sentence is empty
    after the first guess, and if the match does not change ratings.
    """
    opponent = match.opponent_of(me) if me is not None else None
    mine, theirs = ratings.get(me or ""), ratings.get(opponent.id if opponent else "")
    begun = match.phase is Phase.FINISHED or match.played or (match.current and match.current.turns)
    counts = match.rated and match.has_live_clock
    if not counts or begun or mine is None or theirs is None:
        return ""
    after = predict(mine, theirs)
    now = round(mine.rating)
    return _("A win brings {win:+}, a loss {loss:+}.").format(
        win=round(after.win.rating) - now, loss=round(after.loss.rating) - now
    )


def describe_unrated() -> str:
    """Return a sentence: why a match that was opened as rated does not change ratings."""
    return _("This match does not change ratings: you have played six rated ones today.")


def describe_rating_change(match: Match, me: str) -> str:
    """Return the new rating of the player id `me` and its change: ``Rating 1520 (+8)``.

    The text is empty if the match has not changed the player's rating.
    """
    changes = match.ratings.players if match.ratings is not None else ()
    for each in changes:
        if each.player == me:
            before, after = round(each.before.rating), round(each.after.rating)
            return _("Rating {rating} ({change:+})").format(rating=after, change=after - before)
    return ""


RATED_RULES = tuple(name for name, rules in PRESETS.items() if rules.guesses is not None)
"""The presets by which rated matches can be played."""
PLACE_MATCHES = 10  # rated matches that a place needs
_PLACE_WIDTH = 3  # characters of a place below a thousand


def write_in_ascii(words: str) -> str:
    """Replace each ``±`` and the blank after it by ``+-``: ``1512 ± 83`` becomes ``1512 +-83``.

    The width of the text stays the same, so columns stay aligned.
    """
    return words.replace("± ", "+-")


def format_rating_with_deviation(rating: Rating) -> str:
    """Return a rating and its deviation: ``1512 ± 83``, or ``1388 ± 121 ?`` if provisional."""
    mark = " ?" if rating.provisional else ""
    return f"{round(rating.rating)} ± {round(rating.deviation)}{mark}"


def format_mean(guesses: float | None) -> str:
    """Return a mean number of guesses: ``4.31``, or ``-`` for None."""
    return "-" if guesses is None else f"{LocalisedFloat(guesses):.2f}"


def format_day(milliseconds: int, zone: tzinfo | None = None, *, short: bool = False) -> str:
    """Return the day of a Unix time: ``today``, ``yesterday``, ``5 days ago``.

    `milliseconds` are since 1970. If `short`, ``ago`` is omitted. Days begin at midnight in `zone`,
    or in the local time zone for None.
    """
    try:
        day = datetime.fromtimestamp(milliseconds / SECOND, UTC).astimezone(zone).date()
    except (ValueError, OverflowError, OSError):  # beyond the range of dates
        return "?"
    days = (datetime.fromtimestamp(time.time(), UTC).astimezone(zone).date() - day).days
    if days <= 0:
        return _("today")
    if days == 1:
        return _("yesterday")
    if short:
        return ngettext("{number} day", "{number} days", days).format(number=days)
    return ngettext("{number} day ago", "{number} days ago", days).format(number=days)


def _write_place(ranked: RankedPlayer, _zone: tzinfo | None) -> str:
    return f"{'-' if ranked.place is None else ranked.place:>{_PLACE_WIDTH}}"


LEADERBOARD_COLUMNS: Sequence[Column[RankedPlayer]] = (
    Column("", _write_place, right=True),
    Column(N_("name"), lambda ranked, _zone: sanitise(ranked.name), "name"),
    Column(N_("rating"), lambda ranked, _zone: format_rating_with_deviation(ranked.record.rating)),
    Column(N_("matches"), lambda ranked, _zone: str(ranked.record.matches), "drop", right=True),
    Column(
        N_("guesses"), lambda ranked, _zone: format_mean(ranked.record.guesses), "drop", right=True
    ),
    Column(
        N_("latest"), lambda ranked, zone: format_day(ranked.record.last, zone, short=True), "drop"
    ),
)  # fmt: skip


def describe_leaderboard(rules: str, total: int) -> str:
    """Return the heading of a leaderboard, with the number of its players."""
    players = ngettext("{number} player", "{number} players", total).format(number=total)
    return _("Rated matches by {rules}: {players}").format(rules=sanitise(rules), players=players)


def describe_progress(own: RankedPlayer) -> str:
    """Return the reader's rating, and without a place the matches so far: ``1 of 10 matches``."""
    rating = format_rating(own.record.rating)
    if own.place is not None or own.record.matches >= PLACE_MATCHES:
        return rating
    text = _("{number} of {needed} matches, {rating}")
    return text.format(number=own.record.matches, needed=PLACE_MATCHES, rating=rating)


def describe_leaderboard_conditions() -> str:
    """Return a sentence: the conditions to be on the leaderboard."""
    return _(
        "A place needs ten rated matches, one of them in the last 30 days, three opponents with "
        "settled ratings, and a rating without a question mark."
    )


def describe_strongest_bot(board: Leaderboard) -> str:
    """Return a sentence about the strongest bot's mean number of guesses, "" if not measured."""
    if board.bot is None:
        return ""
    return _("The bot {bot} needs {mean} guesses.").format(bot="hard", mean=format_mean(board.bot))


def list_leaderboard(board: Leaderboard, zone: tzinfo | None = None) -> Iterator[str]:
    """Yield a page of the leaderboard as lines of a table.

    The reader's row is marked by ``>``. If this row is on another page, it follows after ``...``.
    """
    yield describe_leaderboard(board.rules, board.total)
    own = board.own
    players = [*board.players, *board.unplaced]
    apart = own is not None and all(own.player != each.player for each in players)
    if own is not None and apart:
        players.append(own)
    if not players:
        yield _("Nobody is on this leaderboard yet.")
    else:
        titles, *rows = list_table(LEADERBOARD_COLUMNS, players, zone)
        yield f"  {titles}"
        for each, row in zip(players, rows, strict=True):
            mine = own is not None and each.player == own.player
            if mine and apart and len(rows) > 1:
                yield "  ..."
            yield f"{'>' if mine else ' '} {row}"
    if own is not None and own.place is None:
        yield _("You: {progress}.").format(progress=describe_progress(own))
    yield describe_leaderboard_conditions()
    if bot := describe_strongest_bot(board):
        yield bot


def describe_results(wins: int, draws: int, losses: int) -> str:
    """Return numbers of matches: ``17 won, 3 drawn, 10 lost``."""
    return ", ".join(
        (
            ngettext("{number} won", "{number} won", wins).format(number=wins),
            ngettext("{number} drawn", "{number} drawn", draws).format(number=draws),
            ngettext("{number} lost", "{number} lost", losses).format(number=losses),
        )
    )


def find_record(profile: Profile) -> RatedRecord | None:
    """Return the player's record by the rules `profile.rules`.

    Without such a record, return the first record, or None if the profile has no records.
    """
    by_rules = {record.rules: record for record in reversed(profile.records)}
    first = next(iter(profile.records), None)
    return by_rules.get(profile.rules or "", first)


def describe_place(profile: Profile) -> str:
    """Return the place on the leaderboard: ``place 38 of 212``, or ``no place``."""
    if profile.place is None:
        return _("no place")
    return _("place {place} of {total}").format(place=profile.place, total=profile.total)


def describe_recent_results(profile: Profile) -> tuple[str, str]:
    """Return two texts: a heading, and the results of the last rated matches."""
    number = sum(profile.form)
    heading = ngettext("last {number} match:", "last {number} matches:", number)
    return heading.format(number=number), describe_results(*profile.form)


def describe_match_count(profile: Profile) -> str:
    """Return the number of matches of all kinds since the first visit.

    For example ``131 games since 2026-03-14``. The day is omitted for a deleted account.
    """
    number = f"{profile.games}{'+' if profile.games >= MAX_COUNTED_GAMES else ''}"
    games = ngettext("{number} game", "{number} games", profile.games).format(number=number)
    if profile.since is None:
        return games
    day = format_date_time(profile.since, UTC)[:DATE_LENGTH]
    return _("{games} since {day}").format(games=games, day=day)


def describe_best_rating(record: RatedRecord, zone: tzinfo | None = None) -> str:
    """Return the highest rating that was not provisional, and its day. "" without such a rating."""
    if record.best is None or record.best_at is None:
        return ""
    best, day = round(record.best), format_day(record.best_at, zone)
    return _("best {rating}, {day}").format(rating=best, day=day)


def describe_mean_guesses(record: RatedRecord) -> str:
    """Return the figures of a record: ``4.31 guesses, best 2, 9 of 10 codes broken``.

    The mean number of guesses corrected for luck is included if it is known.
    """
    if record.guesses is None:
        return _("no round as codebreaker yet")
    parts = [_("{mean} guesses").format(mean=format_mean(record.guesses))]
    if record.fewest is not None:
        parts.append(_("best {number}").format(number=record.fewest))
    if record.less_luck is not None:
        parts.append(_("{mean} less luck").format(mean=format_mean(record.less_luck)))
    broken = _("{broken} of {played} codes broken")
    parts.append(broken.format(broken=record.broken, played=record.played))
    return ", ".join(parts)


def describe_other_rules(profile: Profile) -> list[str]:
    """Return the ratings of a profile by all rules except those of its large rating.

    The last item names the presets by which the player has no rated match.
    """
    shown = find_record(profile)
    items = [
        f"{sanitise(each.rules)} {format_rating_with_deviation(each.rating)}"
        for each in profile.records
        if each is not shown
    ]
    known = {each.rules for each in profile.records}
    if missing := [name for name in RATED_RULES if name not in known]:
        items.append(_("{rules}: no rated match yet").format(rules=", ".join(missing)))
    return items


def describe_head_to_head(profile: Profile, zone: tzinfo | None = None) -> str:
    """Return the reader's results against this player, and the day of the last match if known.

    For example ``You and Ada: 4 won, 1 drawn, 7 lost, last today``.
    """
    results = describe_results(*profile.against) if any(profile.against) else _("no match yet")
    if profile.met is not None:
        day = format_day(profile.met, zone)
        results = _("{results}, last {day}").format(results=results, day=day)
    return _("You and {name}: {results}").format(name=sanitise(profile.name), results=results)


def _write_result(match: RatedMatch, _zone: tzinfo | None) -> str:
    return _("won") if match.score == WIN else _("draw") if match.score == DRAW else _("lost")


RATED_MATCH_COLUMNS: Sequence[Column[RatedMatch]] = (
    Column("", _write_result),
    Column("", lambda match, _zone: "{}:{}".format(*match.points)),
    Column("", lambda match, _zone: f"{round(match.change):+}"),
    Column("", lambda match, zone: format_day(match.at, zone, short=True)),
    Column("", lambda match, _zone: sanitise(match.opponent)),
)
"""The columns of a player's last rated matches."""


def list_profile(profile: Profile, *, own: bool, zone: tzinfo | None = None) -> Iterator[str]:
    """Yield a profile as lines.

    `own` is whether it is the reader's profile. Other profiles include the results against the
    reader.
    """
    yield f"{sanitise(profile.name)}: {describe_match_count(profile)}"
    shown = find_record(profile)
    if shown is None:
        yield _("No rated match yet.")
    else:
        rules, rating = sanitise(shown.rules), format_rating_with_deviation(shown.rating)
        yield f"{rules}: {rating}, {describe_place(profile)}"
        if best := describe_best_rating(shown, zone):
            yield f"  {best}"
        yield f"  {describe_results(shown.wins, shown.draws, shown.losses)}"
        yield "  {} {}".format(*describe_recent_results(profile))
        yield f"  {describe_mean_guesses(shown)}"
        yield from describe_other_rules(profile)
    if not own:
        yield describe_head_to_head(profile, zone)
    elif not profile.challenges:
        yield describe_challenge_choice(allowed=False)
    if profile.history:
        last = ", ".join(str(round(rating)) for rating in profile.history[-_LAST_RATINGS:])
        yield _("Last ratings: {ratings}").format(ratings=last)
    if profile.matches:
        yield _("Last rated matches:")
        for line in list_table(RATED_MATCH_COLUMNS, profile.matches, zone):
            yield f"  {line}"


_LAST_RATINGS = 10  # ratings in a line; the full screen draws all
