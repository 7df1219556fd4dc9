"""The scenes of the golden screens: every screen in a reproducible state.

Codes, commitments, addresses and times of day are constants or follow from constants.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kit.matches import pegs
from kit.screen.leaders import answer_leaders, days_ago
from kit.screen.scripted import ScriptedMatch, settle
from kit.statistics import sum_matches
from mastermind_client.config.options import OFFLINE, JoinOptions, ProfileOptions
from mastermind_client.config.settings import Settings
from mastermind_client.network.failures import Cause, DisconnectReason, Fault, ServerUnreachable
from mastermind_client.network.updates import Connection
from mastermind_client.screen.app import App
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.pages.entering import EnteringScreen
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.how_to_play import HowToPlayScreen
from mastermind_client.screen.pages.leaderboard import LeaderboardScreen
from mastermind_client.screen.pages.list_page import (
    ArchiveScreen,
    FindOpponentScreen,
    RunningMatchesScreen,
)
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.pages.people import PeopleScreen
from mastermind_client.screen.pages.profile import ProfileScreen
from mastermind_client.screen.pages.settings import ComputersScreen, SettingsScreen
from mastermind_client.screen.pages.statistics import StatisticsScreen
from mastermind_client.screen.screen import MatchPage, MenuPage, Screen
from mastermind_client.screen.servers.server import Server
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.clock import SECOND
from mastermind_protocol.commands import GuessCode, LeaveMatch, OfferRematch, SetSecret, TakeAdvice
from mastermind_protocol.events import MatchEnd, Opened, Player, Rated, RatedPlayer, Seat
from mastermind_protocol.glicko import DRAW, Rating, rate
from mastermind_protocol.match import BreakerView, Phase
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import AnyRequest
from mastermind_server.bots import describe_bots
from mastermind_server.bots.analysis.advice import advise, review

SERVER = "wss://play.example.org"
SETTINGS = Settings(name="Ada", server=SERVER)
ADA, BOB, EVE = (Player(id=name.upper(), name=name) for name in ("Ada", "Bob", "Eve"))
HARD = Player(id="bot-optimal-maker", name="hard", bot="optimal")
KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
CODE, LATER = "K7M2QX", "W4T9BN"
NONCE = bytes(range(16))
WINTER = 1_767_225_600_000  # midnight between 2025 and 2026, in ms of UTC
HOUR = 3_600_000


@dataclass(frozen=True, slots=True)
class Scene:
    """A first screen, the keys to press, and the words that then appear in every size.

    `shows_all` is false if a card or prompt covers a part of the screen.
    """

    name: str
    open: Callable[[App], Screen]
    keys: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    shows_all: bool = True
    size: tuple[int, int] | None = None
    language: str = "en"


def show(app: App, told: ScriptedMatch) -> Screen:
    """Return the screen of a match."""
    return make_screen(app, MatchPage(told.server, told.mirror))


def answer(request: AnyRequest) -> AnyMessage:
    """Answer the requests that screens send when they open."""
    match request:
        case requests.ListMatches(what="waiting"):
            return wire.Listing(id=request.id, matches=WAITING)
        case requests.ListMatches():
            return wire.Listing(id=request.id, matches=RUNNING)
        case requests.Archive():
            return wire.Archived(id=request.id, matches=ARCHIVED)
        case requests.ListBots():
            return wire.Bots(id=request.id, bots=describe_bots())
        case _:
            raise AssertionError(f"no scene asks {request}")


def answer_nothing(request: AnyRequest) -> AnyMessage:
    """Answer with empty lists."""
    match request:
        case requests.ListMatches():
            return wire.Listing(id=request.id, matches=())
        case requests.Archive():
            return wire.Archived(id=request.id, matches=())
        case _:
            raise AssertionError(f"no scene asks {request}")


WAITING = (
    wire.Listed(match="H3KX7P", rules="classic", rounds=2, phase=Phase.GATHERING, maker="Bob"),
    wire.Listed(match="R9W2TD", rules="eight", rounds=1, phase=Phase.GATHERING, breaker="Eve"),
    wire.Listed(
        match="M5N8QZ", rules="9x12/99", rounds=16, phase=Phase.GATHERING, rated=True,
        maker="Bartholomew Featherston",
    ),
    wire.Listed(
        match="B6C4VF", rules="knuth", rounds=1, phase=Phase.GATHERING, bots=(Seat.MAKER,),
        maker="my first robot",
    ),
)  # fmt: skip
RUNNING = (
    wire.Listed(
        match="H3KX7P", rules="classic", rounds=2, phase=Phase.BREAKING, maker="Bob",
        breaker="Eve", rated=True,
    ),
    wire.Listed(
        match="R9W2TD", rules="knuth", rounds=1, phase=Phase.BREAKING, maker="random",
        breaker="optimal", bots=(Seat.MAKER, Seat.BREAKER),
    ),
    wire.Listed(
        match="M5N8QZ", rules="9x12/99", rounds=16, phase=Phase.SETTING,
        maker="Bartholomew Featherston", breaker="Wilhelmina Carruthers II",
    ),
)  # fmt: skip
ARCHIVED = (
    wire.ArchivedMatch(
        match="H3KX7P", rules="classic", rounds=1, at=WINTER + 14 * HOUR, seat=Seat.BREAKER,
        opponent="hard", bot=True, won=True, how=MatchEnd.PLAYED, guesses=5, points=(0, 5),
    ),
    wire.ArchivedMatch(
        match="R9W2TD", rules="eight", rounds=2, rated=True, at=WINTER, seat=Seat.MAKER,
        opponent="Bartholomew Featherston", how=MatchEnd.PLAYED, guesses=14, points=(7, 7),
    ),
    wire.ArchivedMatch(
        match="M5N8QZ", rules="9x12/99", rounds=16, at=WINTER - 9 * HOUR, seat=Seat.MAKER,
        opponent="Bob", won=True, how=MatchEnd.LEFT, guesses=112, points=(64, 40),
    ),
)  # fmt: skip


def open_listed(
    screen: Callable[[App, str], Screen], app: App, answer: Callable[[AnyRequest], AnyMessage]
) -> Screen:
    """Return a screen with a list from the server."""
    settle(app, SERVER, ADA, answer)
    return screen(app, SERVER)


def open_profile(player: Player, app: App) -> Screen:
    """Return the page of a player."""
    settle(app, SERVER, ADA, answer_leaders)
    return ProfileScreen(app, ProfileOptions(SERVER, player=player.id))


def open_form(page: MenuPage, app: App) -> Screen:
    """Return a screen with a form that asks for bots."""
    settle(app, OFFLINE, ADA, answer)
    return OpeningScreen(app, page)


def refused(app: App) -> Screen:
    """Return the screen of a match on an unreachable server."""
    app.open(HomeScreen(app))
    screen = EnteringScreen(app, JoinOptions(CODE, SERVER))
    refused = DisconnectReason(Fault.OTHER, "connection refused")
    screen.error = ServerUnreachable(Cause.NEVER_REACHED, server=SERVER, reason=refused)
    return screen


def at(app: App, me: Player = ADA) -> Server:
    """Return a player's connected on the server of the scenes."""
    return settle(app, SERVER, me, answer)


