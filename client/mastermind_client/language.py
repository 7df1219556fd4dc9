"""The language of everything a person reads: gettext, by our own catalogue.

Texts are written in English where they are used, as ``_("...")``, and translated when they are
shown, so that a change of language holds at once. A text in a table is marked ``N_("...")`` there
and translated where it is shown.
"""

from __future__ import annotations

import gettext as catalogues
import locale
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DOMAIN = "mastermind"
FOLDER = Path(__file__).parent / "locales"
SOURCE = "en"  # what the texts in the code are written in
LANGUAGES = {SOURCE: "English", "pl": "polski"}

_language = SOURCE
_active = catalogues.NullTranslations()
_found: str | None = None  # what LANGUAGE was when we came, None for nothing
_left: str | None = None  # what we have made of it


def find_language(wanted: str | None, environ: Mapping[str, str]) -> str:
    """Return the language to use: the one that is wanted, or what the environment asks for.

    LANGUAGE, LC_ALL, LC_MESSAGES and LANG are read in this order, as gettext does; what is not
    translated is skipped, and English is what remains.
    """
    asked = [wanted] if wanted else []
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(variable):
            asked += environ[variable].split(":")
            if variable != "LANGUAGE":  # the first locale that is set is the locale
                break
    for name in asked:
        language = name.replace("-", "_").split(".")[0].split("@")[0].split("_")[0].lower()
        if language in LANGUAGES:
            return language
        if language in ("c", "posix"):
            return SOURCE
    return SOURCE


def use_language(language: str) -> None:
    """Let every text be in this language from now on; one of LANGUAGES.

    So are argparse's, those of programs that are started, and what the system says of errors where
    it knows the language: all of them look for it in LANGUAGE.
    """
    global _active, _found, _language, _left  # as gettext itself: one process speaks one language
    _language = language
    _active = catalogues.translation(DOMAIN, FOLDER, [language], fallback=language == SOURCE)
    if os.environ.get("LANGUAGE") != _left:
        _found = os.environ.get("LANGUAGE")
    os.environ["LANGUAGE"] = _left = language
    try:
        locale.setlocale(locale.LC_MESSAGES, "")
    except locale.Error:  # one that is not installed
        locale.setlocale(locale.LC_MESSAGES, "C")
    catalogues.bindtextdomain(DOMAIN, FOLDER)
    catalogues.textdomain(DOMAIN)


def read_surroundings() -> dict[str, str]:
    """Return the environment as it was found: without what `use_language` has written into it."""
    found = dict(os.environ)
    if found.get("LANGUAGE") == _left:
        found.pop("LANGUAGE", None)
        if _found is not None:
            found["LANGUAGE"] = _found
    return found


def speaks(language: str) -> bool:
    """Tell whether this is the language in use."""
    return _language == language


def name_language() -> str:
    """Return the language in use: what has been measured in one is to be measured in another."""
    return _language


def gettext(text: str) -> str:
    """Return a text in the language in use."""
    return _active.gettext(text)


def translate(text: str, language: str) -> str:
    """Return a text in a language that need not be the one in use."""
    return catalogues.translation(DOMAIN, FOLDER, [language], fallback=True).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Return a text in the language in use, in the form that goes with a number."""
    return _active.ngettext(one, many, number)


def pgettext(context: str, text: str) -> str:
    """Return a text in the language in use that means different things in different places."""
    return _active.pgettext(context, text)


def mark(text: str) -> str:
    """Mark a text of a table as one to be translated where it is shown; returns it as it is."""
    return text


def mark_plural(one: str, many: str) -> tuple[str, str]:
    """Mark both forms of a text that is translated elsewhere; returns them as they are."""
    return one, many


class Decimal(float):
    """A number that is formatted with the decimal point of the language in use."""

    def __format__(self, spec: str) -> str:
        """Return the number as `spec` demands."""
        return super().__format__(spec).replace(".", pgettext("decimal point", "."))
