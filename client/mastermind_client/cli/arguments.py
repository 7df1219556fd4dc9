"""The arguments that several commands have."""

from __future__ import annotations

from argparse import Action
from typing import TYPE_CHECKING

from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import DEFAULT_SERVER
from mastermind_client.config.settings import SETTINGS, load
from mastermind_client.config.values import (
    Invitation,
    parse_invitation,
    parse_name,
    parse_pace,
    parse_rounds,
    parse_server,
)
from mastermind_client.invocation import write_command
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.playback import DEFAULT_PACE_SECONDS
from mastermind_protocol.rules import PRESETS

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ActionsContainer


def find_usual_server() -> str:
    """Return the address of the server in the settings file.

    The file is read in scripts too, although scripts ignore most other settings.
    """
    return load(settings_path()).settings.server


def write_command_for_argparse(arguments: str) -> str:
    """Return the command line that starts the client, with `%` escaped for argparse."""
    return write_command(arguments).replace("%", "%%")


def describe_rule_choices() -> str:
    """Return a text for the help: the names of the presets, and the form of custom rules."""
    return _(
        "{presets}, or PEGSxCOLOURS[u][/GUESSES] such as 5x8/12, or 4x10u for no colour twice"
    ).format(presets=", ".join(PRESETS))


def add_match_code_argument(parser: ArgumentParser, about: str) -> None:
    """Add the positional argument `code`, with the help text `about`.

    It takes a match code or an invitation. An invitation also sets `server` and `host_name`.
    """
    parser.add_argument(
        "code", type=parse_invitation, action=_TakeInvitation, nargs="?", metavar=_("CODE"),
        help=_("{about}; or SERVER/CODE, or a link").format(about=about),
    )  # fmt: skip


class _TakeInvitation(Action):
    """Sets `code` and `host_name`, and also `server` if the invitation names a server."""

    def __call__(
        self,
        _parser: object,
        namespace: Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        given = values if isinstance(values, Invitation) else (None, None, "")
        namespace.code, server, namespace.host_name = given
        namespace.server = server or namespace.server


def add_rounds_option(parser: ArgumentParser, about: str, default: int | None = None) -> None:
    """Add --rounds, with the help text `about`. If it is omitted, the value is `default`."""
    parser.add_argument("--rounds", type=parse_rounds, default=default, metavar="N", help=about)


def add_clock_option(parser: ArgumentParser) -> None:
    """Add --clock."""
    parser.add_argument(
        "--clock",
        metavar=_("CLOCK"),
        help=_(
            "the time of the players: 5+3 (5 minutes a round, 3 seconds more a guess), 60/move "
            "(60 seconds a guess) or 3d/move (3 days a move); default: no clock"
        ),
    )


def add_server_options(parser: ArgumentParser, about: str | None = None) -> None:
    """Add --server, with the help text `about`, and --cafile."""
    about = about or _("the server (default: the one in the settings)")
    parser.add_argument("--server", type=parse_server, metavar="URL", help=about)
    parser.add_argument(
        "--cafile",
        metavar=_("FILE"),
        help=_("a PEM file of more certificates to trust, for a wss:// server with a private one"),
    )


def add_server_and_name_options(parser: ArgumentParser, about: str | None = None) -> None:
    """Add --server, with the help text `about`, --cafile and --name."""
    about = about or _("ws:// or wss:// address (default {server})")
    add_server_options(parser, about.format(server=DEFAULT_SERVER))
    parser.add_argument(
        "--name", type=parse_name, metavar=_("NAME"), help=_("the name that others see")
    )


def add_language_option(parser: _ActionsContainer) -> None:
    """Add --lang to the help, and validate its value. The language is set before argparse runs."""
    parser.add_argument(
        "--lang", dest="language", choices=tuple(LANGUAGES), help=_("the language of all texts")
    )


def add_interface_options(parser: ArgumentParser) -> None:
    """Add the options that override settings for this run."""
    add_server_and_name_options(
        parser, _("ws:// or wss:// address (default: the settings' one, {server} at first)")
    )
    group = add_display_options(parser)
    group.add_argument(
        "--pace",
        type=parse_pace,
        metavar=_("SECONDS"),
        help=_(
            "the pause after each guess of a bot; 0 for none (default: the settings' one, "
            "{seconds:g} at first; none in a pipe)"
        ).format(seconds=DEFAULT_PACE_SECONDS),
    )


def add_display_options(parser: ArgumentParser) -> _ActionsContainer:
    """Add the options that override settings of the display for this run. Return their group."""
    parser.set_defaults(opens_interface=True)
    group = parser.add_argument_group(_("display, for this run only"))
    group.add_argument(
        "--plain", action="store_true", help=_("the line interface, for pipes and screen readers")
    )
    add_language_option(group)
    for name, about in (
        ("palette", _("the colours of the pegs")),
        ("color", _("the number of colours to use")),
    ):
        group.add_argument(f"--{name}", choices=SETTINGS[name].choices, help=about)
    group.add_argument(
        "--ascii",
        dest="glyphs",
        action="store_const",
        const="ascii",
        help=_("draw with the signs that every terminal has"),
    )
    for option, state, about in (
        ("--mouse", "on", _("use the mouse, also over SSH")),
        ("--no-mouse", "off", _("leave the mouse to the terminal")),
    ):
        group.add_argument(option, dest="mouse", action="store_const", const=state, help=about)
    return group
