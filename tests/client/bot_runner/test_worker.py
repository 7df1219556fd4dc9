"""The bot's side of its process: it loads the bot and carries out orders."""

import re
import sys

import pytest

from client.bot_runner import bots
from mastermind_client.bot_runner.worker import (
    CannotLoad,
    Failure,
    MakeSecret,
    Played,
    carry_out,
    load,
)
from mastermind_protocol.events import Forfeit
from mastermind_protocol.rules import DEFAULT

MAKE = MakeSecret(DEFAULT.name)


@pytest.fixture(autouse=True)
def _unload(monkeypatch):
    """Restore the import path and drop the loaded bots."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name in ("bots", "new"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "answer",
    [
        "(3, 2, 1, 0)",
        "[3, 2, 1, 0]",
        "range(3, -1, -1)",
        "__import__('numpy').array([3, 2, 1, 0], dtype='uint8')",
    ],
)
def test_any_sequence_of_whole_numbers_is_a_code(answer, monkeypatch):
    monkeypatch.setenv("ANSWER", answer)
    assert carry_out(MAKE, bots.Answering()) == Played((3, 2, 1, 0))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("[0, 1]", "[0, 1]: 2 pegs given, and a code of classic has 4"),
        ("[]", "[]: no peg given"),
        ("[0, 1, 2, 6]", "[0, 1, 2, 6]: peg 4: 6 is no colour of classic; allowed: 0 to 5"),
        ("[0, 1, 2, -1]", "[0, 1, 2, -1]: peg 4: -1 is no colour"),
        ("[0, 1, 2, 10**40]", "is no colour of classic"),
        ("[0, 1, 2, 3.0]", "[0, 1, 2, 3.0]: that is no sequence of colour numbers"),
        ("'1122'", "'1122': that is no sequence of colour numbers"),
        ("None", "None: that is no sequence of colour numbers"),
        ("1122", "1122: that is no sequence"),
        ("{0, 1, 2, 3}", "{0, 1, 2, 3}: that is no sequence"),
        ("(peg for peg in range(4))", "that is no sequence"),
        ("[0] * 1_000_000", "1,000,000 pegs given"),
        ("range(10**10)", "range(0, 10000000000): 10,000,000,000 pegs given"),
        ("range(10**30)", "that is no sequence"),
        ("[0, 1, True, 3]", "[0, 1, True, 3]: that is no sequence of colour numbers"),
        ("__import__('numpy').ones(4, dtype=bool)", "that is no sequence"),
        ("__import__('numpy').ones((4, 4), dtype=int)", "that is no sequence"),
        ("{0: 0, 1: 1, 2: 2, 3: 3}", "{0: 0, 1: 1, 2: 2, 3: 3}: that is no sequence"),
        ("itertools.count()", "count(0): that is no sequence"),
        ("Unspeakable()", ": that is no sequence"),
    ],
)
def test_another_answer_is_illegal(answer, told, monkeypatch):
    monkeypatch.setenv("ANSWER", answer)
    reply = carry_out(MAKE, bots.Answering())
    assert isinstance(reply, Failure)
    assert reply.why is Forfeit.ILLEGAL
    assert reply.text.startswith("make() returned ")
    assert told in reply.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("'x' * 100_000", rf"{'x' * 150}x*\.\.\."),
        ("'\\udc80 a\\tb'", r"\? a b"),
        ("'é' * 5", "ééééé"),
    ],
)
def test_an_exception_is_reported_with_its_text_and_place(text, told, monkeypatch):
    monkeypatch.setenv("ANSWER", f"fail(ValueError({text}))")
    reply = carry_out(MAKE, bots.Answering())
    assert isinstance(reply, Failure)
    assert reply.why is Forfeit.FAILED
    assert re.fullmatch(rf"make\(\) raised ValueError: {told} \(bots\.py:\d+\)", reply.text)


@pytest.mark.parametrize(
    ("bot", "source", "told"),
    [
        ("nothing:Both", "", "there is no module 'nothing' in "),
        ("bots.inner:Both", "", "there is no module 'bots.inner' in "),
        ("bots:Bother", "", "bots has no class 'Bother'; it has Breaker, Maker, Both, "),
        ("bots:VALUE", "", "bots has no class 'VALUE'; it has "),
        ("bots:Idle", "", "bots:Idle has neither choose(view) nor make(rules)"),
        ("bots:Broken", "", "bots:Broken() raised RuntimeError: no opening book (bots.py:"),
        ("bots:note", "", "bots:note() raised TypeError: note() missing 1 required"),
        ("new:Bot", "def choose(:", "new cannot be imported: SyntaxError: invalid syntax (new.py"),
        ("new:Bot", "import nowhere", "new cannot be imported: ModuleNotFoundError: No module "),
        ("new:Bot", "\n1 / 0", "new cannot be imported: ZeroDivisionError: division by zero (n"),
        ("new:Bot", "raise SystemExit(5)", "new cannot be imported: SystemExit: 5 (new.py:1)"),
        ("new:Bot", "x = 1", "new has no class 'Bot'"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_explained(bot, source, told, tmp_path, monkeypatch):
    if source:
        (tmp_path / "new.py").write_text(f"{source}\n")
        monkeypatch.chdir(tmp_path)
    with pytest.raises(CannotLoad) as failed:
        load(bot)
    assert str(failed.value).startswith(told)
