"""The screen of a match, for a player and for a spectator: its keys, and what they do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.parting import say_good_bye
from mastermind_client.tui.browse import Position, find_live, jump, step
from mastermind_client.tui.entry import Entry, excluded_by
from mastermind_client.tui.face import SMALLEST, TITLE, Asked
from mastermind_client.tui.keys import Key, Typing
from mastermind_client.tui.match.scene import Scene
from mastermind_client.tui.match.view import Clicks, draw_match, find_last_top
from mastermind_client.tui.screen import Screen
from mastermind_client.tui.trouble import describe_trouble, tell_time
from mastermind_client.updates import Moved
from mastermind_client.words.chat import PHRASES, list_phrases
from mastermind_protocol.chat import MAX_CHAT
from mastermind_protocol.commands import Guess, Resign, SetSecret, refuse
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.mirror import Mirror
    from mastermind_client.tui.face import Face
    from mastermind_client.tui.keys import Binding
    from mastermind_client.tui.lines import Extent, Line
    from mastermind_client.tui.places import Place
    from mastermind_client.updates import Update
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.messages import Advice


class MatchScreen(Screen):
    """A match that is followed at a place: played in, if we have a seat, or looked on at."""

    def __init__(self, face: Face, place: Place, mirror: Mirror) -> None:
        super().__init__(face)
        self.place, self.mirror = place, mirror
        self.rules = mirror.state.rules
        self.entry = Entry.empty(self.rules)
        self.position: Position | None = None
        self._extent = SMALLEST
        self._top: int | None = None
        self._advice: Advice | None = None
        self._advised = -1  # the index of the advised guess that was copied last
        self._sending = self._muted = self._journal_open = False
        self._rematching = self._continued = False
        self._in_order = asyncio.Lock()  # one command at a time: each is for the version it sees
        self._called = False  # whether we have been told that it is our turn
        self._clicks = Clicks(place=self._pick_place, colour=self._pick_colour)
        playing = mirror.state.seat_of(place.me) is not None
        self.keys = (
            *(self._player_keys() if playing else self._spectator_keys()),
            *self._shared_keys(),
        )

    @property
    def scene(self) -> Scene:
        """What is shown now."""
        mirror = self.mirror
        return Scene(
            code=mirror.code,
            match=mirror.state,
            me=self.place.me,
            entry=self.entry,
            notes=self.place.journal(mirror).notes,
            position=self.position,
            absent={player: tell_time(since) for player, since in mirror.away.items()},
            spectators=mirror.spectators,
            trouble=describe_trouble(self.place),
            excluded=self._find_excluding(),
            sending=self._sending,
            advice=self._advice,
            muted=self._muted,
            journal_open=self._journal_open,
            top=self._top,
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the match."""
        self._extent = extent
        return draw_match(self.scene, extent, self.face.look, self._clicks)

    def shown(self) -> None:
        """Say whose turn it is, where that can be seen from another window."""
        self._call()

    def hear(self, place: Place, update: Update) -> None:
        """Take up what happened; call the player whose turn it has become."""
        if (
            place is not self.place
            or not isinstance(update, Moved)
            or update.mirror is not self.mirror
        ):
            return
        before, match = update.before, self.mirror.state
        if match.seat_of(place.me) is not None:
            self._top = None  # a spectator looks at what they like
        if before is not None and len(before.played) != len(match.played):
            self.entry = Entry.empty(match.rules)
        if before is None or _list_turns(before) != _list_turns(match):
            self._advice, self._advised = None, -1
        self._call()

    @property
    def in_match(self) -> bool:
        """Whether we have a seat in a match that is not over."""
        match = self.mirror.state
        return match.phase is not Phase.FINISHED and match.seat_of(self.place.me) is not None

    async def part(self) -> None:
        """Leave our seat, or look on no more; what a rematch goes on from is still followed."""
        if self.place.ended is None and not self._continued:
            await say_good_bye(self.place.session, self._leave)

    def leave(self) -> None:
        """Go back; from a match that is being played, after a question."""
        if self.in_match:
            self.face.ask(_("Leave the match, and lose it?"), self.face.back)
        else:
            self.face.back()

    def scroll(self, rows: int) -> None:
        """Take the mouse's wheel: scroll the board."""
        last = find_last_top(self.scene, self._extent, self.face.look, self._clicks)
        top = max(0, (last if self._top is None else min(self._top, last)) + rows)
        self._top = top if top < last else None

    # The keys.

    def _player_keys(self) -> tuple[Binding, ...]:
        preparing = self._is_preparing
        breaking, over = self._is_breaking, self._is_over
        return (
            Typing(
                N_("letters, digits"),
                N_("put this colour at the cursor"),
                self._type,
                self._paste,
                preparing,
            ),
            Key(("left",), N_("one place to the left"), self._edit(Entry.left), when=preparing),
            Key(("right",), N_("one place to the right"), self._edit(Entry.right), when=preparing),
            Key(("up",), N_("the next colour for this peg"), self._turn(1), when=preparing),
            Key(("down",), N_("the colour before for this peg"), self._turn(-1), when=preparing),
            Key(("space",), N_("take the peg out"), self._edit(Entry.take_out), when=preparing),
            Key(
                ("backspace",),
                N_("take out the peg before"),
                self._edit(Entry.back),
                when=preparing,
            ),
            Key(
                ("delete", "c-u"),
                N_("clear the row"),
                self._edit(Entry.clear),
                short=N_("clear"),
                when=preparing,
            ),
            Key(
                ("=",),
                N_("copy the last guess down"),
                self._copy_last,
                short=N_("copy"),
                when=breaking,
            ),
            Key(
                ("enter",),
                N_("send the code, when the row is full"),
                self._submit,
                short=N_("send"),
                when=preparing,
            ),
            Key(
                ("f2",),
                N_("take advice; the others are told"),
                self._take_advice,
                short=N_("advice"),
                when=breaking,
            ),
            Key(
                ("f3",),
                N_("copy an advised guess down; again, the next one"),
                self._copy_advice,
                when=breaking,
            ),
            Key(("f6",), N_("give this round up"), self._resign, when=breaking),
            Key(
                ("enter",),
                N_("play again; two people swap their seats"),
                self._rematch,
                short=N_("again"),
                when=over,
            ),
        )

    def _spectator_keys(self) -> tuple[Binding, ...]:
        return (
            Key(("left", "up"), N_("one guess back"), self._browse(-1), short=N_("back in time")),
            Key(("right", "down"), N_("one guess on"), self._browse(1)),
            Key(("home",), N_("the last round before this one"), self._jump(-1)),
            Key(("end",), N_("return to the live move"), self._return_live, short=N_("live")),
        )

    def _shared_keys(self) -> tuple[Binding, ...]:
        return (
            Key(("pageup",), N_("scroll the board up"), self._scroll_by(-5)),
            Key(("pagedown",), N_("scroll the board down"), self._scroll_by(5)),
            Key(
                ("tab",),
                N_("say something; a digit alone says a canned phrase"),
                self._say,
                short=N_("say"),
            ),
            Key(
                ("f4",),
                N_("show or hide what happened, where it has no room"),
                self._toggle_journal,
            ),
            Key(("f8",), N_("mute what the others say, or hear it again"), self._toggle_mute),
            Key(
                ("f7",),
                N_("review the match move by move"),
                self._review,
                short=N_("review"),
                when=self._is_over,
            ),
            Key(("escape",), N_("leave"), self.leave, short=N_("leave")),
        )

    def _type(self, character: str) -> None:
        self.entry = self.entry.type(character, self.mirror.state.rules)

    def _paste(self, text: str) -> None:
        self.entry = self.entry.paste(text, self.mirror.state.rules)

    def _edit(self, change: Callable[[Entry], Entry]) -> Callable[[], None]:
        def edit() -> None:
            self.entry = change(self.entry)

        return edit

    def _turn(self, by: int) -> Callable[[], None]:
        def turn() -> None:
            self.entry = self.entry.turn(by, self.mirror.state.rules)

        return turn

    def _pick_place(self, place: int) -> None:
        self.entry = self.entry.at(place)
        self.face.redraw()

    def _pick_colour(self, colour: int) -> None:
        self.entry = self.entry.place(colour)
        self.face.redraw()

    def _copy_last(self) -> None:
        played = self.mirror.state.current
        if played is not None and played.turns:
            self.entry = self.entry.fill(played.turns[-1].code)
        else:
            self.face.tell(_("There is no guess to copy yet."))

    def _submit(self) -> None:
        """Send the code if the row is full and the rules allow it; what is wrong is said."""
        code = self.entry.code
        if self._sending:
            return
        if code is None:
            self.face.complain(_("The row is not full yet."))
            return
        match = self.mirror.state
        making = match.seat_of(self.place.me) is Seat.MAKER
        if refusal := refuse(match, SetSecret(code, b"") if making else Guess(code), self.place.me):
            self.face.explain(refusal)
            return
        self.face.run(self._send(code, making=making))

    async def _send(self, code: Code, *, making: bool) -> None:
        session = self.place.session
        self._sending = True
        try:
            async with self._in_order:
                await (session.set_secret if making else session.guess)(self.mirror, code)
        finally:
            self._sending = False
        if self.entry.code == code:  # nothing else was typed meanwhile
            self.entry = Entry.empty(self.mirror.state.rules)

    def _take_advice(self) -> None:
        async def ask() -> None:
            async with self._in_order:
                self._advice = await self.place.session.advise(self.mirror)
            self._advised = -1

        self.face.run(ask(), _("Weighing the guesses ..."))

    def _copy_advice(self) -> None:
        if self._advice is None:
            self.face.tell(_("There is no advice yet: F2 takes some."))
            return
        self._advised = (self._advised + 1) % len(self._advice.guesses)
        self.entry = self.entry.fill(self._advice.guesses[self._advised].code)

    def _resign(self) -> None:
        if refusal := refuse(self.mirror.state, Resign(), self.place.me):
            self.face.explain(refusal)
            return
        self.face.ask(_("Give this round up?"), lambda: self.face.run(self._give_up()))

    async def _give_up(self) -> None:
        async with self._in_order:
            await self.place.session.resign(self.mirror)

    def _rematch(self) -> None:
        from mastermind_client.tui.start import make_screen  # it opens matches, as we do

        async def play_again() -> None:
            self._rematching = True
            try:
                mirror = await self.place.session.rematch(self.mirror)
            finally:
                self._rematching = False
            self._continued = True
            screen = make_screen(self.face, self.place, mirror)
            self.face.replace(screen, instead_of=self)  # who has left meanwhile leaves it, too

        if not self._rematching:
            self.face.run(play_again(), _("Waiting for the answer ..."))

    def _review(self) -> None:
        from mastermind_client.tui.screens.replay import ReplayScreen

        self.face.open(ReplayScreen(self.face, self.place, self.mirror, shared=True))

    def _say(self) -> None:
        self._begin_line("")

    def _begin_line(self, words: str) -> None:
        def accept(words: str) -> None:
            if words:
                self.face.run(self._send_line(words))

        asked = Asked(_("Say:"), accept, words, limit=MAX_CHAT, explanation=list_phrases())
        self.face.edit(asked)

    async def _send_line(self, words: str) -> None:
        """Say something, or a canned phrase by its number; what is refused can be sent again."""
        phrase = int(words) if words.isascii() and words.isdigit() and len(words) == 1 else 0
        try:
            if 1 <= phrase <= len(PHRASES):
                await self.place.session.say(self.mirror, phrase=phrase)
            else:
                await self.place.session.say(self.mirror, words)
        except Refused as refusal:
            if self.face.asked is None:
                self._begin_line(words)
            self.face.explain(refusal)

    def _toggle_journal(self) -> None:
        self._journal_open = not self._journal_open

    def _toggle_mute(self) -> None:
        self._muted = not self._muted
        self.face.tell(_("The others are muted.") if self._muted else _("The others are heard."))

    def _browse(self, by: int) -> Callable[[], None]:
        def browse() -> None:
            match = self.mirror.state
            position = step(match, self.position or find_live(match), by)
            self.position = None if position == find_live(match) else position

        return browse

    def _jump(self, by: int) -> Callable[[], None]:
        def browse() -> None:
            match = self.mirror.state
            self.position = jump(match, self.position or find_live(match), by)

        return browse

    def _return_live(self) -> None:
        self.position = self._top = None

    def _scroll_by(self, rows: int) -> Callable[[], None]:
        return lambda: self.scroll(rows)

    # What is true now.

    def _is_preparing(self) -> bool:
        return self.scene.preparing

    def _is_breaking(self) -> bool:
        return self._is_preparing() and self.mirror.state.seat_of(self.place.me) is Seat.BREAKER

    def _is_over(self) -> bool:
        return self.mirror.state.phase is Phase.FINISHED

    def _is_my_turn(self) -> bool:
        mover = self.mirror.state.to_move
        return mover is not None and mover.id == self.place.me

    def _find_excluding(self) -> int | None:
        """Return the guess that excludes the code in the row, if that is to be marked."""
        current, code = self.mirror.state.current, self.entry.code
        if not self.face.settings.mark_excluded or current is None or code is None:
            return None
        return excluded_by(code, current.turns) if current.breaker == self.place.me else None

    def _call(self) -> None:
        mine = self._is_my_turn()
        title = _("Your turn - Mastermind") if mine else TITLE
        self.face.hands.call(title, ring=mine and not self._called)
        self._called = mine

    async def _leave(self) -> None:
        match = self.mirror.state
        if match.seat_of(self.place.me) is not None and self.place.me not in match.left:
            await self.place.session.leave(self.mirror)
        else:
            await self.place.session.unfollow(self.mirror)


def _list_turns(match: Match) -> tuple[int, tuple[Turn, ...]]:
    """Return what advice depends on: the round, and its guesses."""
    return len(match.played), match.current.turns if match.current else ()
