"""The language of all displayed texts: gettext, with the catalogues of this program.

Texts are English in the code, as ``_("...")``, and translated when they are displayed, so a change
of language takes effect at once. Texts in tables are marked as ``N_("...")`` there, and translated
when they are displayed.

Each player has a `Language`, in a `ContextVar`: several players in one process read their own.
"""

from __future__ import annotations

import gettext as catalogues
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DOMAIN = "mastermind"
FOLDER = Path(__file__).parent / "locales"
SOURCE = "en"  # the language of the texts in the code
LANGUAGES = {SOURCE: "English", "pl": "polski"}


class Language:
    """The language of one player, by its code in LANGUAGES.

    It is changed in place: prompt_toolkit runs key handlers in a copy of the player's context, and
    a value set there would be lost. `on_change` is called with each new code.
    """

    def __init__(
        self, code: str = SOURCE, on_change: Callable[[str], object] | None = None
    ) -> None:
        self._on_change = on_change
        self.use(code)

    def use(self, code: str) -> None:
        """Change the language of all texts."""
        self.code = code
        self.catalogue = catalogues.translation(DOMAIN, FOLDER, [code], fallback=code == SOURCE)
        if self._on_change is not None:
            self._on_change(code)


_language: ContextVar[Language] = ContextVar("language", default=Language())  # noqa: B039 - shared


def bind_language(language: Language) -> None:
    """Translate with this language from now on, in this context and in its copies."""
    _language.set(language)


def current_language() -> Language:
    """Return the language of this context."""
    return _language.get()


def find_language(wanted: str | None, environ: Mapping[str, str]) -> str:
    """Return the wanted language, or that of the environment.

    LANGUAGE, LC_ALL, LC_MESSAGES and LANG are read in this order, as gettext does. Languages
    without a translation are skipped, and English is the last choice.
    """
    asked = [wanted] if wanted else []
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(variable):
            asked += environ[variable].split(":")
            if variable != "LANGUAGE":  # the first locale that is set decides
                break
    for name in asked:
        language = name.replace("-", "_").split(".")[0].split("@")[0].split("_")[0].lower()
        if language in LANGUAGES:
            return language
        if language in ("c", "posix"):
            return SOURCE
    return SOURCE


def use_language(code: str) -> None:
    """Change the language of this context to one of LANGUAGES."""
    _language.get().use(code)


def speaks(code: str) -> bool:
    """Return whether this is the language in use."""
    return _language.get().code == code


def name_language() -> str:
    """Return the code of the language in use, as a key for cached texts."""
    return _language.get().code


def gettext(text: str) -> str:
    """Return a text in the language in use."""
    return _language.get().catalogue.gettext(text)


def translate(text: str, language: str) -> str:
    """Return a text in a given language."""
    return catalogues.translation(DOMAIN, FOLDER, [language], fallback=True).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Return a text in the language in use, in its plural form for a number."""
    return _language.get().catalogue.ngettext(one, many, number)


def pgettext(context: str, text: str) -> str:
    """Return a text in the language in use; `context` distinguishes its meanings."""
    return _language.get().catalogue.pgettext(context, text)


def mark(text: str) -> str:
    """Return a text unchanged; the call marks it for translation."""
    return text


def mark_plural(one: str, many: str) -> tuple[str, str]:
    """Return both forms of a text unchanged; the call marks them for translation."""
    return one, many


class Decimal(float):
    """A number that is formatted with the decimal point of the language in use."""

    def __format__(self, spec: str) -> str:
        """Return the number in the format `spec`."""
        return super().__format__(spec).replace(".", pgettext("decimal point", "."))
