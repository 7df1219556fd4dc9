from collections.abc import Iterable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES, REVERSE_ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from kit.clock import ManualClock
from mastermind_client.tty.sequences import (
    LONGEST_KEY,
    UNFINISHED_SECONDS,
    SequenceParser,
    is_mouse_report,
)

BEGIN, END = "\x1b[200~", "\x1b[201~"
MANY_CHARACTERS = 300_000  # of a pasted text


class Keyboard:
    """The keys that a parser finds in a terminal's input."""

    def __init__(self, *, passes_alt: bool = False) -> None:
        self.clock = ManualClock()
        self.presses: list[KeyPress] = []
        self.late_keys = 0  # calls of `on_late_keys`
        self.parser = SequenceParser(
            self.presses.append, self.clock, lambda: passes_alt, self._process_late_keys
        )

    def _process_late_keys(self) -> None:
        self.late_keys += 1

    def read(self, *pieces: str) -> None:
        """Receive pieces of input, and nothing for a moment after the last one."""
        for piece in pieces:
            self.parser.feed(piece)
        self.parser.flush()

    @property
    def keys(self) -> list[str]:
        """The names of the pressed keys."""
        return [
            press.key.value if isinstance(press.key, Keys) else press.key for press in self.presses
        ]


def join(parts: Iterable[st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


def characters(first: str, last: str, *, size: int = 8) -> st.SearchStrategy[str]:
    return st.text(st.characters(min_codepoint=ord(first), max_codepoint=ord(last)), max_size=size)


number = st.integers(0, 9999).map(str)
parameters = characters("0", "?")
finals = st.characters(min_codepoint=ord("@"), max_codepoint=ord("~"))
control_sequences = join(
    [st.just("\x1b["), parameters, characters(" ", "/", size=2), finals]
).filter(lambda sequence: sequence not in ("\x1b[M", "\x1b[["))
texts = join(
    [
        st.sampled_from("]P^_X").map("\x1b{}".format),
        st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1),
        st.sampled_from(["\x07", "\x1b\\"]),
    ]
)
mouse_reports = join(
    [
        st.sampled_from(["\x1b[<", "\x1b["]),
        st.lists(number, min_size=1, max_size=5).map(";".join),
        st.sampled_from("mM"),
    ]
)
old_mouse_reports = st.text(
    st.characters(min_codepoint=32, exclude_characters="\x7f"), min_size=3, max_size=3
).map("\x1b[M{}".format)
shifted_keys = join([st.just("\x1bO"), parameters, finals])
alt_keys = st.one_of(
    st.characters(exclude_characters="[]OPX^_\x1b\t", exclude_categories=["Cs"]).map(
        "\x1b{}".format
    ),
    st.sampled_from(sorted(ANSI_SEQUENCES))
    .filter(lambda key: key[1:] and key != "\x1b\t")
    .map("\x1b{}".format),
)


def presses_no_key(sequence: str) -> bool:
    """Whether a sequence has no key, starts no paste and is no valid report of the mouse."""
    has_key = isinstance(ANSI_SEQUENCES.get(sequence), Keys)  # a tuple is Alt with a key
    return not (has_key or is_mouse_report(sequence))


sequences = st.one_of(
    control_sequences, texts, mouse_reports, old_mouse_reports, shifted_keys, alt_keys
).filter(presses_no_key)


def cut(text: str, places: Iterable[int]) -> list[str]:
    """Return the text in pieces, cut at these places."""
    ends = sorted({place for place in places if 0 < place < len(text)})
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(st.lists(sequences, min_size=1, max_size=4), st.sets(st.integers(1, 80), max_size=4))
async def test_sequences_without_a_key_press_no_key_wherever_they_are_cut(found, places):
    keyboard = Keyboard()
    keyboard.read(*cut("a".join(["", *found, ""]) + REVERSE_ANSI_SEQUENCES[Keys.Up], places))
    assert keyboard.keys == ["a"] * (len(found) + 1) + ["up"]


@given(sequences, st.data())
async def test_a_sequence_may_pause_anywhere_after_its_beginning(sequence, data):
    assume(len(sequence) > 3 and sequence[1] != "\x1b")
    pause = data.draw(st.integers(3, len(sequence) - 1))
    keyboard = Keyboard()
    keyboard.read(sequence[:pause])
    keyboard.clock.skip(0.9 * UNFINISHED_SECONDS)
    keyboard.read(sequence[pause:] + "x")
    assert keyboard.keys == ["x"]


@given(
    st.lists(
        st.sampled_from(
            [key for key, bound in ANSI_SEQUENCES.items() if isinstance(bound, Keys)]
        ).filter(lambda key: key not in ("\x1b", BEGIN)),
        min_size=1,
    ),
    st.sets(st.integers(1, 80)),
)
async def test_every_key_of_prompt_toolkit_arrives_wherever_it_is_cut(typed, places):
    keyboard = Keyboard()
    keyboard.read(*cut("".join(typed), places))
    assert [press.key for press in keyboard.presses] == [ANSI_SEQUENCES[key] for key in typed]


@pytest.mark.parametrize("escapes", [1, 2, 3, 9])
async def test_esc_is_a_key_if_nothing_follows_at_once(escapes):
    keyboard = Keyboard()
    keyboard.read("\x1b" * escapes)
    keyboard.read("[", "x")
    assert keyboard.keys == ["escape"] * escapes + ["[", "x"]


@pytest.mark.parametrize("report", ["\x1b[I", "\x1b[<0;1;1M", "\x1b]11;rgb:0/0/0\x07"])
async def test_esc_just_before_a_report_is_a_key(report):
    keyboard = Keyboard()
    keyboard.read("\x1b" + report)
    assert keyboard.keys[:1] == ["escape"]


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1bb", ["escape", "b"]),
        ("\x1b\x7f", ["escape", "c-h"]),
        ("\x1b[1;3D", ["escape", "left"]),
        ("\x1b\x1b[D", ["escape", "left"]),
        ("\x1b_", ["escape", "_"]),
        ("\x1b[", ["escape", "["]),
        ("\x1b[I", []),
    ],
)
async def test_alt_with_a_key_is_passed_where_it_may_be_bound(typed, keys):
    keyboard = Keyboard(passes_alt=True)
    keyboard.read(typed)
    assert keyboard.keys == keys
    other = Keyboard()
    other.read(typed)
    assert other.keys == []


