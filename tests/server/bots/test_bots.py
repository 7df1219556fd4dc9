from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from kit.codes import see
from kit.matches import SeededRandom
from mastermind_protocol.code import Code, check_code
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import (
    ALIASES,
    BOTS,
    Bot,
    ContradictionError,
    check_codebreaker,
    describe_bots,
    find_bot,
)
from mastermind_server.bots.analysis.advice import advise, review
from mastermind_server.bots.bot import DeterministicBot
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.hiding import draw_code

CLASSIC = PRESETS["classic"]
SAMPLE = [*PRESETS, "1x2", "9x2", "3x5", "5x8"]
PATIENCE = 60  # guesses: more than any bot is ever likely to need for these
BREAKERS = {name: bot for name, bot in BOTS.items() if bot.max_codes}

every_bot = pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
every_breaker = pytest.mark.parametrize("bot", BREAKERS.values(), ids=BREAKERS)


def play(bot: Bot, rules: Rules, secret: Code, random: Random) -> list[Code]:
    guesses: list[Code] = []
    while secret not in guesses:
        assert len(guesses) < PATIENCE, f"{bot.name} has not broken {secret} by {guesses}"
        guesses.append(bot.choose(see(rules, secret, *guesses), random))
    return guesses


@every_breaker
@pytest.mark.parametrize("name", SAMPLE)
def test_a_bot_breaks_its_own_code_by_valid_guesses(bot, name):
    rules, random = find_rules(name), SeededRandom(7)
    secret = check_code(bot.make_secret(rules, random), rules)
    for guess in play(bot, rules, secret, random):
        assert check_code(guess, rules) == guess
        assert {type(colour) for colour in guess} == {int}


@every_breaker
def test_a_seed_fixes_every_guess_and_a_deterministic_bot_draws_nothing(bot):
    random = SeededRandom(11)
    state = random.getstate()
    guesses = play(bot, CLASSIC, (5, 1, 3, 3), random)
    assert isinstance(bot, DeterministicBot) is (random.getstate() == state)
    assert guesses == play(bot, CLASSIC, (5, 1, 3, 3), SeededRandom(11))


@every_bot
@pytest.mark.parametrize(
    ("seed", "secrets"),
    [
        (1, ["orange blue red yellow"]),
        (1422, ["orange green green green"]),
        (1223, ["purple purple green blue"]),
        (2, ["red red red yellow", "orange purple purple yellow", "yellow blue orange blue"]),
    ],
)
def test_a_seed_fixes_the_secrets_of_a_lab_match_by_one_randint_a_peg(bot, seed, secrets):
    random, expected, rules = SeededRandom(seed), SeededRandom(seed), PRESETS["lab"]
    made = [
        " ".join(rules.palette[colour] for colour in bot.make_secret(rules, random))
        for _ in secrets
    ]
    assert made == secrets
    for _ in range(4 * len(secrets)):
        expected.randint(0, 5)
    assert random.getstate() == expected.getstate()


def test_bots_are_found_and_described_by_names_and_aliases():
    assert {"random", "knuth", "optimal", "devious"} < BOTS.keys()
    assert [find_bot(name) for name in BOTS] == list(BOTS.values())
    assert ALIASES == {"easy": "forgetful", "medium": "random", "hard": "optimal"}
    assert {alias: find_bot(alias).name for alias in ALIASES} == ALIASES
    assert not ALIASES.keys() & BOTS.keys()
    known = describe_bots()
    assert {bot.name: (bot.about, bot.hides, bot.largest) for bot in known} == {
        name: (bot.about, bot.hiding.about, bot.max_codes) for name, bot in BOTS.items()
    }
    assert {alias: bot.name for bot in known for alias in bot.aliases} == ALIASES


