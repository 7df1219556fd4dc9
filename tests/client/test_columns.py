from mastermind_client.columns import Column, list_table

NAME: Column[tuple[str, int]] = Column("name", lambda entry, _zone: entry[0])
NUMBER: Column[tuple[str, int]] = Column("games", lambda entry, _zone: str(entry[1]), right=True)
ENTRIES = [("Ada", 7), ("\u30a2\u30c0\u30a2\u30c0", 123456)]


def test_lines_of_a_table_have_each_column_in_one_place():
    assert list_table([NAME, NUMBER, NAME], ENTRIES) == [
        "name       games  name",
        "Ada            7  Ada",
        "\u30a2\u30c0\u30a2\u30c0  123456  \u30a2\u30c0\u30a2\u30c0",
    ]


def test_a_table_without_titles_has_only_its_entries():
    assert list_table([Column("", NAME.write)], ENTRIES[:1]) == ["Ada"]
    assert list_table([Column("", NAME.write)], []) == []
