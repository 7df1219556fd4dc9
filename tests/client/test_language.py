import argparse
import ast
import io
import string
from contextvars import copy_context
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo

from mastermind_client.cli.commands import ARGPARSE_PLURALS, ARGPARSE_TEXTS
from mastermind_client.language import (
    LANGUAGES,
    Language,
    bind_language,
    find_language,
    gettext,
    is_current_language,
    mark,
    mark_plural,
    ngettext,
    pgettext,
    use_language,
)
from prose import find_hidden_marks, find_prose
from tools.translations import (
    SPOKEN,
    TRANSLATED,
    catalogue_path,
    forms_of,
    read_catalogue,
    translations_of,
)

# Texts of argparse for programmers, which users never see.
FOR_PROGRAMMERS = {
    "%r is not callable", "'required' is an invalid argument for positionals",
    ".__call__() not defined", "cannot have multiple subparser arguments",
    "cannot merge actions - two groups are named %r", "conflicting subparser alias: %s",
    "conflicting subparser: %s", "dest= is required for options like %r",
    "invalid conflict_resolution value: %r", "mutually exclusive arguments must be optional",
    'argument "-" with mode %r', "can't open '%(filename)s': %(error)s",
    "invalid option string %(option)r: must start with a character %(prefix_chars)r",
    "conflicting option string: %s", "conflicting option strings: %s",
    "deprecated", "command '%(parser_name)s' is deprecated", "option '%(option)s' is deprecated",
    "argument '%(argument_name)s' is deprecated", "%(prog)s: warning: %(message)s\n",
    "subcommands", " (default: %(default)s)", "show program's version number and exit",
}  # fmt: skip


def places(text: str) -> set[tuple[str, str]]:
    """Return the places for values in a text, with how they are written."""
    parsed = string.Formatter().parse(text)
    return {(name, written or "") for _, name, written, _ in parsed if name is not None}


@pytest.fixture(params=TRANSLATED)
def language(request):
    return str(request.param)


@pytest.fixture
def catalogue(language):
    return read_catalogue(language)


def test_a_translation_has_the_placeholders_of_its_text(catalogue):
    wrong = [
        (forms_of(message), translation)
        for message in catalogue
        if message.id and "%(" not in forms_of(message)[0]
        for translation in translations_of(message)
        if translation and places(translation) != places(forms_of(message)[-1])
    ]
    assert not wrong


def test_a_translation_keeps_argparses_placeholders_and_outer_spaces(catalogue):
    errors = [(forms_of(message), list(message.check(catalogue))) for message in catalogue]
    assert not [found for found in errors if found[1]]
    for message in catalogue:
        for translation in translations_of(message) if message.id else ():
            assert _edges(translation) == _edges(forms_of(message)[-1]), translation


def test_the_compiled_catalogue_is_up_to_date(language, catalogue):
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    assert catalogue_path(language, "mo").read_bytes() == compiled.getvalue(), "make messages"


def test_every_user_visible_text_is_marked():
    unmarked = [
        f"{source}, line {line}: {text!r}" for source in SPOKEN for line, text in find_prose(source)
    ]
    assert not unmarked


def test_no_marked_text_is_inside_an_f_string():
    hidden = [
        f"{source}, line {line}: {mark}"
        for source in SPOKEN
        for line, mark in find_hidden_marks(source)
    ]
    assert not hidden


def test_the_texts_of_argparse_are_translated():
    calls = ast.walk(ast.parse(Path(argparse.__file__).read_text(encoding="utf-8")))
    said = {
        argument.value
        for call in calls
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("_", "ngettext")
        for argument in call.args
        if isinstance(argument, ast.Constant)
    }
    ours = {*ARGPARSE_TEXTS, *(form for forms in ARGPARSE_PLURALS for form in forms)}
    assert said - FOR_PROGRAMMERS - ours == set()


def test_a_mark_leaves_a_text_as_it_is():
    assert mark("a guess") == "a guess"
    assert mark_plural("%d guess", "%d guesses") == ("%d guess", "%d guesses")


def test_two_contexts_have_two_languages():
    def read_in(code: str) -> str:
        bind_language(Language(code))
        key_handler = copy_context()  # as prompt_toolkit makes one for each key
        key_handler.run(use_language, "pl" if code == "en" else "en")
        return gettext("You win.")

    assert [copy_context().run(read_in, code) for code in LANGUAGES] == ["Wygrywasz.", "You win."]
    assert is_current_language("en")


def test_a_change_of_language_takes_effect_at_once():
    assert (gettext("You win."), is_current_language("en")) == ("You win.", True)
    use_language("pl")
    assert (gettext("You win."), is_current_language("pl")) == ("Wygrywasz.", True)
    assert pgettext("answer", "y") == "t"
    use_language("en")
    assert gettext("You win.") == "You win."


@pytest.mark.parametrize(
    ("number", "words"), [(1, "próba"), (2, "próby"), (5, "prób"), (12, "prób"), (22, "próby")]
)
def test_polish_has_three_plural_forms(number, words):
    use_language("pl")
    text = ngettext("{number} guess", "{number} guesses", number)
    assert text.format(number=number) == f"{number} {words}"


@pytest.mark.parametrize(
    ("wanted", "environ", "language"),
    [
        (None, {}, "en"),
        ("pl", {"LANG": "en_GB.UTF-8"}, "pl"),
        ("xx", {"LANG": "pl_PL.UTF-8"}, "pl"),
        (None, {"LANG": "pl_PL.UTF-8"}, "pl"),
        (None, {"LANG": "pl"}, "pl"),
        (None, {"LANG": "sr_RS@latin"}, "en"),
        (None, {"LC_MESSAGES": "pl_PL", "LANG": "en_GB"}, "pl"),
        (None, {"LC_ALL": "C", "LC_MESSAGES": "pl_PL", "LANG": "pl_PL"}, "en"),
        (None, {"LC_ALL": "de_DE", "LANG": "pl_PL"}, "en"),
        (None, {"LANGUAGE": "de:pl:en", "LC_ALL": "en_GB"}, "pl"),
        (None, {"LANGUAGE": "en:pl", "LANG": "pl_PL"}, "en"),
        (None, {"LANGUAGE": "", "LANG": "pl_PL"}, "pl"),
        (None, {"LANG": "POSIX"}, "en"),
    ],
)
def test_the_language_is_the_wanted_one_or_the_environments(wanted, environ, language):
    assert find_language(wanted, environ) == language


def _edges(text: str) -> tuple[str, str]:
    """Return the blanks that a text begins and ends with."""
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
