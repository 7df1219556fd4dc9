"""The server has Unicode's table of characters that look alike as the package has it."""

from tools.confusables import TABLE, make_table


def test_the_table_is_that_of_the_package():
    assert TABLE.read_text("ascii") == make_table()
