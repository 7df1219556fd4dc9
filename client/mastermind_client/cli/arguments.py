"""The arguments that several commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import DEFAULT_SERVER
from mastermind_client.config.settings import SETTINGS
from mastermind_client.config.values import (
    parse_match_code,
    parse_name,
    parse_pace,
    parse_rounds,
    parse_server,
)
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.pace import DEFAULT_PACE
from mastermind_protocol.rules import PRESETS

if TYPE_CHECKING:
    from argparse import ArgumentParser, _ActionsContainer


def add_code(parser: ArgumentParser, about: str) -> None:
    """Add the match that is meant, which need not be named."""
    parser.add_argument("code", type=parse_match_code, nargs="?", metavar=_("CODE"), help=about)


def add_rounds(parser: ArgumentParser, about: str) -> None:
    """Add how many rounds a match has, one by default."""
    parser.add_argument("--rounds", type=parse_rounds, default=1, metavar="N", help=about)


def add_server(parser: ArgumentParser, *, settled: bool = False) -> None:
    """Add where to go and as whom; `settled` tells that the settings have a say in it."""
    about = (
        _("ws:// or wss:// address (default: the settings' one, {server} at first)")
        if settled
        else _("ws:// or wss:// address (default {server})")
    )
    parser.add_argument(
        "--server", type=parse_server, metavar="URL", help=about.format(server=DEFAULT_SERVER)
    )
    add_cafile(parser)
    parser.add_argument(
        "--name", type=parse_name, metavar=_("NAME"), help=_("what others see you as")
    )


def add_cafile(parser: ArgumentParser) -> None:
    """Add whom to trust beside those whom the system trusts."""
    parser.add_argument(
        "--cafile",
        metavar=_("FILE"),
        help=_("certificates in PEM to trust too, for a wss:// server with one that is not public"),
    )


def add_usual_server(parser: ArgumentParser) -> None:
    """Add on which server a command is about who we are."""
    parser.add_argument(
        "--server",
        type=parse_server,
        metavar="URL",
        help=_("the server that is meant (default: the settings' one)"),
    )
    add_cafile(parser)


def add_interface(parser: ArgumentParser) -> None:
    """Add the options that hold for this run in place of the settings."""
    add_server(parser, settled=True)
    parser.set_defaults(opens_interface=True)
    group = parser.add_argument_group(_("how it looks, for this time"))
    group.add_argument(
        "--plain", action="store_true", help=_("the line interface, for pipes and screen readers")
    )
    add_language(group)
    for name, about in (
        ("palette", _("the colours of the pegs")),
        ("color", _("how many colours the terminal is sent")),
    ):
        group.add_argument(f"--{name}", choices=SETTINGS[name].choices, help=about)
    group.add_argument(
        "--ascii",
        dest="glyphs",
        action="store_const",
        const="ascii",
        help=_("draw with the signs that every terminal has"),
    )
    group.add_argument(
        "--pace",
        type=parse_pace,
        metavar=_("SECONDS"),
        help=_(
            "how long a bot's guess is looked at before the next is shown; 0: no time (default: "
            "the settings' one, {seconds:g} at first; none in a pipe)"
        ).format(seconds=DEFAULT_PACE),
    )
    for option, state, about in (
        ("--mouse", "on", _("listen to the mouse, also over SSH")),
        ("--no-mouse", "off", _("leave the mouse to the terminal")),
    ):
        group.add_argument(option, dest="mouse", action="store_const", const=state, help=about)


def add_language(parser: _ActionsContainer) -> None:
    """Add the language, which is in effect before a line is parsed: here it is checked."""
    parser.add_argument(
        "--lang", dest="language", choices=tuple(LANGUAGES), help=_("the language of all texts")
    )


def describe_rules() -> str:
    """Return what `--rules` takes."""
    return _("{presets}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12").format(
        presets=", ".join(PRESETS)
    )
