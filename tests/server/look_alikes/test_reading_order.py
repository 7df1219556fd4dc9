"""The order of the characters of a line, by examples of Unicode's bidirectional algorithm."""

import pytest

from mastermind_server.look_alikes.reading_order import reorder


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("ann 12", "ann 12"),
        ("אבג", "גבא"),
        ("אב 12", "12 בא"),
        ("12 אב", "12 בא"),
        ("אב 1-2", "1-2 בא"),
        ("بج 1-2", "2-1 جب"),
        ("بج 1,2", "1,2 جب"),
        ("אב 5%", "5% בא"),
        ("ann אב!", "ann בא!"),
        ("ann אב, גד 12 bob", "ann 12 דג ,בא bob"),
        ("a אב 3 c", "a 3 בא c"),
        ("٣٤ a", "٣٤ a"),
    ],
    ids=ascii,
)
def test_a_line_shows_words_of_both_directions(text, shown):
    assert reorder(text) == shown
