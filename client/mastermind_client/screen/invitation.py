"""The drawing of a match that waits for its second player."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mastermind_client.config.values import Invitation, write_join_command, write_link
from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import list_peg_symbols
from mastermind_client.messages.listings import list_terms
from mastermind_client.messages.players import find_name
from mastermind_client.messages.rules import format_size
from mastermind_client.messages.updates import describe_challenge_wait
from mastermind_client.screen.scene.viewpoint import Viewpoint
from mastermind_client.screen.theme.lettering import draw_banner, draw_qr_code
from mastermind_client.screen.theme.tiles import (
    MID,
    WIDE,
    TileShape,
    draw_hole,
    draw_place,
    draw_tile,
)
from mastermind_client.screen.toolkit.frames import draw_framed
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    draw_title,
    fit_parts,
    join_items,
    side_by_side,
    stack,
    text,
    width,
    wrap,
)
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from mastermind_client.screen.theme import Look

FRAME_STAGE_COLUMNS = 60  # columns of a stage that has room for the code in a frame
MAX_PART_GAP = 2  # rows between two parts of the screen
TILES_GAP = 3  # columns between the tiles and the text
QR_STAGE_COLUMNS = 78  # columns of a stage that has room for a QR code and the text
LEAST_TEXT_COLUMNS = 43  # of the text to the left of the QR code; a longer link widens it
TEXT_GAP = 2  # columns between the text and the QR code, and between the title and the terms


@dataclass(frozen=True)
class WaitingMatch(Viewpoint):
    """A match that waits for its second player, from the first player's point of view.

    `server_address` is the address that the second player uses, and `page_url` the server's web
    page. `host` is the name of the player who hosts the server, or "". `opponent` is the name of
    the player for whom the seat is reserved, if known. `since_time` is the local time when the wait
    began, as HH:MM. `filled_tiles` is the number of filled tiles in the animated row. `joined_name`
    is the name of an opponent who has just joined.
    """

    server_address: str
    page_url: str | None = None
    host: str = ""
    opponent: str = ""
    since_time: str = ""
    filled_tiles: int = 0
    joined_name: str = ""

    @property
    def is_rematch(self) -> bool:
        """Whether the match is a rematch, so the free seat is the last opponent's."""
        return self.match.opened.previous is not None

    @property
    def is_reserved(self) -> bool:
        """Whether the free seat is reserved for the last opponent or for a challenged player."""
        return self.is_rematch or self.match.opened.reserved is not None

    @property
    def command(self) -> str:
        """The command that a friend types to join."""
        invitation = Invitation(self.match_code, self.server_address, self.host)
        return write_join_command(invitation, self.page_url)

    @property
    def link(self) -> str:
        """The link that a friend opens in a browser, or "" if the server has no page."""
        return write_link(self.page_url, Invitation(self.match_code, self.server_address))


