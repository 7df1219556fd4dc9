"""Several users of the full-screen interface, each on a separate terminal, on one server."""

from __future__ import annotations

import signal

from e2e import screen
from e2e.screen import Terminal
from e2e.solver import break_code, count_turns, until_guessed
from kit.processes import Machine, Server

SET = "Four pegs that {} will not guess."
TRY = r"Trying again \(\d+\)\. Your seat is kept until \d\d:\d\d:\d\d\."


def test_two_players_chat_and_play_while_a_spectator_watches(machine, server):
    ada, bob, code = meet(machine, server, screen.LARGE)
    eve = screen.start(
        machine, "watch", code, "--name=Eve", "--server", server.address,
        user="eve", size=screen.LARGE,
    )  # fmt: skip
    eve.until("Ada", "Bob", "Ada hides a code")
    for player in (ada, bob):
        player.until("1 watching")

    ada.press("tab")
    ada.until("Say:", "2  Good luck!")
    ada.press("2", "enter")
    bob.until("Ada  Good luck!")
    bob.press("tab")
    bob.until("Say:")
    bob.type("\x1b[200~thank you,\x1b[31m Ada\x1b[201~")  # a paste that contains a colour sequence
    bob.press("enter")
    ada.until("Bob  thank you, [31m Ada")
    assert "\x1b[31m Ada" not in ada.shown

    ada.press("1", "1", "2", "2", "enter")
    bob.until("Your turn", "guess 1 of 12")
    bob.wait(lambda: bob.titles[-1] == "Your turn - Mastermind", "the title says nothing")
    assert "│░?░│ │░?░│ │░?░│ │░?░│   locked" in bob.text
    ada.until("R     R     G     G     locked")
    for number, guess in enumerate(("1", "2"), start=1):
        bob.press(*guess * 4, "enter")
        for terminal in (ada, bob, eve):
            until_guessed(terminal, number)

    eve.press("left")
    eve.until("guess 1 of 2")
    eve.press("tab")
    eve.until("Say:")
    eve.type("it is easy")
    eve.press("enter")
    eve.until("You  it is easy")
    bob.press(*"3456", "enter")
    eve.until("guess 1 of 3")  # the spectator stays at the first guess
    assert count_turns(eve) == 1
    eve.press("end")
    for terminal in (bob, eve):
        until_guessed(terminal, 3)
    assert "it is easy" not in ada.text + bob.text

    bob.press(*"1122", "enter")
    for terminal in (ada, bob, eve):
        terminal.until("unchanged ✓")
    for player in (ada, bob):
        player.until("Eve (spectator)  it is easy")
    eve.press("escape")
    eve.until("Play a bot")
    eve.press("f10")
    eve.end_sanely(0)

    bob.press_until("enter", "Waiting for Ada")
    ada.until("Bob wants another  Enter takes it.")
    ada.press_until("enter", "Bob hides a code")
    bob.until(f"Your turn  {SET.format('Ada')}")
    ada.press("escape")
    ada.until("Leave the match?")
    ada.press("down", "down", "enter")
    bob.until("Ada left.", "You win!")


def test_a_game_continues_after_the_server_is_killed_and_restarted(machine, server):
    ada, bob, _code = meet(machine, server)
    ada.press("1", "2", "3", "4", "enter")
    bob.until("Your turn", "guess 1 of 12")
    bob.press(*"1122", "enter")
    bob.until("Your turn", "guess 2 of 12")
    bob.press("5", "6")
    port = server.port
    server.kill()
    for player in (ada, bob):
        player.until_fits(TRY)
    machine.serve(port=port)
    for player in (ada, bob):
        player.until_gone("Connection lost.")
    bob.until_fits(r"► 2 +O +P  [^\w\n]*(?:▐R▌|─r─)")  # the half-typed guess is kept
    bob.press("delete")
    break_code(bob, lambda guess: bob.press(*guess, "enter"))
    bob.until("Cracked in")
    ada.until("Bob cracked it")


def test_a_player_whose_window_closed_keeps_the_seat_and_rejoins(machine, server):
    ada, bob, code = meet(machine, server)
    ada.press("1", "2", "3", "4", "enter")
    bob.until("Your turn", "guess 1 of 12")
    bob.end(signal.SIGHUP)
    ada.until_fits(r"◇ away since \d\d:\d\d")
    again = screen.start(
        machine, "join", code, "--server", server.address, "--name=Bob", user="bob"
    )
    again.until("Your turn", "guess 1 of 12")
    ada.until_gone("away since")


def meet(
    machine: Machine, server: Server, size: tuple[int, int] = screen.DEFAULT_LIMITS
) -> tuple[Terminal, Terminal, str]:
    """Open a match with Ada as codemaker and join it as Bob; return both and its code."""
    ada = screen.start(
        machine,
        "play",
        "--versus=friend",
        "--rounds=1",
        "--as=maker",
        "--name=Ada",
        "--server",
        server.address,
        size=size,
    )
    code = ada.until_fits(r"mastermind join \S+/(\w{6})")[1]
    bob = screen.start(machine, "--name=Bob", "--server", server.address, user="bob", size=size)
    bob.until("Join by code")
    bob.press("3")
    bob.until("Code, link or whole line:")
    bob.type(code)
    bob.press("enter")
    bob.until("Ada invites you.", "► Accept")
    bob.press("enter")
    bob.until("Ada hides a code")
    ada.until(f"Your turn  {SET.format('Bob')}")
    return ada, bob, code
