"""The modules of the page in the browser's own engine, by the vectors of the protocol."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from mastermind_protocol.codec import decode_request
from web.modules import call_all, find_folder

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"


def read_vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def read_hex(value):
    return bytes.fromhex(value["$hex"])


@pytest.fixture
def page(visit):
    page = visit()
    page.evaluate("async (it) => (await import(it)).loadTexts()", f"{find_folder(page)}/texts.js")
    return page


@pytest.mark.parametrize("name", ["requests", "messages", "events", "sessions", "tolerated"])
def test_the_browser_decodes_the_vectors(page, name):
    vectors = read_vectors(name)
    decoded = call_all(
        page, "connection/msgpack", "decode", *([{"$hex": row["hex"]}] for row in vectors)
    )
    assert decoded == [row["value"] for row in vectors]


def test_the_server_reads_the_requests_that_the_browser_encodes(page):
    vectors = read_vectors("requests")
    encoded = call_all(page, "connection/msgpack", "encode", *([row["value"]] for row in vectors))
    assert [decode_request(read_hex(frame)) for frame in encoded] == [
        decode_request(bytes.fromhex(row["hex"])) for row in vectors
    ]


def test_the_browser_hashes_as_python_does(page):
    texts = [bytes(range(256))[:length] * 2 for length in (0, 1, 28, 32, 64, 256)]
    hashed = call_all(page, "game/rules", "sha256", *([{"$hex": text.hex()}] for text in texts))
    assert [read_hex(value) for value in hashed] == [
        hashlib.sha256(text).digest() for text in texts
    ]


# Draws twice; returns what is left of the first drawing, and the second one.
_REDRAW = """async ([folder]) => {
  const { draw, el } = await import(`${folder}/elements.js`);
  const place = document.createElement("div");
  document.body.className = ""; // a starting page is hidden, and takes no focus
  document.body.append(place);
  const item = (key) => el("li", { key }, key);
  const field = (value) => el("input", { value, "data-x": value });
  draw(place, false, el("ul", {}, ...["a", "b", "c"].map(item)), field("one"), el("b", {}, "old"));
  const before = [...place.querySelectorAll("li, input")];
  before[3].value = "typed";
  before[3].focus();
  const hostile = "<i onclick=alert(1)>";
  draw(place, "new", el("ul", {}, ...["c", "b", "d"].map(item)), field("one"), hostile);
  const after = [...place.querySelectorAll("li, input")];
  return [
    after.map((it) => before.indexOf(it)), after.map((it) => it.textContent || it.value),
    document.activeElement === after[3], place.textContent.endsWith(hostile),
    place.querySelectorAll("b, i").length,
  ];
}"""


def test_a_drawing_keeps_elements_with_their_focus_and_values(page):
    kept, shown, focused, is_text, removed = page.evaluate(_REDRAW, [find_folder(page)])
    assert kept == [2, 1, -1, 3]
    assert shown == ["c", "b", "d", "typed"]
    assert focused
    assert is_text
    assert removed == 0


@pytest.mark.parametrize("left", [[], ["bob"]])
def test_a_match_that_was_closed_while_both_were_there_has_a_rematch(page, left):
    match = {
        "opened": {},
        "rules": {"pegs": 4, "palette": [], "guesses": 12},
        "outcome": {"how": "closed"},
        "played": [],
        "left": left,
        "rematch": "K7M2QX",
    }
    words = page.evaluate(
        """async ([folder, match]) => {
          const { describeHero } = await import(`${folder}/match/result.js`);
          const { draw } = await import(`${folder}/elements.js`);
          const shown = { match, code: "K7M2QX", seat: "maker", over: true };
          const box = document.createElement("div"); // the page may still draw its own parts
          draw(box, describeHero({ session: {} }, shown));
          return box.querySelector(".main").textContent;
        }""",
        [find_folder(page), match],
    )
    assert words == ("watch the rematch" if left else "Accept the rematch")


def test_the_browser_folds_matches_as_the_server_does(page):
    rows = [
        (fold["rows"][:count], fold["rows"][count - 1])
        for fold in read_vectors("folds")
        for count in range(1, len(fold["rows"]) + 1)
    ]
    matches = call_all(
        page,
        "game/fold",
        "fold",
        *([[[row["v"], row["events"], row["at"]] for row in before]] for before, _ in rows),
    )
    numbers = call_all(page, "game/rules", "roundNumber", *([match] for match in matches))
    assert list(zip([match["phase"] for match in matches], numbers, strict=True)) == [
        (row["phase"], row["round"]) for _, row in rows
    ]