def invite(app: App, page: str | None = None) -> Screen:
    """Return the screen of a match that waits for a friend, on a server with this web page."""
    connected = at(app)
    connected.session.receiver.page_url = page
    opened = Opened(rules="classic", rounds=2, rated=True, clock="5+3")
    told = ScriptedMatch(connected, CODE, opened, None, ADA)
    return WaitingScreen(app, connected, told.mirror)


def against_bot(connected: Server, rules: str = "classic") -> ScriptedMatch:
    """Return a match against a bot, before Ada's first guess."""
    told = ScriptedMatch(connected, CODE, Opened(rules=rules, rounds=1), HARD, ADA)
    told.do(HARD, SetSecret(pegs("2513", rules), NONCE))
    return told


def between_people(connected: Server, *, guesses: int = 2, rounds: int = 2) -> ScriptedMatch:
    """Return a match of Bob against Ada, the codebreaker, with `guesses` guesses and some chat."""
    opened = Opened(rules="classic", rounds=rounds, rated=True, public=True)
    told = ScriptedMatch(connected, CODE, opened, BOB, ADA)
    told.say(BOB, "hello there, good luck with that one")
    told.do(BOB, SetSecret(pegs("2513"), NONCE))
    told.say(ADA, "I will need it")
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in GUESSES[:guesses]))
    told.mirror.spectators = 2
    return told


