"""The pages of the settings, and of playing as one player on several computers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.colours import COLOURS
from mastermind_client.config.settings import SETTINGS, InvalidSetting
from mastermind_client.config.values import parse_transfer_code
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import write_sentence
from mastermind_client.messages.players import (
    describe_logout,
    describe_transfer,
    describe_transferred,
    format_transfer_command,
)
from mastermind_client.network import account
from mastermind_client.screen.forms.fields import draw_colours, make_acceptor, server_field
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.lines import Line, wrap
from mastermind_client.screen.toolkit.list_view import Item, action, choice, field
from mastermind_client.screen.toolkit.overlays import Answer, Card, LinePrompt
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Any, TypeAlias

    from mastermind_client.config.settings import Setting
    from mastermind_client.screen.app import App

    Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

SETTING_LABELS: Mapping[str, str] = {
    "name": N_("Your name"),
    "server": N_("Server"),
    "language": N_("Language"),
    "palette": N_("Palette"),
    "color": N_("Colours"),
    "glyphs": N_("Signs"),
    "bell": N_("Bell"),
    "title": N_("Window title"),
    "mouse": N_("Mouse"),
    "motion": N_("Motion"),
    "pace": N_("Pace of bots"),
    "mark_excluded": N_("Mark what is excluded"),
    "introduction": N_("Introduction"),
    "rules": N_("Rules"),
    "opponent": N_("Bot"),
}
"""The labels of the settings, marked for translation."""

VALUE_TEXTS: Mapping[tuple[str, str], str] = {
    ("name", ""): N_("as last time, or a guest"),
    ("name", GUEST): N_("a guest"),
    ("language", ""): N_("the system's"),
    ("color", "auto"): N_("as many as there are"),
    ("color", "never"): N_("none"),
    ("color", "true"): N_("all (24 bits)"),
    ("glyphs", "auto"): N_("as the terminal can"),
    ("introduction", "all"): N_("in the first game"),
    ("introduction", "hints"): N_("hints in the first game"),
    ("introduction", "none"): N_("none"),
    ("mouse", "auto"): N_("on, but not over SSH"),
    ("mouse", "on"): N_("on"),
    ("mouse", "off"): N_("off"),
    ("palette", "default"): N_("default"),
    ("palette", "high-contrast"): N_("high contrast"),
    ("palette", "mono"): N_("none: letters only"),
}
"""The displayed names of values, marked for translation. Other values are displayed as stored."""


class SettingsScreen(Page):
    """All settings, and a peg of each colour."""

    enter_hint = N_("change")

    def sheet(self) -> Sheet:
        """Return the form of the settings, a peg of each colour, and the settings file's path."""
        colours = draw_colours(list(COLOURS), self.app.look)
        context = self.app.context
        told = _("Kept in {file}").format(file=context.settings_file)
        kept = wrap(told, self.stage.columns) if context.local else []
        return Sheet(
            title=_("Settings"),
            view=self.view,
            below=[[colours, *kept], [colours]],
        )

    def items(self) -> Sequence[Item]:
        """Return an item for each setting, and the item that opens the page for other computers."""
        computers = action(
            "computers", _("Other computers"), partial(self.app.go, MenuPage.COMPUTERS),
            _("to be the same player there"),
        )  # fmt: skip
        return [*(self._make_item(setting) for setting in SETTINGS.values()), computers]

    def _make_item(self, setting: Setting) -> Item:
        name, label = setting.name, _(SETTING_LABELS[setting.name])
        value = getattr(self.app.settings, name)
        about = write_sentence(_(setting.meaning))
        change = partial(self._change, setting)
        if setting.is_switch:
            return choice(
                name, label, value, [(False, _("no"), about), (True, _("yes"), about)], change
            )
        if setting.choices:
            options = [(each, format_setting(name, each), about) for each in setting.choices]
            return choice(name, label, value, options, change)
        typed = f"{value:g}" if isinstance(value, float) else value or ""
        shown = format_setting(name, typed)
        return field(
            name, label, typed, shown, self.app.prompt,
            lambda text: change(text.strip()), about=about,
        )  # fmt: skip

    def _change(self, setting: Setting, value: object) -> str | None:
        """Apply and save a value. If it is invalid, return the reason."""
        try:
            accepted = setting.accept(value)
        except InvalidSetting as error:
            return write_sentence(str(error))
        if setting.name == "name" and accepted is None:
            accepted = GUEST  # without a name the server would keep the last one
        if accepted != getattr(self.app.settings, setting.name):
            self.app.change_settings(**{setting.name: accepted})
            if setting.name == "name":  # a connection sends the name when it opens
                self.app.spawn(self.app.servers.close())
        return None


