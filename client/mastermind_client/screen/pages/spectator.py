"""The match screen of a spectator: a live match, or the playback of a finished match."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.scene.scene import PlaybackMode
from mastermind_client.screen.screen import back_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.config.options import WatchOptions
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.scene.scene import Progress, Scene
    from mastermind_client.screen.servers.servers import Server


class SpectatorScreen(MatchScreen):
    """The screen of a match that the user watches.

    A match of two bots that the user has just opened is shown from its start, and so is a finished
    match. Other matches are shown from their current state.
    """

    def __init__(
        self, app: App, server: Server, mirror: Mirror, options: WatchOptions | None = None
    ) -> None:
        super().__init__(app, server, mirror)
        self._secret = options.secret if options is not None else None
        self.keys = (
            Key(
                ("enter",),
                N_("watch the rematch"),
                self._follow_rematch,
                short=N_("rematch"),
                when=self._has_rematch,
            ),
            *self.pacer.keys(lambda: True),
            *self.shared_keys(),
            back_key(self, when=lambda: not self.history_open),
        )
        if options is not None and options.bot is not None:
            self.pacer.change(self.pacer.playback.show(0, self.pacer.now))
        elif mirror.state.phase is Phase.FINISHED:
            self.pacer.go_home()

    @property
    def scene(self) -> Scene:
        """The values to draw."""
        return replace(super().scene, opened_secret=self._secret)

    @property
    def progress(self) -> Progress:
        """The progress of the playback."""
        return self.measure_progress(self._find_showing())

    def _find_showing(self) -> PlaybackMode:
        match = self.mirror.state
        people = not all(player.is_bot for player in match.players)
        live = people and match.phase is not Phase.FINISHED
        if not self.pacer.plays:
            return PlaybackMode.BACK if live else PlaybackMode.PAUSED
        return (
            PlaybackMode.LIVE if live and not self.pacer.playback.behind else PlaybackMode.PLAYING
        )

    def _has_rematch(self) -> bool:
        return self.match.rematch is not None

    def _follow_rematch(self) -> None:
        code = self.match.rematch
        if code is not None and not self.just_ended:
            self.enter_rematch(lambda: self.server.session.follow(code))
