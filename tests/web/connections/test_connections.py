"""The seat of a visitor survives reloads, lost connections and restarts of the server."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from kit.processes import free_port
from mastermind_protocol.codec import decode_request
from mastermind_protocol.requests import ListOwn
from mastermind_server import cli
from web.clock import REFRESH, expect_home, stop_clock
from web.play import (
    change_network,
    enter,
    expect_files,
    expect_guess,
    expect_loaded,
    expect_status,
    hide,
    invite,
    open_bot_match,
    take_seat,
    type_code,
)

LOST = "The connection is lost."
_NO_STORAGE = """for (const kind of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, kind, { get() { throw new Error("blocked"); } });
}"""
_UNUSABLE_STORAGE = """for (const method of ["getItem", "setItem", "removeItem"]) {
  Storage.prototype[method] = () => { throw new Error("blocked"); };
}"""
# As a network or an extension that lets no WebSocket open.
_NO_WEBSOCKETS = """window.WebSocket = class {
  constructor() { queueMicrotask(() => this.onclose?.({ code: 1006, reason: "" })); }
  close() {}
};"""


@pytest.fixture
def match(machine, server):
    """The code of a match whose codemaker at a terminal hides 1234."""
    _ada, code = hide(machine, server, "1234")
    return code


@pytest.fixture
def bob(visit, match, proxy):
    """The page of the codebreaker Bob. Only the test moves its clock."""
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    stop_clock(page)
    page.goto(f"/{match}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    expect_loaded(page)
    return page


def start_again(server, page):
    """Start a server that has ended, and connect the page as soon as it listens."""
    server.start()
    assert server.address
    change_network(page)


def test_a_reload_keeps_the_seat_and_the_board(visit, match):
    page = visit(f"/{match}")
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    page.reload()
    expect_guess(page, 1, "1 black, 1 white")
    enter(page, "RGBY")
    expect_status(page, "You win.")


def test_two_tabs_of_a_visitor_stay_in_step(visit, match):
    first = visit(f"/{match}")
    take_seat(first, "Bob")
    expect_status(first, "Find it!")
    second = first.context.new_page()
    second.goto(f"/{match}")
    expect_status(second, "Find it!")
    type_code(second, "RRGG")
    expect_guess(first, 1, "1 black, 1 white")
    type_code(first, "RGBY")
    expect_status(second, "You win.")


def test_two_first_visits_at_once_make_one_player(visit, proxy):
    context = visit.arrive(f"http://127.0.0.1:{proxy.port}")
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto("/robots.txt")
    proxy.delay(0.1)  # both say hello before any has a welcome
    for page in pages:
        page.evaluate("() => { location.href = '/'; }")
    names = [page.get_by_text("You are guest-") for page in pages]
    for one, other in (names, reversed(names)):
        expect(one).to_be_visible()
        expect(one).to_have_text(other.inner_text())


def test_a_game_continues_after_the_server_was_killed(visit, machine):
    server = machine.serve(port=free_port())
    ada, code = hide(machine, server, "1234")
    page = visit(f"/{code}", port=server.port)
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    server.kill()
    expect_status(page, LOST)
    start_again(server, page)
    enter(page, "RGBY")
    expect_status(page, "You win.")
    ada.expect("Bob broke the code in 2 guesses.")


def test_guesses_that_a_restored_backup_does_not_have_are_undone(visit, machine):
    server = machine.serve(port=free_port())
    ada, code = hide(machine, server, "1234")
    page = visit(f"/{code}", port=server.port)
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    copy = machine.folder / "copy"
    assert cli.main(["backup", f"--database={machine.database}", str(copy)]) == 0
    enter(page, "GGRR")
    expect_guess(page, 2, "1 black, 1 white")
    server.stop()
    copy.replace(machine.database)
    start_again(server, page)
    undone = (
        "The server has gone back to an earlier state of this match: everything after it is undone."
    )
    expect_status(page, undone)
    ada.expect(undone)
    enter(page, "RGBY")
    expect_guess(page, 2, "4 black")
    expect_status(page, "You win.")


def test_home_is_there_while_the_connection_is_lost(visit, match, proxy):
    page = visit(f"/{match}", port=proxy.port)
    expect(page.get_by_role("button", name="Take the seat")).to_be_visible()
    expect_files(page, "pages/home.js")
    proxy.cut()
    expect_status(page, LOST)
    page.get_by_role("link", name="To the start page").click()
    expect(page.get_by_role("link", name="Play a bot")).to_be_visible()
    expect_status(page, LOST)


def test_a_guess_on_a_cut_line_is_sent_on_the_next_one(visit, match, proxy):
    page = visit(f"/{match}", port=proxy.port)
    take_seat(page, "Bob")
    expect_loaded(page)
    proxy.cut()
    expect_status(page, LOST)
    enter(page, "RGBY")
    proxy.restore()
    change_network(page)
    expect_status(page, "You win.")


def test_home_asks_once_for_the_own_matches_after_an_outage(visit, proxy):
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    stop_clock(page)
    sent = []
    page.on("websocket", lambda line: line.on("framesent", lambda frame: sent.append(frame)))
    page.goto("/")
    expect_home(page)
    proxy.cut()
    expect_status(page, LOST)
    sent.clear()
    page.clock.run_for(6 * REFRESH)
    proxy.restore()
    change_network(page)
    page.get_by_role("link", name="Play a bot").click()
    expect(page.get_by_role("heading", name="Play a bot")).to_be_visible()  # a later answer
    assert [type(decode_request(frame)) for frame in sent].count(ListOwn) == 1


def test_a_line_that_loses_everything_is_replaced_while_a_clock_runs(visit, machine, server, proxy):
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    stop_clock(page)
    bob, code = invite(machine, server, "--as=breaker", "--clock=50/move", name="Bob")
    page.goto(f"/{code}")
    take_seat(page, "Ada")
    enter(page, "RGBY", "Hide it")
    expect_status(page, "Your code is hidden.")
    proxy.swallow()
    bob.answer("Guess 1 of 12: ", "1122")
    bob.expect("1 black, 1 white")
    page.clock.run_for(12_500)  # until the next ping, after a quarter of Bob's time
    page.clock.run_for(4_000)  # without an answer
    expect_guess(page, 1, "1 black, 1 white")


def test_a_guess_that_a_line_loses_is_sent_on_another_one(bob, proxy):
    proxy.swallow()
    enter(bob, "RRGG")
    bob.clock.run_for(5_000)
    expect_guess(bob, 1, "1 black, 1 white")


def test_a_slow_line_is_kept_and_causes_one_further_connection(bob, proxy):
    opened = []
    bob.on("websocket", lambda line: opened.append(line))
    proxy.freeze()
    enter(bob, "RRGG")
    bob.clock.run_for(10_000)
    expect_status(bob, LOST)
    proxy.restore()
    expect_guess(bob, 1, "1 black, 1 white")
    expect(bob.get_by_role("status")).not_to_contain_text(LOST)
    assert len(opened) == 1


def test_a_page_that_wakes_up_replaces_a_dead_line_soon(bob, proxy):
    proxy.swallow()
    bob.evaluate("() => window.dispatchEvent(new Event('pageshow'))")
    bob.clock.run_for(4_000)
    enter(bob, "RRGG")
    expect_guess(bob, 1, "1 black, 1 white")


@pytest.mark.parametrize("blocked", [_NO_STORAGE, _UNUSABLE_STORAGE])
def test_a_visitor_whose_browser_keeps_nothing_plays_in_one_tab(visit, match, server, blocked):
    context = visit.arrive(f"http://127.0.0.1:{server.port}")
    context.add_init_script(blocked)
    page = context.new_page()
    page.goto(f"/{match}")
    expect(page.get_by_text("your seat lasts as long as this tab")).to_be_visible()
    take_seat(page, "Bob")
    enter(page, "RGBY")
    expect_status(page, "You win.")
    page.goto("/#you")
    expect(page.get_by_text("Your browser keeps no data of this page")).to_be_visible()


def test_a_player_moves_between_terminal_and_page(visit, machine, server):
    page = visit("/#you")
    page.get_by_role("button", name="Get a code").click()
    code = page.get_by_text("It is valid for 5 minutes").locator("b").inner_text()
    page.get_by_label("Your name").fill("Eve")
    page.get_by_role("button", name="Save").click()
    expect_status(page, "You are Eve.")
    at = f"--server={server.address}"
    machine.start("transfer", code, at).expect("Eve")
    other = visit()
    open_bot_match(other, bot="easy")
    expect_status(other, "Find it!")
    other.goto("/#you")
    code = machine.start("transfer", at).find(r"\b[A-Z0-9]{8}\b")[0]
    other.get_by_label("Code", exact=True).fill(code)
    other.get_by_role("button", name="Be that player here").click()
    question = other.get_by_role("dialog", name="Be another player on this device?")
    expect(question).to_contain_text("has 1 unfinished match.")
    question.get_by_role("button", name="Be that player here").click()
    expect(other.get_by_text("You are Eve.").first).to_be_visible()
    other.goto("/#you")
    other.get_by_role("button", name="Be guest-").click()
    question.get_by_role("button", name="Be guest-").click()
    expect(other.get_by_role("link", name="easy")).to_be_visible()


@pytest.mark.parametrize("answers", [True, False])
def test_a_page_without_websockets_suggests_a_remedy_if_the_server_answers(visit, server, answers):
    page = visit.arrive(f"http://127.0.0.1:{server.port}").new_page()
    page.add_init_script(_NO_WEBSOCKETS)
    page.route("**/robots.txt", lambda route: route.continue_() if answers else route.abort())
    stop_clock(page)
    page.goto("/")
    expect_status(page, LOST)
    expect(page.get_by_role("status")).not_to_contain_text("no WebSocket opens")
    done = "requestfinished" if answers else "requestfailed"
    with page.expect_event(done, lambda request: request.url.endswith("/robots.txt")):
        page.clock.run_for(3_000)  # until the third attempt
    if answers:
        expect_status(page, "no WebSocket opens. If this lasts, try another network")
    else:
        expect(page.get_by_role("status")).not_to_contain_text("no WebSocket opens")


def test_a_visitor_whom_the_server_has_forgotten_reads_that_its_player_is_new(visit, machine):
    server = machine.serve(port=free_port())
    page = visit(port=server.port)
    expect(page.get_by_text("You are guest-")).to_be_visible()
    page.wait_for_load_state("networkidle")  # a browser loads no module again that it has missed
    server.stop()
    machine.database.unlink()
    start_again(server, page)
    expect_status(page, "The server does not know your player any more: you are a new one")
    page.get_by_role("link", name="Play a bot").click()
    expect(page.get_by_role("heading", name="Play a bot")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("")
