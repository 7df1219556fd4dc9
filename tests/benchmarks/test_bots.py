import bots
from mastermind_server.bots import BOTS

TEXT = bots.DOCUMENT.read_text("utf-8")


def test_the_row_of_one_bot_is_replaced_or_added_in_the_order_of_the_bots():
    lines = TEXT.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("| entropy |"))
    without = "\n".join([*lines[:at], *lines[at + 1 :], ""])
    results = [{"bot": "entropy", "rules": "4x7", "mean": 4.5, "max": 9}]
    for document in (TEXT, without):
        written = bots.write_table(document, results).splitlines()
        assert written == [
            *lines[:at],
            "| entropy |  | 4.5000 / 9 |  |  |  |  |  |",
            *lines[at + 1 :],
        ]


def test_the_tables_have_the_rows_of_all_bots():
    breakers = [bot.name for bot in BOTS.values() if bot.max_codes]
    missing = [name for name in (*breakers, *bots.group_makers()) if f"\n| {name} | " not in TEXT]
    assert missing == [], 'make table ARGS="--bot NAME"'
    assert bots.write_table(TEXT, []) == TEXT
    assert bots.write_maker_table(TEXT, {}) == TEXT
