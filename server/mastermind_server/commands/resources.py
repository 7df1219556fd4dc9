"""What a process gets from the system: descriptors, streams, threads, memory and file systems.

The number of file descriptors limits the connections of a server.
"""

from __future__ import annotations

import fcntl
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from mastermind_server.limits import Limits

# Kept free: 25 for the event loop, log, listeners and database, 32 for sockets that get a refusal,
# 17 for four bot processes. The rest is for scrapes of metrics and files that are read.
SPARE_DESCRIPTORS = 128
MIN_CONNECTIONS = 64  # of a server that is no mistake: two classrooms, or some browsers with pages
COMMAND_DESCRIPTORS = 32  # of a command: two databases with their logs, and imported modules
OPEN_FILES_SETTINGS = "ulimit -n, LimitNOFILE= in systemd, --ulimit nofile= in Docker"
# As Linux names them. Of those in user space, which may be local, only the common remote ones.
NETWORK_FILE_SYSTEMS = {
    *("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "lustre", "afs", "fuse.glusterfs"),
    *("fuse.sshfs", "fuse.rclone", "fuse.s3fs"),
    *("virtiofs", "vboxsf", "prl_fs", "fakeowner", "fuse.grpcfuse", "fuse.osxfs"),  # of a host
}
_NO_THREAD = "can't start new thread"  # the text of Python's RuntimeError
_NO_MAPPING = "failed to map segment"  # in an ImportError of a library, by glibc


class TooFewDescriptors(OSError):
    """The process's limit on open files, RLIMIT_NOFILE, is too low."""


def open_standard_streams() -> None:
    """Open the null device as each standard stream that was closed when the process started.

    Must be called before the process opens files or sockets: they would get the descriptors of the
    streams, and child processes or libraries would use them as such.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest free one: that of the stream
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def flush_output() -> None:
    """Write the buffered output. If that fails, discard the output and raise OSError.

    The interpreter would print the failure at its exit.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def explain_lack(error: MemoryError | ImportError | RuntimeError) -> str | None:
    """Return the message for a lack of memory or threads, or None for other errors."""
    if isinstance(error, MemoryError) or _NO_MAPPING in str(error):
        return "there is too little memory (ulimit -v, MemoryMax= in systemd, --memory in Docker)"
    if str(error) == _NO_THREAD:
        return (
            "the system starts no more threads, for lack of processes (ulimit -u, TasksMax= in"
            " systemd, --pids-limit in Docker) or of memory (ulimit -v)"
        )
    return None


def lower_connections(limits: Limits) -> Limits:
    """Return `limits` with `connections` lowered if there are too few file descriptors.

    Also raises the process's limit on open files as far as needed and allowed. Raises
    TooFewDescriptors if there are too few for MIN_CONNECTIONS and `connections`.
    """
    found = raise_open_files(
        SPARE_DESCRIPTORS + limits.connections,
        needed=SPARE_DESCRIPTORS + min(MIN_CONNECTIONS, limits.connections),
    )
    return msgspec.structs.replace(limits, connections=found - SPARE_DESCRIPTORS)


def raise_open_files(wanted: int, needed: int) -> int:
    """Raise the process's limit on open files to `wanted`, or as far as the system allows.

    Return the new limit, at most `wanted`. Raises TooFewDescriptors if it is below `needed`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    found = wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
    if found < needed:
        raise TooFewDescriptors(
            f"the limit on open files (RLIMIT_NOFILE) is {found}, and at least {needed} are needed:"
            f" raise it ({OPEN_FILES_SETTINGS})"
        )
    return found


def grow_descriptor_table(limits: Limits) -> None:
    """Grow the kernel's table of this process's file descriptors to its final size at once.

    Without this call, Linux doubles the table whenever it is full. In a process with threads, each
    doubling is a pause of 5 to 15 ms. The table takes some 50 KiB.
    """
    last = limits.connections + SPARE_DESCRIPTORS - 1
    with Path(os.devnull).open("rb") as null:
        os.close(fcntl.fcntl(null, fcntl.F_DUPFD_CLOEXEC, last))


def find_network_file_system(file: Path) -> str | None:
    """Return the type of the file system of the folder of `file` if it is in NETWORK_FILE_SYSTEMS.

    None if it is not, if there is no such folder, and where the system has no list of mounts.
    """
    try:
        device = file.resolve().parent.stat().st_dev
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "replace")
    except (OSError, RuntimeError):  # a loop of symbolic links
        return None
    for line in mounts.splitlines():
        mount, _, source = line.partition(" - ")
        number, kind = mount.split()[2], source.split()[0]
        if number == f"{os.major(device)}:{os.minor(device)}" and kind in NETWORK_FILE_SYSTEMS:
            return kind
    return None
