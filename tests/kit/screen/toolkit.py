"""prompt_toolkit's own tables, which are the same for every app of a test run."""

from collections.abc import Iterator
from functools import cache

import pytest
from prompt_toolkit.application import application
from prompt_toolkit.key_binding.defaults import load_key_bindings
from prompt_toolkit.styles import Style, style


@pytest.fixture(autouse=True, scope="session")
def toolkit_made_once() -> Iterator[None]:
    """Make prompt_toolkit's default keys and styles once for all apps.

    Each of some hundred apps would spend a third of its time on them.
    """
    made: dict[tuple[tuple[str, str], ...], Style] = {}

    def merge(rules: list[tuple[str, str]]) -> Style:
        if (found := made.get(key := tuple(rules))) is None:
            found = made[key] = Style(rules)
            found.get_attrs_for_style_str = cache(found.get_attrs_for_style_str)  # type: ignore[method-assign]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "load_key_bindings", cache(load_key_bindings))
        patch.setattr(style, "_parse_style_str", cache(style._parse_style_str))
        patch.setattr(style, "Style", merge)
        yield
