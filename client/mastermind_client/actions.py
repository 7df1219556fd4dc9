"""The table of the actions in a match, for both interfaces, their help and docs/LINES.md."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_protocol.commands import ResignRound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.commands import Command


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the player in a match, called `name`. The help explains it by the `sentence`.

    In the line interface the player types the name or the `letter`, followed by the argument if
    `takes` describes one. The full screen binds `keys`, which are names of prompt_toolkit, and
    displays `short` as the key hint. After a key or a letter, but not after a typed name, the
    interface asks the `question` before it runs the action. On the full screen `answer` is the text
    of the button that confirms the question. On the page, `cost` explains the consequence. Actions
    that are not `rated` are unavailable in rated matches.

    An interface has a method for an action, or sends the action's `command`. Texts are marked for
    translation.
    """

    name: str
    sentence: str
    letter: str = ""
    keys: tuple[str, ...] = ()
    short: str = ""
    command: Command | None = None
    question: str = ""
    answer: str = ""
    cost: str = ""
    takes: str = ""
    rated: bool = True


def index_actions(actions: Iterable[Action]) -> Mapping[str, Action]:
    """Return the actions by name, in the given order.

    Raises ValueError if two actions share a name, a letter or a key.
    """
    found: dict[str, Action] = {}
    words: dict[str, Action] = {}
    keys: dict[str, Action] = {}
    for action in actions:
        typed = filter(None, (action.name, action.letter))
        for taken, signs in ((words, typed), (keys, action.keys)):
            for sign in signs:
                if (other := taken.setdefault(sign, action)) is not action:
                    raise ValueError(f"{other.name!r} and {action.name!r} share {sign!r}")
        found[action.name] = action
    return MappingProxyType(found)


ACTIONS = index_actions(
    (
        Action(
            "guess", N_("guess this code, or set it as the secret; a code alone does"),
            letter="g", takes=N_("CODE"),
        ),
        Action("board", N_("every guess so far"), letter="h"),
        Action("last", N_("the last guess and its feedback"), letter="l"),
        Action("opponent", N_("the players, and the number of spectators"), letter="o"),
        Action("time", N_("the time of both players, if the match has a clock"), letter="t"),
        Action(
            "advise", N_("the best next guesses; the others are told that you asked"),
            letter="a", keys=("f2",), short=N_("advice"), takes=N_("[MEASURE]"),
            rated=False,
        ),
        Action(
            "say", N_("say something, or a phrase by its digit"),
            letter="s", keys=("tab",), short=N_("talk"), takes=N_("[TEXT]"),
        ),
        Action("mute", N_("hide what the others say, or show it again"), letter="m", keys=("f8",)),
        Action("seal", N_("the commitment that proves the secret at the end")),
        Action("rules", N_("how to play, and how colours are typed")),
        Action(
            "review", N_("when it is over: how well each guess was chosen"),
            keys=("f7",), short=N_("review"), takes=N_("[ROUND]"),
        ),
        Action(
            "share", N_("copy the result as a picture of its marks, without its code"),
            keys=("c",), short=N_("copy"),
        ),
        Action(
            "resign", N_("give this round up"), letter="r", keys=("f6",), command=ResignRound(),
            question=N_("Give this round up?"), answer=N_("Give it up"),
            cost=N_("The code is shown."),
        ),
        Action(
            "accept",
            N_("play the last challenge to you, or by its code; this match is left or saved"),
            takes=N_("[CODE]"),
        ),
        Action(
            "decline", N_("decline the last challenge to you, or by its code"), takes=N_("[CODE]")
        ),
        Action("challenges", N_("take no challenges, or take them again"), takes=N_("off/on")),
        Action("help", N_("this help"), letter="?"),
        Action(
            "quit", N_("leave the match"), letter="q",
            question=N_("Leave the match for good (Ctrl-C saves it for later)?"),
        ),
    )
)  # fmt: skip
"""The actions by name, in the order of the help."""
