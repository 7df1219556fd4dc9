"""Match screens of tries, whose code appears when the contest reveals it."""

from kit.entries import DAY, KEEPER, SECRET, seal
from kit.matches import BOB, NONCE
from kit.screen.scripted import ScriptedMatch, settle
from kit.screen.stage import stage
from mastermind_client.network.match_messages import take_proof
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.screen import MatchPage
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.days import make_day_contest
from mastermind_protocol.events import Opened


async def test_the_code_replaces_the_locked_tiles():
    tries = []

    def opening(app):
        connected = settle(app, "ws://localhost", BOB)
        opened = Opened(rules="classic", rounds=1, contest=make_day_contest(DAY))
        told = ScriptedMatch(connected, "K7M2QX", opened, KEEPER, BOB)
        told.happen(seal(shown=True))
        told.do(BOB, GuessCode(SECRET))
        tries.append(told)
        return make_screen(app, MatchPage(connected, told.mirror))

    async with stage(opening=opening) as shown:
        await shown.until("checked at the close")
        (told,) = tries
        for update in take_proof(told.mirror, SECRET, NONCE):
            shown.app._on_update(told.server, update)
        await shown.until("unchanged")
