"""Leave in an image no program but Python: run in it, once, as the last program there.

Shells go, what a system is administered by, and installers of packages. What Debian has installed
stays written down (/var/lib/dpkg), for those who look for what has to be mended.
"""

from __future__ import annotations

import os
import shutil
import site
import sys
from pathlib import Path

FOLDERS = ("/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/usr/sbin", "/bin", "/sbin")


def strip() -> None:
    """Remove them, and this file."""
    python = os.path.realpath(sys.executable)
    for folder in FOLDERS:
        for path in list(Path(folder).iterdir()):
            if os.path.realpath(path) != python:
                _remove(path)
    for packages in map(Path, site.getsitepackages()):  # of pip: the server's are elsewhere
        if packages.exists():
            _remove(packages)
    _remove(Path(__file__))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


if __name__ == "__main__":
    strip()
