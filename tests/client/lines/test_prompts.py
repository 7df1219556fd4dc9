from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from kit.people import SessionClient
from kit.proxy import RelayProxy
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import PlayOptions
from mastermind_client.config.settings import save
from mastermind_client.language import use_language
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.prompts import (
    ask_open_questions,
    parse_yes_no,
    parse_yes_no_letter,
    pick_entry,
)
from mastermind_client.lists import LISTS
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import Archived, ArchivedMatch
from mastermind_protocol.requests import AnyRequest, Archive
from mastermind_protocol.rules import PRESETS


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("y", True), (" Y ", True), ("n", False), ("N", False), ("yes", None), ("", None)],
        *[("н", True), ("Υ", True), ("ｎ", False), ("Т", False), ("д", None)],
    ],
)
def test_a_letter_is_an_answer(typed, meant):
    assert parse_yes_no_letter(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("Yes", True), ("y", True), ("NO", False), ("n", False), ("maybe", None), ("", None)],
        *[("нуы", True), ("νο", False), ("ｙ", True)],
    ],
)
def test_a_word_is_an_answer(typed, meant):
    assert parse_yes_no(typed) is meant


@pytest.mark.parametrize("rules", ["classic", "mini"])
async def test_a_seed_leaves_no_question_about_the_seat(new_desk, rules):
    desk = new_desk(person=True)
    options = PlayOptions(PRESETS[rules], name="Ada", seed=1)
    assert await ask_open_questions(options, desk.terminal) == options
    assert desk.shown == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("t", True), ("Tak", True), ("n", False), ("nie", False), ("y", True), ("no", False)],
)
def test_answers_may_be_in_the_readers_language_or_in_english(typed, meant):
    use_language("pl")
    assert parse_yes_no(typed) is meant


async def play(person: SessionClient, desk: TerminalUser, *lines: str) -> str:
    """Play a bot with a known code; return the output."""
    mirror = await person.session.open("mini", maker="random", breaker="me", seed=1)
    desk.play(LinePlayer, person.session, mirror)
    for line in lines:
        await desk.until("Guess ")
        desk.type(line)
    await desk.until("Play again? (Y/N) ")
    desk.type("n")
    await desk.finish()
    await desk.terminal.context.writer.flush()
    return desk.shown


async def test_unsaved_settings_do_not_end_the_game(bob, new_desk):
    save({"bell": False}, settings_path())
    settings_path().write_text("broken = [")
    shown = await play(bob, new_desk(person=True), "resign")
    assert "The settings cannot be kept: " in shown


MORE = "Which one? (number, Enter for older ones, q to quit) "
LAST = "Which one? (number, q to quit) "


def pick(desk: TerminalUser, person: SessionClient) -> list[str | None]:
    """Start picking; return the list that receives the picked code."""
    picked: list[str | None] = []

    async def pick() -> None:
        with Inbox.open(person.session, desk.terminal) as inbox:
            picked.append(await pick_entry(inbox, LISTS["archive"]))

    desk.start(pick())
    return picked


def archived(match: str) -> ArchivedMatch:
    return ArchivedMatch(
        match=match, rules="mini", rounds=1, at=0, seat=Seat.MAKER, opponent="Ada", won=False,
        how=MatchEnd.PLAYED, guesses=5, points=(5, 0),
    )  # fmt: skip


def serve_pages(relay: RelayProxy) -> None:
    """Answer the next two requests: a page of two matches, then the last page."""

    def serve_first(request: AnyRequest) -> Archived:
        relay.answer(Archive, serve_last)
        return Archived(id=request.id, matches=(archived("AAAAAA"), archived("BBBBBB")), more=True)

    def serve_last(request: AnyRequest) -> Archived:
        return Archived(id=request.id, matches=(archived("CCCCCC"),))

    relay.answer(Archive, serve_first)


async def test_older_matches_come_page_by_page_until_one_is_picked(bob, desk, relay):
    serve_pages(relay)
    desk.terminal.context = replace(desk.terminal.context, zone=timezone(timedelta(hours=14)))
    picked = pick(desk, bob)
    await desk.until(" 1  AAAAAA  1970-01-01 14:00  ")
    await desk.until("mini: lost to Ada, as codemaker, 5 guesses\n 2  BBBBBB  ")
    await desk.until(MORE)
    desk.type("4")
    await desk.until(f"4\nThere is no match 4 in the list.\n{MORE}")
    desk.type("")
    await desk.until(" 3  CCCCCC  ")
    await desk.until(LAST)
    desk.type("", "\x1b", "２")
    await desk.until(f"\n{LAST}")
    await desk.until(f"There is no match ? in the list.\n{LAST}")
    await desk.finish()
    assert picked == ["BBBBBB"]
    asked = [request.before for request in relay.asked if isinstance(request, Archive)]
    assert asked == [None, "BBBBBB"]


async def test_a_match_that_is_in_no_list_is_picked_by_its_code(bob, desk, relay):
    serve_pages(relay)
    picked = pick(desk, bob)
    await desk.until(MORE)
    desk.type("k7m 2qp")
    await desk.finish()
    assert picked == ["K7M2QP"]
