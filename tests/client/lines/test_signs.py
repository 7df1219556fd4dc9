from io import BytesIO, StringIO, TextIOWrapper

import pytest

from mastermind_client.lines.signs import choose_bar, choose_marks
from mastermind_client.messages.codes import ASCII_MARKS, MARKS


@pytest.mark.parametrize(
    ("encoding", "bar", "marks"),
    [("utf-8", "▆", MARKS), ("ascii", "#", ASCII_MARKS), ("latin-1", "#", ASCII_MARKS)],
)
def test_signs_are_limited_to_the_outputs_encoding(encoding, bar, marks):
    output = TextIOWrapper(BytesIO(), encoding=encoding)
    assert choose_bar(output) == bar
    assert choose_marks(output) == marks


def test_an_output_without_an_encoding_gets_ascii():
    assert choose_bar(StringIO()) == "#"
