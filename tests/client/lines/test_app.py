import re

import pytest

from kit.people import PATIENCE
from kit.players import identities
from mastermind_client import context as client_context
from mastermind_client.cli.process import make_context, settings_path
from mastermind_client.config.options import (
    DEFAULT_SERVER,
    FRIEND,
    HOSTED,
    BotListOptions,
    ContinueOptions,
    JoinOptions,
    PlayOptions,
)
from mastermind_client.config.settings import load
from mastermind_client.config.values import Invitation, parse_invitation, write_invitation
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.failures import explain_failure
from mastermind_client.network import entering
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME, Join, Leave
from mastermind_protocol.rules import PRESETS


async def test_a_player_can_leave_a_stopped_server_at_once(desk, server):
    desk.start(app.play(make_context(), PlayOptions(PRESETS["lab"], server=server.address)))
    await desk.until("Guess color: ")
    await server.stop()
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_an_unanswered_leave_times_out(desk, relay, monkeypatch):
    monkeypatch.setattr(entering, "LEAVE_SECONDS", 0.1)
    relay.answer(Leave, lambda _: None)
    desk.start(app.play(make_context(), PlayOptions(PRESETS["mini"], server=relay.address)))
    await desk.until("Guess 1 of ")
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert isinstance(relay.asked[-1], Leave)


@pytest.mark.parametrize(("seconds", "told"), [(0.0, True), (PATIENCE, False)])
async def test_a_slow_first_connection_is_announced(desk, server, monkeypatch, seconds, told):
    monkeypatch.setattr(client_context, "ANNOUNCE_SECONDS", seconds)
    await app.list_bots(make_context(), BotListOptions(server.address))
    assert "random" in desk.shown
    assert desk.errors.getvalue() == (f"Connecting to {server.address} ...\n" if told else "")


async def test_a_lost_connection_while_joining_is_reported_on_standard_error(desk, relay, ada):
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    relay.cut_before_answer(Join)
    desk.start(app.join(make_context(), JoinOptions(mirror.code, relay.address, "Bob")))
    await desk.until("mini: 4 pegs, 6 colours, 6 guesses.\n")
    await desk.until("You are the codebreaker.\nWaiting for Ada to set the secret ...\n")
    assert desk.errors.getvalue() == (
        "*** CONNECTION LOST: the connection broke. Your seat is kept; trying to reconnect. ***\n"
        "*** RECONNECTING, try 1 ... ***\n"
        "*** CONNECTED AGAIN. ***\n"
    )
    assert "***" not in desk.shown


async def test_a_friend_joins_a_hosted_match_that_continues_later(interactive, people):
    context = make_context()
    options = PlayOptions(PRESETS["mini"], FRIEND, server=HOSTED, settled=True)
    interactive.start(app.play(context, options))
    line = await interactive.until("Waiting for your friend ...\n")
    found = re.search(r"mastermind join (\S+)\n", line)
    assert found is not None
    invitation = parse_invitation(found[1])
    assert invitation.server is not None
    ada = await people.meet("Ada", invitation.server)
    assert interactive.terminal.find_end_warning() == ""
    await ada.session.join(invitation.code)
    await interactive.until("Waiting for Ada to set the secret ...\n")
    assert interactive.terminal.find_end_warning().startswith("Ada is playing on your server. ")
    await interactive.interrupt()
    interactive.start(app.resume(context, ContinueOptions(invitation.code)))
    await interactive.until("Waiting for Ada to set the secret ...\n")


@pytest.mark.parametrize("person", [True, False])
async def test_a_person_is_told_that_the_server_of_an_invitation_is_remembered(
    new_desk, server, ada, monkeypatch, person
):
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    desk = new_desk(person=person)
    monkeypatch.setattr(app, "open_terminal", lambda _context: desk.terminal)
    options = JoinOptions(mirror.code, server.address, "Bob", names_server=True)
    desk.start(app.join(make_context(), options))
    await desk.until("Waiting for Ada to set the secret ...\n")
    await desk.terminal.context.writer.flush()
    told = f"{server.address} is your server for friends from now on.\n"
    assert (told in desk.shown) is person
    usual = load(settings_path()).settings.server
    assert usual == (server.address if person else DEFAULT_SERVER)


