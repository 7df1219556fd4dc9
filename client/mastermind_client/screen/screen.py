"""The base class of all screens, the destinations of pages, and the banner of a lost connection."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from prompt_toolkit.utils import get_cwidth

from mastermind_client.actions import ACTIONS
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_failure, explain_disconnect, write_sentence
from mastermind_client.network.failures import Fault
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import crop, is_blank, text
from mastermind_client.screen.toolkit.overlays import CardRoom
from mastermind_protocol.errors import Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from mastermind_client.config.options import (
        DayOptions,
        MatchOptions,
        ProfileOptions,
        PuzzleOptions,
        SolveOptions,
        WatchOptions,
    )
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Connection, Update
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Extent, Glyphs, Line
    from mastermind_protocol.messages import PlacedTry
    from mastermind_protocol.rules import Rules

STAGE_COLUMNS = 100  # most columns of a stage, which is then seen at a glance
LINE_PROMPT_GAP = 4  # rows below the last text: three for an explanation of the line
LEAST_LINE_ROW = 18  # of a line prompt, as in the smallest window: long reasons fit above it


class Screen:
    """A screen of a window. `keys` is its table of keys, and the help explains its `rules`.

    The stage is the part of the window that the screen draws. It is centred, and has at most
    `max_columns`. At least `margin` columns stay free at each side. Text starts in the column
    `inset` of the stage. The title is in the row `title_row`, and the banner of a lost connection
    replaces it. If `has_notice_row`, a notice replaces the row `notice_row` of the stage. Otherwise
    notices have a row below the stage. If `explains_line`, the screen itself draws the explanation
    of a line prompt. A drawing can change `inset`, `title_row`, `notice_row` and `explains_line`.
    """

    keys: Sequence[Binding] = ()
    rules: Rules | None = None
    max_columns = STAGE_COLUMNS
    margin = 0
    inset = 0
    title_row = 0
    has_notice_row = False
    notice_row = 0
    explains_line = False

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the stage, with the title in the row `title_row`.

        The extent has at least 60 x 18 cells, minus the margins.
        """
        raise NotImplementedError

    def find_line_row(self, lines: Sequence[Line], extent: Extent) -> int:
        """Return the row of a line prompt. `lines` is the drawn stage.

        The default is near the last line with a text, so that it is seen in a tall window too.
        """
        used = max((row for row, line in enumerate(lines) if not is_blank(line)), default=0)
        return min(max(LEAST_LINE_ROW, used + LINE_PROMPT_GAP), extent.rows - 1)

    @property
    def trouble(self) -> Trouble | None:
        """The banner for a lost connection, or None."""
        return None

    @property
    def hint(self) -> str:
        """A hint for a first game. It is displayed while there is no notice."""
        return ""

    def on_update(self, server: Server, update: Update) -> None:
        """React to an update of a session. The window draws the screen again in any case."""

    def on_show(self) -> None:
        """React to this screen becoming the top screen, for the first time or again."""

    async def on_close(self) -> None:
        """React to the removal of this screen, for example by leaving its match."""

    def on_key(self) -> None:
        """React to a key before the key has its effect."""

    def leave(self) -> None:
        """Go back to the previous screen."""
        raise NotImplementedError

    def scroll(self, rows: int) -> None:
        """Scroll down by a number of rows, or up if it is negative. The mouse wheel calls this."""

    @property
    def match_code(self) -> str:
        """The code of the match that this screen follows, or an empty text."""
        return ""

    def find_card_room(self, stage: Extent) -> CardRoom:
        """Return the area for a question. The default is the stage without its last two rows."""
        return CardRoom(0, stage.columns, stage.rows - 2)


class MenuPage(Enum):
    """A page that needs no parameters."""

    HOME = auto()
    PLAY = auto()
    INVITE = auto()
    BOTS = auto()
    HOW_TO_PLAY = auto()
    STATISTICS = auto()
    PEOPLE = auto()
    SETTINGS = auto()
    COMPUTERS = auto()


@dataclass(frozen=True, slots=True)
class MatchPage:
    """The page of a followed match. If `review`, a finished match opens as a review.

    `watched` are the options that opened the match for a spectator.
    """

    server: Server
    mirror: Mirror
    review: bool = False
    watched: WatchOptions | None = None


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """The review of a finished match, on top of the screen that follows the match."""

    server: Server
    mirror: Mirror


