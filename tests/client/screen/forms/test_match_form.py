import pytest

from kit.screen.stage import stage
from mastermind_client.config.options import OFFLINE, PlayOptions, WatchOptions
from mastermind_client.config.settings import Settings
from mastermind_client.screen.app import App
from mastermind_client.screen.forms.kinds import (
    AGAINST_BOT,
    BETWEEN_BOTS,
    WITH_ANYONE,
    WITH_FRIEND,
)
from mastermind_client.screen.forms.match_form import FormKind, MatchForm
from mastermind_client.screen.toolkit.list_view import ListView
from mastermind_client.screen.toolkit.overlays import LinePrompt
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS, find_rules


class Questions:
    """The questions of a match form, and the answers given to them."""

    def __init__(self, app: App, kind: FormKind = WITH_ANYONE) -> None:
        self.app = app
        self.match = MatchForm(app, kind, "ws://h")
        self.view = ListView(lambda: self.match.items)

    def answer(self, name: str, text: str) -> str | None:
        """Type a value, and return why it cannot be."""
        self.view.select(name)
        edit = self.view.selected.edit
        assert edit is not None
        edit("")
        prompt = self.app.find_overlay(LinePrompt)
        assert prompt is not None
        return prompt.accept(text)

    def change(self, name: str, step: int) -> None:
        self.view.select(name)
        self.view.change(step)

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.view.items]


@pytest.fixture
async def questions():
    async with stage() as shown:
        yield Questions(shown.app)


@pytest.mark.parametrize("name", ["lab", "5x8/12"])
async def test_the_form_starts_with_the_last_rules(name):
    async with stage(settings=Settings(rules=name)) as shown:
        assert MatchForm(shown.app, WITH_ANYONE).rules == find_rules(name)


async def test_a_match_with_a_friend_keeps_the_usual_bot():
    async with stage(settings=Settings(opponent="knuth", server="ws://localhost:1")) as shown:
        form = MatchForm(shown.app, WITH_FRIEND, "ws://localhost:1")
        form.rules = PRESETS["lab"]
        form.start()
        assert (shown.app.chosen_rules, shown.app.settings.opponent) == ("lab", "knuth")


async def test_a_usual_clock_is_chosen_and_any_other_typed(questions):
    seen = []
    for _change in range(6):
        seen.append(questions.match.clock)
        questions.change("clock", 1)
    assert seen == [None, "5+3", "10+5", "60/move", "3d/move", None]
    assert questions.answer("clock", "15+10") is None
    assert questions.match.clock == "15+10"
    assert questions.match.make_play_options("anyone", None).clock == "15+10"
    refusal = questions.answer("clock", "15")
    assert refusal is not None
    assert refusal.startswith("'15' names no clock: use MINUTES+SECONDS such as 5+3")
    assert questions.match.clock == "15+10"
    questions.answer("clock", "")
    assert questions.match.clock is None


@pytest.mark.parametrize("kind", [AGAINST_BOT, WITH_FRIEND, WITH_ANYONE])
async def test_every_match_with_a_seat_may_have_a_clock(kind):
    async with stage() as shown:
        asked = Questions(shown.app, kind)
        asked.change("clock", 1)
        options = kind.make_options(asked.match)
        assert isinstance(options, PlayOptions)
        assert options.clock == "5+3"


@pytest.mark.parametrize("kind", [WITH_FRIEND, WITH_ANYONE])
async def test_the_form_says_what_a_rated_match_needs(kind):
    async with stage() as shown:
        form = MatchForm(shown.app, kind, "ws://h")
        form.rounds, form.clock = 2, "5+3"
        needs = "Rated needs a clock of minutes or seconds, 2 or 4 rounds, and a limit of guesses."
        form.rated = True
        assert needs not in form.summary[1]
        wrong: tuple[dict[str, object], ...] = (
            {"clock": None}, {"clock": "3d/move"}, {"rounds": 3}, {"rules": PRESETS["knuth"]},
        )  # fmt: skip
        for changes in wrong:
            right = {name: getattr(form, name) for name in changes}
            for name, value in changes.items():
                setattr(form, name, value)
            assert needs in form.summary[1]
            for name, value in right.items():
                setattr(form, name, value)
        form.rated, form.clock = False, None
        assert needs not in form.summary[1]


