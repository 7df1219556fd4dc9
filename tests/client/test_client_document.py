"""The pictures of the documents for players."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "CLIENT.md").read_text(encoding="utf-8")


def test_the_pictures_exist():
    for folder, text in (
        (ROOT / "docs", DOCUMENT),
        (ROOT, (ROOT / "README.md").read_text("utf-8")),
    ):
        for picture in re.findall(r"\]\(([\w/.]+\.svg)\)", text):
            assert (folder / picture).is_file(), picture
