"""docs/protocol/errors.md lists every error code with its meaning."""

from __future__ import annotations

import re

from mastermind_protocol.errors import ErrorCode, Reason
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/errors.md")


def test_the_listed_error_codes_are_those_of_the_code():
    DOCUMENT.check_table("Error codes", [[f"`{code}`"] for code in ErrorCode])


def test_every_reason_is_listed_with_its_sentence():
    DOCUMENT.check_table(
        "Reasons", [[f"`{one.key}`", f"`{one.code}`", told(one)] for one in Reason]
    )


def told(reason: Reason) -> str:
    """Return the sentence with its places marked, in the form for more than one."""
    return re.sub(r"\{(\w+)[^}]*\}", r"`{\1}`", reason.plural)
