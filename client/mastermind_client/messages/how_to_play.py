"""How the game is played, for whoever has never played it: a few sentences and one example."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import write_feedback
from mastermind_client.messages.rules import describe_rules
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules

_SECRET, _GUESS = (1, 4, 0, 2), (1, 2, 3, 3)  # one peg in its place, one elsewhere, and two not
_FIFTH = (0, 3)  # of either code, where it has five pegs
_LABEL = 11  # columns in front of a code in lines
_KEYS: Mapping[str, str] = MappingProxyType(
    {"black": N_("black"), "white": N_("white"), "gray": N_("gray")}
)


@dataclass(frozen=True, slots=True)
class Example:
    """A code and a guess at it; only the first two pegs of the guess are in the code."""

    rules: Rules
    secret: Code
    guess: Code

    @property
    def feedback(self) -> Feedback:
        """The answer to the guess: one black and one white."""
        return score(self.secret, self.guess)

    @property
    def letters(self) -> list[str]:
        """The letters on the pegs of the guess."""
        return _write_letters(self.guess, self.rules)

    def explain(self) -> str:
        """Say which peg has earned what."""
        placed, elsewhere, absent, *_rest = self.letters
        return _(
            "{placed} is in its place. {elsewhere} is in the code, elsewhere. {absent} is not."
        ).format(placed=placed, elsewhere=elsewhere, absent=absent)


@dataclass(frozen=True, slots=True)
class HowToPlay:
    """What there is to know: the `task`, the two `answers`, black first, the `riddle`, the `end`.

    Each is of sentences that a face puts in lines as it has room.
    """

    task: tuple[str, ...]
    answers: tuple[str, str]
    riddle: str
    end: tuple[str, ...]
    example: Example


def explain_game(rules: Rules) -> HowToPlay:
    """Return how to play by these rules: the numbers and the names of the key pegs are theirs."""
    if rules.guesses is None:
        search = _("The other guesses until it is found. Each guess is answered:")
    else:
        search = ngettext(
            "The other has {number} guess to find it. It is answered:",
            "The other has {number} guesses to find it. Each one is answered:",
            rules.guesses,
        ).format(number=rules.guesses)
    black, white = name_keys(rules)
    return HowToPlay(
        task=(_("One player hides a row of pegs: the code. A colour may come twice."), search),
        answers=(
            _("{key}: a peg has the right colour, in the right place.").format(key=black),
            _("{key}: a peg has a right colour, but belongs elsewhere.").format(key=white),
        ),
        riddle=_("Which pegs are meant is not said. Finding that out is the game."),
        end=(
            _("The one who hides scores a point a guess; then the seats change."),
            _("The code is sealed before guess 1, checked at the end: no cheating."),
        ),
        example=choose_example(rules),
    )


def name_keys(rules: Rules) -> tuple[str, str]:
    """Return what key pegs are called by these rules: for the right place, and for elsewhere."""
    keys = rules.keys
    black, white = (keys.black, keys.white) if keys.counted else ("black", "white")
    return _(_KEYS[black]), _(_KEYS[white])


def choose_example(rules: Rules) -> Example:
    """Return an example of these rules; of the usual ones if these are too small or too large."""
    pegs = len(_SECRET)
    if not pegs <= rules.pegs <= pegs + 1 or rules.colours <= max(_SECRET):
        rules = DEFAULT
    fifth = rules.pegs - pegs
    return Example(rules, _SECRET + _FIFTH[:1] * fifth, _GUESS + _FIFTH[1:] * fifth)


def write_how_to_play(rules: Rules) -> list[str]:
    """Return how to play as lines, with what is played by these rules at their end."""
    told = explain_game(rules)
    example = told.example
    answer = write_feedback(example.feedback, example.rules)
    code, guess = (
        " ".join(_write_letters(each, example.rules)) for each in (example.secret, example.guess)
    )
    labels = _("the code"), _("a guess")
    return [
        *told.task,
        *(f"  {answer}" for answer in told.answers),
        told.riddle,
        _("For example:"),
        f"  {labels[0]:<{_LABEL}} {code}",
        f"  {labels[1]:<{_LABEL}} {guess}   {answer}",
        f"  {example.explain()}",
        *told.end,
        *describe_rules(rules),
    ]


def _write_letters(code: Code, rules: Rules) -> list[str]:
    return [rules.palette[colour][0].upper() for colour in code]
