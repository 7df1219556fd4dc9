"""docs/protocol/errors.md: every error code, and what it means."""

from __future__ import annotations

from mastermind_protocol.errors import ErrorCode
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/errors.md")


def test_every_error_code_is_listed_and_none_that_does_not_exist() -> None:
    DOCUMENT.check_table("Error codes", [[f"`{code}`"] for code in ErrorCode])
