"""The pictures of the README match the current program."""

import runpy
from pathlib import Path

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def test_the_pictures_match_the_current_program(tmp_path):
    kept = {path.stem: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    make_pictures = runpy.run_path(str(PICTURES / "render.py"))["make_pictures"]
    assert make_pictures(tmp_path, kept) == kept  # after an intended change, run `make pictures`
