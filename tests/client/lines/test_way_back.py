from dataclasses import replace

import pytest

from kit.people import sit_down
from kit.players import identities
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import ContinueOptions, JoinOptions, PlayOptions
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.network.embedded import GAMES_FILE, embedded_server
from mastermind_client.network.failures import SeatOpenElsewhere
from mastermind_client.network.players.identities import OFFLINE_FOLDER
from mastermind_client.network.running import UnfinishedMatch
from mastermind_protocol.rules import DEFAULT


@pytest.fixture
def another(new_desk, monkeypatch):
    """Make a terminal desk for the next command."""

    def new() -> TerminalUser:
        desk: TerminalUser = new_desk(person=True)
        monkeypatch.setattr(app, "open_terminal", lambda _context: desk.terminal)
        return desk

    return new


ALONE = PlayOptions(DEFAULT, versus="random", settled=True)


async def test_two_players_of_one_computer_rejoin_their_own_seats_in_any_order(
    another, server, people
):
    eve = await people.meet("Eve")
    codes: dict[str, str] = {}
    with identities().claim(server.address) as first, identities().claim(server.address) as second:
        for name, identity in (("Ada", first), ("Bob", second)):
            person = await people.meet(name, identity=identity)
            codes[name] = (await sit_down(person, eve, "mini"))[0].code
    for name in ("Bob", "Ada"):
        desk = another()
        desk.start(app.join(make_context(), JoinOptions(codes[name], server.address)))
        await desk.until("You are the codemaker.")
        await desk.until("Your secret (4 pegs): ")
        desk.type("o")
        await desk.until("Eve is connected.")


async def test_the_end_of_a_scripts_input_puts_its_match_aside(new_desk, server, monkeypatch):
    options, code = replace(ALONE, server=server.address), ""
    for again in (False, True, True):
        desk = new_desk()
        monkeypatch.setattr(app, "open_terminal", lambda _context, desk=desk: desk.terminal)
        desk.start(
            app.resume(make_context(), ContinueOptions(code))
            if again
            else app.play(make_context(), options)
        )
        await desk.until("Guess 1 of 12: ")
        desk.end_input()
        with pytest.raises(InputEnded):
            await desk.finish()
        line = await desk.until("Continue: mastermind continue ")
        code = desk.shown[-7:-1]
        assert f"Saved for later: random, {code}, your turn." in line


async def test_a_game_whose_files_are_removed_is_not_said_to_be_saved(another):
    desk = another()
    desk.start(app.play(make_context(), ALONE))
    await desk.until("Guess 1 of 12: ")
    (make_context().folder / OFFLINE_FOLDER / GAMES_FILE).unlink()
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()
    await desk.until("Not saved, because its files have been removed: random, ")
    assert "Saved" not in desk.shown


async def test_a_script_does_not_keep_its_game(desk):
    desk.start(app.play(make_context(), ALONE))
    await desk.until("Guess 1 of 12: ")
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert not identities().offline_folder.exists()


async def test_a_seat_open_in_another_terminal_is_refused(another, server, people, bob):
    with identities().claim(server.address) as identity:
        mirror, _his = await sit_down(await people.meet("Ada", identity=identity), bob)
        for command in (
            app.join(make_context(), JoinOptions(mirror.code, server.address)),
            app.resume(make_context(), ContinueOptions(mirror.code)),
        ):
            desk = another()
            desk.start(command)
            with pytest.raises(SeatOpenElsewhere) as raised:
                await desk.finish()
            assert raised.value.match == mirror.code


async def test_a_local_game_open_in_another_terminal_is_refused(interactive):
    match = UnfinishedMatch(code="AAAAAA", rules="classic", opponent="hard", bot=True)
    identities().find_offline().store_match(match)
    async with embedded_server(identities().offline_folder):
        interactive.start(app.resume(make_context(), ContinueOptions("AAAAAA")))
        with pytest.raises(SeatOpenElsewhere):
            await interactive.finish()
