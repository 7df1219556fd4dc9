"""The home screen: the name of the game in tiles, the matches to continue, and the main menu."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer
from mastermind_client.config.options import (
    DEFAULT_SERVER,
    OFFLINE,
    DayOptions,
    ProfileOptions,
    PuzzleOptions,
    SolveOptions,
)
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.days.dates import MINUTE_SECONDS, format_date
from mastermind_client.messages.days.sentences import (
    DayStage,
    describe_code,
    describe_home_result,
    describe_home_time,
    describe_trouble,
    find_stage,
    shorten_streak,
)
from mastermind_client.messages.listings import (
    describe_standing,
    format_opponent_or_invitation,
    list_unfinished_terms,
)
from mastermind_client.network.players.identities import Identities
from mastermind_client.screen.forms.fields import ask_invitation
from mastermind_client.screen.match.rows import draw_small_code
from mastermind_client.screen.pages.page import Page
from mastermind_client.screen.screen import ListDestination, MenuPage
from mastermind_client.screen.servers.days import TimedDay
from mastermind_client.screen.theme.tiles import (
    FLAT,
    MID,
    NARROW,
    TALL,
    WIDE,
    TileShape,
    draw_hidden_peg,
    draw_tile,
)
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_client.screen.toolkit.lines import Extent, Line, centre, draw_title, width
from mastermind_client.screen.toolkit.list_drawing import draw_form
from mastermind_client.screen.toolkit.list_view import Item, action
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.errors import Refused
from mastermind_protocol.requests import GUEST
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.network.running import OwnSeat
    from mastermind_client.screen.app import App
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.keys import Binding

GAME_NAME = "MASTERMIND"
TITLE_COLOURS = (
    "magenta", "yellow", "green", "orange", "red", "cyan", "purple", "blue", "lime", "teal",
)  # fmt: skip
MAX_LISTED_MATCHES = 3  # listed matches to continue, until the user asks for more
ROOMY_WINDOW = Extent(100, 30)  # the smallest window with blank rows between the items
_BOT, _CONTINUE, _HOW, _MORE, _TODAY = "bot", "continue", "how", "more", "today"
_CODE_SHAPE = TileShape(NARROW, FLAT)
_GAP: Line = [("", " ")]


class HomeScreen(Page):
    """The main menu, the lowest screen of the stack. Esc asks whether to end the client."""

    def __init__(self, app: App) -> None:
        self._seats: Sequence[OwnSeat] = ()
        self._name = ""
        self._was_shown = False
        self._lists_all = False  # all matches to continue are listed
        self._is_untouched = True  # no key has been pressed here yet
        self._ticking = DelayTimer(app.clock, lambda: MINUTE_SECONDS, app.redraw)
        super().__init__(app)

    async def on_close(self) -> None:
        """Stop the timer of the remaining time."""
        self._ticking.close()

    def on_key(self) -> None:
        """Keep the selection when the server answers about today's code."""
        self._is_untouched = False

    def draw(self, extent: Extent) -> list[Line]:
        """Return the user's name, the name of the game, and the menu in the middle of the rest."""
        self._select_todays_code()
        self._seats, look = self.app.running_matches.seats, self.app.look
        title = draw_title([""], self._name, extent.columns)
        word = draw_game_name(extent.columns, look)
        airy = extent.rows >= ROOMY_WINDOW.rows - 2
        room = extent.rows - len(word) - 3
        menu = draw_form(self.view, Extent(extent.columns, room + 2), look.glyphs, airy=airy)
        gap: list[Line] = [[]] if len(menu) <= room else []
        body = [*word, *gap, *menu]
        above = (extent.rows - 2 - len(body)) // 2 if airy else 0
        return [title, *([] for _row in range(above)), *body]

    def on_show(self) -> None:
        """Start polling the running matches, and select an item.

        Select the first match that waits for a move of the user. Without such a match, the first
        call selects the game with a bot, or "How to play" for a new user, and later calls keep the
        selection. When the server has answered, today's code is selected instead of the game with
        a bot, if no key has been pressed and the own try has not ended.
        """
        self._name = self._find_name()
        self._ticking.restart()
        self.app.running_matches.begin()
        seats = self._seats = self.app.running_matches.seats
        self.view.replace_lost_selection()  # the match of the last screen may have ended
        if seats and seats[0].is_my_turn:
            self.view.select(f"{_CONTINUE} {seats[0].match.code}")
        elif not self._was_shown:
            self.view.select(_HOW if self._is_new else _BOT)
        self._was_shown = True

    def _select_todays_code(self) -> None:
        """Select today's code if no key has been pressed, and if the own try has not ended."""
        known = self.app.running_matches.days.find(self.app.settings.server)
        if (
            self._is_untouched
            and self.view.selected.name == _BOT
            and isinstance(known, TimedDay)
            and find_stage(known.day, known.now) in (DayStage.READY, DayStage.RUNNING)
        ):
            self.view.select(_TODAY)

    def _find_name(self) -> str:
        """Return the name that others see: from the settings, or as stored for their server."""
        settings, identities = self.app.settings, Identities.of(self.app.context)
        name = settings.name or identities.find_name(settings.server)
        return _("a guest") if name in (None, GUEST) else name

    @property
    def _is_new(self) -> bool:
        """Whether the player has not finished a game yet."""
        return self.app.settings.introduction != "none"

    def items(self) -> Sequence[Item]:
        """Return the matches to continue, today's code, and the menu."""
        return [*self._make_continue_items(), self._make_today_item(), *self._make_play_items()]

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys of the menu's items, and the key of the statistics."""
        return (
            Typing(
                N_("c, t, 1 to 9, h, z"), N_("the entry with this number or letter"), self.type,
                lambda _text: None,  # pasted text presses no item
            ),
            Key(
                ("s",), N_("your games in figures"),
                partial(self.app.go, MenuPage.STATISTICS), short=N_("statistics"),
            ),
            Key(
                ("l",), N_("the best players of rated matches"), self._show_leaderboard,
                short=N_("leaderboard"),
            ),
            Key(("p",), N_("your ratings and rated matches"), self._show_profile),
        )  # fmt: skip

    def escape_key(self) -> Binding:
        """Return the key that ends the client."""
        return Key(("escape",), N_("end the program, after a question"), self.leave)

    def leave(self) -> None:
        """Ask whether to end the client."""
        running = self.app.running_matches
        about = _("Your matches are kept.") if running.seats else _("Good-bye!")
        about = running.describe_hosted_match() or about
        self.app.ask(
            Card(
                _("End the program?"),
                Answer(_("Stay"), _("Back to the home screen."), self.app.redraw),
                Answer(_("End it"), about, self.app.quit),
            )
        )

    def type(self, character: str) -> None:
        """Select and press the item with this number or letter."""
        for item in self.items():
            if item.key == read_keys(character):
                self.view.select(item.name)
                self.view.press()
        self.app.redraw()

    def _show_leaderboard(self) -> None:
        self.app.go(ListDestination("leaderboard", self.app.settings.server))

    def _show_profile(self) -> None:
        self.app.go(ProfileOptions(self.app.settings.server, is_usual=True))

    def _make_continue_items(self) -> list[Item]:
        shown = len(self._seats) if self._lists_all else min(len(self._seats), MAX_LISTED_MATCHES)
        items = [
            self._make_continue_item(seat, "" if number else "c")
            for number, seat in enumerate(self._seats[:shown])
        ]
        if rest := len(self._seats) - shown:
            more = ngettext("and {number} more", "and {number} more", rest).format(number=rest)
            items.append(action(_MORE, more, self._show_all_matches))
        return items

    def _make_continue_item(self, seat: OwnSeat, key: str) -> Item:
        match, dot = seat.match, f" {self.app.look.glyphs.hole} "
        state = describe_standing(match, self.app.context.zone)
        if not seat.from_server:
            state = _("the server does not answer")
        return action(
            f"{_CONTINUE} {match.code}", f"{format_opponent_or_invitation(match)}{dot}{match.code}",
            partial(self.app.go, seat.options), dot.join((state, *list_unfinished_terms(match))),
            key=key, heading=_("Continue"), live=True,
        )  # fmt: skip

    def _show_all_matches(self) -> None:
        self._lists_all = True

    def _make_today_item(self) -> Item:
        """Return the item of today's code: the code in small tiles, and the streak."""
        address = self.app.settings.server
        known, look = self.app.running_matches.days.find(address), self.app.look
        has_server = address != DEFAULT_SERVER  # chosen by the player, and perhaps not asked yet
        item = action(
            _TODAY, _("The code of the day"), partial(self.app.go, DayOptions(address)),
            describe_code() if has_server else _("One for all; it needs a server."),
            key="t", heading=_("Today's code"),
        )  # fmt: skip
        if known is None:
            return item
        if isinstance(known, Refused):
            return replace(item, about=describe_trouble(known))
        ended = find_stage(known.day, known.now) in (DayStage.BROKEN, DayStage.UNBROKEN)
        streak = shorten_streak(known.day.streak) if ended else ""  # before, it is in the item
        left = describe_home_time(known.day, known.now, self.app.context.zone)
        return replace(
            item, label=format_date(known.day.day), beside=draw_day_code(known, look),
            heading=f" {look.glyphs.hole} ".join(filter(None, (item.heading, streak, left))),
        )  # fmt: skip

    def _make_play_items(self) -> list[Item]:
        go, server = self.app.go, self.app.settings.server

        items: list[tuple[str, str, Callable[[], None], str]] = [
            (_BOT, _("Play a bot"), partial(go, MenuPage.PLAY),
             _("It hides a code, or breaks yours.")),
            ("friend", _("Invite a friend"), partial(go, MenuPage.INVITE),
             _("You get a code to send.")),
            ("join", _("Join by code"), partial(ask_invitation, self.app),
             _("Someone has invited you.")),
            ("find", _("Find an opponent"), partial(go, ListDestination("waiting", server)),
             _("Players who wait for a game.")),
            ("watch", _("Watch"), partial(go, ListDestination("running", server)),
             _("Other people, or two bots.")),
            ("review", _("Review"), partial(go, ListDestination("archive", OFFLINE)),
             _("Your past games, guess by guess.")),
            (_HOW, _("How to play"), partial(go, MenuPage.HOW_TO_PLAY), _("In a minute.")),
            ("settings", _("Settings"), partial(go, MenuPage.SETTINGS),
             _("Name, server, colours, language.")),
            ("people", _("People"), partial(go, MenuPage.PEOPLE),
             _("Your opponents, with the scores.")),
        ]  # fmt: skip
        rules = find_rules(self.app.settings.rules)
        solving = [
            action(
                "helper", _("Helper"), partial(go, SolveOptions(rules)),
                _("Help with games played elsewhere."), key="h", heading=_("Play"),
            ),
            action(
                "puzzle", _("Puzzles"), partial(go, PuzzleOptions()),
                _("Which code fits all answers?"), key="z", heading=_("Play"),
            ),
        ]  # fmt: skip
        return [
            *(
                action(name, label, act, about, key=str(number), heading=_("Play"))
                for number, (name, label, act, about) in enumerate(items, start=1)
            ),
            *solving,
        ]


def draw_day_code(known: TimedDay, look: Look) -> Line:
    """Return today's code in small tiles, sealed while it is unknown, and the own result."""
    day, rules = known.day, DEFAULT
    if known.code is not None:
        tiles = draw_small_code(known.code, rules, look)
    else:
        sealed = [draw_hidden_peg(_CODE_SHAPE, look)[0]] * rules.pegs
        tiles = [part for number, peg in enumerate(sealed) for part in (_GAP * (number > 0) + peg)]
    return [*tiles, ("class:dim", f"  {describe_home_result(day, known.now)}")]


def draw_game_name(columns: int, look: Look) -> list[Line]:
    """Return the name of the game in the largest tiles that fit into the columns."""
    for shape in (TileShape(WIDE, TALL), TileShape(NARROW, MID)):
        tiles = [
            draw_tile(hue, shape, look, letter=letter)
            for letter, hue in zip(GAME_NAME, TITLE_COLOURS, strict=True)
        ]
        rows: list[Line] = [
            [
                part
                for number, tile in enumerate(tiles)
                for part in (_GAP * (number > 0) + tile[row])
            ]
            for row in range(shape.rows)
        ]
        if width(rows[0]) <= columns:
            break
    return centre(rows, columns)
