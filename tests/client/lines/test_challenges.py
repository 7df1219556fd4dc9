"""Challenges in the line interface: one that is sent, and those that arrive in a match."""

import pytest
import sqlalchemy as sa

from kit.people import SessionClient, offer_rematch
from kit.players import identities
from kit.proxy import Proxy
from kit.server import GameServer
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import ChallengeOptions, PlayOptions, WatchOptions
from mastermind_client.lines import app
from mastermind_client.network.updates import ChallengeReceived
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Declined, Left
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import players

MINI = PRESETS["mini"]


async def wait_alone(
    interactive: TerminalUser, server: GameServer | Proxy, ada: SessionClient
) -> str:
    """Open a match of Bob that waits for anybody, and return the id of Bob."""
    options = PlayOptions(MINI, versus="anyone", server=server.address, name="Bob", settled=True)
    interactive.start(app.play(make_context(), options))
    await interactive.until("Waiting for an opponent")
    (waiting,) = await ada.session.list_matches("waiting")
    watched = await ada.session.follow(waiting.match)
    (bob,) = watched.state.players
    return bob.id


def find_bob(session: Session) -> str:
    """Return the id of the player with the name Bob."""
    query = sa.select(players.c.id).where(players.c.name == "Bob")
    return str(session.connection.scalar(query))


async def test_a_challenge_rings_and_is_accepted_at_the_prompt(interactive, server, ada):
    bob = await wait_alone(interactive, server, ada)
    mirror = await ada.session.challenge(bob, "mini")
    await interactive.until(f"\aAda challenges you: match {mirror.code}.")
    await interactive.until("mini, 2 rounds: type accept or decline within 1")
    interactive.type("accept")
    await ada.wait_for_version(mirror, 2)
    assert mirror.state.phase is Phase.SETTING
    await interactive.until("Ada is the code")
    await ada.wait_for_event(Left)


async def test_a_rematch_offered_during_an_absence_is_announced(interactive, server, ada, people):
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        mirror = await offer_rematch(ada, bob)
    options = PlayOptions(MINI, versus="anyone", server=server.address, name="Bob", settled=True)
    interactive.start(app.play(make_context(), options))
    await interactive.until(f"Ada offered a rematch: match {mirror.code}.")
    await interactive.until("mini: type accept or decline.")
    await ada.session.leave(mirror)
    await interactive.until("Ada takes the rematch back.")


async def test_a_match_that_fills_while_the_player_quits_goes_on(interactive, proxy, ada):
    await wait_alone(interactive, proxy, ada)
    proxy.freeze()
    joined = await ada.session.seek("mini")
    interactive.type("quit")
    proxy.restore()
    await interactive.until("Ada is the code")
    await interactive.until("Ada has just joined: the match begins.")
    assert joined.state.phase is Phase.SETTING


async def test_a_running_match_is_saved_for_a_challenge(interactive, server, ada, people):
    bob = await wait_alone(interactive, server, ada)
    eve = await people.meet("Eve")
    first = await eve.session.seek("mini")
    await interactive.until("Eve is the code")
    mirror = await ada.session.challenge(bob, "mini")
    await interactive.until("challenges you")
    interactive.type(f"accept {mirror.code.lower()}")
    await interactive.until(f"continue {first.code}")
    await ada.wait_for_version(mirror, 2)
    assert first.state.phase is not Phase.FINISHED


async def test_a_spectator_can_accept(interactive, server, ada, people):
    eve = await people.meet("Eve")
    seen = await eve.session.open("mini", maker="me", breaker="open")
    options = WatchOptions(server.address, code=seen.code, name="Bob")
    interactive.start(app.watch(make_context(), options))
    await interactive.until("You watch match")
    mirror = await ada.session.challenge(await server.store.read(find_bob), "mini")
    await interactive.until("challenges you")
    interactive.type("accept")
    await ada.wait_for_version(mirror, 2)


async def test_a_challenge_is_declined_by_a_word(interactive, server, ada):
    bob = await wait_alone(interactive, server, ada)
    await ada.session.challenge(bob, "mini")
    await interactive.until("challenges you")
    interactive.type("decline")
    await interactive.until("You decline the challenge of Ada.")
    await ada.wait_for_event(Declined)
    interactive.type("decline")
    await interactive.until("No such challenge waits for you.")


async def test_a_challenge_that_is_taken_back_is_told(interactive, server, ada):
    bob = await wait_alone(interactive, server, ada)
    mirror = await ada.session.challenge(bob, "mini")
    await interactive.until("challenges you")
    await ada.session.leave(mirror)
    await interactive.until("Ada takes the challenge back.")
    interactive.type("accept")
    await interactive.until("No such challenge waits for you.")


async def test_challenges_are_refused_by_a_word(interactive, server, ada):
    bob = await wait_alone(interactive, server, ada)
    interactive.type("challenges off")
    await interactive.until("You take no challenges.")
    with pytest.raises(Refused) as refused:
        await ada.session.challenge(bob, "mini")
    assert refused.value.code == ErrorCode.NO_CHALLENGES
    interactive.type("challenges")
    await interactive.until("Type challenges off, or challenges on.")
    interactive.type("challenges on")
    await interactive.until("You take challenges.")
    await ada.session.challenge(bob, "mini")


async def test_a_player_is_challenged_by_name(desk, server, ada):
    options = ChallengeOptions(server.address, "ada", MINI, "Bob", rated=True, clock="5+3")
    desk.start(app.challenge(make_context(), options))
    await desk.until("asked while online, for two minutes.\nWaiting for the answer ...")
    received = await ada.wait_for_update(ChallengeReceived)
    assert (received.challenge.rated, received.challenge.clock) == (True, "5+3")
    await ada.session.decline(received.challenge.match)
    await desk.until("The challenge was declined.\nThe match is closed: nobody joined.")
    await desk.finish()


async def test_the_end_of_the_input_takes_a_challenge_back(desk, server, ada):
    desk.start(app.challenge(make_context(), ChallengeOptions(server.address, "Ada", MINI)))
    await desk.until("Waiting for the answer ...")
    challenge = (await ada.wait_for_update(ChallengeReceived)).challenge
    await ada.session.follow(challenge.match)
    await desk.interrupt()
    await ada.wait_for_event(Left)


async def test_a_name_of_nobody_cannot_be_challenged(desk, server):
    desk.start(app.challenge(make_context(), ChallengeOptions(server.address, "Nobody", MINI)))
    with pytest.raises(Refused) as refused:
        await desk.finish()
    assert refused.value.code == ErrorCode.UNKNOWN_PLAYER
