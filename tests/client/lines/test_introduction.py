from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.settings import load, save
from mastermind_client.config.settings_file import settings_path
from mastermind_client.lines.player import LinePlayer

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.people import Person

    NewDesk = Callable[..., Desk]

TYPE = "Type a code, such as RRGG; Enter sends it.\n"
MARKS = "black: in its place; gray: elsewhere. But which?\n"


async def play(person: Person, desk: Desk, *lines: str) -> str:
    """Let somebody play a bot that sets a certain code, and return what was shown."""
    mirror = await person.session.open("mini", maker="random", breaker="me", seed=1)
    desk.play(LinePlayer, person.session, mirror)
    for line in lines:
        await desk.until("Guess ")
        desk.type(line)
    await desk.until("Play again? (Y/N) ")
    desk.type("n")
    await desk.finish()
    return desk.shown


async def test_a_first_game_has_hints_each_once_and_the_second_none(
    bob: Person, new_desk: NewDesk
) -> None:
    first, second = new_desk(person=True), new_desk(person=True)
    lines = ("?", "RRRR", "RRRR", "resign")
    shown = await play(bob, first, *lines)
    assert (shown.count(TYPE), shown.count(MARKS)) == (1, 1)
    assert shown.index(TYPE) < shown.index("Guess 1") < shown.index(MARKS) < shown.index("Guess 2")
    assert load().settings.introduction == "none"
    shown = await play(bob, second, *lines)
    assert TYPE not in shown
    assert MARKS not in shown


async def test_a_script_is_told_nothing_and_changes_no_settings(
    bob: Person, new_desk: NewDesk
) -> None:
    shown = await play(bob, new_desk(), "RRRR", "resign")
    assert "Type a code, such as RRGG;" not in shown
    assert not settings_path().exists()


async def test_settings_that_cannot_be_kept_do_not_end_the_game(
    bob: Person, new_desk: NewDesk
) -> None:
    save({"bell": False})
    settings_path().write_text("broken = [")
    shown = await play(bob, new_desk(person=True), "resign")
    assert "The settings cannot be kept: " in shown
