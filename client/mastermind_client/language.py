"""The language of all displayed texts: gettext, with the catalogues of this package.

Texts are English in the code, as ``_("...")``. They are translated when they are displayed, so a
change of language has an effect at once. Texts in tables are only marked there, as ``N_("...")``.

Each player has a `Language` in a `ContextVar`, so that the players of one process can have
different ones.
"""

from __future__ import annotations

import gettext as catalogues
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GETTEXT_DOMAIN = "mastermind"
CATALOGUE_FOLDER = Path(__file__).parent / "locales"
SOURCE_LANGUAGE = "en"  # the language of the texts in the code
LANGUAGES = {SOURCE_LANGUAGE: "English", "pl": "polski"}


class Language:
    """The language of one player. `code` is a key of LANGUAGES.

    The object is changed in place, because prompt_toolkit runs key handlers in a copy of the
    player's context, where a new value would be lost. `on_change` is called with the first code and
    with each later one.
    """

    def __init__(
        self, code: str = SOURCE_LANGUAGE, on_change: Callable[[str], object] | None = None
    ) -> None:
        self._on_change = on_change
        self.use(code)

    def use(self, code: str) -> None:
        """Change the language of all texts."""
        self.code = code
        self.catalogue = catalogues.translation(
            GETTEXT_DOMAIN, CATALOGUE_FOLDER, [code], fallback=code == SOURCE_LANGUAGE
        )
        if self._on_change is not None:
            self._on_change(code)


_language: ContextVar[Language] = ContextVar("language", default=Language())  # noqa: B039 - shared


def bind_language(language: Language) -> None:
    """Make `language` the language of the current context and of its copies."""
    _language.set(language)


def current_language() -> Language:
    """Return the language object of the current context."""
    return _language.get()


def find_language(wanted: str | None, environ: Mapping[str, str]) -> str:
    """Return the code of the language: `wanted`, or if that is None the environment's language.

    LANGUAGE, LC_ALL, LC_MESSAGES and LANG are read in this order, as by gettext. Languages without
    a translation are skipped. The default is English.
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
            return SOURCE_LANGUAGE
    return SOURCE_LANGUAGE


def use_language(code: str) -> None:
    """Change the language of the current context. `code` is a key of LANGUAGES."""
    _language.get().use(code)


def is_current_language(code: str) -> bool:
    """Return whether `code` is the language of the current context."""
    return _language.get().code == code


def current_language_code() -> str:
    """Return the code of the current language: a key of LANGUAGES."""
    return _language.get().code


def gettext(text: str) -> str:
    """Return a text in the current language."""
    return _language.get().catalogue.gettext(text)


def translate(text: str, language: str) -> str:
    """Return a text in a given language."""
    return catalogues.translation(
        GETTEXT_DOMAIN, CATALOGUE_FOLDER, [language], fallback=True
    ).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Return a text in the current language, in the singular or plural form for `number`."""
    return _language.get().catalogue.ngettext(one, many, number)


def pgettext(context: str, text: str) -> str:
    """Return a text in the current language. `context` distinguishes equal English texts."""
    return _language.get().catalogue.pgettext(context, text)


def mark(text: str) -> str:
    """Return the text unchanged. The call marks it for translation."""
    return text


def mark_plural(one: str, many: str) -> tuple[str, str]:
    """Return both forms of a text unchanged. The call marks them for translation."""
    return one, many


class LocalisedFloat(float):
    """A number that is formatted with the decimal point of the current language."""

    def __format__(self, spec: str) -> str:
        """Return the number in the format `spec`."""
        return super().__format__(spec).replace(".", pgettext("decimal point", "."))
