"""What the image installs, each file by its hash: made from constraints.txt by `make hashes`.

The index that pip uses is asked which files fit the image's Python on the machines that it is built
for. Neither the index nor a place in it is written down: only a hash says what is right.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[1]
EXTRA: Final = "postgresql"  # of the project, which the image has
PYTHON: Final = "3.11"  # of the image
MACHINES: Final = ("x86_64", "aarch64")
GLIBC: Final = 36  # of the image: 2.36, and what was built for any since 2.5
RUNS: Final = ROOT / "image" / "requirements.txt"
BUILDS: Final = ROOT / "image" / "build-requirements.txt"
_HEAD: Final = "# {about}, by its hashes: made by `make hashes` from constraints.txt.\n"


def main() -> None:
    """Write both files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    runs = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"][EXTRA],
    ]
    RUNS.write_text(_HEAD.format(about="What runs in the image") + pin(runs))
    builds = project["build-system"]["requires"]
    BUILDS.write_text(_HEAD.format(about="What the image is built with") + pin(builds))


def pin(requirements: Iterable[str]) -> str:
    """Return lines for these and what they need, as pip reads them with --require-hashes."""
    hashes = defaultdict[str, set[str]](set)
    for machine in MACHINES:
        for name, digest in _resolve(requirements, machine):
            hashes[name].add(f"    --hash=sha256:{digest}")
    return "".join(
        " \\\n".join([name, *sorted(digests)]) + "\n" for name, digests in sorted(hashes.items())
    )


def _resolve(requirements: Iterable[str], machine: str) -> Iterable[tuple[str, str]]:
    """Yield each distribution for a machine, as NAME==VERSION, and the hash of its file."""
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC, 4, -1)]
    platforms.append(f"manylinux2014_{machine}")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-compile"]
        command += ["--ignore-installed", "--only-binary=:all:", f"--target={folder}"]
        command += [f"--report={report}", f"--constraint={ROOT / 'constraints.txt'}"]
        command += [f"--python-version={PYTHON}", *(f"--platform={name}" for name in platforms)]
        subprocess.run([*command, *requirements], check=True)
        for item in json.loads(report.read_text("utf-8"))["install"]:
            what = item["metadata"]
            digest = item["download_info"]["archive_info"]["hashes"]["sha256"]
            yield f"{what['name'].lower().replace('_', '-')}=={what['version']}", digest


if __name__ == "__main__":
    main()
