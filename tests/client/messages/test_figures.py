from msgspec.structs import replace

from mastermind_client.messages.figures import Figures, Opponent, Statistics, combine_statistics
from mastermind_client.messages.statistics import Record
from mastermind_protocol import messages as wire


def make_answer(games: int, last: int, streak: int = 0, longest: int = 0) -> wire.Statistics:
    """Return statistics of drawn matches against the same opponents by the same rules."""
    figures = wire.Figures(
        matches=games, draws=games, last=last, streak=streak, longest=longest,
        distribution=(0, 0, games), unbroken=1,
    )  # fmt: skip
    return wire.Statistics(
        id=1,
        total=figures,
        by_rules=(wire.RulesFigures(rules="classic", figures=figures),),
        by_opponent=tuple(
            wire.OpponentFigures(opponent="Bob", bot=bot, figures=figures) for bot in (True, False)
        ),
    )


def test_statistics_of_several_servers_are_added():
    one, other = make_answer(2, last=7), make_answer(3, last=5)
    more = wire.RulesFigures(rules="mini", figures=wire.Figures(matches=9, wins=8, losses=1))

    found = combine_statistics([one, replace(other, by_rules=(*other.by_rules, more))])

    both = Figures(games=5, drawn=5, last=7, record=Record({3: 5}, 2))
    assert found.total == both
    assert list(found.by_rules.items()) == [
        ("mini", Figures(games=9, won=8, lost=1)), ("classic", both)
    ]  # fmt: skip
    bot, person = Opponent("Bob", bot=True), Opponent("Bob", bot=False)
    assert found.by_opponent == {bot: both, person: both}


def test_streaks_do_not_continue_on_another_server():
    older, newer = make_answer(9, 5, streak=3, longest=4), make_answer(9, 7, streak=2, longest=2)
    for answers in ((older, newer), (newer, older)):
        total = combine_statistics(answers).total
        assert (total.streak, total.longest) == (2, 4)


def test_without_matches_there_are_no_figures():
    assert combine_statistics([]) == Statistics()
    assert combine_statistics([wire.Statistics(id=1, total=wire.Figures())]) == Statistics()
