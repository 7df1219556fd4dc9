"""Names that look alike have one skeleton, and other names do not."""

from functools import cache
from itertools import combinations
from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_protocol.text import INVISIBLE, tidy_name
from mastermind_server.look_alikes.skeletons import (
    MAX_SKELETON_LENGTH,
    find_prototypes,
    find_skeleton,
    fold_name,
    is_replaced,
)

ALIKE = {
    "Cyrillic letters": ("scope", "\u0455\u0441\u043e\u0440\u0435"),
    "Greek capitals": ("KATE", "\u039a\u0391\u03a4\u0395"),
    "Cherokee": ("DAVE", "\u13a0\u13aaVE"),
    "Armenian": ("sun", "s\u057dn"),
    "mathematics": ("Ann", "\U0001d400\U0001d427\U0001d427"),
    "an Arabic alef for an l": ("aloha", "a\u0627oha"),
    "Hebrew for Latin, read from the right": ("olll", "\u05d5\u05d5\u05d5\u05e1"),
    "two directions": ("xlo", "x\u0647\u0627"),
    "katakana and ideographs": ("\u30ed\u30a8\u30ab", "\u53e3\u5de5\u529b"),
    "a dash and an ideograph": ("\u4e00\u4e8c", "\u2014\u4e8c"),
    "an ideograph and its radical": ("\u6728\u6751", "\u2f4a\u6751"),
    "a digit of Bengali": ("9lives", "\u09edlives"),
    "a digit of mathematics": ("B2B", "B\U0001d7daB"),
    "zeros and letters": ("Bob0", "B0bO"),
    "a click for an exclamation mark": ("!!!", "\u01c3\u01c3\u01c3"),
    "a fraction slash": ("\u2044\u2044", "//"),
    "a star": ("* *", "\u2217 \u2217"),
    "currency": ("\u00a3", "\u20a4"),
    "emoji": ("\u25b7\u2764", "\u25b7\ufe0f\u2764\ufe0e"),
    "full width": ("Ann", "\uff21\uff4e\uff4e"),
    "an I for an l": ("Alice", "AIice"),
    "a 1 for an l": ("Bill", "Bi11"),
    "a bar for an l": ("Linus", "|inus"),
    "a blank": ("Ann Lee", "AnnLee"),
    "punctuation": ("Ann", "~Ann."),
    "a stroke": ("Lodz", "\u0141\u00f3d\u017a"),
    "an accent": ("Andre", "Andr\u00e9"),
    "five accents": ("Ann", "A\u0301\u0302\u0303\u0304\u0305nn"),
    "a mark of another script": ("\u0627\u064b", "\u0627\u08f0"),
    "Hebrew points": ("\u05d3\u05d5\u05d3", "\u05d3\u05bc\u05d5\u05b9\u05d3"),
    "Arabic vowels": (
        "\u0645\u062d\u0645\u062f",
        "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f",
    ),
    "Indian scripts": ("\u0c05", "\u0c85"),
    "a variation selector": ("Ann", "A\ufe0fnn"),
    "a zero-width joiner": ("Ann", "A\u200dnn"),
    "a filler": ("Ann", "Ann\u3164"),
    "a mark from right to left": ("\u05d0\u05d1", "\u05d0\u200f\u05d1"),
    "two letters for one": ("modern", "rnodem"),
    "the Uzbek apostrophe": ("O'zbek", "O\u02bbzbek"),
    "a Russian name in capitals": ("\u042e\u043b\u0438\u044f", "\u044e\u043b\u0438\u044f"),
}

