from kit.server import make_database
from mastermind_server.bans import Ban
from mastermind_server.storage.statements.admin import (
    BANS_CHANGED,
    COMMAND_KEPT_HOURS,
    AdminCommand,
    NewAdminCommands,
    add_admin_command,
    add_ban,
    lift_ban,
    read_admin_commands,
    replace_hashed_ban,
)
from mastermind_server.storage.store import SessionMode, open_session

NOW = 1_800_000_000_000
BAN = Ban("192.0.2.1", NOW + 1000, "enough")


def test_bans_are_read_only_after_a_change(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", SessionMode.WRITE) as session:
        assert read_admin_commands(session, 0, NOW) == NewAdminCommands([], [])
        assert add_ban(session, BAN, NOW)
        assert read_admin_commands(session, 0, NOW) == NewAdminCommands(
            [AdminCommand(1, NOW, None, BANS_CHANGED)], [BAN]
        )
        assert read_admin_commands(session, 1, NOW) == NewAdminCommands([], None)
        assert not lift_ban(session, "192.0.2.2", NOW)
        assert lift_ban(session, "192.0.2.1", NOW)
        assert read_admin_commands(session, 1, NOW) == NewAdminCommands(
            [AdminCommand(2, NOW, None, BANS_CHANGED)], []
        )


def test_a_ban_by_a_hash_replaces_one_of_its_address(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", SessionMode.WRITE) as session:
        add_ban(session, BAN, NOW)
        replace_hashed_ban(session, "0123456789ab", BAN.subject, NOW)  # its ban is lifted
        assert read_admin_commands(session, 1, NOW) == NewAdminCommands([], None)
        add_ban(session, Ban("0123456789ab", None, "costs too much"), NOW)
        replace_hashed_ban(session, "0123456789ab", BAN.subject, NOW)
        assert read_admin_commands(session, 2, NOW).bans == [
            Ban(BAN.subject, None, "costs too much")
        ]


def test_a_node_that_missed_deleted_commands_reads_the_bans(tmp_path):
    make_database(tmp_path / "game.sqlite3")
    with open_session(tmp_path / "game.sqlite3", SessionMode.WRITE) as session:
        add_admin_command(session, None, "hello", NOW - COMMAND_KEPT_HOURS * 3_600_000)
        add_ban(session, BAN, NOW - COMMAND_KEPT_HOURS * 3_600_000)
        add_admin_command(session, None, "still here", NOW + 1)
        ended = NOW + 2000
        assert read_admin_commands(session, 1, NOW) == NewAdminCommands(
            [AdminCommand(3, NOW + 1, None, "still here")], [BAN]
        )
        assert read_admin_commands(session, 1, ended).bans == []
