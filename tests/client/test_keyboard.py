import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_client.keyboard import list_characters, read_keys

PRINTED = "".join(map(chr, range(ord(" "), ord("~") + 1)))


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("кпинщз", "rgbyop"),  # ЙЦУКЕН
        ("КПИНЩЗ", "rgbyop"),
        ("ыідв", "ssld"),  # as in Russian and in Ukrainian
        ("ργβυοπ", "rgbyop"),  # Greek
        ("ΡΓΒΥΟΠσς", "rgbyopsw"),
        ("ＲｇＢ１２？＝　", "rgb12?= "),  # full-width
        ("٠١٢ ۳۴ ५६", "012 34 56"),  # Arabic-Indic, Persian, Devanagari
        ("Żółty", "żółty"),  # letters with marks are no other keys
    ],
)
def test_characters_of_other_layouts_are_read_as_their_keys(typed, keys):
    assert read_keys(typed) == keys


def test_an_ascii_character_is_read_as_itself_in_lower_case():
    assert read_keys(PRINTED) == PRINTED.lower()


@given(st.characters())
def test_what_is_read_once_is_read_the_same_again(character):
    assert read_keys(read_keys(character)) == read_keys(character)


def test_every_character_belongs_to_the_one_key_that_it_is_read_as():
    listed = [(key, each) for key in set(PRINTED.lower()) for each in list_characters(key)]
    assert {each for _key, each in listed} >= {*PRINTED, *"фіўς", *"ΨΣ", "；", "　"}
    assert all(read_keys(each) == key for key, each in listed)


@pytest.mark.parametrize("key", ["enter", "c-l", "f1", "<any>", "ż"])
def test_a_key_with_another_name_has_no_other_characters(key):
    assert list_characters(key) == (key,)