RATINGS = {"ADA": Rating(1512.2, 78.0, 0.06), "BOB": Rating(1498.4, 120.0, 0.06)}


def timed(connected: Server, *, rated: bool = True) -> ScriptedMatch:
    """Return a match of Bob against Ada with a clock, after Bob has set the secret."""
    opened = Opened(rules="classic", rounds=2, rated=rated, clock="5+3")
    told = ScriptedMatch(connected, CODE, opened, BOB, ADA, RATINGS if rated else {})
    told.at += 8 * SECOND
    told.do(BOB, SetSecret(pegs("2513"), NONCE))
    return told


def breaking_in_time(app: App) -> Screen:
    """Return a match with a clock as its codebreaker sees it, in the middle of a round."""
    told = timed(at(app))
    for guess in GUESSES[:2]:
        told.at += 61 * SECOND
        told.do(ADA, GuessCode(pegs(guess)))
    told.at += 27 * SECOND
    return show(app, told)


def ended_in_time(app: App) -> Screen:
    """Return the result of a rated match, in which neither breaks the code in time."""
    told = timed(at(app))
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in GUESSES[:3]))
    told.at += 320 * SECOND
    told.expire()
    told.do(ADA, SetSecret(pegs("6541"), NONCE))
    told.at += 320 * SECOND
    told.expire()
    ada, bob = RATINGS["ADA"], RATINGS["BOB"]
    hers = RatedPlayer(player="ADA", n=70, before=ada, after=rate(ada, [(bob, DRAW)]))
    his = RatedPlayer(player="BOB", n=9, before=bob, after=rate(bob, [(ada, DRAW)]))
    told.happen(Rated(players=(hers, his)))
    return show(app, told)


def running_out(app: App) -> Screen:
    """Return the same match in the last seconds of Ada's time."""
    told = timed(at(app))
    told.at += 292 * SECOND + 450
    return show(app, told)


GUESSES = ("1122", "2344", "2536", "2513")


def breaking(app: App) -> Screen:
    """Return the match as its codebreaker sees it, in the middle of a round."""
    return show(app, between_people(at(app)))


def making(app: App) -> Screen:
    """Return the same match as its codemaker sees it."""
    return show(app, between_people(at(app, BOB)))


def setting(app: App) -> Screen:
    """Return a match before the codemaker sets the secret."""
    connected = at(app, BOB)
    told = ScriptedMatch(connected, CODE, Opened(rules="eight", rounds=2), BOB, ADA)
    return show(app, told)


def watching(app: App) -> Screen:
    """Return the same match as a spectator sees it."""
    connected = at(app, EVE)
    told = between_people(connected, guesses=3)
    told.say(EVE, "it must be orange", "spectators")
    return show(app, told)


def playing_back(app: App) -> Screen:
    """Return the playback of an ended match of two bots."""
    connected = at(app, EVE)
    told = ScriptedMatch(connected, "R4WZ9N", Opened(rules="knuth", rounds=1), HARD, KNUTH)
    told.do(HARD, SetSecret(pegs("6546", "knuth"), NONCE))
    guesses = ("1122", "3345", "5446", "5465", "6546")
    told.do(KNUTH, *(GuessCode(pegs(guess, "knuth")) for guess in guesses))
    told.say(EVE, "yellow twice?", "spectators")
    told.mirror.spectators = 1
    return show(app, told)


def next_round(app: App) -> Screen:
    """Return the match between its rounds, where Ada becomes the codemaker."""
    return show(app, between_people(at(app), guesses=4))


def ended(connected: Server) -> ScriptedMatch:
    """Return the match after both rounds."""
    told = between_people(connected, guesses=4)
    told.do(ADA, SetSecret(pegs("6541"), NONCE))
    told.do(BOB, *(GuessCode(pegs(guess)) for guess in ("1122", "1345", "6541")))
    return told


def cracked(app: App) -> Screen:
    """Return the end of a game that Ada wins, after earlier games."""
    connected = at(app)
    remember(connected, [3, *[4] * 4, *[5] * 9, *[6] * 5, *[7] * 3, 8])
    told = against_bot(connected)
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in GUESSES))
    return show(app, told)