def test_an_unknown_bot_is_refused_with_the_names_of_the_others():
    with pytest.raises(Refused) as caught:
        find_bot("deep blue")
    names = ", ".join([*BOTS, "easy", "medium"])
    assert caught.value.message == f"'deep blue' is no bot here: use {names} or hard"
    assert (caught.value.code, caught.value.field) == (ErrorCode.UNKNOWN_BOT, None)
    with pytest.raises(Refused) as caught:
        find_bot("x" * 1000)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("name", ["random", "forgetful", "knuth", "entropy", "optimal"])
@pytest.mark.parametrize("rules", ["6x11", "7x11u"])
def test_a_code_among_more_than_a_million_is_broken(name, rules):
    bot, random = find_bot(name), SeededRandom(5)
    secret = draw_code(find_rules(rules), random)
    view = see(rules, secret)
    while not view.turns or view.turns[-1].code != secret:
        view = see(rules, secret, *(turn.code for turn in view.turns), bot.choose(view, random))
    assert len(view.turns) <= (20 if name == "forgetful" else 10)


def test_devious_breaks_no_codes():
    with pytest.raises(Refused) as caught:
        check_codebreaker(find_bot("devious"))
    assert caught.value.message == "devious only makes codes: choose another codebreaker"
    assert caught.value.code == ErrorCode.INVALID_SEATS
    with pytest.raises(Refused, match="devious only makes codes"):
        find_bot("devious").choose(BreakerView(CLASSIC), Random())  # noqa: S311 - not used


@pytest.mark.parametrize(
    ("names", "light", "heavy"),  # the largest games that a thread and not a process thinks about
    [
        (["random", "forgetful"], "6x10", "6x11"),
        (["devious"], "4x9", "5x8"),
        (["knuth", "expected-size", "entropy", "most-parts"], "bulls", "4x9"),
        (["optimal", "optimal-5"], "bulls", "4x9"),
    ],
)
def test_a_bot_needs_a_process_from_some_number_of_codes(names, light, heavy):
    for name in names:
        assert find_rules(light).codes <= find_bot(name).max_codes_in_thread
        assert find_rules(heavy).codes > find_bot(name).max_codes_in_thread


CONTRADICTED: dict[str, Callable[[BreakerView], object]] = {
    "advise": lambda view: advise(view, "bits", 5),
    "review": lambda view: review(view.rules, view.turns),
    "devious": lambda view: DeviousBot().rechoose(view, (0, 0, 0, 0)),
    **{
        name: partial(bot.choose, random=SeededRandom(1))
        for name, bot in BREAKERS.items()
        if name != "forgetful"  # it may forget the turn
    },
}


@pytest.mark.parametrize("name", CONTRADICTED)
def test_feedback_that_no_code_explains_is_an_error(name):
    with pytest.raises(ContradictionError):
        CONTRADICTED[name](BreakerView(CLASSIC, (Turn((0, 0, 1, 1), Feedback(3, 1)),)))


def run(program: str, **environment: str) -> list[str]:
    """Run a program in a process of its own; return the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_numpy_is_imported_by_the_first_guess():
    program = """
import sys
from functools import partial
from random import Random
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots import BOTS, describe_bots, find_bot
describe_bots()
for bot in BOTS.values():
    bot.max_codes_in_thread
    bot.make_secret(DEFAULT, Random())
print("numpy" in sys.modules)
find_bot("hard").choose(BreakerView(DEFAULT, ()), Random())
print("numpy" in sys.modules)
"""
    assert run(program, **os.environ) == ["False", "True"]


@pytest.mark.parametrize(("given_threads", "expected"), [(None, "1"), ("3", "3")])
def test_blas_has_one_thread_unless_the_environment_sets_another_number(given_threads, expected):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    if given_threads is not None:
        environment |= dict.fromkeys(names, given_threads)
    program = f"""
import os, sys
import mastermind_server.bots
assert "numpy" not in sys.modules
print(*[os.environ[name] for name in {names}])
"""
    assert run(program, **environment) == [expected] * 3
