"""Whether a codemaker was honest, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.words.sentences import translate
from mastermind_protocol.commitment import find_fraud

if TYPE_CHECKING:
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


def describe_fraud(played: Round, rules: Rules) -> str | None:
    """Say how a finished round contradicts itself, or None if it is proven."""
    fraud = find_fraud(played, rules)
    return None if fraud is None else translate(fraud)


def describe_proof(played: Round, rules: Rules) -> str:
    """Say whether a finished round is proven by what was shown at its end."""
    fraud = describe_fraud(played, rules)
    if fraud is not None:
        return _("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.").format(fraud=fraud)
    if played.commitment is None:
        return _("Every feedback fits it; there was no commitment to prove.")
    return _("Code proven: it is the one committed to, and every feedback fits it.")
