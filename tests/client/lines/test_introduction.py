from kit.people import SessionClient
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import settings_path
from mastermind_client.config.settings import save
from mastermind_client.lines.player import LinePlayer


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
