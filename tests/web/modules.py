"""Calls of functions in the page's modules."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page

# Bytes travel as {"$hex": "00ff"}, as in the vectors.
_CALL = """async ([folder, module, name, ...given]) => {
  const read = (value) => Array.isArray(value) ? value.map(read)
    : value === null || typeof value !== "object" ? value
    : "$hex" in value ? Uint8Array.from(value.$hex.match(/../g) ?? [], (hex) => parseInt(hex, 16))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item)]));
  const write = (value) => value instanceof Uint8Array
    ? { $hex: [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("") }
    : Array.isArray(value) ? value.map(write)
    : value === null || typeof value !== "object" ? value
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, write(item)]));
  const called = (await import(`${folder}/${module}.js`))[name];
  return given.map((values) => {
    try {
      return write(called(...read(values)));
    } catch (error) {
      return String(error);
    }
  });
}"""


def find_folder(page: Page) -> str:
    """Return the path of the folder with the page's files: `/s/DIGEST`."""
    found = re.search(r'"(/s/[^/"]+)/main\.js"', page.content())
    assert found is not None, page.content()
    return found[1]


def call_all(page: Page, module: str, name: str, *calls: list[Any]) -> list[Any]:
    """Call a function of a module once with each list of values; return the results in order.

    The result of a call that throws is the error's text.
    """
    return list(page.evaluate(_CALL, [find_folder(page), module, name, *calls]))
