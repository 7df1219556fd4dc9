import pytest

from mastermind_client.screen.look import Look
from mastermind_client.screen.match.playback import draw_playback
from mastermind_client.screen.scene.scene import Progress, Showing

LOOKS = {
    glyphs: Look.choose("mono", "never", glyphs, {"TERM": "xterm"}, "utf-8")
    for glyphs in ("unicode", "ascii")
}


def draw(progress: Progress, columns: int, glyphs: str = "unicode") -> str:
    line = draw_playback(progress, LOOKS[glyphs], columns)
    return "".join(words for _style, words, *_click in line)


def test_the_playback_line_shows_state_progress_and_speed():
    assert draw(Progress(Showing.PAUSED, 3, 5, 2), 80) == (
        " Paused   ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▁▁▁▁▁▁▁▁▁▁  guess 3 of 5                     speed ●●○○ "
    )


def test_few_columns_drop_the_guess_number_first():
    line = draw(Progress(Showing.PLAYING, 5, 5, 4), 56)
    assert line.startswith(" Playing   ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ ")
    assert line.endswith(" speed ●●●● ")
    assert "guess" not in line


def test_the_playback_line_has_an_ascii_form():
    line = draw(Progress(Showing.PAUSED, 1, 2, 1), 80, "ascii")
    assert line.isascii()
    assert "############------------" in line
    assert "speed Xooo" in line


def test_the_bar_is_empty_before_the_first_guess():
    assert "▆" not in draw(Progress(Showing.PLAYING, 0, 0, 2), 80)


@pytest.mark.parametrize(
    ("showing", "label"),
    [
        (Showing.LIVE, " Live "),
        (Showing.PLAYING, " Playing "),
        (Showing.PAUSED, " Paused "),
        (Showing.BACK, " Guess 2 "),
    ],
)
def test_the_label_names_the_playback_state(showing, label):
    assert draw(Progress(showing, 2, 3, 2), 80).startswith(label)