def format_setting(name: str, value: str) -> str:
    """Return the displayed text of a `value` of the setting `name`."""
    if name == "language" and value in LANGUAGES:
        return LANGUAGES[value]
    return _(VALUE_TEXTS[name, value]) if (name, value) in VALUE_TEXTS else value


class ComputersScreen(Page):
    """The page for playing as one player on several computers.

    It shows or accepts a transfer code, and logs computers out.
    """

    def __init__(self, app: App) -> None:
        self._result_text = ""  # the result of the last action
        self._command = ""  # to be typed on the other computer
        self._expiry: asyncio.TimerHandle | None = None
        self._work_task: asyncio.Task[None] | None = None
        super().__init__(app)

    def sheet(self) -> Sheet:
        """Return the actions, and the result of the last one."""
        told: list[Line] = wrap(self._result_text, self.stage.columns) if self._result_text else []
        if self._command:
            told += [[], *wrap(self._command, self.stage.columns, "class:strong")]
        return Sheet(title=_("Other computers"), view=self.view, below=[told])

    def items(self) -> Sequence[Item]:
        """Return the server and the actions."""
        out, everywhere = _("log this computer out"), _("all computers but this one")
        return [
            server_field(self.app),
            action(
                "offer", _("Show a code"), partial(self._start_work, self._offer_transfer),
                _("to be the same player there"), heading="",
            ),
            action(
                "take", _("Type a code"), self._ask_transfer_code, _("that another computer shows"),
            ),
            action("elsewhere", _("Log out elsewhere"), self._ask_to_log_out_elsewhere, everywhere),
            action("here", _("Log out here"), self._ask_to_log_out_here, out),
        ]  # fmt: skip

    async def on_close(self) -> None:
        """Remove a displayed transfer code from the page."""
        self._show_result("")

    async def _offer_transfer(self) -> None:
        server = self.app.settings.server
        player, offered = await account.offer_transfer(self.app.context, server)
        self._show_result(
            describe_transfer(player.name, offered), format_transfer_command(offered.code, server)
        )
        self._expiry = self.app.clock.call_later(offered.seconds, partial(self._show_result, ""))

    def _ask_transfer_code(self) -> None:
        def take(code: str) -> None:
            self._start_work(partial(self._take_transfer, code))

        self.app.prompt(LinePrompt(_("Code:"), make_acceptor(parse_transfer_code, take)))

    async def _take_transfer(self, code: str) -> None:
        server = self.app.settings.server
        await self.app.servers.close()  # the next connection is the transferred player
        player = await account.take_transfer(self.app.context, server, code)
        self._show_result(describe_transferred(player.name, server))

    def _ask_to_log_out_elsewhere(self) -> None:
        about = _("This logs out every other computer, and anyone who copied your token.")
        self._ask_before_logout(
            _("Log out elsewhere?"), about, partial(self._log_out, elsewhere=True)
        )

    def _ask_to_log_out_here(self) -> None:
        about = _("If this is your only computer, you lose this player for good.")
        self._ask_before_logout(_("Log out here?"), about, partial(self._log_out, elsewhere=False))

    def _ask_before_logout(self, question: str, about: str, work: Work) -> None:
        stay = Answer(_("Stay"), _("Nothing changes."), self.app.redraw)
        self.app.ask(
            Card(question, stay, Answer(_("Log out"), about, partial(self._start_work, work)))
        )

    async def _log_out(self, *, elsewhere: bool) -> None:
        server = self.app.settings.server
        await self.app.servers.close()
        log_out = account.log_out_elsewhere if elsewhere else account.log_out
        await log_out(self.app.context, server)
        await self.app.servers.close()  # home may have connected with a token that is void now
        self._show_result(describe_logout(server, elsewhere=elsewhere))

    def _start_work(self, work: Work) -> None:
        """Start `work`, unless earlier work is still running."""
        if self._work_task is None or self._work_task.done():
            self._show_result("")
            self._work_task = self.app.spawn(work(), _("Waiting for the answer ..."), keep=True)

    def _show_result(self, told: str, command: str = "") -> None:
        """Show the result of an action, and a command for the other computer if there is one."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        self._result_text, self._command = told, command
        self.app.redraw()
