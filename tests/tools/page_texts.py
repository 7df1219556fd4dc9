"""Write the texts and tables of the page, in two files for each language, and its palettes.

    make messages

texts/pl.json has the translations of the sentences that a first view may need, and the tables that
the page shares with the Python client. texts/pl-more.json has the sentences of LATER modules, of
bots, and of refusals.
"""

from __future__ import annotations

import json
from functools import cache, partial
from gettext import translation
from typing import Any

from babel import Locale

from mastermind_client.actions import ACTIONS
from mastermind_client.colours import COLOURS
from mastermind_client.language import (
    CATALOGUE_FOLDER,
    GETTEXT_DOMAIN,
    LANGUAGES,
    SOURCE_LANGUAGE,
    translate,
)
from mastermind_client.messages.failures import ERROR_TEXTS
from mastermind_client.messages.players import PHRASES
from mastermind_client.screen.theme.palettes import PALETTES, Tile
from mastermind_protocol import clock, days, rules
from mastermind_protocol.commands import (
    LEGAL_SEATS,
)
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import LINK_END
from mastermind_protocol.match import Phase
from mastermind_protocol.usual_guesses import HIDING_GUESSES, HIDING_SIZES, SIZES, USUAL_GUESSES
from tools.translations import BOTS, PAGE, PAGE_FOLDER, Texts, find_marked

LATER = [
    *sorted((PAGE_FOLDER / "day").glob("*.js")),
    *sorted((PAGE_FOLDER / "solve").glob("*.js")),
    *(
        PAGE_FOLDER / "match" / name
        for name in (
            "candidates.js",
            "ends.js",
            "extras.js",
            "result.js",
            "review.js",
            "talk.js",
            "times.js",
        )
    ),
    *(
        PAGE_FOLDER / "pages" / name
        for name in (
            "archive.js",
            "challenges.js",
            "forms.js",
            "how.js",
            "live.js",
            "overview.js",
            "people.js",
            "players.js",
            "review.js",
            "settings.js",
            "statistics.js",
            "you.js",
        )
    ),
    PAGE_FOLDER / "connection" / "explain.js",
    PAGE_FOLDER / "device" / "attention.js",
    PAGE_FOLDER / "figures.js",
]
"""The modules that load with the second file."""
LETTERS_ONLY = """\
[data-palette="mono"] .peg:not(.empty, .sealed) { border: 2px solid; box-shadow: none; }
"""
"""The look of pegs without colours."""
MISTAKES = {
    *(ErrorCode.NOT_MSGPACK, ErrorCode.FRAME_TOO_LARGE, ErrorCode.FRAME_TOO_DEEP),
    *(ErrorCode.UNKNOWN_MESSAGE, ErrorCode.INVALID_MESSAGE),
    *(ErrorCode.HELLO_FIRST, ErrorCode.HELLO_TWICE),
}
"""The codes of requests that a program without mistakes does not send.

Their reasons are left out: the code says enough to a player.
"""
NOT_SENT = {
    # The page sends colours by number, and only full rows of the match's colours.
    *(Reason.UNKNOWN_SYMBOL, Reason.UNKNOWN_COLOUR, Reason.NO_PEGS, Reason.WRONG_LENGTH),
    Reason.REPEATED_COLOUR,
    # It offers the server's bots in the seats that they take, and gives no seed or secret.
    *(Reason.ONLY_A_MAKER, Reason.INVALID_SEATS, Reason.UNKNOWN_BOT),
    *(Reason.NO_CODE_TO_FIX, Reason.SEED_IS_KNOWN, Reason.SECRET_IS_KNOWN, Reason.MAY_NOT_DODGE),
    # It opens rated matches only for two people, and its player is no program.
    *(Reason.RATED_NEEDS_TWO, Reason.RATED_WITHOUT_BOTS),
    *(Reason.RATED_SEAT, Reason.RATED_WITHOUT_PROGRAMS),
    # It reviews finished matches, and joins a match without naming a seat.
    *(Reason.NOT_IN_ARCHIVE, Reason.NOT_OVER),
    *(Reason.MAKER_IS_THERE, Reason.BREAKER_IS_THERE),
    *(Reason.NEEDS_V2, Reason.REPEATS_NEED_V3),  # it knows clocks and codes without repeats
    Reason.STALE_VERSION,  # it may receive this one, but versions mean nothing to players
}
"""The reasons of refusals of requests that the page does not send."""


def make_files() -> dict[str, str]:
    """Return the text of each file, by its path below the folder of the page."""
    write = partial(json.dumps, ensure_ascii=False, indent=0)
    makers = {"": make_texts, "-more": make_more_texts}
    return {
        f"texts/{language}{suffix}.json": write(make(language)) + "\n"
        for language in LANGUAGES
        for suffix, make in makers.items()
    } | {"device/palettes.css": make_palettes()}


def make_palettes() -> str:
    """Return the style sheet of the palettes that the client has beside the default one.

    A palette without colours has those of the page.
    """
    rows = [
        f'[data-palette="{name}"] .{colour} {{ {_write_tile(palette.true.get(colour))} }}'
        for name, palette in PALETTES.items()
        if name != "default"
        for colour in COLOURS
    ]
    return "\n".join([*rows, LETTERS_ONLY])


