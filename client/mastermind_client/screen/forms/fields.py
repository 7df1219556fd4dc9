"""Form items that several forms have, and the questions for a match code and for a name."""

from __future__ import annotations

from argparse import ArgumentTypeError
from itertools import chain, repeat
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.config.options import HOSTED, OFFLINE, JoinOptions
from mastermind_client.config.settings import SETTINGS, InvalidSetting
from mastermind_client.config.values import Invitation, parse_invitation, parse_server
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_failure, write_sentence
from mastermind_client.screen.theme.tiles import draw_small
from mastermind_client.screen.toolkit.list_view import Item, bind_choice, choice, field
from mastermind_client.screen.toolkit.overlays import LinePrompt
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Line

_T = TypeVar("_T")


def make_acceptor(
    parse: Callable[[str], _T], take: Callable[[_T], object]
) -> Callable[[str], str | None]:
    """Return a function that parses a typed line, and passes the value to `take`.

    The returned function returns None, or the reason why the line is invalid.
    """

    def accept(text: str) -> str | None:
        try:
            value = parse(text.strip())
        except (MastermindError, ArgumentTypeError) as error:
            return describe_failure(error)
        take(value)
        return None

    return accept


def bind_switch(form: object, attribute: str, label: str, off: str, on: str) -> Item:
    """Return a choice between no and yes that sets an attribute of the form.

    `off` explains no, and `on` explains yes.
    """
    return bind_choice(form, attribute, label, [(False, _("no"), off), (True, _("yes"), on)])


def server_field(app: App) -> Item:
    """Return the form item that changes the setting for the server."""
    address = app.settings.server
    about = _("the same for all who meet")
    accept = make_acceptor(parse_server, lambda server: app.change_settings(server=server))
    return field("server", _("Server"), address, address, app.prompt, accept, about=about)


def where_field(app: App, address: str, go_to: Callable[[str], None]) -> Item:
    """Return the form item that chooses where to play: in this process, or on a server.

    `address` is the current choice. The offered server is the one at `address`, or if that is
    OFFLINE the settings' server. `go_to` receives the chosen address.
    """
    server = address or app.settings.server
    about = _("here, for review")
    here = [(OFFLINE, name_server(OFFLINE), about)] if app.context.local else []
    options = [*here, (server, server, _("others can watch"))]
    return choice("place", _("Where"), address, options, go_to)


def name_server(address: str) -> str:
    """Return the displayed name of the server at an address."""
    return {OFFLINE: _("offline"), HOSTED: _("hosted here")}.get(address, address)


def ask_match_code(app: App, take: Callable[[Invitation], None], text: str = "") -> None:
    """Ask for the code of a match, or for the invitation that a friend has sent.

    The prompt starts with `text`, for example a mistyped code.
    """

    def go(invitation: Invitation) -> None:
        app.end_line()
        take(invitation)
        if invitation.server is not None:
            app.notify(_("On the server of that line: {server}").format(server=invitation.server))

    label = _("Code, link or whole line:")
    app.prompt(LinePrompt(label, make_acceptor(parse_invitation, go), text, begun=bool(text)))


def ask_invitation(app: App) -> None:
    """Ask for the code or the invitation that a friend has sent, and open its match."""

    def join(invitation: Invitation) -> None:
        code, server, host = invitation
        address, names_server = server or app.settings.server, server is not None
        app.go(JoinOptions(code, address, names_server=names_server, host=host, typed=True))

    ask_match_code(app, join)


def needs_name(app: App) -> bool:
    """Return whether the user still has to be asked for a name."""
    return app.settings.introduction == "all" and app.settings.name is None


def ask_name(app: App, begin: Callable[[], None], cancel: Callable[[], None]) -> None:
    """Ask for the player's name and save it, then call `begin`.

    Enter without a name makes the player a guest. Esc saves nothing and calls `cancel`.
    """

    def take(text: str) -> str | None:
        try:
            name = SETTINGS["name"].accept(text)
        except InvalidSetting as error:
            return write_sentence(str(error))
        app.change_settings(introduction="hints", name=name)
        app.end_line()
        if not name:
            app.notify(_("You play as a guest. The settings give you a name."))
        app.spawn(begin_anew())
        return None

    async def begin_anew() -> None:
        await app.servers.close()  # only a new connection sends the name
        begin()

    label = _("Your name (Enter for a guest's):")
    app.prompt(LinePrompt(label, take, decline=cancel))


def draw_colours(palette: Sequence[str], look: Look, symbols: Iterable[str] = ()) -> Line:
    """Return a small tile of each colour, in a row. `symbols` replace the colours' letters."""
    letters = chain(symbols, repeat(""))
    return [
        part
        for colour, letter in zip(palette, letters, strict=False)
        for part in draw_small(colour, look, letter=letter)
    ]
