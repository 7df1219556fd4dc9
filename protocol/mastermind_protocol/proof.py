"""Proof that a codemaker did not change its secret during a round, or its fraud."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from mastermind_protocol.code import check_code
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.feedback import score

if TYPE_CHECKING:
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


class HiddenCode(msgspec.Struct, frozen=True):
    """A fraud: the code, the nonce or the commitment is missing at the end of the round."""


class ChangedCode(msgspec.Struct, frozen=True):
    """A fraud: the revealed code and nonce do not match the commitment."""


class IllegalCode(msgspec.Struct, frozen=True):
    """A fraud: the revealed code does not fit the rules. `error` gives the reason."""

    error: InvalidCode


class FalseFeedback(msgspec.Struct, frozen=True):
    """A fraud: the feedback to guess number `guess`, from 1, does not match the revealed code."""

    guess: int


Fraud: TypeAlias = HiddenCode | ChangedCode | IllegalCode | FalseFeedback


def find_fraud(played: Round, rules: Rules) -> Fraud | None:
    """Return the first fraud in the finished round `played`, or None without fraud.

    A fair round reveals a code that fits the rules, matches the commitment and explains all
    feedback. A round without a commitment must reveal no nonce. A round that awaits its proof has
    no fraud yet.
    """
    if played.awaits_proof:
        return None
    if played.secret is None or (played.nonce is None) is not (played.commitment is None):
        return HiddenCode()
    if played.nonce is not None and played.commitment is not None:
        shown = commit(played.nonce, played.secret)
        if not hmac.compare_digest(shown, played.commitment):
            return ChangedCode()
    try:
        check_code(played.secret, rules)
    except InvalidCode as error:
        return IllegalCode(error)
    for number, turn in enumerate(played.turns, start=1):
        if score(played.secret, turn.code) != turn.feedback:
            return FalseFeedback(number)
    return None
