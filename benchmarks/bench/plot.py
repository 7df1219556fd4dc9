"""Plots of how cost grows with size: plain SVG, for a page in the light and in the dark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from bench.figures import Spread
from bench.report import write_figure

Series = Mapping[str, Sequence[tuple[float, Spread]]]  # by name: sizes, and what was measured there

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 104, 34, 44  # around the plot itself
COLOURS = ("#888888", "#2f7fd1", "#c46a1b", "#3a9a57")  # to be read on white and on black
STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.title{font-weight:bold;fill:#24292f}"
    ".grid{stroke:#d0d7de}path{fill:none}"
    "@media(prefers-color-scheme:dark)"
    "{text{fill:#9198a1}.title{fill:#e6edf3}.grid{stroke:#3d444d}}"
)


@dataclass(frozen=True, slots=True)
class Axes:
    """From sizes, on a logarithmic scale, and from figures, from 0 on, to places in the plot."""

    least: float
    most: float
    top: float

    def x(self, size: float) -> float:
        """Return how far to the right a size is."""
        span = math.log(self.most / self.least) or 1.0
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(size / self.least) / span

    def y(self, figure: float) -> float:
        """Return how far down a figure is."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * figure / self.top


def find_step(most: float) -> float:
    """Return a round step, of which two to five reach up to a figure."""
    if most <= 0:
        raise ValueError(f"no axis goes from 0 to {most}")
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (0.25, 0.5, 1.0, 2.0) if most / (step * power) <= 5)


def draw(title: str, across: str, series: Series) -> str:
    """Return the plot; each point has a line from its least to its most.

    `across` tells what the sizes are. Raises ValueError where there is nothing to draw.
    """
    points = [point for line in series.values() for point in line]
    sizes = sorted({size for size, _ in points})
    step = find_step(max((spread.most for _, spread in points), default=0.0))
    steps = math.ceil(max(spread.most for _, spread in points) / step)
    axes = Axes(sizes[0], sizes[-1], step * steps)
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>',
    ]
    for number in range(steps + 1):
        y = axes.y(number * step)
        label = write_figure(number * step) if number else "0"
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    foot = f'y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
    parts += [f'<text x="{axes.x(size):.1f}" {foot}>{size:,.0f}</text>' for size in sizes]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>'
    )
    for number, (colour, (name, line)) in enumerate(zip(COLOURS, series.items(), strict=False)):
        parts += _draw_line(axes, line, colour)
        x, y = WIDTH - RIGHT + 20, TOP + 20 * number + 10
        parts.append(f'<path d="M{x} {y}h16" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 22}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _draw_line(axes: Axes, line: Sequence[tuple[float, Spread]], colour: str) -> list[str]:
    places = [(axes.x(size), spread) for size, spread in line]
    path = "L".join(f"{x:.1f} {axes.y(spread.median):.1f}" for x, spread in places)
    parts = [f'<path class="line" d="M{path}" stroke="{colour}" stroke-width="2"/>']
    for x, spread in places:
        least, middle, most = map(axes.y, (spread.least, spread.median, spread.most))
        parts.append(f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>')
        parts.append(f'<path d="M{x:.1f} {least:.1f}V{most:.1f}" stroke="{colour}"/>')
    return parts
