"""docs/CLIENT.md and docs/LINES.md have the tables of the code and the transcripts as they are."""

import pytest

from transcripts.client_tables import BLOCK, DOCUMENTS, read_keys, write_blocks


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
async def test_the_blocks_are_written_again_as_they_are(path):
    text = path.read_text("utf-8")
    emptied = BLOCK.sub(r"\1\4", text)
    assert len(emptied) < len(text)
    assert write_blocks(emptied, await read_keys()) == text
