from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from client.people import People, Person, pegs, sit_down, unreachable
from mastermind_client.lines.dialogue import Command, find_command, write_help
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lists import pick_match
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.events import Finished, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Listed, Listing
from mastermind_protocol.requests import ListMatches

if TYPE_CHECKING:
    from collections.abc import Callable

    from client.desk import Desk
    from client.relay import Relay

    NewDesk = Callable[..., Desk]


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk; he watches."""
    return new_desk()


async def test_two_bots_are_told_from_the_rules_to_the_result(bob: Person, desk: Desk) -> None:
    mirror = await bob.session.open("knuth", maker="random", breaker="knuth", secret=pegs("0123"))
    desk.watch(bob.session, mirror)
    await desk.finish()
    lines = desk.shown.splitlines()
    assert lines[:6] == [
        f"You watch match {mirror.code}.",
        "knuth: 4 pegs, 6 colours, as many guesses as it takes.",
        "Colours: 1 red, 2 green, 3 blue, 4 yellow, 5 orange, 6 purple.",
        "random (bot) is the codemaker.",
        "knuth (bot) is the codebreaker.",
        "The secret is set.",
    ]
    assert lines[6] == "It is sealed: who set it cannot change it unseen."
    guesses = lines[7:-4]
    assert guesses[0] == " 1  1 1 2 2  KW  1 black, 1 white"
    assert guesses[-1] == f"{len(guesses):2}  1 2 3 4  KKKK  4 black, 0 white"
    assert lines[-4:] == [
        f"knuth (bot) broke the code in {len(guesses)} guesses.",
        "The secret was 1 2 3 4: red green blue yellow.",
        "Code proven: it is the one committed to, and every feedback fits it.",
        "knuth (bot) wins.",
    ]


async def test_a_match_of_two_people_is_told_as_it_goes_on(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    carl = await people.meet("Carl")
    ours, theirs = await sit_down(ada, carl)
    watched = await bob.session.follow(ours.code)
    desk.watch(bob.session, watched)
    await desk.until("Ada is the codemaker.\nCarl is the codebreaker.\n")
    await ada.set(ours, "0123")
    await desk.until("The secret is set.\n")
    await carl.guess(theirs, "3210")
    await desk.until(" 1  4 3 2 1  0 black, 4 white\n")
    assert "only you can see it" not in desk.shown
    await ada.session.leave(ours)
    await desk.finish()
    assert desk.shown.endswith("Carl wins.\n")


async def test_a_match_that_is_over_is_told_from_the_beginning(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    carl = await people.meet("Carl")
    ours, theirs = await sit_down(ada, carl, "mini")
    await ada.set(ours, "0123")
    await carl.guess(theirs, "0123")
    await ada.hear_of(Finished)
    await ada.session.leave(ours)
    watched = await bob.session.follow(ours.code)
    desk.watch(bob.session, watched)
    await desk.finish()
    assert " 1  R G O B  4 black, 0 gray, 0 empty\nCarl broke the code in 1 guess.\n" in desk.shown
    assert desk.shown.endswith("Carl wins.\nAda left.\n")


async def test_a_watcher_is_told_of_lost_lines_and_misses_nothing(
    ada: Person, bob: Person, people: People, desk: Desk, relay: Relay
) -> None:
    carl = await people.meet("Carl")
    ours, theirs = await sit_down(ada, carl)
    watched = await bob.session.follow(ours.code)
    desk.watch(bob.session, watched)
    await desk.until("Carl is the codebreaker.\n")
    relay.hold()
    relay.cut()
    await desk.until("*** RECONNECTING, try 1 ... ***\n")
    await ada.set(ours, "0123")
    await carl.guess(theirs, "0123")
    relay.release()
    await desk.finish()
    missed = desk.shown.partition("*** CONNECTED AGAIN. ***\n")[2]
    assert missed.startswith("The secret is set.\n")
    assert missed.endswith("Carl wins.\n")


async def test_a_watcher_types_commands_and_plays_no_code(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    carl = await people.meet("Carl")
    ours, theirs = await sit_down(ada, carl)
    await ada.set(ours, "0123")
    await carl.guess(theirs, "0000")
    watched = await bob.session.follow(ours.code)
    desk.watch(bob.session, watched)
    await desk.until(" 1  1 1 1 1  1 black, 0 white\n")
    desk.type("1234", "h", "l", "o", "s", "s Hello", "r", "?", "q")
    await desk.finish()
    typed = desk.shown.partition("1234\n")[2]
    assert typed == (
        "You watch, and play no code. Type ? for what can be typed.\n"
        "h\n 1  1 1 1 1  1 black, 0 white\n"
        "l\n 1  1 1 1 1  1 black, 0 white\n"
        "o\n"
        "Ada is a person.\nAda is connected.\nCarl is a person.\nCarl is connected.\n"
        "1 spectator looks on.\n"
        "s\n1  Hello!\n2  Good luck!\n3  Good guess!\n4  Well played!\n5  That was close.\n"
        "6  One moment, please.\n7  Are you there?\n8  Thank you!\n9  Good-bye!\n"
        "s Hello\nYou say: Hello\n"
        "r\nYou watch, and play no code. Type ? for what can be typed.\n"
        "?\n"
        "  h, board           every guess so far\n"
        "  l, last            the last guess and its feedback\n"
        "  o, opponent        who is here, and who looks on\n"
        "  s, say [TEXT]      say something, or a phrase by its number; alone: phrases\n"
        "  m, mute            hide what the others say, or show it\n"
        "  seal               what will prove the secret at the end\n"
        "  ?, help            this help\n"
        "  q, quit            watch no more\n"
        "q\n"
    )


async def test_a_script_whose_input_has_ended_goes_on_looking(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    carl = await people.meet("Carl")
    ours, _ = await sit_down(ada, carl)
    watched = await bob.session.follow(ours.code)
    desk.type("l")
    desk.hang_up()
    desk.watch(bob.session, watched)
    await desk.until("l\nNo guess yet.\n")
    await ada.session.leave(ours)
    await desk.finish()
    assert desk.shown.endswith("Carl wins.\n")


async def test_a_person_who_closes_the_input_has_watched_enough(
    ada: Person, bob: Person, people: People, new_desk: NewDesk
) -> None:
    desk = new_desk(person=True)
    carl = await people.meet("Carl")
    ours, _ = await sit_down(ada, carl)
    watched = await bob.session.follow(ours.code)
    desk.watch(bob.session, watched)
    await desk.until("Carl is the codebreaker.\n")
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_one_of_the_running_matches_is_picked_by_its_number(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    carl = await people.meet("Carl")
    first = await ada.session.seek("classic", seat=Seat.MAKER)
    await carl.session.seek("classic")
    second = await ada.session.seek("mini", rounds=3, seat=Seat.BREAKER)
    await carl.session.seek("mini", rounds=3)
    picking = _pick(desk, bob)
    await desk.until(
        f" 1  {second.code}  mini, 3 rounds: Carl sets, Ada breaks (setting)\n"
        f" 2  {first.code}  classic: Ada sets, Carl breaks (setting)\n"
        "Which one? (number, Enter to look again, q to quit) "
    )
    for wrong in ("3", "0", "-1", "²", "X\x1b[2j"):
        desk.type(wrong)
        await desk.until(f"There is no match {wrong}".replace("\x1b", "?") + " in the list.\n")
    desk.type("2")
    await desk.finish()
    assert picking == [first.code]


async def test_the_list_is_fetched_anew_until_there_is_something_to_watch(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    picking = _pick(desk, bob)
    await desk.until("No public match is running.\nWhich one?")
    mirror = await ada.session.seek("classic")
    desk.type("")
    await desk.until("No public match is running.\nWhich one?")
    carl = await people.meet("Carl")
    await carl.session.seek("classic")
    desk.type("", "1")
    await desk.finish()
    assert picking == [mirror.code]


async def test_trouble_while_a_match_is_picked_is_told_and_picking_goes_on(
    bob: Person, desk: Desk, relay: Relay
) -> None:
    picking = _pick(desk, bob)
    await desk.until("Which one? (number, Enter to look again, q to quit) ")
    relay.hold()
    relay.cut()
    await desk.until("\n*** RECONNECTING, try 1 ... ***\n")
    desk.type("")  # asked while the line is down
    relay.release()
    await desk.until("*** CONNECTED AGAIN. ***\n")
    await desk.until("No public match is running.\nWhich one?")
    desk.type("q")
    await desk.finish()
    assert picking == [None]


async def test_a_server_that_is_lost_for_good_ends_the_picking(
    bob: Person, desk: Desk, relay: Relay
) -> None:
    _pick(desk, bob)
    await desk.until("Which one?")
    await relay.close(1008, "abuse")
    with unreachable("abuse"):
        await desk.finish()


@pytest.mark.parametrize("word", ["q", "Quit"])
async def test_nothing_need_be_picked(bob: Person, desk: Desk, word: str) -> None:
    picking = _pick(desk, bob)
    desk.type(word)
    await desk.finish()
    assert picking == [None]


async def test_the_end_of_the_input_picks_nothing(bob: Person, desk: Desk) -> None:
    _pick(desk, bob)
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_a_list_cannot_draw_on_the_screen(bob: Person, desk: Desk, relay: Relay) -> None:
    listed = Listed(
        match="ABC234", rules="\x1b[2J", rounds=1, phase=Phase.SETTING, maker="\x07", breaker=None
    )
    relay.answer(ListMatches, lambda request: Listing(id=request.id, matches=(listed,)))
    _pick(desk, bob)
    await desk.until(" 1  ABC234  ?[2J: ? sets, ? breaks (setting)\n")


async def test_one_of_the_waiting_matches_is_picked_with_the_seat_that_is_free(
    ada: Person, bob: Person, people: People, desk: Desk
) -> None:
    first = await ada.session.seek("classic", seat=Seat.MAKER)
    second = await ada.session.seek("mini", rounds=3, seat=Seat.BREAKER)
    own_bot = await people.meet_program("Eliza")
    third = await own_bot.session.open("classic", maker="me", breaker="open", public=True)
    picking = _pick(desk, bob, "waiting")
    await desk.until(
        f" 1  {third.code}  classic: Eliza (bot) sets, you break\n"
        f" 2  {second.code}  mini, 3 rounds: Ada breaks, you set\n"
        f" 3  {first.code}  classic: Ada sets, you break\n"
        "Which one? (number, Enter to look again, q to quit) "
    )
    desk.type("3")
    await desk.finish()
    assert picking == [first.code]


async def test_that_nobody_waits_is_told(bob: Person, desk: Desk) -> None:
    _pick(desk, bob, "waiting")
    await desk.until("No public match is waiting.\nWhich one?")


async def test_a_rated_match_shows_as_such(bob: Person, desk: Desk, relay: Relay) -> None:
    listed = Listed(
        match="ABC234", rules="mini", rounds=1, phase=Phase.GATHERING, maker="Ada", rated=True
    )
    relay.answer(ListMatches, lambda request: Listing(id=request.id, matches=(listed,)))
    _pick(desk, bob, "waiting")
    await desk.until(" 1  ABC234  mini, rated: Ada sets, you break\n")


def _pick(
    desk: Desk, person: Person, what: Literal["waiting", "running"] = "running"
) -> list[str | None]:
    """Begin to pick; the list that is returned will have what was picked."""
    picked: list[str | None] = []

    async def pick() -> None:
        async with Inbox.open(person.session, desk.terminal) as inbox:
            picked.append(await pick_match(inbox, what))

    desk.start(pick())
    return picked


class Ledger:
    """Keeps what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def last(self, argument: str) -> None:
        self.done.append(f"last {argument}")

    async def leave(self, argument: str) -> None:
        self.done.append(f"leave {argument}")

    async def ask(self, argument: str) -> None:
        self.done.append(f"ask {argument}")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def commands(ledger: Ledger) -> tuple[Command, ...]:
    return (
        Command("l", ("last",), "the last guess", ledger.last),
        Command("", ("rules",), "what is played", ledger.last, takes="[NAME]"),
        Command("q", ("quit", "leave"), "go", ledger.leave, by_letter=ledger.ask),
    )


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("l", "last "),
        (" LAST ", "last "),
        ("rules", "last "),
        ("rules  Two Words ", "last Two Words"),
        ("q", "ask "),
        ("Q", "ask "),
        ("quit", "leave "),
        ("leave", "leave "),
    ],
)
async def test_a_line_is_the_command_that_it_begins_with(
    line: str, done: str, commands: tuple[Command, ...], ledger: Ledger
) -> None:
    found = find_command(line, commands)
    assert found is not None
    command, name, argument = found
    await command.run(name, argument)
    assert ledger.done == [done]


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_is_none(line: str, commands: tuple[Command, ...]) -> None:
    assert find_command(line, commands) is None


def test_the_help_is_made_of_the_commands(commands: tuple[Command, ...]) -> None:
    assert write_help(commands) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, quit            go",
    ]
