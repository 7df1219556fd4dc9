import subprocess
import tomllib

import pytest

from kit.processes import SERVER
from mastermind_server.commands.resources import (
    COMMAND_DESCRIPTORS,
    MIN_CONNECTIONS,
    SPARE_DESCRIPTORS,
)


def run(setting: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the server's command after a shell's `setting`, and return its output."""
    shell = ["sh", "-c", f'{setting}; exec "$0" "$@"', *SERVER, *arguments]
    return subprocess.run(shell, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--port=0"], SPARE_DESCRIPTORS + MIN_CONNECTIONS),
        (["status", "--database=none"], COMMAND_DESCRIPTORS),
    ],
)
def test_too_few_descriptors_are_named_with_the_number_needed(arguments, needed):
    ended = run(f"ulimit -n {COMMAND_DESCRIPTORS - 1}", *arguments)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"mastermind-server: the limit on open files (RLIMIT_NOFILE) is {COMMAND_DESCRIPTORS - 1},"
        f" and at least {needed} are needed: raise it (ulimit -n, LimitNOFILE= in systemd,"
        " --ulimit nofile= in Docker)\n"
    )


def test_limits_names_descriptors_as_the_source_of_fewer_connections():
    ended = run(
        f"export MASTERMIND_LIMIT_CONNECTIONS=800; ulimit -n {SPARE_DESCRIPTORS + 70}", "limits"
    )
    assert "connections = 70  # file descriptors\n" in ended.stdout
    assert tomllib.loads(ended.stdout)["connections"] == 70
