"""Match screens when the server's store has gone back."""

from kit.screen.moves import guess, row
from kit.screen.seats import match_of, sit, until_guess
from kit.screen.slate import Slate
from mastermind_client.network.updates import Reconnected
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_protocol.requests import Follow

UNDONE = "The server has gone back to an earlier state of this match"


async def test_undone_guesses_disappear_and_the_typed_row_stays(ada, online, relay, server):
    relay.epoch = "first"
    shown, connected = await online.app("Bob", address=relay.address)
    opened = await ada.session.open("classic", maker="me", breaker="open")
    mirror = await connected.session.join(opened.code)
    sit(shown, connected, mirror)
    await ada.set(opened, "1234")
    await until_guess(shown, 1)
    await guess(shown, "1122")
    notes, states = [*connected.feed(mirror).notes], [*mirror.states]

    relay.epoch = "second"  # and nothing is lost
    relay.cut()
    await shown.until(
        lambda: (
            bool(relay.asked)
            and relay.asked[-1] == Follow(id=relay.asked[-1].id, match=mirror.code, v=0)
        )
    )
    await connected.session.list_matches("waiting")  # after the log
    assert mirror.confirmed == 4
    assert connected.feed(mirror).notes == notes
    assert all(state is known for state, known in zip(mirror.states, states, strict=True))
    assert UNDONE not in shown.glass.written

    copy = await server.back_up()
    await guess(shown, "3344")
    shown.type("56")
    relay.hold()
    await server.restore(copy)
    relay.epoch = "third"
    relay.release()
    await shown.until(UNDONE)
    await until_guess(shown, 2)
    assert row(shown) == "56.."
    assert "B     B     Y     Y" not in shown.text()
    shown.press("delete")
    await guess(shown, "1234")


async def test_an_opponent_whose_joining_is_undone_is_awaited_again(ada, online, server):
    shown, connected = await online.app("Eve")
    mirror = await connected.session.open("classic", maker="me", breaker="open")
    copy = await server.back_up()
    await ada.session.join(mirror.code)
    sit(shown, connected, mirror)
    await server.restore(copy)
    await shown.wait_for_screen(WaitingScreen)
    await ada.wait_for_update(Reconnected)
    await ada.session.join(mirror.code)
    await shown.wait_for_screen(PlayerScreen)


async def test_a_match_that_the_server_does_not_know_any_more_is_left(ada, online, server):
    shown, connected = await online.app("Eve")
    copy = await server.back_up()
    opened = await ada.session.open("classic", maker="me", breaker="open")
    sit(shown, connected, await connected.session.join(opened.code))
    assert match_of(shown).match_code == opened.code
    await server.restore(copy)
    await shown.wait_for_screen(Slate)
    await shown.until(f"There is no match {opened.code} on this server.")


async def test_a_player_that_the_server_does_not_know_any_more_keeps_no_match(online, server):
    copy = await server.back_up()
    shown = await online.against(columns=120)
    await server.restore(copy)
    await shown.until("The server does not know you.")
    assert "Your seat is kept" not in shown.text()
    shown.press("escape")
    await shown.wait_for_screen(Slate)
    assert "is kept for you" not in shown.text()
