"""The command `contest withdraw` withdraws codes of a day while servers use the database."""

from __future__ import annotations

import pytest

from kit.days import DAY, begin_day
from kit.matches import pegs
from mastermind_protocol.requests import EnterDay, Guess
from mastermind_server.storage.statements.days import read_day


async def test_a_withdrawn_try_ends_at_the_next_guess(hall, ada, bob, capsys):
    await begin_day(hall, "classic", "mini")
    match = (await ada.enter(DAY, "mini")).match
    assert await hall.command("contest", "withdraw", str(DAY), "Mini") == 0
    assert capsys.readouterr().out == f"code {DAY} of mini is withdrawn at every node\n"
    withdrawn = f"code {DAY} of mini was withdrawn"
    assert withdrawn in (await ada.refused(Guess, match=match, code=pegs("1111"))).message
    assert withdrawn in (await bob.refused(EnterDay, rules="mini", day=DAY)).message
    row = await hall.store.read(read_day, DAY, "mini")
    assert (row.state, row.key) == ("withdrawn", None)
    await bob.enter(DAY, "classic")


async def test_without_rules_all_codes_of_a_day_are_withdrawn_once(hall, capsys):
    await begin_day(hall, "classic", "mini")
    assert await hall.command("contest", "withdraw", str(DAY)) == 0
    assert capsys.readouterr().out == f"code {DAY} of classic, mini is withdrawn at every node\n"
    assert await hall.command("contest", "withdraw", str(DAY)) == 1
    assert f"code {DAY} of classic, mini was withdrawn before" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((str(DAY + 1),), f"there is no code {DAY + 1}: use {DAY} to {DAY}"),
        ((str(DAY), "eight"), f"there is no code {DAY} of eight: use classic, mini"),
    ],
)
async def test_a_day_without_this_code_is_refused(hall, capsys, arguments, error):
    await begin_day(hall, "classic", "mini")
    assert await hall.command("contest", "withdraw", *arguments) == 1
    assert error in capsys.readouterr().err


async def test_a_database_without_days_is_refused(hall, capsys):
    assert await hall.command("contest", "withdraw", "1") == 1
    assert "there is no code 1: none was drawn" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("withdraw", "today"), "'today' is no number of a day, such as 147"),
        (("withdraw", "12345678"), "'12345678' is no number of a day, such as 147"),
        (("withdraw", "1", "tiny"), "'tiny' is not one of classic, mini, eight"),
        (("extend", "1"), "withdraw"),
    ],
)
async def test_a_wrong_command_line_names_what_is_allowed(hall, capsys, arguments, error):
    with pytest.raises(SystemExit) as ended:
        await hall.command("contest", *arguments)
    assert ended.value.code == 2
    assert error in capsys.readouterr().err
