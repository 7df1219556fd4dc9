from kit.relay import RelayProxy
from kit.screen.moves import guess, say
from kit.screen.seats import give_up, match_of, sit, until_guess
from kit.screen.slate import Slate
from kit.screen.stage import Stage
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import AnyRequest, Say

# Talking.


async def test_what_is_said_is_read_by_both(online):
    ada, bob = await online.pair()

    await say(ada, "Have fun!")
    await ada.until("You  Have fun!")
    await bob.until("Ada  Have fun!")
    await say(bob, "2")
    await bob.until("You  Good luck!")
    await ada.until("Bob  Good luck!")
    await say(bob, "22")
    await ada.until("Bob  22")


async def test_the_phrases_are_listed_with_their_numbers(online):
    ada, bob = await online.pair()

    ada.press("tab")

    await ada.until("9  Good-bye!")
    assert "1  Hello!" in ada.text()
    ada.press("enter")
    await ada.until(lambda: "Good-bye!" not in ada.text())
    assert "says" not in bob.text()


async def test_what_is_said_too_often_can_be_sent_again(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    relay.answer(Say, refuse)
    await say(shown, "too soon")

    await shown.until("Say: too soon")
    shown.press("enter")

    await shown.until("You  too soon")


async def test_the_others_can_be_muted_and_heard_again(online):
    ada, bob = await online.pair()
    bob.press("f8")
    await bob.until("The others are muted.")
    await say(ada, "Hurry up!")
    await say(bob, "I think.")
    await ada.until("Bob  I think.")
    await bob.until("You  I think.")
    await bob.until(lambda: len(match_of(bob).mirror.chat) == 2)
    assert "Hurry up!" not in bob.text()

    bob.press("f8")
    await bob.until("Ada  Hurry up!")


async def test_players_do_not_read_what_spectators_say_until_the_round_is_over(online):
    ada, bob = await online.pair()
    cleo, dan = await online.spectator(ada), await online.spectator(ada, "Dan")
    await say(cleo, "It is 1234!")
    await dan.until("It is 1234!")
    ada.type("1234")
    ada.press("enter")
    await until_guess(bob, 1)
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


async def test_a_line_that_was_sent_is_told_as_long_as_no_answer_has_come(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    relay.hold()
    relay.cut()
    await shown.until("Trying again")
    await say(shown, "Is anybody there?")
    await shown.until("Saying it ...")

    relay.release()

    await shown.until("You  Is anybody")
    await shown.until(lambda: "Saying it ..." not in shown.text())


async def test_a_line_that_is_refused_when_another_screen_is_seen_comes_back_at_the_next_tab(
    online, relay
):
    shown, place = await online.app(address=relay.address)
    screen = sit(
        shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7)
    )
    await until_guess(shown, 1)
    said = await send_unanswered(shown, relay, "Hello there")
    shown.press("f1")
    await shown.until(lambda: shown.app.help.shown)

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    assert shown.app.line_prompt is None
    shown.press("escape")
    await shown.until(lambda: not shown.app.help.shown)
    assert shown.app.screen is screen
    shown.press("tab")
    await shown.until("Say: Hello there")


async def test_a_line_that_is_refused_does_not_take_the_place_of_one_that_is_typed(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    said = await send_unanswered(shown, relay, "Hello there")
    shown.press("tab")
    await shown.until("Say:")
    shown.type("and")

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    await shown.until("Say: and")
    shown.press("escape")
    await shown.until(lambda: shown.app.line_prompt is None)
    shown.press("tab")
    await shown.until("Say: Hello there")


async def test_a_line_that_is_refused_when_its_match_is_left_asks_for_nothing(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    said = await send_unanswered(shown, relay, "Hello there")
    await give_up(shown)
    await shown.until("Enter plays again")
    shown.press("escape")
    await shown.reaches(Slate)

    await relay.say(refuse(said))

    await shown.until(lambda: not shown.app.busy)
    assert shown.app.line_prompt is None
