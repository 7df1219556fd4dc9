from kit.proxy import RelayProxy
from kit.screen.moves import guess, say, set_secret
from kit.screen.seats import give_up
from kit.screen.slate import Slate
from kit.screen.stage import Stage
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.overlays import LinePrompt
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import AnyRequest, Say

# Talking.


async def test_both_players_read_a_chat_line(online):
    ada, bob = await online.pair()

    await say(ada, "Have fun!")
    await ada.until("You  Have fun!")
    await bob.until("Ada  Have fun!")
    await say(bob, "2")
    await bob.until("You  Good luck!")
    await ada.until("Bob  Good luck!")
    await say(bob, "22")
    await ada.until("Bob  22")


async def test_tab_lists_the_phrases_with_their_numbers(online):
    ada, bob = await online.pair()
    ada.press("tab")
    await ada.until("9  Good-bye!")
    assert "1  Hello!" in ada.text()
    ada.press("enter")
    await ada.until(lambda: "Good-bye!" not in ada.text())
    assert "says" not in bob.text()


async def test_a_rate_limited_line_can_be_sent_again(online, relay):
    shown = await online.against(address=relay.address)
    relay.answer(Say, refuse)
    await say(shown, "too soon")
    await shown.until("Say: too soon")
    shown.press("enter")
    await shown.until("You  too soon")


async def test_players_read_spectators_chat_only_after_the_round(online):
    ada, bob = await online.pair()
    cleo, dan = await online.spectator(ada), await online.spectator(ada, "Dan")
    await say(cleo, "It is 1234!")
    await cleo.until("The players read it when the round is over.")
    await dan.until("It is 1234!")
    await set_secret(ada, bob, "1234")
    await say(ada, "Begin!")
    await bob.until("Ada  Begin!")
    await cleo.until("Ada  Begin!")
    assert "It is 1234!" not in bob.glass.written + ada.glass.written

    await guess(bob, "1234")
    bob.press("f4")
    ada.press("f4")

    await bob.until("Cleo (spectator) says: It is 1234!")
    await ada.until("Cleo (spectator) says: It is 1234!")


def refuse(request: AnyRequest) -> Error:
    """Return the answer to a player who sends too many lines."""
    return Error(id=request.id, code="rate_limited", message="Too many lines.", retry_after=3.0)


async def send_unanswered(shown: Stage, relay: RelayProxy, words: str) -> Say:
    """Send a line that the server does not answer yet, and return the request."""
    relay.answer(Say, lambda _request: None)
    await say(shown, words)
    await shown.until(lambda: any(isinstance(request, Say) for request in relay.asked))
    return next(request for request in relay.asked if isinstance(request, Say))


async def test_a_notice_shows_a_line_that_is_being_sent(online, relay):
    shown = await online.against(address=relay.address)
    relay.hold()
    relay.cut()
    await shown.until("Trying again")
    await say(shown, "Is anybody there?")
    await shown.until("Saying it ...")

    relay.release()

    await shown.until("You  Is anybody")
    await shown.until(lambda: "Saying it ..." not in shown.text())


async def test_a_line_refused_behind_the_help_returns_at_the_next_tab(online, relay):
    shown = await online.against(address=relay.address)
    screen = shown.app.screen
    said = await send_unanswered(shown, relay, "Hello there")
    shown.press("f1")
    await shown.until(lambda: shown.app.find_overlay(Help) is not None)

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    assert shown.app.find_overlay(LinePrompt) is None
    shown.press("escape")
    await shown.until(lambda: shown.app.find_overlay(Help) is None)
    assert shown.app.screen is screen
    shown.press("tab")
    await shown.until("Say: Hello there")


async def test_a_refused_line_does_not_replace_the_line_being_typed(online, relay):
    shown = await online.against(address=relay.address)
    said = await send_unanswered(shown, relay, "Hello there")
    shown.press("tab")
    await shown.until("Say:")
    shown.type("and")

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    await shown.until("Say: and")
    shown.press("escape")
    await shown.until(lambda: shown.app.find_overlay(LinePrompt) is None)
    shown.press("tab")
    await shown.until("Say: Hello there")


async def test_a_line_refused_after_leaving_opens_no_prompt(online, relay):
    shown = await online.against(address=relay.address)
    said = await send_unanswered(shown, relay, "Hello there")
    await give_up(shown)
    await shown.until("Enter plays again")
    shown.press("escape")
    await shown.wait_for_screen(Slate)

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    assert shown.app.find_overlay(LinePrompt) is None
