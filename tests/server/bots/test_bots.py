from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code, check_code
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import (
    ALIASES,
    BOTS,
    Bot,
    check_breakable,
    check_makeable,
    describe_bots,
    find_bot,
)

SAMPLE = [*PRESETS, "1x2", "9x2", "3x5", "5x8"]
PATIENCE = 60  # guesses: more than any bot is ever likely to need for these

BREAKERS = {name: bot for name, bot in BOTS.items() if bot.largest}

every_bot = pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
every_breaker = pytest.mark.parametrize("bot", BREAKERS.values(), ids=BREAKERS)


class Seeded(Random):
    """The standard generator with a fixed seed."""


def play(bot: Bot, rules: Rules, secret: Code, random: Random) -> tuple[Turn, ...]:
    turns: tuple[Turn, ...] = ()
    for _ in range(PATIENCE):
        guess = bot.choose(BreakerView(rules, turns), random)
        turns += (Turn(guess, score(secret, guess)),)
        if guess == secret:
            return turns
    raise AssertionError(f"{bot.name} has not broken {secret} after {turns}")


@every_breaker
@pytest.mark.parametrize("name", SAMPLE)
def test_a_bot_breaks_what_it_makes_by_legal_guesses(bot, name):
    rules, random = find_rules(name), Seeded(7)
    secret = check_code(bot.make(rules, random), rules)
    for turn in play(bot, rules, secret, random):
        assert check_code(turn.code, rules) == turn.code
        assert {type(colour) for colour in turn.code} == {int}


@every_breaker
def test_a_seed_fixes_every_guess(bot):
    rules = find_rules("classic")
    games = [play(bot, rules, (5, 1, 3, 3), Seeded(11)) for _ in range(2)]
    assert games[0] == games[1]


@every_bot
def test_a_secret_is_one_randint_a_peg_in_order(bot):
    rules = find_rules("9x12")
    expected = Seeded(3)
    drawn = tuple(expected.randint(0, 11) for _ in range(9))
    random = Seeded(3)
    assert bot.make(rules, random) == drawn
    assert random.getstate() == expected.getstate()


@every_bot
@pytest.mark.parametrize(
    ("seed", "secrets"),
    [
        (1, ["orange blue red yellow"]),
        (1422, ["orange green green green"]),
        (1223, ["purple purple green blue"]),
        (
            2,
            ["red red red yellow", "orange purple purple yellow", "yellow blue orange blue"],
        ),
    ],
)
def test_a_seed_fixes_all_secrets_of_a_lab_sitting(bot, seed, secrets):
    random, rules = Seeded(seed), PRESETS["lab"]
    made = [" ".join(rules.palette[colour] for colour in bot.make(rules, random)) for _ in secrets]
    assert made == secrets


def test_bots_are_found_by_name():
    assert {"random", "knuth", "optimal", "devious"} < BOTS.keys()
    assert [find_bot(name) for name in BOTS] == list(BOTS.values())


def test_aliases_are_other_names_for_bots():
    assert {alias: find_bot(alias).name for alias in ALIASES} == ALIASES
    assert ALIASES == {"easy": "forgetful", "medium": "random", "hard": "optimal"}
    assert not ALIASES.keys() & BOTS.keys()


def test_the_bots_are_described_with_their_aliases():
    known = describe_bots()
    assert {bot.name: (bot.about, bot.largest) for bot in known} == {
        name: (bot.about, bot.largest) for name, bot in BOTS.items()
    }
    assert {alias: bot.name for bot in known for alias in bot.aliases} == ALIASES


@every_bot
def test_a_bot_says_in_a_sentence_or_two_how_it_plays(bot):
    assert bot.about.endswith(".")
    assert 40 < len(bot.about) < 240


def test_an_unknown_bot_is_refused_with_the_names_of_the_others():
    with pytest.raises(Refused) as caught:
        find_bot("deep blue")
    names = ", ".join([*BOTS, "easy", "medium"])
    assert caught.value.message == f"'deep blue' is no bot here: use {names} or hard"
    assert caught.value.code == ErrorCode.UNKNOWN_BOT
    assert caught.value.field is None


def test_a_long_unknown_name_is_not_repeated_in_full():
    with pytest.raises(Refused) as caught:
        find_bot("x" * 1000)
    assert len(caught.value.message) < 200


@every_breaker
def test_every_codebreaker_breaks_up_to_a_million_codes(bot):
    rules = find_rules("6x10")
    check_breakable(bot, rules)
    assert rules.codes == bot.largest


@every_breaker
def test_rules_beyond_that_are_refused_with_the_limit(bot):
    with pytest.raises(Refused) as caught:
        check_breakable(bot, find_rules("6x11"))
    assert caught.value.message == (
        f"6x11/12 has 1771561 codes, and {bot.name} breaks at most 1000000"
    )
    assert caught.value.code == ErrorCode.RULES_TOO_LARGE
    assert caught.value.limit == 1_000_000


def test_whoever_only_makes_codes_is_refused_as_codebreaker():
    with pytest.raises(Refused) as caught:
        check_breakable(find_bot("devious"), PRESETS["classic"])
    assert caught.value.message == "devious only makes codes: choose another codebreaker"
    assert caught.value.code == ErrorCode.INVALID_SEATS


def test_a_dodger_is_refused_as_codemaker_of_too_many_codes():
    devious = find_bot("devious")
    check_makeable(devious, find_rules("6x10"))
    with pytest.raises(Refused) as caught:
        check_makeable(devious, find_rules("6x11"))
    assert caught.value.code == ErrorCode.RULES_TOO_LARGE
    assert caught.value.limit == 1_000_000
    check_makeable(find_bot("random"), find_rules("9x12"))


def test_numpy_is_imported_by_the_first_guess_and_no_sooner():
    program = """
import sys
from random import Random
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots import BOTS, check_makeable, describe_bots, find_bot
describe_bots()
for bot in BOTS.values():
    check_makeable(bot, DEFAULT)
    bot.light
    bot.make(DEFAULT, Random())
print("numpy" in sys.modules)
find_bot("hard").choose(BreakerView(DEFAULT, ()), Random())
print("numpy" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize(("given_threads", "expected"), [(None, "1"), ("3", "3")])
def test_blas_has_one_thread_unless_the_environment_says_otherwise(given_threads, expected):
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
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [expected] * 3
