import pytest

from client.screen.look.vision import SIGHTS, contrast, difference, read, see

BLACK, WHITE, RED, GREEN, BLUE = map(read, ("#000000", "#ffffff", "#ff0000", "#00ff00", "#0000ff"))


def test_black_on_white_has_the_most_contrast_there_is():
    assert contrast(BLACK, WHITE) == contrast(WHITE, BLACK) == pytest.approx(21)
    assert contrast(RED, RED) == 1


@pytest.mark.parametrize(("grey", "ratio"), [("#777777", 4.48), ("#767676", 4.54)])
def test_contrast_is_what_the_guidelines_checkers_say(grey, ratio):
    assert contrast(read(grey), WHITE) == pytest.approx(ratio, abs=0.005)


def test_black_and_white_are_a_hundred_apart():
    assert difference(BLACK, WHITE) == pytest.approx(100, abs=0.01)
    assert difference(RED, RED) == 0


@pytest.mark.parametrize("sight", SIGHTS)
def test_greys_look_the_same_to_everybody(sight):
    for grey in ("#000000", "#808080", "#ffffff"):
        assert difference(read(grey), see(read(grey), sight)) < 0.1


@pytest.mark.parametrize(
    ("sight", "one", "other"),
    [
        ("protanopia", "#d00000", "#4e4500"),
        ("deuteranopia", "#d70000", "#878700"),
        ("tritanopia", "#0000ff", "#005f5f"),
    ],
)
def test_colours_that_differ_in_the_missing_cone_come_together(sight, one, other):
    seen = difference(see(read(one), sight), see(read(other), sight))

    assert seen < difference(read(one), read(other)) / 2