def stood(app: App) -> Screen:
    """Return the end of a game that Ada loses, after earlier games."""
    connected = at(app)
    remember(connected, [5, 6, 6, 0])
    told = against_bot(connected)
    told.do(ADA, *(GuessCode(pegs("1122")) for _guess in range(12)))
    return show(app, told)


def remember(connected: Server, tries: Sequence[int]) -> None:
    """Add classic games of the player with these numbers of guesses, 0 for a lost game."""
    connected.statistics = sum_matches(
        wire.ArchivedMatch(
            match=f"GAME{number:02}", rules="classic", rounds=1, at=WINTER, seat=Seat.BREAKER,
            opponent="hard", bot=True, won=bool(guesses), how=MatchEnd.PLAYED,
            guesses=guesses or 12, points=(0, guesses or 13), tries=(guesses,),
        )
        for number, guesses in enumerate(tries)
    )  # fmt: skip


def result_of_rounds(app: App) -> Screen:
    """Return the ended match with an offer of a rematch."""
    connected = at(app)
    told = ended(connected)
    told.do(BOB, OfferRematch(LATER))
    return show(app, told)


def deserted(app: App) -> Screen:
    """Return a match that Ada wins because her opponent left."""
    connected = at(app)
    told = between_people(connected, rounds=1)
    told.do(BOB, LeaveMatch())
    return show(app, told)


def advised(app: App) -> Screen:
    """Return a match that allows advice."""
    told: ScriptedMatch

    def answer(request: AnyRequest) -> AnyMessage:
        assert isinstance(request, requests.Advise)
        told.do(ADA, TakeAdvice())
        current = told.mirror.state.current
        assert current is not None
        view = BreakerView(told.mirror.state.rules, current.turns)
        found = advise(view, request.by, request.most)
        return wire.Advice(
            id=request.id, match=CODE, guess=len(view.turns) + 1, left=found.left,
            guesses=found.guesses, sampled=found.sampled,
        )  # fmt: skip

    connected = settle(app, SERVER, ADA, answer)
    told = against_bot(connected)
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in GUESSES[:2]))
    return show(app, told)


def excluding(app: App, *, rated: bool = False) -> Screen:
    """Return a match in which two colours are excluded."""
    opened = Opened(rules="classic", rounds=2, rated=rated)
    told = ScriptedMatch(at(app), CODE, opened, BOB, ADA)
    told.do(BOB, SetSecret(pegs("2513"), NONCE))
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in ("1122", "4646")))
    return show(app, told)


def in_trouble(app: App) -> Screen:
    """Return the match while the client reconnects."""
    connected = at(app)
    lost = DisconnectReason(Fault.OTHER, "connection refused")
    connected.session.updates.connection = Connection(lost=lost, attempt=3)
    return make_screen(app, MatchPage(connected, between_people(connected).mirror))


def alone(app: App) -> Screen:
    """Return the match while the opponent is disconnected."""
    connected = at(app)
    told = between_people(connected)
    told.mirror.away[BOB.id] = 0.0
    return show(app, told)


def largest(app: App) -> Screen:
    """Return a match by the largest rules, with more guesses than a screen has rows."""
    connected = at(app)
    told = ScriptedMatch(connected, CODE, Opened(rules="9x12/99", rounds=16), BOB, ADA)
    told.do(BOB, SetSecret((11,) * 9, NONCE))
    guesses = (tuple((start + peg) % 11 for peg in range(9)) for start in range(44))
    told.do(ADA, *(GuessCode(guess) for guess in guesses))
    return show(app, told)


def in_lab(app: App) -> Screen:
    """Return a match by rules with digits and a notation of their own."""
    connected = at(app)
    told = ScriptedMatch(connected, CODE, Opened(rules="lab", rounds=1), HARD, ADA)
    told.do(HARD, SetSecret(pegs("0251", "lab"), NONCE))
    told.do(ADA, *(GuessCode(pegs(guess, "lab")) for guess in ("0011", "0232")))
    return show(app, told)


def in_bulls(app: App) -> Screen:
    """Return a match without repeats, in which the first answer excludes four digits."""
    connected = at(app)
    told = ScriptedMatch(connected, CODE, Opened(rules="bulls", rounds=1), HARD, ADA)
    told.do(HARD, SetSecret(pegs("3795", "bulls"), NONCE))
    told.do(ADA, *(GuessCode(pegs(guess, "bulls")) for guess in ("0126", "3481")))
    return show(app, told)


