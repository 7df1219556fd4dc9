"""The helper on an emulated terminal."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

import pytest

from kit.screen.stage import Stage, stage
from mastermind_client.config.options import PuzzleOptions, SolveOptions
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.screen import MenuPage

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture
def opened() -> Open:
    """Return a function that opens a page over the home page, and waits until it is idle."""

    @asynccontextmanager
    async def open_page(
        options: SolveOptions | PuzzleOptions, columns: int = 80, rows: int = 24, **terms: Any
    ) -> AsyncIterator[Stage]:
        home = partial(make_screen, destination=MenuPage.HOME)
        async with stage(columns, rows, opening=home, **terms) as shown:
            shown.app.go(options)
            await shown.until(lambda: not shown.app.busy)
            yield shown

    return open_page
