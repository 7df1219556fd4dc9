"""The base class of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.screen import Screen, find_trouble

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Trouble


class AppScreen(Screen):
    """A screen that uses its app. All pages are subclasses."""

    def __init__(self, app: App) -> None:
        self.app = app

    @property
    def trouble(self) -> Trouble | None:
        """The banner for the first used session that has lost its connection, or None."""
        connections = (server.connection for server in self.app.open_servers if not server.idle)
        lost = next((each for each in connections if each.lost is not None), None)
        zone = self.app.context.zone
        return None if lost is None else find_trouble(lost, zone, seated=False)

    def leave(self) -> None:
        """Go back to the previous screen."""
        self.app.back()
