"""Whether a codemaker was honest, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mastermind_client.language import gettext as _
from mastermind_client.words.refusals import explain_refusal
from mastermind_protocol.proof import (
    ChangedCode,
    FalseFeedback,
    ForeignCode,
    HiddenCode,
    find_fraud,
)

if TYPE_CHECKING:
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


def describe_fraud(played: Round, rules: Rules) -> str | None:
    """Say how a finished round contradicts itself, or None if it is proven."""
    match find_fraud(played, rules):
        case None:
            return None
        case HiddenCode():
            return _("the code was not shown")
        case ChangedCode():
            return _("the code shown is not the one that was committed to")
        case ForeignCode(error=error):
            why = explain_refusal(error)
            return _("the code shown is none of this game: {why}").format(why=why)
        case FalseFeedback(guess=number):
            text = _("the feedback to guess {number} does not fit the code shown")
            return text.format(number=number)
        case fraud:
            assert_never(fraud)


def describe_proof(played: Round, rules: Rules) -> str:
    """Say whether a finished round is proven by what was shown at its end."""
    fraud = describe_fraud(played, rules)
    if fraud is not None:
        return _("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.").format(fraud=fraud)
    if played.commitment is None:
        return _("Every feedback fits it; there was no commitment to prove.")
    return _("Code proven: it is the one committed to, and every feedback fits it.")
