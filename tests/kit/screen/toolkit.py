"""A fixture that shares prompt_toolkit's tables between the apps of a test run."""

from collections.abc import Iterator
from functools import cache

import pytest
from prompt_toolkit.application import application
from prompt_toolkit.key_binding.defaults import load_key_bindings
from prompt_toolkit.styles import Style, style


@pytest.fixture(autouse=True, scope="session")
def toolkit_made_once() -> Iterator[None]:
    """Cache prompt_toolkit's default key bindings and styles for all apps.

    Otherwise each of the many apps spends a third of its time creating them.
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
