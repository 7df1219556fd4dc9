"""Which texts of the sources a catalogue lacks: a warning for whoever writes, no release with it.

`python tests/tools/translations.py` names them; with --release it also fails if there are any.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po

import mastermind_client
import mastermind_protocol
from mastermind_client.language import CATALOGUE_FOLDER, GETTEXT_DOMAIN, LANGUAGES, SOURCE_LANGUAGE
from mastermind_server import bots
from mastermind_server.commands import arena

CLIENT, PROTOCOL, BOTS = (
    Path(str(package.__file__)).parent for package in (mastermind_client, mastermind_protocol, bots)
)
SPOKEN = [*sorted(CLIENT.rglob("*.py")), Path(arena.__file__)]
"""The sources that speak every language: the client, and what it runs of the server's."""
PAGE_FOLDER = Path(__file__).parents[2] / "web" / "mastermind_web"
PAGE = sorted(PAGE_FOLDER.rglob("*.js"))
"""The modules of the page, whose texts are also in its own files: see `tools.page_texts`."""
MARKED = [*SPOKEN, *sorted(PROTOCOL.rglob("*.py")), *sorted(BOTS.glob("*.py")), *PAGE]
"""Those with texts for the catalogues: also why something is refused, and how bots play."""

TRANSLATED = [language for language in LANGUAGES if language != SOURCE_LANGUAGE]
KEYWORDS: Mapping[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "N_": None,
    "ngettext": (1, 2),
    "mark_plural": (1, 2),
    "pgettext": ((1, "c"), 2),
    "t": None,
    "n": (1, 2),
}
Key: TypeAlias = tuple[str | None, str]  # a context, and a text in English
Texts: TypeAlias = "Mapping[Key, tuple[str, ...]]"
"""Texts in English with all their forms: two, if a number decides."""


def catalogue_path(language: str, suffix: str) -> Path:
    """Return where the catalogue of a language is: "po", as it is written, or "mo"."""
    return CATALOGUE_FOLDER / language / "LC_MESSAGES" / f"{GETTEXT_DOMAIN}.{suffix}"


def read_catalogue(language: str) -> Catalog:
    """Return the catalogue of a language as it is written."""
    with catalogue_path(language, "po").open("rb") as file:
        return read_po(file, locale=language, domain=GETTEXT_DOMAIN)


def find_marked(sources: list[Path]) -> Texts:
    """Return every text that is marked in the sources."""
    found: dict[Key, tuple[str, ...]] = {}
    for source in sources:
        method = "javascript" if source.suffix == ".js" else "python"
        for _line, message, _comments, context in extract_from_file(
            method, source, keywords=KEYWORDS
        ):
            forms = (message,) if isinstance(message, str) else tuple(message)
            known = found.get((context, forms[0]), ())
            found[context, forms[0]] = max(known, forms, key=len)
    return found


def forms_of(message: Message) -> tuple[str, ...]:
    """Return a message's text in English, both forms if there are two."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def translations_of(message: Message) -> tuple[str, ...]:
    """Return a message's translation, in all its forms."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def find_missing(texts: Texts, catalogue: Catalog) -> Iterator[str]:
    """Yield the texts that are not translated in all their forms, and those that nobody uses."""
    known = {
        (message.context, forms_of(message)[0]): message for message in catalogue if message.id
    }
    for key, forms in texts.items():
        message = known.pop(key, None)
        wanted = catalogue.num_plurals if len(forms) > 1 else 1
        if (
            message is None
            or message.fuzzy
            or forms_of(message) != forms
            or len(translations_of(message)) != wanted
            or not all(translations_of(message))
        ):
            yield f"not translated: {key[1]!r}"
    for _context, text in known:
        yield f"in the catalogue, and nowhere else: {text!r}"


def main() -> int:
    """Name what is missing in each language; returns the exit status."""
    texts = find_marked(MARKED)
    missing = [
        f"{LANGUAGES[language]}: {lacks}"
        for language in TRANSLATED
        for lacks in find_missing(texts, read_catalogue(language))
    ]
    for lacks in missing:
        print(f"warning: {lacks} (make messages)", file=sys.stderr)
    return int(bool(missing) and "--release" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
