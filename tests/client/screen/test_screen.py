import time
from dataclasses import replace
from datetime import datetime, timedelta
from datetime import time as clock_time

import pytest

from kit.screen.scenes import ADA, in_trouble
from kit.screen.scripted import settle
from kit.screen.stage import stage
from mastermind_client.network.failures import Cause, DisconnectReason, Fault, ServerUnreachable
from mastermind_client.network.updates import Connection
from mastermind_client.screen.screen import Trouble, draw_trouble, find_trouble, format_local_time
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import width
from mastermind_client.screen.window import SMALLEST_WINDOW
from mastermind_protocol.errors import Reason, Refused

DAY = timedelta(days=1)


def test_a_moment_is_shown_as_the_time_of_day():
    before = datetime.now().astimezone() + timedelta(seconds=89)  # it may be rounded
    told = clock_time.fromisoformat(format_local_time(time.monotonic() + 90, None))
    after = datetime.now().astimezone() + timedelta(seconds=91)
    since = (datetime.combine(before, told, before.tzinfo) - before) % DAY
    assert since <= after - before


async def test_the_banner_has_the_row_of_the_title_in_a_large_window():
    async with stage(200, 60, opening=in_trouble) as shown:
        rows = shown.text().splitlines()
        (banner,) = (number for number, row in enumerate(rows) if "Trying again (3)" in row)
        assert "Bob's code" in rows[banner + 1]


async def test_the_banner_has_no_more_columns_than_the_title():
    told = "Connection lost. Trying again (3). Your seat is kept"
    for columns in range(60, 84, 2):
        async with stage(columns, 24, opening=in_trouble) as shown:
            (row,) = (row for row in shown.text().splitlines() if told in row)
            assert row.rstrip().endswith("."), columns
            assert width([("", row.rstrip())]) < columns


def test_the_banner_of_a_lost_connection_names_the_next_step():
    until = time.monotonic() + 300
    lost = Connection(lost=DisconnectReason(Fault.OTHER, "the line\x1b[2J is cut"), until=until)
    assert read_banner(lost, 40) == "Connection lost. Your seat is kept."
    assert read_banner(lost).startswith("Connection lost. Your seat is kept until ")
    trouble = find_trouble(lost, None, seated=True)
    assert trouble is not None
    assert trouble.reason == "The line?[2J is cut."

    before = format_local_time(until, None)
    assert read_banner(replace(lost, attempt=3), 80) in {
        f"Connection lost. Trying again (3). Your seat is kept until {moment}."
        for moment in (before, format_local_time(until, None))
    }
    assert find_trouble(Connection(), None, seated=True) is None


def test_the_banner_of_a_spectator_names_no_seat():
    lost = Connection(lost=DisconnectReason(Fault.BROKEN), attempt=2)
    assert read_banner(lost, 80, seated=False) == "Connection lost. Trying again (2)."
    ended = replace(lost, ended=ServerUnreachable(Cause.CRASHED, server="ws://h", error=""))
    assert read_banner(ended, 80, seated=False) == "The connection has ended. Esc goes back."


def test_the_banner_names_the_host_who_has_closed_the_game():
    lost = Connection(lost=DisconnectReason(Fault.HOST_CLOSED, "Ada"))
    told = "Ada has closed the game: it is kept, and continues when Ada opens it."
    assert read_banner(lost, 80) == told
    assert read_banner(lost, 40) == "Ada has closed the game."
    assert read_banner(lost, 24) == "The game is closed."
    again = replace(lost, attempt=2)
    assert read_banner(again, 100) == f"{told} Trying again (2)."
    assert read_banner(again, 80) == "Ada has closed the game. Trying again (2)."


async def test_a_page_without_a_server_shows_a_lost_connection_too():
    async with stage() as shown:
        server = settle(shown.app, "ws://h", ADA)
        await shown.until(lambda: shown.app.open_servers == [server])
        server.session.updates.connection = Connection(
            lost=DisconnectReason(Fault.BROKEN), attempt=3
        )
        shown.app.redraw()
        await shown.until("Connection lost. Trying again (3).")
        assert "The connection broke." in shown.text()


def test_the_banner_of_an_ended_session_names_reason_and_remedy():
    reason = DisconnectReason(Fault.NO_ANSWER)
    failure = ServerUnreachable(Cause.LOST, server="ws://h", reason=reason, seconds=300)
    ended = Connection(lost=DisconnectReason(Fault.BROKEN), ended=failure)
    assert read_banner(ended) == "No connection. Your seat is kept: Esc, then Continue."
    trouble = find_trouble(ended, None, seated=True)
    assert trouble is not None
    assert trouble.reason == "Lost ws://h: no answer in time; gave up after 5 minutes."


@pytest.mark.parametrize("seated", [True, False])
def test_the_banner_of_a_refused_player_names_the_reason_and_no_seat(seated):
    ended = Connection(ended=Refused(Reason.UNKNOWN_TOKEN))
    told = "The server does not know you. The connection has ended. Esc goes back."
    assert read_banner(ended, 80, seated=seated) == told
    assert read_banner(ended, seated=seated) == "The server does not know you."


@pytest.mark.parametrize("seated", [True, False])
def test_the_banner_fits_the_smallest_window(seated):
    for attempt in (0, 1, 99):
        lost = Connection(lost=DisconnectReason(Fault.OTHER, "no answer " * 9), attempt=attempt)
        assert read_banner(lost, seated=seated).endswith(".")
    failure = ServerUnreachable(Cause.CRASHED, server="no answer " * 9, error="")
    assert read_banner(Connection(ended=failure), seated=seated).endswith(".")


@pytest.mark.parametrize("columns", [10, 60, 300])
def test_a_banner_fits_every_width(columns):
    trouble = Trouble(("Connection lost. Trying again.", "Connection lost."), "The line is cut.")
    line = draw_trouble(trouble, columns, UNICODE)
    assert width(line) <= columns
    assert {fragment[0] for fragment in line} == {"class:banner"}
    assert "".join(fragment[1] for fragment in line).endswith("…" if columns == 10 else "again. ")


def read_banner(
    connection: Connection, columns: int = SMALLEST_WINDOW.columns, *, seated: bool = True
) -> str:
    """Return the text of the banner."""
    trouble = find_trouble(connection, None, seated=seated)
    assert trouble is not None
    return "".join(part[1] for part in draw_trouble(trouble, columns, UNICODE)).strip()
