"""A screen for tests, which shows given lines and records calls and keys."""

from collections.abc import Callable, Sequence

from kit.screen.stage import Stage
from mastermind_client.screen.app import App
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.screen import Trouble, back_key
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_client.screen.toolkit.lines import Extent, Line, text
from mastermind_client.screen.toolkit.overlays import MAX_LINE_CHARACTERS, Answer, Card, LinePrompt

REASON = "No such name can be taken here, " * 4 + "and that is why."


class Slate(AppScreen):
    """A screen that records keys in `done` and the app's calls in `lived`."""

    trouble: Trouble | None = None

    def __init__(self, app: App, name: str = "slate") -> None:
        super().__init__(app)
        self.name = name
        self.lines: Sequence[Line] = [text(f"This is the {name}.")]
        self.done: list[str] = []
        self.lived: list[str] = []
        self.extents: list[Extent] = []
        self.scrolled: list[int] = []
        self.allowed = True
        self.notice_up = 0  # rows from the bottom to the row for notices, with `has_notice_row`
        self.keys = (
            Key(("left", "home"), "go to the left", self.note("left"), short="left"),
            Key(("space",), "make room", self.note("room")),
            Key(("enter",), "send it", self.note("sent"), short="send", when=self.may),
            Key(("f2", "c-u"), "clear all", self.note("cleared")),
            Typing(
                "letters",
                "write them",
                lambda letter: self.done.append(f"typed {letter}"),
                lambda words: self.done.append(f"pasted {words}"),
                self.may,
                "write",
            ),
            back_key(self),
        )

    def may(self) -> bool:
        return self.allowed

    def note(self, what: str) -> Callable[[], None]:
        return lambda: self.done.append(what)

    def draw(self, extent: Extent) -> list[Line]:
        self.extents.append(extent)
        self.notice_row = extent.rows - self.notice_up
        return list(self.lines)

    def on_show(self) -> None:
        self.lived.append("shown")

    async def on_close(self) -> None:
        self.lived.append("parted")

    def scroll(self, rows: int) -> None:
        self.scrolled.append(rows)


def slate_of(app: App) -> Slate:
    """Return the slate on top."""
    assert isinstance(app.screen, Slate)
    return app.screen


def rows(shown: Stage) -> list[str]:
    """Return the rows of the screen."""
    return shown.text().split("\n")


def open_another(app: App, name: str = "other slate") -> Slate:
    """Open another slate on top."""
    slate = Slate(app, name)
    app.open(slate)
    return slate


def ask(app: App) -> list[str]:
    """Open a card with a question; the returned list receives the answers."""
    given: list[str] = []
    app.ask(
        Card(
            "Burn the board?",
            Answer("Leave it", "Nothing happens.", lambda: given.append("left")),
            Answer("Burn it", "There is no other one.", lambda: given.append("burnt")),
        )
    )
    return given


def ask_name(
    app: App, taken: list[str], *, begin: str = "", limit: int = MAX_LINE_CHARACTERS
) -> None:
    """Open a prompt for a name other than Bob; `taken` receives it."""

    def accept(words: str) -> str | None:
        if words == "Bob":
            return "Bob is taken."
        taken.append(words)
        return None

    app.prompt(LinePrompt("Name:", accept, begin, limit, ("1 for Ala", "2 for Ola")))
