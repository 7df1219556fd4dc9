"""The limits on clients: what an operator may set, by a file and the environment."""

import pytest

from mastermind_server.limits import NAMES, USUAL, Limiter, Limits, Rate, read_limits


def test_what_nobody_names_is_as_usual():
    assert read_limits("", {"HOME": "/root"}) == USUAL


def test_a_file_sets_numbers_and_rates():
    file = "connections = 50\nopenings = { burst = 3, per_second = 0.5 }\n"

    assert read_limits(file, {}) == Limits(connections=50, openings=Rate(burst=3, per_second=0.5))


def test_the_environment_comes_before_the_file():
    environment = {
        "MASTERMIND_LIMIT_CONNECTIONS": "7",
        "MASTERMIND_LIMIT_CHAT": "{burst = 1, per_second = 0.1}",
    }

    assert read_limits("connections = 50", environment) == Limits(
        connections=7, chat=Rate(burst=1, per_second=0.1)
    )


@pytest.mark.parametrize(
    ("file", "environment", "said"),
    [
        ("conections = 5", {}, "there is no limit 'conections': connections, "),
        ("", {"MASTERMIND_LIMIT_TEA": "5"}, "there is no limit 'tea': "),
        ("connections = 'many'", {}, "Expected `int`, got `str` - at `connections`"),
        ("connections = -1", {}, "Expected `int` >= 0 - at `connections`"),
        ("chat = 5", {}, "Expected `object`, got `int` - at `chat`"),
        ("chat = {burst = 5}", {}, "missing required field `per_second` - at `chat`"),
        ("chat = {burst = 0, per_second = 1}", {}, "Expected `int` >= 1 - at `chat.burst`"),
        ("ping_seconds = inf", {}, "Expected `float` <= 86400.0 - at `ping_seconds`"),
        ("ping_seconds = nan", {}, "Expected `float` > 0.0 - at `ping_seconds`"),
        ("chat = {burst = 1, per_second = inf}", {}, "<= 1000000000.0 - at `chat.per_second`"),
        (f"chat = {{burst = {10**10}, per_second = 1}}", {}, "<= 1000000000 - at `chat.burst`"),
        ("connections =", {}, "the file is no TOML: Invalid value"),
        ("", {"MASTERMIND_LIMIT_CHAT": "lots"}, "MASTERMIND_LIMIT_CHAT is no TOML: Invalid value"),
    ],
)
def test_what_is_no_limit_is_told_by_its_name(file, environment, said):
    with pytest.raises(ValueError, match=r"^") as raised:
        read_limits(file, environment)
    assert said in str(raised.value)


def test_every_limit_is_counted_from_the_start():
    assert Limiter().met == dict.fromkeys(NAMES, 0)
