"""URLs with one host or several, in the forms of libpq and SQLAlchemy."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from mastermind_server.storage.engines.store_url import format_store_url, read_store_url


@pytest.mark.parametrize(
    ("text", "hosts", "ports"),
    [
        ("postgresql://a@h1:5433,h2:5434/games", "h1,h2", "5433,5434"),
        ("postgres://a@h1,h2:5434/games", "h1,h2", "5432,5434"),
        ("postgresql://a@[::1]:5433,[::2]/games", "::1,::2", "5433,5432"),
        ("postgresql://a@/games?host=h1:5433&host=h2", "h1,h2", "5433,5432"),
        ("postgresql://a@/games?host=h1,h2&port=5433", "h1,h2", "5433,5433"),
        ("postgresql://a@other/games?host=::1,h2&port=5433,5434", "::1,h2", "5433,5434"),
        ("postgresql://a@/games?host=/run/one&host=/run/two", "/run/one,/run/two", "5432,5432"),
    ],
)
def test_of_several_hosts_the_one_that_can_be_written_is_used(text, hosts, ports):
    for read in (text, read_store_url(text).render_as_string(hide_password=False)):
        _, parameters = PGDialect_psycopg().create_connect_args(read_store_url(read))
        assert parameters == {
            "user": "a", "dbname": "games", "host": hosts, "port": ports,
            "target_session_attrs": "read-write",
        }  # fmt: skip


def test_a_password_before_several_hosts_may_have_any_character_but_one():
    url = read_store_url("postgresql://a:b/c,?d:5@h1:5433,h2/games")
    assert (url.username, url.password, url.database) == ("a", "b/c,?d:5", "games")
    assert (url.query["host"], url.query["port"]) == ("h1,h2", "5433,5432")


def test_a_url_may_name_other_attributes_and_one_host_has_none():
    text = "postgresql://h1,h2/games?target_session_attrs=any"
    assert read_store_url(text).query["target_session_attrs"] == "any"
    assert not read_store_url("postgresql://a:b,c@h1:5433/games").query


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://h1,/games",
        "postgresql://h1:a,h2/games",
        "postgresql:///games?host=h1,h2&port=1,2,3",
        "postgresql:///games?host=h1&port=1,2",
        "postgresql://h1/games?port=1&port=2",
        "postgresql://h1,h2/games?hostaddr=10.0.0.1,10.0.0.2",
        "mysql://h1,h2/games",
        "h1,h2",
    ],
)
def test_a_list_of_hosts_with_an_error_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read_store_url(text)


def test_operators_see_the_hosts_and_no_password():
    text = format_store_url("postgresql://a:hush@h1,h2/games?password=hush")
    assert text == (
        "postgresql://a:***@/games?host=h1,h2&port=5432,5432&target_session_attrs=read-write"
    )
