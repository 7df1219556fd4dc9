from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bench.figures import Spread
from bench.plot import Axes, draw, find_step

SVG = "{http://www.w3.org/2000/svg}"
LINES = {
    "bare": [(10.0, Spread(1, 0.5, 2)), (1000.0, Spread(3, 2, 4))],
    "a <fork> & more": [(10.0, Spread(2, 2, 2)), (100.0, Spread(5, 4, 9))],
}


def test_a_plot_is_well_formed_and_has_a_line_and_a_name_for_each_series() -> None:
    root = ElementTree.fromstring(draw("Cost & size", "matches", LINES))  # noqa: S314 - our own
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert root.find(f"{SVG}title") is not None
    assert {"Cost & size", "matches", *LINES, "10", "100", "1,000"} <= set(texts)
    assert len(list(root.iter(f"{SVG}circle"))) == 4
    assert sum(path.get("class") == "line" for path in root.iter(f"{SVG}path")) == 2


def test_a_plot_is_readable_in_the_light_and_in_the_dark() -> None:
    assert "prefers-color-scheme:dark" in draw("Cost", "matches", LINES)


def test_sizes_are_logarithmic_and_figures_begin_at_0() -> None:
    axes = Axes(least=10, most=1000, top=8)
    assert axes.x(100) == pytest.approx((axes.x(10) + axes.x(1000)) / 2)
    assert axes.y(4) == pytest.approx((axes.y(0) + axes.y(8)) / 2)
    assert axes.y(8) < axes.y(0)


@pytest.mark.parametrize(("most", "step"), [(5, 1), (5.1, 2), (99, 20), (1.2, 0.25), (0.04, 0.01)])
def test_an_axis_has_two_to_five_round_steps(most: float, step: float) -> None:
    assert find_step(most) == pytest.approx(step)
    assert 1 <= most / find_step(most) <= 5


def test_a_plot_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no axis"):
        draw("Cost", "matches", {})
