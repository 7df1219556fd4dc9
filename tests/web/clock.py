"""The clock of a page: stopped by a test, and moved once the page has set its timers."""

from __future__ import annotations

from playwright.sync_api import Page

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
    """Stop the clock of a page before it loads: only the test moves it."""
    page.clock.install(time=0)
    page.clock.pause_at(START)
    page.context.add_init_script(_NOTE_TIMERS)


def expect_timer(page: Page, milliseconds: int) -> None:
    """Wait until a page whose clock is stopped has set a timer of so many milliseconds."""
    page.wait_for_function("(wanted) => [...pending.values()].includes(wanted)", arg=milliseconds)


def run_timer(page: Page, milliseconds: int) -> None:
    """Wait until a page has set a timer of so many milliseconds, and let that time pass."""
    expect_timer(page, milliseconds)
    page.clock.run_for(milliseconds)
