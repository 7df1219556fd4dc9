"""What a person may answer to a question."""

from __future__ import annotations

from mastermind_client.language import pgettext

_LETTERS = {"y": True, "n": False}
_WORDS = {"yes": True, "no": False}


def read_letter(text: str) -> bool | None:
    """Return what Y or N means, in English or in the reader's language; None for anything else."""
    own = {pgettext("answer", "y"): True, pgettext("answer", "n"): False}
    return {**_LETTERS, **own}.get(text.strip().lower())


def read_answer(text: str) -> bool | None:
    """Return what yes or no means, as a word or by its letter; None for anything else."""
    own = {pgettext("answer", "yes"): True, pgettext("answer", "no"): False}
    answer = {**_WORDS, **own}.get(text.strip().lower())
    return read_letter(text) if answer is None else answer