async def test_every_preset_and_a_custom_size_can_be_chosen(questions):
    seen = []
    for _change in range(len(PRESETS) + 1):
        seen.append(questions.match.rules.name)
        questions.change("rules", 1)
    last = [*PRESETS.values()][-1]  # a custom size begins with the size before it
    custom = f"{last.space}/{last.guesses or DEFAULT.guesses}"
    assert seen == [*PRESETS, custom]
    assert questions.match.rules.name == "classic"


async def test_a_custom_size_has_three_numbers_and_may_forbid_repeats(questions):
    assert "pegs" not in questions.names
    questions.change("rules", -1)
    assert questions.names[1:6] == ["rules", "pegs", "colours", "repeats", "guesses"]
    questions.change("pegs", 1)
    questions.change("colours", -1)
    questions.change("guesses", 1)
    assert questions.match.rules.name == "5x5/13"
    questions.change("repeats", 1)
    assert questions.match.rules.name == "5x5u/13"
    questions.change("pegs", 1)  # none of 6 pegs has a code: from the most pegs to the fewest
    assert questions.match.rules.name == "1x5u/13"
    assert "6x5u has no code" in str(questions.answer("pegs", "6"))


async def test_numbers_wrap_from_the_largest_to_the_smallest(questions):
    questions.match.rules = find_rules("9x12/99")
    for name in ("pegs", "colours", "guesses"):
        questions.change(name, 1)
    assert questions.match.rules.name == "1x2/1"


async def test_rules_can_be_typed_and_so_can_their_numbers(questions):
    assert questions.answer("rules", "6X9/20") is None
    assert questions.answer("guesses", "42") is None
    assert questions.answer("pegs", " 3 ") is None
    assert questions.match.rules.name == "3x9/42"


async def test_invalid_rules_are_refused_with_the_allowed_ones(questions):
    assert "classic" in str(questions.answer("rules", "chess"))
    questions.match.rules = find_rules("5x8/12")
    assert "1-9 pegs" in str(questions.answer("pegs", "10"))
    assert questions.match.rules.name == "5x8/12"


async def test_rounds_can_be_changed_or_typed(questions):
    questions.change("rounds", 1)
    assert questions.match.rounds == 2
    assert "the seats change" in questions.match.summary[1]
    assert questions.answer("rounds", "7") is None
    assert f"1 to {MAX_ROUNDS}" in str(questions.answer("rounds", "21"))
    assert questions.match.rounds == 7


async def test_the_seat_is_described_by_its_action(questions):
    questions.view.select("seat")
    for seat, words in (
        (None, "either"),
        (Seat.BREAKER, "break the code"),
        (Seat.MAKER, "hide a code"),
    ):
        assert questions.match.seat is seat
        assert questions.view.selected.value == words
        questions.view.change(1)


@pytest.mark.parametrize("kind", [AGAINST_BOT, BETWEEN_BOTS])
async def test_offline_matches_are_never_public(kind):
    async with stage() as shown:
        form = MatchForm(shown.app, kind, "ws://h")
        form.public = True
        for address, public in (("ws://h", True), (OFFLINE, False)):
            form.address = address
            options = kind.make_options(form)
            assert isinstance(options, PlayOptions | WatchOptions)
            assert (options.server, options.public) == (address or None, public)


async def test_the_form_names_what_enter_starts_from_every_item(questions):
    form = Questions(questions.app, AGAINST_BOT)
    assert form.match.summary[0] == "hard hides a code, you break it."
    form.change("seat", 1)
    assert form.match.summary[0] == "You hide a code, hard breaks it."
    assert {item.press for item in form.view.items} == {form.match.start}
