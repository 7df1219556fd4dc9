from kit.server import make_database
from mastermind_server.bans import Ban
from mastermind_server.storage.opening import Mode, open_session
from mastermind_server.storage.statements.admin import (
    BANS_CHANGED,
    ORDER_HOURS,
    Order,
    Orders,
    add_ban,
    add_order,
    lift_ban,
    read_orders,
    resolve_ban_hash,
)

NOW = 1_800_000_000_000
BAN = Ban("192.0.2.1", NOW + 1000, "enough")


def test_bans_are_read_only_after_a_change(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", Mode.WRITE) as session:
        assert read_orders(session, 0, NOW) == Orders([], [])
        assert add_ban(session, BAN, NOW)
        assert read_orders(session, 0, NOW) == Orders([Order(1, None, BANS_CHANGED)], [BAN])
        assert read_orders(session, 1, NOW) == Orders([], None)
        assert not lift_ban(session, "192.0.2.2", NOW)
        assert lift_ban(session, "192.0.2.1", NOW)
        assert read_orders(session, 1, NOW) == Orders([Order(2, None, BANS_CHANGED)], [])


def test_a_ban_by_a_hash_replaces_one_of_its_address(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", Mode.WRITE) as session:
        add_ban(session, BAN, NOW)
        resolve_ban_hash(session, "0123456789ab", BAN.subject, NOW)  # its ban is lifted
        assert read_orders(session, 1, NOW) == Orders([], None)
        add_ban(session, Ban("0123456789ab", None, "costs too much"), NOW)
        resolve_ban_hash(session, "0123456789ab", BAN.subject, NOW)
        assert read_orders(session, 2, NOW).bans == [Ban(BAN.subject, None, "costs too much")]


def test_a_node_that_missed_deleted_orders_reads_the_bans(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", Mode.WRITE) as session:
        add_order(session, None, "hello", NOW - ORDER_HOURS * 3_600_000)
        add_ban(session, BAN, NOW - ORDER_HOURS * 3_600_000)
        add_order(session, None, "still here", NOW + 1)
        ended = NOW + 2000
        assert read_orders(session, 1, NOW) == Orders([Order(3, None, "still here")], [BAN])
        assert read_orders(session, 1, ended).bans == []
