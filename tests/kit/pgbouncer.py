"""A pgbouncer, Debian's connection pooler, in front of a PostgreSQL."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict

from kit.postgres import find_owner, wait_until

MODES = ("session", "transaction", "statement")  # when a client's connection is given to another


def find_pgbouncer() -> str | None:
    """Return the program, which Debian installs where only root's PATH leads."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def pooling(program: str, url: str, *, ignored: str = "") -> Iterator[dict[str, str]]:
    """Run a pgbouncer for the database at `url`. Yield a URL for each mode.

    Instead of refusing them, it ignores the startup parameters `ignored`.
    """
    target = conninfo_to_dict(url)
    names = ("host", "port", "user", "password", "dbname")
    where = " ".join(f"{name}={target[name]}" for name in names if target.get(name))
    folder = Path(tempfile.mkdtemp(prefix="mastermind-pgbouncer-"))
    owner = find_owner()
    settings = folder / "settings.ini"
    settings.write_text(
        "\n".join(
            [
                "[databases]",
                *(f"{mode} = {where} pool_mode={mode}" for mode in MODES),
                "[pgbouncer]",
                "listen_addr =",
                f"unix_socket_dir = {folder}",
                "auth_type = any",
                f"ignore_startup_parameters = extra_float_digits,{ignored}",
            ]
        )
    )
    if owner:
        shutil.chown(folder, owner["user"])
        shutil.chown(settings, owner["user"])
    process = subprocess.Popen([program, "--quiet", settings], cwd="/", **owner)
    try:
        wait_until(
            lambda: process.poll() is not None or _accepts(folder / ".s.PGSQL.6432"),
            lambda: "pgbouncer accepts no connections",
        )
        assert process.poll() is None
        base = sa.URL.create("postgresql", query={"host": str(folder), "port": "6432"})
        yield {mode: base.set(database=mode).render_as_string() for mode in MODES}
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _accepts(address: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(address))
        except OSError:  # not bound, or not listening yet
            return False
    return True
