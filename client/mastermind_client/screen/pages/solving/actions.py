"""The state of the helper, and the actions of its keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.messages.analysis import find_next_measure
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.pages.solving.analyst import Analyst
from mastermind_client.screen.pages.solving.codes import CodeList
from mastermind_client.screen.pages.solving.draft import Draft
from mastermind_client.screen.pages.solving.drawing import exceeds_turn_line
from mastermind_client.screen.pages.solving.files import PositionFiles, load, paste
from mastermind_client.screen.pages.solving.setup import SolveForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.config.options import SolveOptions
    from mastermind_client.messages.solving.notation import Position
    from mastermind_client.screen.app import App
    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_protocol.match import Turn


class SolveActions(AppScreen):
    """The state of the helper, and the actions of its keys.

    `draft` is the position, `codes` the list of its codes and `analyst` its analysis. `layout` is
    that of the last drawing, or None.
    """

    def __init__(self, app: App, options: SolveOptions) -> None:
        super().__init__(app)
        self.options = options
        self.draft = Draft.begin(options.rules, options.turns, locked=options.bot is not None)
        self.saved_turns = options.turns  # those in a file, or none
        self.chosen_correction = 0
        self.layout: Layout | None = None  # of the last drawing
        self.analyst = Analyst(app, self._on_found)
        self.codes = CodeList(app)
        self._files = PositionFiles(app, options.path, self._on_loaded, self._on_saved)

    # The conditions of the keys.

    def is_filling(self) -> bool:
        """Return whether the list of codes does not hide the lines."""
        return self.codes.page is None

    def shows_codes(self) -> bool:
        """Return whether the list of codes is open."""
        return self.codes.page is not None

    def has_turns(self) -> bool:
        """Return whether there are complete lines, and the list of codes does not hide them."""
        return self.is_filling() and bool(self.draft.turns)

    def has_ended(self) -> bool:
        """Return whether the code is found, and no line is being edited."""
        return self.is_filling() and self.draft.has_ended

    def is_editing(self) -> bool:
        """Return whether the user fills a line before the end."""
        return self.is_filling() and not self.draft.is_new_line

    def is_stopped(self) -> bool:
        """Return whether the user has stopped the search."""
        return self.is_filling() and self.analyst.is_stopped

    def can_enter(self) -> bool:
        """Return whether Enter is about the filled line."""
        return self.is_filling() and not self.can_correct() and not self.draft.has_ended

    def can_correct(self) -> bool:
        """Return whether Enter takes a correction: no other line is being filled."""
        draft = self.draft
        return self.has_corrections() and draft.is_new_line and not draft.has_pegs

    def can_stop(self) -> bool:
        """Return whether a search takes long."""
        return self.is_filling() and self.analyst.is_slow

    def can_leave(self) -> bool:
        """Return whether Esc leaves the page, because nothing else is open."""
        return self.is_filling() and not self.can_stop() and not self.is_editing()

    def has_corrections(self) -> bool:
        """Return whether a change of one answer would do, as no code fits."""
        analysis = self.analyst.analysis
        return self.is_filling() and analysis is not None and bool(analysis.corrections)

    def has_advice(self) -> bool:
        """Return whether there are best guesses for the user."""
        analysis, draft = self.analyst.analysis, self.draft
        advised = analysis is not None and bool(analysis.guesses)
        return self.is_filling() and not draft.locked and not draft.is_solved and advised

    def has_codes(self) -> bool:
        """Return whether the list of codes can be opened or closed."""
        analysis = self.analyst.analysis
        return self.shows_codes() or (analysis is not None and bool(analysis.codes))

    def has_more_codes(self) -> bool:
        """Return whether the list of codes has a next page."""
        return self.layout is not None and self.codes.has_next(self.layout)

    # The lines.

    def change(self, draft: Draft) -> None:
        """Show a changed draft, and analyse its position if that is another one.

        A long notice is an error message, as the turn line is too short.
        """
        if self.layout is not None and exceeds_turn_line(draft.notice, self.layout):
            self.app.show_error(draft.notice)
            draft = replace(draft, notice="")
        before, self.draft = self.draft, draft
        if (draft.rules, draft.turns) != (before.rules, before.turns):
            self.chosen_correction = 0
            self.analyse()
        self._offer_choice()
        self.app.redraw()

    def edit(self, change: Callable[[Entry], Entry]) -> None:
        """Change the guess of the filled line."""
        self.change(self.draft.change_entry(change))

    def type(self, character: str) -> None:
        """Add a typed peg, or a digit of the answer."""
        self.change(self.draft.type(character))

    def paste(self, text: str) -> None:
        """Add pasted pegs, an answer or whole lines."""
        self.change(paste(self.draft, text))

    def enter(self) -> None:
        """Move to the answer, or complete an edited line."""
        self.change(self.draft.enter())

    def remove_digit(self) -> None:
        """Remove the first digit of the answer."""
        self.change(replace(self.draft, digits=(), notice=""))

    def go_by(self, lines: int) -> None:
        """Go to the line that is a number of lines further, or back if it is negative."""
        self.change(self.draft.go(self.draft.line + lines))

    def go_to_end(self) -> None:
        """Go to the line after the last turn."""
        self.change(self.draft.go(len(self.draft.turns)))

    def clear(self) -> None:
        """Begin a new game by the same rules. It can be taken back."""
        self.change(self.draft.replace_turns(()))

    # The analysis.

    def analyse_anew(self) -> None:
        """Analyse the position by the present measure."""
        self.analyse()
        self.app.redraw()

    def analyse(self) -> None:
        """Analyse the position in the background."""
        self.analyst.begin(self.draft.rules, self.draft.turns, self.options.by, self.options.bot)

    def _on_found(self) -> None:
        self._offer_choice()
        self.app.redraw()

    def _offer_choice(self) -> None:
        """Put the guess of the bot into the row."""
        if (choice := self.analyst.choice) is not None and self.draft.is_waiting:
            self.draft = self.draft.offer(choice)

    def stop(self) -> None:
        """Stop the search."""
        self.analyst.stop()
        self.app.redraw()

    def change_measure(self) -> None:
        """Rank the guesses by the next measure."""
        self.options = replace(self.options, by=find_next_measure(self.options.by))
        self.analyse_anew()

    def take_advice(self) -> None:
        """Put the best guess into the row of the next guess, or if it is there, the next best."""
        if (analysis := self.analyst.analysis) is None or not analysis.guesses:
            return
        codes = [guess.code for guess in analysis.guesses]
        entered = self.draft.entry.code
        index = codes.index(entered) + 1 if entered in codes else 0
        self.change(self.draft.go(len(self.draft.turns)).offer(codes[index % len(codes)]))

    def next_correction(self) -> None:
        """Mark the next correction. The first follows the last."""
        analysis = self.analyst.analysis
        if analysis is not None and analysis.corrections:
            self.chosen_correction = (self.chosen_correction + 1) % len(analysis.corrections)
        self.app.redraw()

    def take_correction(self) -> None:
        """Change the answer that the marked correction names."""
        analysis = self.analyst.analysis
        if analysis is not None and self.has_corrections():
            self.change(self.draft.correct(analysis.corrections[self.chosen_correction]))

    def toggle_codes(self) -> None:
        """Open or close the list of codes."""
        analysis = self.analyst.analysis
        if self.shows_codes():
            self.codes.close()
        elif analysis is not None:
            self.codes.open(self.draft.rules, self.draft.turns, analysis)
        self.app.redraw()

    def turn_page(self, pages: int) -> None:
        """Show another page of the codes."""
        if self.layout is not None:
            self.codes.turn(pages, self.layout)

    # Files and rules.

    def save(self) -> None:
        """Ask for a file, and write the lines to it."""
        self._files.ask_to_save(self.draft.rules, self.draft.turns)

    def load(self) -> None:
        """Ask for a file, and replace the lines by its lines."""
        self._files.ask_to_load(self.draft.rules)

    def _on_saved(self, turns: tuple[Turn, ...]) -> None:
        self.saved_turns = turns

    def _on_loaded(self, position: Position) -> None:
        self.saved_turns = position.turns
        self.change(load(self.draft, position))

    def open_form(self) -> None:
        """Open the form with the rules, and with who breaks the code."""
        options = replace(self.options, rules=self.draft.rules)
        self.app.open(SolveForm(self.app, options, self._begin))

    def _begin(self, options: SolveOptions) -> None:
        """Begin a game with other options. The lines stay if the rules are the same."""
        self.options, before = options, self.draft
        kept = before.turns if options.rules == before.rules else ()
        self.draft = Draft.begin(options.rules, kept, locked=options.bot is not None)
        self.chosen_correction = 0
        self.analyse()
