import os
import re
import subprocess
import sys
import tomllib

import pytest

from kit.processes import SERVER
from mastermind_server.commands.resources import (
    COMMAND_DESCRIPTORS,
    MIN_CONNECTIONS,
    SPARE_DESCRIPTORS,
    explain_lack,
)

NO_OUTPUT = "standard output is closed: give the command a file, or /dev/null"


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


SMALL_MEMORY = """
import resource, sys, threading
from mastermind_server import app, cli

with open("/proc/self/statm") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
threading.stack_size(1 << 28)
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 27),) * 2)
sys.exit(cli.main(["--port=0"]))
"""


def test_a_server_without_memory_for_threads_says_so_in_one_line():
    ended = subprocess.run(
        [sys.executable, "-c", SMALL_MEMORY], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "mastermind-server: the system starts no more threads" in ended.stderr


@pytest.mark.parametrize(
    ("error", "explained"),
    [
        (MemoryError(), True),
        (ImportError("numpy.so: failed to map segment from shared object"), True),
        (ImportError("No module named 'psycopg'"), False),
        (RuntimeError("no running event loop"), False),
    ],
)
def test_a_lack_of_memory_is_no_bug(error, explained):
    assert (explain_lack(error) is not None) is explained


@pytest.mark.parametrize(
    ("output", "status", "error"),
    [
        (">&-", 1, f"mastermind-server: {NO_OUTPUT}\n"),
        (">/dev/full", 1, "mastermind-server: [Errno 28] No space left on device\n"),
        ("", 1, ""),  # a pipe without a reader
    ],
)
def test_a_command_whose_output_is_not_read_ends_without_a_traceback(output, status, error):
    reading, writing = os.pipe()
    os.close(reading)
    shell = ["sh", "-c", f'unset PYTHONUNBUFFERED; "$0" limits {output}; exit $?', *SERVER]
    ended = subprocess.run(shell, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (status, error)


@pytest.mark.parametrize(
    ("connections", "limit"), [(100, "-Sn 150"), (5, f"-n {5 + SPARE_DESCRIPTORS}")]
)
def test_connections_are_not_lowered_if_the_limit_on_open_files_can_be_raised_or_suffices(
    connections, limit
):
    ended = run(f"export MASTERMIND_LIMIT_CONNECTIONS={connections}; ulimit {limit}", "limits")
    assert f"connections = {connections}  # environment\n" in ended.stdout


def test_the_soft_limit_on_open_files_is_raised_as_far_as_needed():
    code = (
        "import resource; from mastermind_server.commands.resources import raise_open_files;"
        " print(raise_open_files(160, needed=1), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    shell = ["sh", "-c", f'ulimit -Sn 150; "$0" -c "{code}"', sys.executable]
    assert subprocess.run(shell, capture_output=True, check=True).stdout == b"160 160\n"


def test_child_processes_inherit_the_null_device_as_closed_streams():
    code = (
        "import subprocess; from mastermind_server.commands import resources;"
        " resources.open_standard_streams(); subprocess.run(['sh', '-c', 'read x; echo x'])"
    )
    shell = ["sh", "-c", f'"$0" -c "{code}" <&- >&-', sys.executable]
    assert subprocess.run(shell, capture_output=True, check=True).stderr == b""


def test_limits_names_descriptors_as_the_source_of_fewer_connections():
    ended = run(
        f"export MASTERMIND_LIMIT_CONNECTIONS=800 CHAT=1; ulimit -n {SPARE_DESCRIPTORS + 70}",
        "limits",
    )
    assert "connections = 70  # file descriptors\n" in ended.stdout
    assert re.search(r"(?m)^chat = .* # default$", ended.stdout)  # not by the variable CHAT
    assert tomllib.loads(ended.stdout)["connections"] == 70