def _write_tile(tile: Tile | None) -> str:
    if tile is None:
        return "--c: var(--card); --t: var(--ink);"
    return f"--c: {tile.background}; --t: {tile.letter};"


def make_texts(language: str) -> dict[str, Any]:
    """Return the content of the first file of a language: `Texts` in texts.js."""
    say = partial(translate, language=language)
    return {
        "language": language,
        **_translate_sentences(_find_first(), language),
        "languages": LANGUAGES,
        "presets": {name: _write_rules(preset) for name, preset in rules.PRESETS.items()},
        "custom": _write_custom_rules(),
        "limits": {
            "pegs": rules.MAX_PEGS,
            "guesses": rules.MAX_GUESSES,
            "unlimitedGuesses": rules.UNLIMITED_GUESSES,
            "usualGuesses": rules.LEAST_COUNTED_GUESSES,
        },
        "clocks": {
            "settingLeast": clock.MIN_SETTING_MS,
            "settingMost": clock.MAX_SETTING_MS,
            "credit": clock.MAX_CREDIT_MS,
            "roundCredit": clock.MAX_ROUND_CREDIT_MS,
        },
        "linkEnd": LINK_END,
        "colours": {name: say(name) for name in COLOURS},
        "legal": {
            phase: {
                command.__struct_config__.tag: sorted(seat or "" for seat in seats)
                for (allowed, command), seats in LEGAL_SEATS.items()
                if allowed is phase
            }
            for phase in Phase
        },
    }


def make_more_texts(language: str) -> dict[str, Any]:
    """Return the content of the second file of a language: `Texts` in texts.js."""
    more = find_marked([*LATER, *sorted(BOTS.glob("*.py"))])
    sentences = {key: forms for key, forms in more.items() if key not in _find_first()}
    say = partial(translate, language=language)
    return {
        **_translate_sentences(sentences, language),
        "actions": {
            action.name: {
                "question": say(action.question),
                "answer": say(action.answer),
                "cost": say(action.cost),
            }
            for action in ACTIONS.values()
            if action.cost
        },
        "phrases": [say(phrase) for phrase in PHRASES],
        "hidingGuesses": {
            bot: dict(zip(HIDING_SIZES, means, strict=True))
            for bot, means in HIDING_GUESSES.items()
        },
        "usualGuesses": {
            bot: {size: mean for size, mean in zip(SIZES, means, strict=True) if mean is not None}
            for bot, means in USUAL_GUESSES.items()
        },
        "days": {
            "rules": days.DAY_RULES,
            "start": days.find_day_start(0),
            "finish": days.FINISH_MS,
            "reveal": days.FINISH_MS + days.REVEAL_DELAY_MS,
        },
        **_translate_refusals(language),
    }


@cache
def _find_first() -> Texts:
    """Return the texts that a first view may need."""
    return find_marked([module for module in PAGE if module not in LATER])


def _translate_sentences(texts: Texts, language: str) -> dict[str, dict[str, Any]]:
    """Return the translations of `texts`; English has none."""
    sentences: dict[str, str] = {}
    plurals: dict[str, dict[str, str]] = {}
    if language != SOURCE_LANGUAGE:
        catalogue = translation(GETTEXT_DOMAIN, CATALOGUE_FOLDER, [language])
        plural_form = Locale(language).plural_form
        for forms in sorted(texts.values()):
            if len(forms) == 1:
                sentences[forms[0]] = catalogue.gettext(forms[0])
            else:  # the first 100 numbers have all forms of integers
                plurals[forms[0]] = {
                    plural_form(number): catalogue.ngettext(forms[0], forms[1], number)
                    for number in range(100)
                }
    return {"sentences": sentences, "plurals": plurals}


def _translate_refusals(language: str) -> dict[str, dict[str, Any]]:
    """Return the sentences of refusals.

    Left out are reasons that no page receives or no player understands, and sentences that are the
    meaning of their code.
    """
    codes = {code: translate(meaning, language) for code, meaning in ERROR_TEXTS.items()}
    sentences = {
        reason: translate(reason.singular, language).replace("!r}", "}")
        for reason in Reason
        if reason.code not in MISTAKES and reason not in NOT_SENT
    }
    reasons = {
        reason.key: sentence
        for reason, sentence in sentences.items()
        if sentence != codes[reason.code]
    }
    return {"reasons": reasons, "codes": codes}


def _write_rules(preset: rules.Rules) -> dict[str, Any]:
    return {
        "name": preset.name,
        "pegs": preset.pegs,
        "guesses": preset.guesses,
        "palette": preset.palette,
        "alphabets": preset.alphabets,
        **({} if preset.repeats else {"unique": True}),
        **({"bulls": True} if preset.keys.black == "bull" else {}),
    }


def _write_custom_rules() -> dict[str, Any]:
    """Return the rules of the largest size, whose guesses are the default of PEGSxCOLOURS.

    The digits of smaller sizes are another alphabet.
    """
    largest = _write_rules(rules.find_rules(f"{rules.MAX_PEGS}x{rules.MAX_COLOURS}"))
    return {**largest, "alphabets": [*largest["alphabets"], rules.CUSTOM_DIGITS]}


if __name__ == "__main__":
    for name, text in make_files().items():
        (PAGE_FOLDER / name).write_text(text, "utf-8")
