"""The page of a puzzle."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client import solver
from mastermind_client.config.puzzle_record import (
    load_record,
    name_puzzle,
    record_answer,
    record_surrender,
)
from mastermind_client.config.values import find_page
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.solving.sentences import (
    write_puzzle_command,
    write_puzzle_link,
)
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.pages.solving.layout import choose_solving_layout, find_notice_row
from mastermind_client.screen.pages.solving.puzzle_drawing import (
    PuzzleScene,
    PuzzleState,
    draw_puzzle,
)
from mastermind_client.screen.pages.solving.setup import PuzzleForm
from mastermind_client.screen.row_keys import make_row_keys
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.screen import back_key
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.match import find_excluding_guess
from mastermind_protocol.requests import MAX_PUZZLE_LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.config.options import PuzzleOptions
    from mastermind_client.config.puzzle_record import PuzzleRecord
    from mastermind_client.screen.app import App
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Extent, Line
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules


class PuzzleScreen(AppScreen):
    """A puzzle, and after it the next ones of the same level. Each has another number."""

    has_notice_row = True

    def __init__(self, app: App, options: PuzzleOptions) -> None:
        super().__init__(app)
        self.scene = PuzzleScene(options, (), Entry.empty(options.rules))
        self._making: asyncio.Task[None] | None = None
        self._recording = asyncio.Lock()  # an answer changes the record that the last one left
        self._clicks = RowClicks(
            on_place=lambda place: self._edit(lambda entry: entry.move_to(place)),
            on_colour=lambda colour: self._edit(lambda entry: entry.place_at_cursor(colour)),
        )
        self.keys = (*self._make_entry_keys(), *self._make_puzzle_keys(), back_key(self))

    def _make_entry_keys(self) -> tuple[Binding, ...]:
        filling = self._is_filling
        return (
            Key(
                ("enter",), N_("check the answer"), self._check, short=N_("check"), when=filling,
            ),
            Key(
                ("enter",), N_("show the next puzzle"), self._begin_next, short=N_("next"),
                when=lambda: self.scene.is_over,
            ),
            Typing(
                N_("letters, digits"), N_("put this colour at the cursor"),
                lambda typed: self._edit(lambda entry: entry.type(typed, self._rules)),
                lambda pasted: self._edit(lambda entry: entry.paste(pasted, self._rules)),
                filling,
            ),
            *make_row_keys(self._edit, filling, lambda: self._rules),
            Key(
                ("delete", "c-u"), N_("clear the row"), partial(self._edit, Entry.clear),
                when=filling,
            ),
        )  # fmt: skip

    def _make_puzzle_keys(self) -> tuple[Binding, ...]:
        return (
            Key(
                ("f6",), N_("give the puzzle up: the code is shown"), self._ask_to_give_up,
                short=N_("give up"), when=self._is_filling,
            ),
            Key(
                ("f2",), N_("a puzzle of the next level"), self._change_level, short=N_("level"),
            ),
            Key(
                ("f4",), N_("other rules, or a puzzle by its number"), self._open_form,
                short=N_("rules"),
            ),
            Key(
                ("s",), N_("copy the command and the link to this puzzle for a friend"),
                self._share, short=N_("share"), when=lambda: bool(self.scene.turns),
            ),
        )  # fmt: skip

    # Events.

    def on_show(self) -> None:
        """Make the puzzle, and read the record."""
        if self._making is None and not self.scene.turns:
            self._begin(self.scene.options)
        if self.scene.record is None:
            self.app.spawn(self._record(partial(load_record, self.app.context.folder)))

    async def on_close(self) -> None:
        """Stop making a puzzle."""
        if self._making is not None:
            self._making.cancel()

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the puzzle."""
        layout = choose_solving_layout(self._rules, extent, len(self.scene.turns) + 1)
        self.rules = self._rules
        self.inset, self.title_row = layout.left + TEXT_INSET, layout.top
        self.notice_row = find_notice_row(layout)
        shown = replace(self.scene, marks_excluded=self.app.settings.mark_excluded)
        return draw_puzzle(shown, layout, self.app.look, self._clicks)

    # Puzzles.

    @property
    def _rules(self) -> Rules:
        return self.scene.options.rules

    def _is_filling(self) -> bool:
        return self.scene.state is PuzzleState.OPEN

    def _begin(self, options: PuzzleOptions) -> None:
        """Make the puzzle of these options. If they have no number, draw one."""
        if options.seed is None:
            options = replace(options, seed=solver.draw_seed())
        self.scene = PuzzleScene(options, (), Entry.empty(options.rules), record=self.scene.record)
        if self._making is not None:
            self._making.cancel()
        self._making = self.app.spawn(self._make(options))
        self.app.redraw()

    async def _make(self, options: PuzzleOptions) -> None:
        seed = options.seed or 0
        try:
            turns = await solver.make_puzzle(options.rules, options.level, seed)
        except MastermindError as error:  # the rules have too many codes
            self.scene = replace(self.scene, error=error)
        else:
            self.pose(turns)

    def pose(self, turns: tuple[Turn, ...]) -> None:
        """Ask for the only code that these turns leave."""
        self.scene = replace(self.scene, turns=turns, state=PuzzleState.OPEN)

    def _begin_next(self) -> None:
        self._begin(replace(self.scene.options, seed=None))

    def _change_level(self) -> None:
        level = self.scene.options.level % MAX_PUZZLE_LEVEL + 1
        self._begin(replace(self.scene.options, level=level, seed=None))

    def _open_form(self) -> None:
        self.app.open(PuzzleForm(self.app, self.scene.options, self._begin))

    # Answers.

    def _edit(self, change: Callable[[Entry], Entry]) -> None:
        if self._is_filling():
            entry = self.scene.entry
            self.scene = replace(self.scene, entry=entry.accept(change(entry), self._rules))
        self.app.redraw()

    def _check(self) -> None:
        code = self.scene.entry.code
        if code is None:
            self.app.show_error(_("The row is not full yet."))
            return
        right = find_excluding_guess(code, self.scene.turns) is None
        state = PuzzleState.SOLVED if right else PuzzleState.OPEN
        entry = self.scene.entry.move_to(0)  # typing then replaces a wrong answer
        self.scene = replace(self.scene, answered=code, entry=entry, state=state)
        write = partial(record_answer, self.app.context.folder, self._name, right=right)
        self.app.spawn(self._record(write), keep=True)

    def _ask_to_give_up(self) -> None:
        self.app.ask(
            Card(
                _("Give the puzzle up?"),
                Answer(_("Stay"), _("Back to the puzzle."), self.app.redraw),
                Answer(_("Give it up"), _("The code is shown."), self._give_up),
                when=self._is_filling,
            )
        )

    def _give_up(self) -> None:
        self.app.spawn(self._show_code(self.scene))

    async def _show_code(self, scene: PuzzleScene) -> None:
        found = await solver.analyse(scene.options.rules, scene.turns, most=1)
        if self.scene.turns != scene.turns or not self._is_filling():
            return  # another puzzle, or already solved
        self.scene = replace(self.scene, answered=found.codes[0], state=PuzzleState.GIVEN_UP)
        await self._record(partial(record_surrender, self.app.context.folder, self._name))

    @property
    def _name(self) -> str:
        options = self.scene.options
        return name_puzzle(options.rules, options.level, options.seed or 0)

    async def _record(self, use: Callable[[], PuzzleRecord]) -> None:
        """Read or change the record in a thread, and show it."""
        async with self._recording:
            record = await asyncio.to_thread(use)
        self.scene = replace(self.scene, record=record)
        self.app.redraw()

    def _share(self) -> None:
        """Copy the command, and the link if the server of the settings has a page."""
        options, address = self.scene.options, self.app.settings.server
        terms = options.rules, options.level, options.seed or 0
        lines = [write_puzzle_command(*terms)]
        pages = [
            find_page(server.session.page_url, address) for server in self.app.open_servers
            if server.address == address
        ]  # fmt: skip
        lines += [write_puzzle_link(page, *terms) for page in pages if page]
        self.app.terminal.copy("\n".join(lines))
        self.app.notify(_("Copied: {line}").format(line=lines[0]))
