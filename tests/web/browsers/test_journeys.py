"""The core journeys in the other engines: join by a link, play a round, reconnect."""

from __future__ import annotations

from web.browsers.engines import Engine, click, expect, type_keys
from web.play import hide

ENTER = "\ue007"  # WebDriver's code of the key


def take_seat(engine: Engine, name: str) -> None:
    click(engine, "Your name")
    type_keys(engine, name)
    click(engine, "Take the seat")
    expect(engine, "Find it!")


def guess(engine: Engine, letters: str) -> None:
    for letter in letters:
        click(engine, f"({letter})")
    click(engine, "Send")


def test_a_friend_joins_by_a_link_and_breaks_the_code(engine, machine, server):
    ada, code = hide(machine, server, "1234")
    engine.open(f"http://127.0.0.1:{server.port}/{code}")
    expect(engine, "Ada invites you")
    take_seat(engine, "Bob")
    guess(engine, "RRGG")
    expect(engine, "1 black, 1 white")
    type_keys(engine, f"rgby{ENTER}")
    expect(engine, "You broke the code in 2 guesses.")
    expect(engine, "Code proven")
    ada.expect("Bob broke the code in 2 guesses.")


def test_the_seat_survives_a_cut_line_and_a_reload(engine, machine, server, proxy):
    _ada, code = hide(machine, server, "1234")
    engine.open(f"http://127.0.0.1:{proxy.port}/{code}")
    take_seat(engine, "Bob")
    guess(engine, "RRGG")
    expect(engine, "1 black, 1 white")
    proxy.cut()
    expect(engine, "The connection is lost.")
    proxy.restore()
    guess(engine, "GGRR")
    expect(engine, "Guess 2, G G R R:")
    engine.open(f"http://127.0.0.1:{proxy.port}/{code}")
    expect(engine, "Guess 2, G G R R:")
    guess(engine, "RGBY")
    expect(engine, "You broke the code in 3 guesses.")
