"""Texts of the standard library that a person reads: argparse takes them from our catalogue.

They are translated by argparse itself, once `language.use_language` has told it where; here they
are only named, so that the catalogue has them.
"""

from __future__ import annotations

from mastermind_client.language import mark as N_
from mastermind_client.language import mark_plural

ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("%(heading)s:"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("unrecognized arguments: %s"),
    N_("the following arguments are required: %s"),
    N_("one of the arguments %s is required"),
    N_("not allowed with argument %s"),
    N_("ignored explicit argument %r"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("unexpected option string: %s"),
    N_("expected one argument"),
    N_("expected at most one argument"),
    N_("expected at least one argument"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid choice: %(value)r, maybe you meant %(suggestion)r? (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("unknown parser %(parser_name)r (choices: %(choices)s)"),
)
"""What argparse says to whoever types a command, of all versions of Python that are supported."""

ARGPARSE_PLURALS = (mark_plural("expected %s argument", "expected %s arguments"),)
"""The same, where a number decides on the form."""
