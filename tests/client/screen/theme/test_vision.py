import pytest

from client.screen.theme.vision import SIGHTS, contrast, difference, read, see

BLACK, WHITE, GREY = map(read, ("#000000", "#ffffff", "#808080"))


def test_contrast_and_difference_agree_with_published_values():
    assert contrast(BLACK, WHITE) == contrast(WHITE, BLACK) == pytest.approx(21)
    assert contrast(read("#777777"), WHITE) == pytest.approx(4.48, abs=0.005)
    assert difference(BLACK, WHITE) == pytest.approx(100, abs=0.01)
    for sight in SIGHTS:
        assert difference(GREY, see(GREY, sight)) < 0.1


@pytest.mark.parametrize(
    ("sight", "one", "other"),
    [
        ("protanopia", "#d00000", "#4e4500"),
        ("deuteranopia", "#d70000", "#878700"),
        ("tritanopia", "#0000ff", "#005f5f"),
    ],
)
def test_colours_that_differ_in_a_missing_cone_look_alike(sight, one, other):
    seen = difference(see(read(one), sight), see(read(other), sight))
    assert seen < difference(read(one), read(other)) / 2
