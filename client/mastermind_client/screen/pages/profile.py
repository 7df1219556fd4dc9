"""The page of a player: ratings, results, and the last rated matches."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.columns import list_table
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.ratings import (
    RATED_MATCH_COLUMNS,
    describe_best_rating,
    describe_head_to_head,
    describe_match_count,
    describe_mean_guesses,
    describe_other_rules,
    describe_place,
    describe_recent_results,
    find_record,
    format_day,
    format_rating_with_deviation,
    write_in_ascii,
)
from mastermind_client.messages.updates import describe_challenge_choice
from mastermind_client.network.failures import GamesOpenElsewhere, ServerUnreachable
from mastermind_client.network.players.identities import Identities
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.challenges import ask_to_challenge
from mastermind_client.screen.forms.fields import name_server
from mastermind_client.screen.rating_chart import draw_ratings
from mastermind_client.screen.screen import ListDestination, MenuPage, back_key
from mastermind_client.screen.theme.lettering import draw_digits
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    change_texts,
    crop,
    draw_title,
    join_items,
    side_by_side,
    stack,
    text,
    width,
    wrap,
)
from mastermind_protocol.errors import Refused
from mastermind_protocol.rules import DEFAULT
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.config.options import ProfileOptions
    from mastermind_client.screen.app import App
    from mastermind_protocol.messages import Profile, RatedRecord

STAGE_COLUMNS = 60  # as for lists
STAGE_MARGIN = 2  # columns on either side
LEAST_CHART_ROWS, MAX_CHART_ROWS = 3, 5  # rows of the chart
TALL_STAGE_ROWS = 22  # rows of a stage with room for MAX_CHART_ROWS
_GAP = " " * 3  # between the large rating and the words beside it


class ProfileScreen(AppScreen):
    """The profile of a player. The rating by one set of rules is in large digits."""

    max_columns = STAGE_COLUMNS
    margin = STAGE_MARGIN

    def __init__(self, app: App, options: ProfileOptions) -> None:
        super().__init__(app)
        self.options = options
        self._address = options.server
        self.error: Exception | None = None
        self._profile: Profile | None = None
        self._is_own = False
        self._wanted_rules = options.rules  # None: those of the last rated match
        self.keys = (
            Key(
                ("enter",), N_("challenge the player to a match"), self._ask_to_challenge,
                short=N_("challenge"), when=self._can_challenge,
            ),
            Key(
                ("left",), N_("the rules before"), partial(self._change_rules, -1),
                when=self._has_other_rules,
            ),
            Key(
                ("right",), N_("the next rules"), partial(self._change_rules, 1),
                short=N_("rules"), hinted=("left", "right"), when=self._has_other_rules,
            ),
            Key(
                ("l",), N_("the best players of rated matches"), self._show_leaderboard,
            ),
            Key(
                ("s",), N_("your games in figures"), partial(app.go, MenuPage.STATISTICS),
                short=N_("statistics"), when=lambda: self._is_own,
            ),
            Key(
                ("n",), N_("take no challenges and be offline to others, or not"),
                self._switch_challenges, short=N_("challenges"), when=lambda: self._is_own,
            ),
            Key(
                ("r",), N_("the player's finished matches"), self._show_matches,
                short=N_("matches"), when=lambda: self._profile is not None,
            ),
            back_key(self),
        )  # fmt: skip

    def on_show(self) -> None:
        """Load the profile again, because a match may have ended since the last time."""
        self._refresh()

    def draw(self, extent: Extent) -> list[Line]:
        """Return the title and the parts of the profile, with as many matches as fit."""
        profile, columns = self._profile, extent.columns
        if profile is None:
            words = _("One moment ...") if self.error is None else describe_failure(self.error)
            address = name_server(self._address)
            return [draw_title([_("A player")], address, columns), [], *wrap(words, columns)]
        title = draw_title([sanitise(profile.name)], describe_match_count(profile), columns)
        record = find_record(profile)
        if record is None:
            told = wrap(_("No rated match yet."), columns)
            return [title, [], *told, *self._draw_standing(profile, columns)]
        parts = self._draw_parts(profile, record, extent)
        room = extent.rows - 2
        taken = sum(map(len, parts)) + 1
        recent = self._draw_recent(profile, room - taken)
        lines = stack([*parts, *([recent] if recent else [])], room, 1)
        lines = [crop(line, columns, self.app.look.glyphs.ellipsis) for line in lines]
        lines = (
            change_texts(lines, write_in_ascii) if self.app.look.glyphs.upper.isspace() else lines
        )
        return [title, [], *lines]

    def _draw_parts(
        self, profile: Profile, record: RatedRecord, extent: Extent
    ) -> list[list[Line]]:
        zone = self.app.context.zone
        digits = draw_digits(str(round(record.rating.rating)), self.app.look)
        _number, deviation = format_rating_with_deviation(record.rating).split(" ", 1)
        last = _("last match {day}").format(day=format_day(record.last, zone))
        beside: list[Line] = [
            [
                ("class:strong", sanitise(record.rules)),
                ("", f"  {deviation}, {describe_place(profile)}"),
            ],
            text(describe_best_rating(record, zone) or last, "class:dim"),
            *map(text, describe_recent_results(profile)),
        ]
        head = side_by_side(digits, beside, width(digits[0]), _GAP)
        parts = [head]
        history = profile.history
        rows = MAX_CHART_ROWS if extent.rows >= TALL_STAGE_ROWS else LEAST_CHART_ROWS
        if chart := draw_ratings(history, rows, self.app.look):
            told = _("last {number} rated matches").format(number=len(history))
            chart[-1] = [*chart[-1], ("class:dim", f"  {told}")]
            parts.append(chart)
        facts: list[Line] = [
            *(text(line) for line in join_items(
                describe_other_rules(profile), extent.columns, "    "
            )),
            *wrap(describe_mean_guesses(record), extent.columns),
        ]  # fmt: skip
        facts += self._draw_standing(profile, extent.columns)
        return [*parts, facts]

    def _draw_standing(self, profile: Profile, columns: int) -> list[Line]:
        """Return the results against the user, or whether the user takes no challenges."""
        if not self._is_own:
            return wrap(describe_head_to_head(profile, self.app.context.zone), columns)
        return [] if profile.challenges else wrap(describe_challenge_choice(allowed=False), columns)

    def _draw_recent(self, profile: Profile, rows: int) -> list[Line]:
        """Return the last matches in at most `rows` rows, with a heading."""
        if not profile.matches or rows < 2:
            return []
        matches = profile.matches[: rows - 1]
        table = list_table(RATED_MATCH_COLUMNS, matches, self.app.context.zone)
        heading = text(_("Last rated matches:"), "class:heading")
        return [heading, *(text(line) for line in table)]

    def _refresh(self) -> None:
        self.app.spawn(self._load())

    async def _load(self) -> None:
        options = self.options
        choose = Identities.of(self.app.context).choose_profile_server
        try:
            self._address = await asyncio.to_thread(choose, options)
            server = await self.app.connect(self._address)
            if not server.kept:
                raise GamesOpenElsewhere
            profile = await server.session.load_profile(
                options.player, name=options.name, rules=self._wanted_rules
            )
        except (ServerUnreachable, Refused, OSError) as error:
            self.error = error
            if self._profile is not None:
                self.app.notify(describe_failure(error))
        else:
            self._profile, self.error = profile, None
            self._is_own = profile.player == server.me
        self.app.redraw()

    def _has_other_rules(self) -> bool:
        return self._profile is not None and len(self._profile.records) > 1

    def _change_rules(self, step: int) -> None:
        """Load the profile by the next rules, or by the previous rules if `step` is negative."""
        profile = self._profile
        if profile is None or (shown := find_record(profile)) is None:
            return
        played = [record.rules for record in profile.records]
        now = self._wanted_rules if self._wanted_rules in played else shown.rules
        self._wanted_rules = played[(played.index(now) + step) % len(played)]
        self._refresh()

    def _switch_challenges(self) -> None:
        if (profile := self._profile) is not None:
            self.app.spawn(self._allow_challenges(allowed=not profile.challenges))

    async def _allow_challenges(self, *, allowed: bool) -> None:
        server = await self.app.connect(self._address)
        await server.session.allow_challenges(allowed=allowed)
        self.app.notify(describe_challenge_choice(allowed=allowed))
        await self._load()

    def _can_challenge(self) -> bool:
        return self._profile is not None and not self._is_own

    def _ask_to_challenge(self) -> None:
        """Ask whether to challenge the player, by the rules of the rating in large digits."""
        profile = self._profile
        if profile is None:
            return
        record = find_record(profile)
        rules = record.rules if record is not None else DEFAULT.name
        ask_to_challenge(
            self, self._address, profile.player, profile.name, rules,
            _("Back to the profile."),
        )  # fmt: skip

    def _show_leaderboard(self) -> None:
        self.app.go(ListDestination("leaderboard", self.options.server))

    def _show_matches(self) -> None:
        if self._profile is not None:
            player = None if self._is_own else self._profile.player
            self.app.go(ListDestination("archive", self._address, player))