def replayed(app: App) -> Screen:
    """Return the replay of the match, with the bots' review."""
    told: ScriptedMatch

    def answer(request: AnyRequest) -> AnyMessage:
        assert isinstance(request, requests.Review)
        match = told.mirror.state
        turns = review(match.rules, match.played[request.round - 1].turns)
        return wire.Reviewing(id=request.id, match=CODE, round=request.round, turns=tuple(turns))

    connected = settle(app, SERVER, ADA, answer)
    told = ended(connected)
    return ReplayScreen(app, connected, told.mirror)


def played(number: int, *tries: int, rules: str = "classic", **changes: Any) -> wire.ArchivedMatch:
    """Return an archived match of Ada against hard; its time follows from its number."""
    fields = {"won": True, "opponent": "hard", "bot": True, **changes}
    return wire.ArchivedMatch(
        match=f"PLAY{number + 22}", rules=rules, rounds=1, at=WINTER + number, seat=Seat.BREAKER,
        how=MatchEnd.PLAYED, guesses=sum(tries), points=(0, sum(tries)), tries=tries, **fields,
    )  # fmt: skip


PLAYED = (
    *(
        played(number, guesses, won=guesses > 0)
        for number, guesses in enumerate((6, 5, 0, 5, 4, 7, 5, 3, 8, 5, 0, 4, 6, 5, 5, 4, 5))
    ),
    played(20, 5, rules="eight", opponent="Bartholomew Featherston", bot=False),
    played(21, 7, rules="eight", opponent="Bob", bot=False, won=None),
)


def answer_people(request: AnyRequest) -> AnyMessage:
    """Answer with the people whom Ada has met."""
    assert isinstance(request, requests.ListPeople)
    results = (
        ("Bob", 5, 3, 0, True, None), ("Kasia", 2, 2, 1, True, LATER),
        ("Noor", 1, 6, 9, False, None), ("Bartholomew Featherston", 4, 1, 12, False, None),
        ("Hal", 0, 1, 40, False, None),
    )  # fmt: skip
    return wire.People(
        id=request.id,
        people=tuple(
            wire.Person(
                player=name.upper(), name=name, wins=wins, losses=losses, last=days_ago(days),
                online=online, match=match,
            )
            for name, wins, losses, days, online, match in results
        ),
    )  # fmt: skip


def list_people(app: App) -> Screen:
    """Return the page of the people whom Ada has met, all offline."""
    settle(app, OFFLINE, ADA, answer_people)
    return PeopleScreen(app)


def counted(app: App) -> Screen:
    """Return the statistics page for Ada's games, which were all offline."""
    settle(app, OFFLINE, ADA).statistics = sum_matches(PLAYED)
    settle(app, SERVER, ADA)
    return StatisticsScreen(app)