@dataclass(frozen=True, slots=True)
class ListDestination:
    """The page of a list of a server. The name is a key of `lists.LISTS`, or `leaderboard`.

    If `player` is the id of another player, the list has the public matches of that player.
    """

    name: str
    server: str
    player: str | None = None


@dataclass(frozen=True, slots=True)
class PlacesPage:
    """The page of the best tries at the code of a day by `rules`, on the server at an address.

    `own` is the own try, or None without a place.
    """

    server: str
    rules: str
    day: int
    own: PlacedTry | None = None


@dataclass(frozen=True, slots=True)
class MonthPage:
    """The page of the days of a month with codes by `rules`, on the server at an address."""

    server: str
    rules: str


Destination: TypeAlias = (
    "MenuPage | ListDestination | MatchOptions | ProfileOptions | DayOptions | SolveOptions "
    "| PuzzleOptions | MatchPage | ReplayPage | PlacesPage | MonthPage"
)
"""A page to open. `fullscreen.make_screen` makes its screen."""


def back_key(
    screen: Screen, does: str = N_("go back"), when: Callable[[], bool] = lambda: True
) -> Key:
    """Return the key that leaves a screen."""
    return Key(("escape",), does, screen.leave, short=N_("back"), when=when)


def action_key(name: str, act: Callable[[], None], when: Callable[[], bool] = lambda: True) -> Key:
    """Return the key of the action `name`, which calls `act`."""
    action = ACTIONS[name]
    return Key(action.keys, action.sentence, act, short=action.short, when=when)


def close_history_key(close: Callable[[], None], when: Callable[[], bool]) -> Key:
    """Return the key that closes the history on a match screen."""
    return Key(("escape",), N_("close what is open"), close, short=N_("close"), when=when)


class Trouble(NamedTuple):
    """A lost connection: versions of the banner's text, the longest first, and the reason."""

    texts: tuple[str, ...]
    reason: str


def find_trouble(connection: Connection, zone: tzinfo | None, *, seated: bool) -> Trouble | None:
    """Return the banner for a lost connection, or None if the connection is not lost.

    If the player is `seated`, the text mentions that the seat is kept. A player that the server has
    refused reads the reason instead.
    """
    if connection.ended is not None:
        reason, ended = (
            describe_failure(connection.ended),
            _("The connection has ended. Esc goes back."),
        )
        if isinstance(connection.ended, Refused):
            return Trouble((f"{reason} {ended}", reason), reason)
        kept = (_("No connection. Your seat is kept: Esc, then Continue."),) if seated else ()
        return Trouble((*kept, ended), reason)
    if connection.lost is None:
        return None
    if connection.lost.fault is Fault.HOST_CLOSED:
        reason = write_sentence(explain_disconnect(connection.lost))
        named = _("{host} has closed the game.").format(host=sanitise(connection.lost.quote))
        told = [reason, named, _("The game is closed.")]
        if connection.attempt:
            trying = _("Trying again ({number}).").format(number=connection.attempt)
            told = [f"{sentence} {trying}" for sentence in told]
        return Trouble(tuple(told), reason)
    lost = _("Connection lost.")
    if connection.attempt:
        lost = _("Connection lost. Trying again ({number}).").format(number=connection.attempt)
    told = [lost]
    if seated:
        until = format_local_time(connection.until, zone)
        told[:0] = [
            f"{lost} " + _("Your seat is kept until {time}.").format(time=until),
            f"{lost} " + _("Your seat is kept."),
        ]
    return Trouble(tuple(told), write_sentence(explain_disconnect(connection.lost)))


def draw_trouble(trouble: Trouble, columns: int, glyphs: Glyphs) -> Line:
    """Return the banner with the longest text that fits, or with the shortest text cropped."""
    fitting = (words for words in trouble.texts if get_cwidth(words) + 2 <= columns)
    words = next(fitting, trouble.texts[-1])
    return crop(text(f" {words} ", "class:banner"), columns, glyphs.ellipsis)


def format_local_time(moment: float, zone: tzinfo | None, form: str = "%H:%M:%S") -> str:
    """Return the local time, as ``14:05:10``. `moment` is in seconds of `time.monotonic`."""
    away = timedelta(seconds=moment - time.monotonic())
    return (datetime.now(UTC) + away).astimezone(zone).strftime(form)