DIFFERENT = {
    "Latin": "Ann Anna Hanna Ray Jay Sam Fam Tom Ron Ben Ken Max Lea Lee Eva Eve Ida Ada Zoe",
    "Russian": "Боря Воря Вова Аня Анна Яна Юля Уля Лена Гена Дима Тима Саша Паша Маша Даша",
    "Greek": "Θάνος Νίκος Γιάννης Σοφία Ελένη Μαρία Φώτης Τάκης Όλγα",
    "Hebrew": "אורי יאור דוד יוסי יעל מיכל רון רוני נועה נוי",
    "Arabic": "سامي شامي رامي ماري عمر عمار عامر سمير نور ليلى هدى علي باسم ثامر",
    "Hindi": "राम रमा मीना मनु सीता शीला रवि देव देवी",
    "Bengali": "রবি রানা মিনা মিতা সীমা শুভ",
    "Thai": "มาลี มานี สมชาย สมศรี ดาว แก้ว ปลา",
    "Japanese": "はな ばな ぱな かな がな ノリコ リコ 一郎 二郎 三郎 くみ みく ユミ エミ",
    "Chinese": "李雷 李蕾 王芳 王方 张伟 章伟 刘洋 刘阳",
    "Korean": "민수 민서 지우 지유 서연 소연",
    "Armenian": "Արամ Անի Գոռ Նարե",
    "Georgian": "ნინო ნანა გია გიო",
    "digits": "a1 a2 a3 a4 a5 a6 a7 a8 a9 a0",
    "symbols": "! ? + - $ % ★ ♥ 🎲 🎯 → ←",
    "turned digits from right to left": "דוד12 דוד21",
}


@pytest.mark.parametrize("names", ALIKE.values(), ids=ALIKE)
def test_names_that_look_alike_have_one_skeleton(names):
    first, second = (find_skeleton(tidy_name(name)) for name in names)
    assert first == second


@pytest.mark.parametrize("names", DIFFERENT.values(), ids=DIFFERENT)
def test_ordinary_names_differ(names):
    alike = [
        (one, other)
        for one, other in combinations(names.split(), 2)
        if find_skeleton(one) == find_skeleton(other)
    ]
    assert not alike


def test_what_the_table_calls_confusable_is_alike():
    replaced = [
        one
        for one in map(chr, range(0x110000))
        if category(one) != "Cn" and normalize("NFKD", one) == one and is_replaced(one)
    ]
    assert [one for one in replaced if fold_name(one) != fold_name(find_prototypes(one))] == []
    assert len(replaced) > 2000


NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cn", "Co", "Cs"])
    | st.sampled_from("aIl10א1ب٣ー"),
    min_size=1,
    max_size=24,
).map(lambda name: normalize("NFKC", name))
LEFT_TO_RIGHT = st.text(
    st.characters(max_codepoint=0x58F) | st.sampled_from("aIl10ー木"), min_size=1
)
# These tables take seconds: workers that run no test of them do not make them.
INVISIBLE_CHARACTERS = st.deferred(
    lambda: st.sampled_from([chr(code) for code in range(0x110000) if INVISIBLE.match(chr(code))])
)


@given(NAMES, INVISIBLE_CHARACTERS, st.integers(0, 24))
@brief
def test_invisible_characters_change_no_skeleton(name, inserted, at):
    assert fold_name(name[:at] + inserted + name[at:]) == fold_name(name)


@given(LEFT_TO_RIGHT)
@brief
def test_the_skeleton_of_a_skeleton_is_itself(name):
    assert fold_name(fold_name(name)) == fold_name(name)


def has_alike_cases(letter: str) -> bool:
    """Return whether both cases of a letter look like the same letters.

    The Greek capital Nu looks like N and the small one like v, so case cannot be ignored there.
    """
    return fold_name(letter.upper()) == fold_name(letter.lower()) == fold_name(letter)


@cache
def list_cased_letters() -> list[str]:
    return [chr(code) for code in range(0x110000) if category(chr(code)) in ("Ll", "Lu")]


@cache
def list_alike_letters() -> list[str]:
    """Return the letters whose cases are alike."""
    return [letter for letter in list_cased_letters() if has_alike_cases(letter)]


def test_the_cases_of_nearly_all_letters_are_alike():
    letters = {*map(chr, range(0x41, 0x180)), *map(chr, range(0x400, 0x460))}
    cased, alike = list_cased_letters(), list_alike_letters()
    assert not letters & {*cased} - {*alike, "ŉ"}
    assert len(alike) > 0.95 * len(cased)


@given(st.text(st.deferred(lambda: st.sampled_from(list_alike_letters())), max_size=24))
@brief
def test_case_changes_no_skeleton(name):
    assert fold_name(name.upper()) == fold_name(name.lower()) == fold_name(name)


def test_ascii_names_keep_the_skeletons_that_databases_have():
    assert find_skeleton("Emily Warner-10") == "emllywamerlo"


def test_a_skeleton_fits_its_column():
    assert len(find_skeleton("\ufdfa" * 24)) == MAX_SKELETON_LENGTH