SCENES = (
    Scene("home", HomeScreen, (), ("Play a bot", "How to play", "Settings")),
    Scene("play", partial(open_form, MenuPage.PLAY), ("down",), ("Start", "break the")),
    Scene("bots", partial(open_form, MenuPage.BOTS), (), ("Start", "Secret")),
    Scene("invite", partial(OpeningScreen, page=MenuPage.INVITE), (), ("Invite", SERVER)),
    Scene(
        "find",
        partial(open_listed, FindOpponentScreen, answer=answer),
        ("pagedown",),
        ("Bob", "Eve"),
    ),
    Scene(
        "find-nobody",
        partial(open_listed, FindOpponentScreen, answer=answer_nothing),
        (),
        ("Nobody",),
    ),
    Scene(
        "watch",
        partial(open_listed, RunningMatchesScreen, answer=answer),
        ("pagedown",),
        ("Eve and",),
    ),
    Scene(
        "archive",
        partial(open_listed, ArchiveScreen, answer=answer),
        (),
        ("2026-01-01", "hard (bot)", "won, classic"),
    ),
    Scene(
        "archive-empty",
        partial(open_listed, ArchiveScreen, answer=answer_nothing),
        (),
        ("no match",),
    ),
    Scene("statistics", counted, (), ("19 matches, 16 won", "best 3 · average 5.1")),
    Scene("people", list_people, (), ("Bob", "5 : 3", "online", "Hal")),
    Scene(
        "leaderboard",
        partial(open_listed, LeaderboardScreen, answer=answer_leaders),
        ("down",),
        ("Noor", "1934 ± 42", "Ada ", "1512 ± 83"),
    ),
    Scene(
        "player",
        partial(open_profile, BOB),
        (),
        ("classic", "± 83, place 38 of 40", "4 won, 1 drawn"),
    ),
    Scene(
        "player-challenge",
        partial(open_profile, BOB),
        ("enter", "down"),
        ("Challenge Bob?", "classic, 2 rounds, 5+3, rated"),
        shows_all=False,
    ),
    Scene("player-own", partial(open_profile, ADA), ("right",), ("eight", "± 121 ?, no place")),
    Scene("settings", SettingsScreen, ("down", "down", "down"), ("Palette", "default")),
    Scene("computers", ComputersScreen, ("down",), ("Show a code", "Log out elsewhere")),
    Scene("unreachable", refused, (), ("Cannot reach", "Try again")),
    Scene("waiting", invite, (), (CODE, f"mastermind join play.example.org/{CODE}")),
    Scene("waiting-link", partial(invite, page="/"), (), (f"https://play.example.org/{CODE}",)),
    Scene("match-clock", breaking_in_time, (), ("Bob 1498?", "Ada (you) 1512")),
    Scene("result-rated", ended_in_time, (), ("Rating",)),
    Scene("match-clock-low", running_out, (), ("7.5", "A win brings")),
    Scene(
        "match-breaker", breaking, ("2", "5", "3"), ("One more peg: a letter, or 1 to 6.", "Bob")
    ),
    Scene("match-breaker-pl", breaking, ("2", "5", "3"), language="pl"),
    Scene("match-maker", making, (), ("Ada's turn  Every guess is a point for you.",)),
    Scene(
        "match-setting", setting, ("r", "right", "down"), ("Your turn  Two more pegs: letters.",)
    ),
    Scene("match-spectator", watching, ("left",), (" Guess 2 ",)),
    Scene("match-playback", playing_back, ("right", "right"), (" Paused ", "speed ●●○○")),
    Scene("between", next_round, (), ("Round 1 is over", "win the match.")),
    Scene("result", cracked, (), ("You win", "Brilliant!", "Cracked in 4 guesses.")),
    Scene("result-lost", stood, (), ("hard wins", "The code stands.")),
    Scene(
        "result-rounds", result_of_rounds, (), ("Bob wants another  Enter takes it.", "Bob wins")
    ),
    Scene("result-deserted", deserted, (), ("has left", "You win")),
    Scene("match-advice", advised, ("f2", "f3"), ("18 codes fit.", "Your turn  Enter sends it.")),
    Scene("match-excluded", excluding, ("2", "1", "3", "3"), ("Guess 1 rules this out.",)),
    Scene("match-chat", breaking, ("tab", *"well"), ("Say: well", "2  Good luck!"), False),
    Scene("match-journal", breaking, ("f4",), ("luck with that one", "Your turn")),
    Scene("match-trouble", in_trouble, (), ("Trying again (3)", "Your turn")),
    Scene("match-absent", alone, (), ("◇",)),
    Scene("match-largest", largest, ("1",), ("45 of 99",)),
    Scene("match-lab", in_lab, ("0",), ("Your turn  Three more pegs: 0 to 5.",)),
    Scene("match-bulls", in_bulls, ("3", "5", "3"), ("Your turn  3 is on peg 1 already",)),
    Scene("how-to-play", HowToPlayScreen, (), ("How to play", "For example", "try it with a bot")),
    Scene("help-home", HomeScreen, ("?",), ("Help", "F5"), False),
    Scene("help-match", breaking, ("?", "?"), ("How to play", "12 guesses"), False),
    Scene("help-match-keys", breaking, ("f1",), ("Help", "letters, digits", "how to play"), False),
    Scene("question", breaking, ("escape",), ("Leave the match?", "Stay"), False),
    Scene("replay", replayed, ("right", "right"), ("Ada",)),
    Scene("replay-end", replayed, ("end",), ("Ada",)),
    Scene("too-small", breaking, (), ("59 x 19", "60 x 20"), False, (59, 19)),
)