@pytest.mark.parametrize("person", [True, False])
async def test_a_command_that_asks_for_no_name_keeps_the_name_of_a_player(
    new_desk, server, people, monkeypatch, person
):
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
    eve = await people.meet("Eve")
    waiting = await eve.session.open("mini", maker=SEAT_FOR_ME, breaker=SEAT_FOR_ANYONE)
    desks = iter([new_desk(person=person), desk := new_desk(person=person)])
    monkeypatch.setattr(app, "open_terminal", lambda _context: next(desks).terminal)

    await app.list_bots(make_context(), BotListOptions(server.address))
    desk.start(app.join(make_context(), JoinOptions(waiting.code, server.address)))

    await eve.wait_for_turn(waiting)
    opponent = waiting.state.opponent_of(eve.id)
    assert opponent is not None
    assert (opponent.id, opponent.name) == (ada.id, "Ada")


INVITATION = """\
Ada invites you.
You break a code.
Then the seats change.
2 rounds.
mini: 4 pegs, 6 colours, 6 guesses.
The codebreaker has 5 minutes a round. Each guess adds 3 seconds.
Rated: no advice, no bots.
Accept the invitation? (Y/N) """


async def invite(ada, **terms):
    return await ada.session.open("mini", maker="me", breaker="open", **terms)


async def test_a_person_reads_the_terms_before_a_typed_code_takes_the_seat(
    interactive, server, ada
):
    mirror = await invite(ada, rounds=2, rated=True, clock="5+3")
    options = JoinOptions(mirror.code, server.address, "Bob", typed=True)
    interactive.start(app.join(make_context(), options))
    assert await interactive.until("(Y/N) ") == INVITATION
    interactive.type("perhaps")
    await interactive.until("Please answer Y or N.\nAccept the invitation? (Y/N) ")
    assert mirror.state.phase is Phase.GATHERING
    interactive.type("y")
    await interactive.until("You are the codebreaker.\n")
    await ada.wait_for_turn(mirror)


async def test_a_declined_invitation_stays_open(interactive, server, ada):
    mirror = await invite(ada)
    options = JoinOptions(mirror.code, server.address, "Bob", typed=True)
    interactive.start(app.join(make_context(), options))
    await interactive.until("(Y/N) ")
    interactive.type("n")
    await interactive.finish()
    assert mirror.state.phase is Phase.GATHERING


@pytest.mark.parametrize("names_server", [True, False])
async def test_an_invitation_that_another_takes_ends_its_question_and_names_the_command_to_watch(
    interactive, server, ada, people, names_server
):
    mirror = await invite(ada)
    options = JoinOptions(mirror.code, server.address, "Bob", typed=True, names_server=names_server)
    interactive.start(app.join(make_context(), options))
    await interactive.until("(Y/N) ")
    await (await people.meet("Carl")).session.join(mirror.code)
    with pytest.raises(Refused) as refused:
        await interactive.finish()
    assert refused.value.reason is Reason.BOTH_SEATS_TAKEN
    named = Invitation(mirror.code, server.address if names_server else None)
    command = f"mastermind watch {write_invitation(named)}"
    assert explain_failure(refused.value) == f"both seats are taken, but you can watch: {command}"


@pytest.mark.parametrize("public", [True, False])
async def test_only_a_code_that_the_list_does_not_have_shows_its_terms_first(
    interactive, server, ada, public
):
    mirror = await invite(ada, public=public)
    interactive.start(app.join(make_context(), JoinOptions(None, server.address, "Bob")))
    await interactive.until("Which one? ")
    interactive.type("1" if public else mirror.code)
    told = await interactive.until("You are the codebreaker." if public else "(Y/N) ")
    assert ("Ada invites you." in told) is not public
