from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kit.rated import start_rated
from mastermind_protocol.codec import encode, encode_events
from mastermind_protocol.events import Player
from mastermind_protocol.messages import (
    MAX_DISTRIBUTION,
    MAX_STATISTICS_OPPONENTS,
    MAX_STATISTICS_RULES,
    Figures,
    OpponentFigures,
    RulesFigures,
    Statistics,
)
from mastermind_protocol.requests import MAX_REQUEST_ID
from mastermind_server.matches.statistics import make_statistics
from mastermind_server.storage.statements.statistics import ArchiveSums, MatchSums, Opponent


def sums(number: int, tries: dict[int, int] | None = None) -> MatchSums:
    """Return the sums of `number` won matches."""
    return MatchSums(number, number, 0, 0, number, number, 7, "MATCHA", Counter(tries or {}))


def gather(total: MatchSums, rules: int = 1, opponents: int = 1, name: str = "Bob") -> ArchiveSums:
    """Return sums, the same for each of some rules and opponents."""
    return ArchiveSums(
        total,
        {f"{number:02}x12/99": total for number in range(rules)},
        {Opponent(f"{name}{number:02}", bot=False): total for number in range(opponents)},
        {total.match: []},
    )


async def test_a_match_against_a_person_and_one_against_a_bot_are_distinguished(ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1122")
    await bob.guess(match, "1234")
    against_bot = (await bob.open(maker="random", breaker="me", rules="mini")).match
    await bob.resign(against_bot)
    ended = {found.match: found.at for found in (await bob.archive()).matches}

    found = await bob.statistics()

    won = Figures(
        matches=1, wins=1, streak=1, longest=1, distribution=(0, 1), last=ended[match]
    )  # fmt: skip
    lost = Figures(matches=1, losses=1, unbroken=1, last=ended[against_bot])
    assert found.total == Figures(
        matches=2, wins=1, losses=1, longest=1, distribution=(0, 1), unbroken=1, last=lost.last
    )
    assert found.by_rules == (
        RulesFigures(rules="mini", figures=lost), RulesFigures(rules="classic", figures=won)
    )  # fmt: skip
    assert found.by_opponent == (
        OpponentFigures(opponent="random", bot=True, figures=lost),
        OpponentFigures(opponent="Ada", player=ada.id, figures=won),
    )
    codemaker = (await ada.statistics()).total
    assert (codemaker.matches, codemaker.losses, codemaker.distribution) == (1, 1, ())


async def test_a_player_without_a_match_has_empty_statistics(ada):
    found = await ada.statistics()
    assert found == Statistics(id=found.id, total=Figures())


def test_the_opponent_is_the_one_who_joined_before_or_after_the_player():
    opened, first, second = start_rated(Player(id="A", name="Ada"), Player(id="B", name="Bob"))
    rows = [encode_events((opened, first)), encode_events((second,))]
    found = replace(gather(sums(1)), openings={"MATCHA": rows})
    ids = [make_statistics(1, player, found).by_opponent[0].player for player in ("A", "B")]
    assert ids == ["B", "A"]


def test_a_distribution_counts_long_rounds_as_the_longest():
    figures = make_statistics(1, "A", gather(sums(1, {0: 2, 3: 4, 99: 1, 999: 1}))).total
    assert figures.unbroken == 2
    assert figures.distribution == (0, 0, 4, *[0] * (MAX_DISTRIBUTION - 4), 2)


def test_omitted_rules_and_opponents_are_reported():
    whole = gather(sums(1), MAX_STATISTICS_RULES, MAX_STATISTICS_OPPONENTS)
    assert not make_statistics(1, "A", whole).more
    for rules, opponents in ((1, 0), (0, 1)):
        longer = gather(sums(1), MAX_STATISTICS_RULES + rules, MAX_STATISTICS_OPPONENTS + opponents)
        found = make_statistics(1, "A", longer)
        assert found.more
        assert len(found.by_rules) == MAX_STATISTICS_RULES
        assert len(found.by_opponent) == MAX_STATISTICS_OPPONENTS


def test_the_largest_statistics_stay_under_sixteen_kibibytes():
    largest = sums(10_000, dict.fromkeys(range(100), 1000))
    found = make_statistics(
        MAX_REQUEST_ID, "A", gather(largest, 13, 51, name="\N{GRINNING FACE}" * 22)
    )
    assert 15 * 1024 < len(encode(found)) < 16 * 1024
    assert found.more
    assert len(found.by_rules) == MAX_STATISTICS_RULES
    assert 10 < len(found.by_opponent) < MAX_STATISTICS_OPPONENTS
