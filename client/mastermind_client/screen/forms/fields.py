"""Fields that several forms have: a choice that can be typed too, a server, a place, a code."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.config.options import OFFLINE
from mastermind_client.config.values import Invitation, parse_invitation, parse_server
from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.list_view import Item, choice, field
from mastermind_client.screen.kit.overlays import LinePrompt
from mastermind_client.screen.look.tiles import draw_small
from mastermind_client.words.failures import describe_failure
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look

_T = TypeVar("_T")


def accepting(
    parse: Callable[[str], _T], take: Callable[[_T], object]
) -> Callable[[str], str | None]:
    """Return a function that takes a typed line, or returns why it is invalid."""

    def accept(text: str) -> str | None:
        try:
            value = parse(text.strip())
        except (MastermindError, ArgumentTypeError) as error:
            return describe_failure(error)
        take(value)
        return None

    return accept


def typed_choice(
    name: str,
    label: str,
    words: Sequence[str],
    index: int,
    accept: Callable[[str], str | None],
    edit: Callable[[LinePrompt], None],
    *,
    choose: Callable[[int], object] | None = None,
    text: str = "",
    about: str = "",
) -> Item:
    """Return an item whose value is chosen, or typed; the line begins with a `text`.

    Either is for `accept` to take, unless what is chosen has a `choose` of its own.
    """
    typed = field(name, label, text, "", edit, accept)
    take = choose or (lambda chosen: accept(words[chosen]))
    chosen = choice(name, label, words, index, take, about=about)
    return replace(chosen, edit=typed.edit)


def switch(name: str, label: str, on: bool, turn: Callable[[bool], object], about: str) -> Item:
    """Return an item that is on or off."""
    words = [_("no"), _("yes")]
    return choice(name, label, words, int(on), lambda index: turn(bool(index)), about=about)


def server_field(app: App) -> Item:
    """Return the item for the server, which is the one of the settings."""
    address = app.settings.server
    about = _("the same for all who meet")
    accept = accepting(parse_server, lambda server: app.change(server=server))
    return field("server", _("Server"), address, address, app.prompt, accept, about=about)


def place_field(app: App, address: str, go_to: Callable[[str], None]) -> Item:
    """Return the item for where something is: in this process, or on the server."""
    places = [OFFLINE, address or app.settings.server]
    about = _("offline, for review") if address == OFFLINE else _("others can look on")

    def choose(index: int) -> None:
        go_to(places[index])

    words = [_("here"), places[1]]
    return choice("place", _("Where"), words, places.index(address), choose, about=about)


def name_place(address: str) -> str:
    """Return what a place is called."""
    return _("offline") if address == OFFLINE else address


def ask_match_code(app: App, take: Callable[[str, str | None], None], text: str = "") -> None:
    """Let the code of a match be typed, or the whole line that a friend has sent be pasted.

    `take` is given the code, and the server that is named with it, if one is. A code that was
    typed before, the `text`, can be mended.
    """

    def go(invitation: Invitation) -> None:
        app.end_line()
        take(invitation.code, invitation.server)
        if invitation.server is not None:
            app.notify(_("On the server of that line: {server}").format(server=invitation.server))

    label = _("Code, or the whole line:")
    app.prompt(LinePrompt(label, accepting(parse_invitation, go), text, begun=bool(text)))


def draw_colours(palette: Sequence[str], look: Look) -> Line:
    """Return a small tile of each colour, in a row."""
    return [part for colour in palette for part in draw_small(colour, look)]
