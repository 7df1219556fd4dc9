"""The page of the settings: changes apply at once and are saved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.colours import COLOURS
from mastermind_client.config.settings import SETTINGS, InvalidSetting
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import write_sentence
from mastermind_client.screen.forms.fields import draw_colours
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.lines import wrap
from mastermind_client.screen.toolkit.list_view import Item, action, choice, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_client.config.settings import Setting

LABELS: Mapping[str, str] = {
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
    "mark_excluded": N_("Mark excluded guesses"),
    "introduction": N_("Introduction"),
    "rules": N_("Rules"),
    "opponent": N_("Bot"),
}
"""What each setting is called; to be translated where it is shown."""

VALUES: Mapping[tuple[str, str], str] = {
    ("name", ""): N_("a guest"),
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
"""What values are called that do not speak for themselves; translated where they are shown."""


class SettingsScreen(Page):
    """All settings, and a peg of each colour."""

    chooses = N_("change")

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
        """Return an item for each setting, and the item that opens the page of other computers."""
        computers = action(
            "computers", _("Other computers"), partial(self.app.go, MenuPage.COMPUTERS),
            _("to be the same player there"),
        )  # fmt: skip
        return [*(self._item(setting) for setting in SETTINGS.values()), computers]

    def _item(self, setting: Setting) -> Item:
        name, label = setting.name, _(LABELS[setting.name])
        value = getattr(self.app.settings, name)
        about = write_sentence(_(setting.meaning))
        change = partial(self._change, setting)
        if setting.is_switch:
            return choice(
                name, label, value, [(False, _("no"), about), (True, _("yes"), about)], change
            )
        if setting.choices:
            options = [(each, name_value(name, each), about) for each in setting.choices]
            return choice(name, label, value, options, change)
        typed = f"{value:g}" if isinstance(value, float) else value or ""
        shown = name_value(name, typed)
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
        if accepted != getattr(self.app.settings, setting.name):
            self.app.change(**{setting.name: accepted})
            if setting.name == "name":  # a connection sends the name when it opens
                self.app.spawn(self.app.servers.close())
        return None


def name_value(name: str, value: str) -> str:
    """Return the displayed text for a value of the setting `name`."""
    if name == "language" and value in LANGUAGES:
        return LANGUAGES[value]
    return _(VALUES[name, value]) if (name, value) in VALUES else value
