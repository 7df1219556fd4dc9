"""The page of the days of a month, with the own results."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import DayOptions
from mastermind_client.language import mark as N_
from mastermind_client.lists import ServerList
from mastermind_client.messages.days.dates import change_month, find_month
from mastermind_client.messages.days.tables import DAY_COLUMNS, describe_month
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.network.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.screen import MonthPage
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.messages import DayResult, Days


FIRST_MONTH = find_month(0)


class MonthScreen(ListPage):
    """The days of a month, the last first. Enter opens a day."""

    enter_hint = N_("open")
    paging_hint = N_("more")

    def __init__(self, app: App, page: MonthPage) -> None:
        self._rules = page.rules
        self._month: str | None = None  # None: the present month
        self._last = ""  # the present month
        self._answer: Days | None = None
        server_list = ServerList(
            N_("Past days"), "", N_("There was no code of the day in this month."), self._load,
            DAY_COLUMNS, self._find_destination, refresh=False, key=lambda result: str(result.day),
        )  # fmt: skip
        super().__init__(app, server_list, page.server)

    def items(self) -> Sequence[Item]:
        """Return no items: the keys Left and Right choose the month."""
        return ()

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that choose the month."""
        return (
            Key(("left",), N_("the month before"), partial(self._change_month, -1)),
            Key(
                ("right",), N_("the next month"), partial(self._change_month, 1),
                short=N_("month"), hinted=("left", "right"),
            ),
            *super().own_keys(),
        )  # fmt: skip

    def sheet(self) -> Sheet:
        """Return the days, with the own figures above them."""
        sheet = super().sheet()
        answer = self._answer
        if answer is not None:
            sheet.note = f"{answer.month}, {self._rules}"
            sheet.above = [wrap(describe_month(answer), self.stage.columns)]
        return sheet

    async def _load(self, session: Session, _after: str | None) -> tuple[Sequence[DayResult], bool]:
        self._answer = await session.list_days(self._rules, self._month)
        return self._answer.days, False

    def _find_destination(self, day: str, server: str) -> DayOptions:
        return DayOptions(server, self._rules, int(day))

    def _change_month(self, step: int) -> None:
        """Show the month `step` months later, unless it is before day 0 or in the future."""
        if self._answer is None:
            return
        self._last = self._last or self._answer.month
        month = change_month(self._month or self._answer.month, step)
        if FIRST_MONTH <= month <= self._last:
            self._month = month
            self.go_to(self.address)
