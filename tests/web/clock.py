"""The clock of a page: stopped by a test, and moved once the page has set its timers."""

from __future__ import annotations

from playwright.sync_api import Page, expect

START = 1_000  # milliseconds: what the stopped clock shows
REFRESH = 10_000  # milliseconds: the timer that home sets when all its requests are answered
# Notes the pending timers of a page by their ids. It runs after the script that stops the clock.
_NOTE_TIMERS = """(() => {
  const { setTimeout: start, clearTimeout: stop } = window;
  window.pending = new Map();
  window.setTimeout = (action, milliseconds, ...given) => {
    const id = start(() => {
      pending.delete(id);
      action(...given);
    }, milliseconds);
    pending.set(id, milliseconds);
    return id;
  };
  window.clearTimeout = (id) => {
    pending.delete(id);
    stop(id);
  };
})()"""


def stop_clock(page: Page) -> None:
    """Stop the clock of a page, before it loads, and note its timers."""
    page.clock.install(time=0)
    page.clock.pause_at(START)
    page.context.add_init_script(_NOTE_TIMERS)


def expect_home(page: Page) -> None:
    """Wait until home, with a stopped clock, has all its answers and waits for `REFRESH`."""
    expect(page.get_by_text("In a terminal:")).to_be_visible()  # a connecting page has such a timer
    page.wait_for_function("(wanted) => [...pending.values()].includes(wanted)", arg=REFRESH)


def refresh_home(page: Page) -> None:
    """Run the clock of home until it requests the own matches again."""
    expect_home(page)
    page.clock.run_for(REFRESH)