@pytest.mark.parametrize(
    "begun", ["\x1b[1;", "\x1bO", "\x1b]11;rgb:", "\x1b_G", "\x1b[M!", "\x1b[["]
)
@pytest.mark.parametrize(("typed", "key"), [("\x03", "c-c"), ("\x1b[21~", "f10")])
async def test_a_key_breaks_off_a_sequence(begun, typed, key):
    keyboard = Keyboard()
    keyboard.read(begun, typed)
    assert keyboard.keys == [key]


@pytest.mark.parametrize("begun", ["\x1b[1;", "\x1b]11;rgb:" + "f" * 1000, "\x1b[M!", "\x1bP1\x1b"])
async def test_an_unfinished_sequence_is_discarded_after_a_second(begun):
    keyboard = Keyboard()
    keyboard.read(begun)
    keyboard.clock.skip(UNFINISHED_SECONDS)
    keyboard.read("x")
    assert keyboard.keys == ["x"]


async def test_a_reply_of_any_length_is_discarded_whole():
    keyboard = Keyboard()
    for piece in ("\x1b]52;c;" + "QUFB" * LONGEST_KEY, "QUFB" * LONGEST_KEY + "\x1b", "\\x"):
        keyboard.read(piece)
    assert keyboard.keys == ["x"]


async def test_a_shortened_sequence_is_no_key():
    keyboard = Keyboard()
    keyboard.read("\x1b[1" + "1" * LONGEST_KEY + "5", "~")  # Esc [ 1 5 ~ is F5
    assert keyboard.keys == []


@pytest.mark.parametrize(
    "report", ["\x1b[<0;12;5M", "\x1b[<64;300;99m", "\x1b[0;1;1M", "\x1b[M !!"]
)
@pytest.mark.parametrize(
    "other",
    [
        "\x1b[31m", "\x1b[1;31M", "\x1b[<1;2;3;4M", "\x1b[M\x7f!!", "\x1b[<35;-1;5M",
        "\x1b[<0;5;" + "9" * 5000 + "M",
    ],
)  # fmt: skip
async def test_only_valid_mouse_reports_are_passed(report, other):
    keyboard = Keyboard()
    keyboard.read(report + other)
    assert [(press.key, press.data) for press in keyboard.presses] == [
        (Keys.Vt100MouseEvent, report)
    ]


# Pasted texts.


@given(
    st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: END not in text),
    st.sets(st.integers(1, 80)),
)
async def test_a_paste_is_one_key_wherever_it_is_cut(text, places):
    keyboard = Keyboard()
    keyboard.read(*cut(f"a{BEGIN}{text}{END}b", places))
    assert [press.data for press in keyboard.presses] == ["a", text, "b"]


async def test_a_paste_ends_after_a_second_without_input_if_its_end_is_lost():
    keyboard = Keyboard()
    keyboard.read(f"{BEGIN}1122\x1b[2")
    keyboard.read("\x03")
    keyboard.clock.skip(0.9 * UNFINISHED_SECONDS)
    assert keyboard.keys == []
    keyboard.clock.skip(0.1 * UNFINISHED_SECONDS)
    assert [press.data for press in keyboard.presses] == ["1122\x1b[2\x03"]
    assert keyboard.late_keys == 1
    keyboard.read("\x03", REVERSE_ANSI_SEQUENCES[Keys.F10], END)
    assert keyboard.keys[1:] == ["c-c", "f10"]


async def test_a_long_paste_in_slow_pieces_stays_one():
    text = "1122\n" * (MANY_CHARACTERS // 5)
    pieces = [text[start : start + 1024] for start in range(0, len(text), 1024)]
    keyboard = Keyboard()
    keyboard.read(BEGIN)
    for piece in pieces:
        keyboard.clock.skip(0.9 * UNFINISHED_SECONDS)
        keyboard.read(piece)
    keyboard.read(END)
    assert [press.data for press in keyboard.presses] == [text]
