import json
import re

import pytest

from kit.days import DAY, REVEAL
from kit.players import identities
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import DayOptions
from mastermind_client.lines import today
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.days import find_day_start
from mastermind_protocol.errors import Reason, Refused


@pytest.fixture
async def at_terminal(new_desk, monkeypatch):
    """A desk with a terminal, where the command runs."""
    desk = new_desk(person=True)
    monkeypatch.setattr(today, "open_terminal", lambda _context: desk.terminal)
    return desk


async def test_a_day_is_json_with_the_own_try_and_after_the_reveal_the_code(hall, capsys):
    known = identities().list_registered(hall.address)[0]
    ada = await hall.meet(token=known.tokens[0])
    match = (await ada.enter(DAY, "mini")).match
    for code in ("1122", "1234"):
        await ada.guess(match, code)
    options = DayOptions(hall.address, "mini", json=True)
    await today.play_today(make_context(), options)
    written = capsys.readouterr().out
    found = json.loads(written)
    assert found["own"] == {
        "match": match, "how": "broken", "guesses": 2, "place": 1, "counted": True, "better": None,
        "milliseconds": found["own"]["milliseconds"],
    }  # fmt: skip
    assert found["streak"] == {"current": 1, "longest": 1, "days": 1, "broken": 1}
    assert found["distribution"] == [0, 1, 0, 0, 0, 0, 0]
    assert (found["day"], found["state"], found["code"]) == (DAY, "open", None)
    assert re.fullmatch(r"[0-9a-f]{64}", found["commitment"])
    hall.clock.jump(REVEAL)
    closed = await ada.day(rules="mini", day=DAY)
    assert today.build_day_dict(closed)["code"] == "RGOB"


async def test_a_script_begins_no_try(hall, capsys):
    await today.play_today(make_context(), DayOptions(hall.address))
    assert "Begin it until" in capsys.readouterr().out
    assert (await (await hall.meet("Bob")).day()).players == 0


async def test_a_second_try_is_refused_and_shown(hall, at_terminal):
    at_terminal.start(today.play_today(make_context(), DayOptions(hall.address)))
    await at_terminal.until("Begin your try? (Y/N) ")
    known = identities().list_registered(hall.address)[0]
    other = await hall.meet(token=known.tokens[0])
    await other.guess((await other.enter(DAY)).match, "1234")
    at_terminal.type("y")
    with pytest.raises(Refused) as refused:
        await at_terminal.finish()
    assert refused.value.reason is Reason.TRIED_ALREADY


async def test_a_broken_code_is_followed_by_the_places(hall, at_terminal):
    at_terminal.start(today.play_today(make_context(), DayOptions(hall.address, "mini")))
    await at_terminal.until("Begin your try? (Y/N) ")
    at_terminal.type("y")
    await at_terminal.until("Guess 1 of 6: ")
    at_terminal.type("?")
    await at_terminal.until("save your try for later")
    at_terminal.type("say hello")
    await at_terminal.until("Guess 1 of 6: ")
    at_terminal.type("rgob")
    await at_terminal.finish()
    assert f"Mastermind {DAY} mini - 1/6\nXXXX\n" in at_terminal.shown
    assert re.search(r"(?m)^ +1 +Ada\S* +1 +00:00$", at_terminal.shown)
    assert "Play again?" not in at_terminal.shown


async def test_after_midnight_a_running_try_of_yesterday_continues_and_shows_its_result(
    hall, at_terminal
):
    known = identities().list_registered(hall.address)[0]
    other = await hall.meet(token=known.tokens[0])
    await other.enter(DAY)
    hall.clock.jump(find_day_start(DAY + 1))
    at_terminal.start(today.play_today(make_context(), DayOptions(hall.address)))
    await at_terminal.until("Continue your try? (Y/N) ")
    at_terminal.type("y")
    await at_terminal.until("Guess 1 of 12: ")
    at_terminal.type("1234")
    await at_terminal.finish()
    assert "Cracked in 1 of 12" in at_terminal.shown


@pytest.mark.parametrize(
    "leave",
    [lambda desk: desk.end_input(), lambda desk: desk.type("q"), lambda desk: desk.type("quit")],
)
async def test_the_end_of_the_input_and_quit_keep_the_try(hall, at_terminal, leave):
    at_terminal.start(today.play_today(make_context(), DayOptions(hall.address)))
    await at_terminal.until("Begin your try? (Y/N) ")
    at_terminal.type("y")
    await at_terminal.until("Guess 1 of 12: ")
    leave(at_terminal)
    with pytest.raises(InputEnded):
        await at_terminal.finish()
    assert "You can continue it until" in at_terminal.shown
    known = identities().list_registered(hall.address)[0]
    ada = await hall.meet(token=known.tokens[0])
    day = await ada.day()
    assert day.own is not None
    assert day.own.how is None
