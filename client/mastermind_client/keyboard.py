"""The keys of typed characters, also in other keyboard layouts and with input methods.

With a Cyrillic or Greek layout, a user types another letter at the place of each Latin one. With an
input method for Chinese or Japanese, letters and digits can be full-width, and some languages have
digits of their own. Only commands, answers and colours are read with these functions. Chat, names
and codes of matches are texts and stay as typed.

A letter can be at different places in different layouts. The layouts here are the Russian one
(ЙЦУКЕН) with the Ukrainian and Belarusian letters at its places, and the Greek one.
"""

from __future__ import annotations

import unicodedata

_LATIN = "qwertyuiopasdfghjklzxcvbnm"  # the places of letters, row by row
_CYRILLIC = "йцукенгшщзфывапролдячсмить"
_GREEK = " ςερτυθιοπασδφγηξκλζχψωβνμ"  # at Q it has a sign, no letter
_KEYS = {
    **dict(zip(_CYRILLIC, _LATIN, strict=True)),
    **{letter: key for letter, key in zip(_GREEK, _LATIN, strict=True) if letter != " "},
    "і": "s",  # noqa: RUF001 - Ukrainian
    "ў": "o",  # Belarusian
}


def read_keys(text: str) -> str:
    """Return what the keys of a typed text type in a US layout, letters in lower case.

    Digits of all scripts become 0 to 9. Characters at no known place only become lower case.
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    return "".join(
        _KEYS.get(character) or str(unicodedata.decimal(character, character))
        for character in plain
    )


def _list_characters() -> dict[str, tuple[str, ...]]:
    """Return the characters of each key: ASCII and full-width ones, and letters of the layouts."""
    characters: dict[str, tuple[str, ...]] = {}
    letters = "".join(_KEYS)
    ascii_signs = [chr(code) for code in range(ord(" "), ord("~") + 1)]
    full_width = ["\u3000", *(chr(code) for code in range(ord("！"), ord("～") + 1))]  # noqa: RUF001
    for character in dict.fromkeys([*ascii_signs, *full_width, *letters, *letters.upper()]):
        key = read_keys(character)
        characters[key] = (*characters.get(key, ()), character)
    return characters


_CHARACTERS = _list_characters()


def list_characters(key: str) -> tuple[str, ...]:
    """Return the characters that press a key. For `p` these include `P` and Greek `π`.

    For a key with another name, such as `enter`, only the name is returned.
    """
    return _CHARACTERS.get(key, (key,))
