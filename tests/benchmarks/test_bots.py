import bots

TEXT = bots.DOCUMENT.read_text("utf-8")


def test_the_row_of_one_bot_is_replaced_or_added_in_the_order_of_the_bots():
    lines = TEXT.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("| entropy |"))
    without = "\n".join([*lines[:at], *lines[at + 1 :], ""])
    results = [{"bot": "entropy", "rules": "4x7", "mean": 4.5, "max": 9}]
    assert bots.write_table(TEXT, []) == TEXT
    for document in (TEXT, without):
        written = bots.write_table(document, results).splitlines()
        assert written == [
            *lines[:at],
            "| entropy |  | 4.5000 / 9 |  |  |  |  |  |  |",
            *lines[at + 1 :],
        ]


def test_the_table_of_codemakers_has_a_row_for_each_way_of_hiding():
    missing = [names for names in bots.group_makers() if f"\n| {names} | " not in TEXT]
    assert missing == [], 'make table ARGS="--bot NAME"'
