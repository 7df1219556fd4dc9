import pytest
from prompt_toolkit.output import ColorDepth

from mastermind_client.screen.theme.look import choose_depth

ONE, SIXTEEN, CUBE, TRUE = (
    ColorDepth.DEPTH_1_BIT,
    ColorDepth.DEPTH_4_BIT,
    ColorDepth.DEPTH_8_BIT,
    ColorDepth.DEPTH_24_BIT,
)
XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("color", "depth"), [("never", ONE), ("16", SIXTEEN), ("256", CUBE), ("true", TRUE)]
)
@pytest.mark.parametrize(
    "environ", [{}, {"TERM": "dumb"}, {**XTERM, "NO_COLOR": "1"}, {**XTERM, "COLORTERM": "24bit"}]
)
def test_the_setting_overrides_the_environment(color, depth, environ):
    assert choose_depth(color, environ) is depth


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({}, ONE),
        ({"TERM": ""}, ONE),
        ({"TERM": "dumb"}, ONE),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, ONE),
        ({**XTERM, "NO_COLOR": "1"}, ONE),
        ({**XTERM, "NO_COLOR": "1", "COLORTERM": "truecolor"}, ONE),
        ({**XTERM, "NO_COLOR": ""}, CUBE),
        (XTERM, CUBE),
        ({"TERM": "tmux-256color"}, CUBE),
        ({"TERM": "vt100"}, ONE),
        ({"TERM": "a-new-terminal"}, ONE),
        ({"TERM": "a-new-terminal", "COLORTERM": "truecolor"}, TRUE),
        ({"TERM": "screen.xterm-256color", "COLORTERM": "truecolor"}, CUBE),
        ({**XTERM, "COLORTERM": "truecolor"}, TRUE),
        ({**XTERM, "COLORTERM": "24bit"}, TRUE),
        ({**XTERM, "COLORTERM": "yes"}, CUBE),
        ({"TERM": "tmux-256color", "COLORTERM": "truecolor"}, TRUE),
        ({"COLORTERM": "truecolor"}, TRUE),
        ({"WT_SESSION": "4f6"}, TRUE),
        ({"TERM": "linux"}, SIXTEEN),
        ({"TERM": "ansi"}, SIXTEEN),
        ({"TERM": "xterm-color"}, SIXTEEN),
        ({"TERM": "xterm-16color"}, SIXTEEN),
    ],
)
def test_the_environment_decides_the_colour_depth(environ, depth):
    assert choose_depth("auto", environ) is depth