def draw_waiting(waiting: WaitingMatch, extent: Extent, look: Look) -> list[Line]:
    """Return the lines of the screen.

    If there is a link, it replaces the match code. In a low window the frame of the code is dropped
    first, then the terms (seat and rules), the tiles and the large letters of the code.
    """
    opened, dot = waiting.match.opened, f" {look.glyphs.hole} "
    listed = list_terms(
        str(waiting.match.rules), opened.rounds, rated=opened.rated, clock=opened.clock
    )
    terms = dot.join(listed)
    room = Extent(extent.columns, extent.rows - 2)
    if waiting.link and not waiting.is_reserved:
        name = find_name(waiting.match, waiting.me)
        title = draw_title([_describe_title(waiting)], name, extent.columns)
        body = _draw_link(waiting, terms, room, look)
        return [title, [], *([] for _row in range((room.rows - len(body)) // 3)), *body]
    head = _describe_title(waiting)
    fitting = join_items(listed, extent.columns - width(text(head)) - TEXT_GAP, dot)[0]
    title = draw_title([head], fitting, extent.columns)
    body = _choose_body(waiting, room, look)
    above = max(0, room.rows - len(body)) // 2
    return [title, [], *([] for _row in range(above)), *body]


def is_local(server: str) -> bool:
    """Return whether an address works only on the server's own machine."""
    host = urlsplit(server).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _describe_title(waiting: WaitingMatch) -> str:
    if waiting.is_rematch:
        return _("Waiting for the rematch")
    if waiting.is_reserved:
        return _("Your challenge")
    if waiting.match.opened.public:
        return _("Waiting for an opponent")
    return _("Waiting for a friend")


def _choose_body(waiting: WaitingMatch, extent: Extent, look: Look) -> list[Line]:
    """Return the largest parts of the invitation that fit."""
    columns = extent.columns
    tiles, terms = _draw_tiles(waiting, look), _draw_terms(waiting, columns)
    if waiting.is_reserved:
        return [*tiles, [], *terms]
    read = centre([text(_("Read this code to your friend:"))], columns)
    large = draw_banner(waiting.match_code, look)
    letters = centre(large, columns)
    spaced = centre([text(" ".join(waiting.match_code), "class:strong")], columns)
    send = _draw_command(waiting, columns)
    blocks = fit_parts(
        extent.rows,
        [(3, [read]), (2, [letters, spaced]), (3, [send]), (1, [tiles]), (0, [terms])],
    )
    if columns >= FRAME_STAGE_COLUMNS and all(blocks):
        framed = draw_framed([[], *centre(large, columns - 4), []], columns, look.glyphs)
        in_frame = [read, [*framed, *send], tiles, terms]
        blocks = in_frame if sum(map(len, in_frame)) <= extent.rows else blocks
    return stack([block for block in blocks if block], extent.rows, MAX_PART_GAP)


def _draw_link(waiting: WaitingMatch, terms: str, extent: Extent, look: Look) -> list[Line]:
    """Return the link with its QR code, and the other parts that fit.

    The QR code is dropped if it does not fit beside the whole link.
    """
    picture = draw_qr_code(waiting.link, look) if extent.columns >= QR_STAGE_COLUMNS else []
    columns = extent.columns
    if picture:
        most = extent.columns - TEXT_GAP - width(picture[0])
        columns = max(LEAST_TEXT_COLUMNS, len(waiting.link), min(len(waiting.command), most))
        if columns > most or len(picture) > extent.rows:
            picture, columns = [], extent.columns
    link = wrap(waiting.link, columns, "class:strong")
    told = _("It opens in a browser. At a terminal:")
    if picture:
        told = _("It opens in a browser, or show the picture to a phone. At a terminal:")
    invite = _("Send your friend this link:")
    if waiting.match.opened.public:
        invite = _("Anyone can join. A friend joins by this link:")
    command = [*wrap(told, columns), [], *_wrap_command(waiting, columns)]
    if is_local(waiting.link):
        command += wrap(_("This address is good on this machine only."), columns)
    *tiles, wait = _draw_tiles(waiting, look, beside=False)
    *parts, bottom = fit_parts(
        extent.rows,
        [
            (1, [[text(terms), []]]),
            (4, [[*wrap(invite, columns), [], *link, []], link]),
            (3, [[*command, []], command]),
            (2, [[*tiles, wait], [wait]]),
            (0, [[[], *_draw_terms(waiting, extent.columns)]]),
        ],
    )
    lines = [line for part in parts for line in part]
    body = side_by_side(lines, picture, columns, " " * TEXT_GAP) if picture else lines
    return [*body, *bottom] if len(body) + len(bottom) <= extent.rows else body


def _draw_command(waiting: WaitingMatch, columns: int) -> list[Line]:
    """Return the join command on a line of its own, so that it can be copied."""
    lines = [
        *centre([text(_("or send this line:"))], columns),
        *centre(_wrap_command(waiting, columns), columns),
    ]
    if is_local(waiting.server_address):
        told = wrap(_("This address is good on this machine only."), columns)
        lines += centre(told, columns)
    return lines


def _wrap_command(waiting: WaitingMatch, columns: int) -> list[Line]:
    """Return the join command, without the host's name if this name would break the line."""
    fits = len(waiting.command) <= columns
    shown = waiting if fits else replace(waiting, host="")
    return wrap(shown.command, columns, "class:strong")


def _draw_tiles(waiting: WaitingMatch, look: Look, *, beside: bool = True) -> list[Line]:
    """Return the animated row of tiles, and a sentence about the wait.

    The sentence is to the right of the tiles if `beside`, otherwise below them.
    """
    rules, shape = waiting.match.rules, TileShape(WIDE, MID)
    empty = [draw_hole(shape, look)[0], draw_place(shape, look)[1]]
    filled = rules.pegs if waiting.joined_name else waiting.filled_tiles
    symbols = list_peg_symbols(rules)
    colours = [number % rules.colours for number in range(rules.pegs)]
    tiles = [
        draw_tile(rules.palette[colour], shape, look, letter=symbols[colour])
        for colour in colours[:filled]
    ] + [empty] * (rules.pegs - filled)
    rows: list[Line] = [
        [part for tile in tiles for part in (*tile[row], ("", " "))] for row in range(shape.rows)
    ]
    told: Line = text(_describe_wait(waiting, look), "class:turn" if waiting.joined_name else "")
    if not beside:
        return [*rows, told]
    return [[*rows[0], ("", " " * (TILES_GAP - 1)), *told], *rows[1:]]


def _describe_wait(waiting: WaitingMatch, look: Look) -> str:
    if waiting.joined_name:
        return _(" {name} is here ").format(name=waiting.joined_name)
    if waiting.is_reserved and waiting.opponent:
        told = _("Waiting for {name}").format(name=waiting.opponent)
    elif waiting.is_reserved:
        told = _("Waiting for the answer")
    else:
        told = _("Waiting since {time}").format(time=waiting.since_time)
    return f"{told} {look.glyphs.ellipsis}"


def _draw_terms(waiting: WaitingMatch, columns: int) -> list[Line]:
    """Return lines with the user's role in the first round, and the rules."""
    match = waiting.match
    making = match.seat_of(waiting.me) is Seat.MAKER
    if match.opened.public or waiting.is_reserved:
        first = _("You hide a code.") if making else _("You break a code.")
    else:
        friend = _("You hide a code for your friend.")
        first = friend if making else _("You break your friend's code.")
    if match.opened.rounds > 1:
        first = f"{first} " + _("Then the seats change.")
    more = [f"{format_size(match.rules)}."]
    if match.opened.rated:
        more.append(_("Rated: no advice, no bots."))
    if match.opened.public and not waiting.is_reserved:
        more.append(_("It is in the list of open matches."))
    if waiting.is_reserved and not waiting.is_rematch:
        more.append(describe_challenge_wait())
    return [*wrap(first, columns), *wrap(" ".join(more), columns)]
