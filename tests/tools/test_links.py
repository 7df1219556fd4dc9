"""The links of the documents lead to files and headings that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)\s:]+)\)")  # without a scheme: within the project
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@cache
def read_text(document: Path) -> str:
    """Return a document without its examples."""
    return FENCED.sub("", document.read_text("utf-8"))


@cache
def list_anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", read_text(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_links_of_a_document_lead_somewhere(document):
    for link in LINK.findall(read_text(document)):
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        assert target.exists(), link
        assert not anchor or anchor in list_anchors(target), link
