"""The page moves to the node of its match."""

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from kit.processes import SERVER, Server
from kit.proxy import MatchProxy, proxy_in_thread
from mastermind_protocol.codec import decode_message
from mastermind_protocol.events import find_part
from mastermind_protocol.messages import Presence
from web.play import enter, expect_guess, expect_status, take_seat


def record_presence(page: Page, found: list[Presence]) -> None:
    """Add the messages about presence to `found` that the later WebSockets of a page receive."""

    def read(frame: str | bytes) -> None:
        message = decode_message(frame) if isinstance(frame, bytes) else None
        if isinstance(message, Presence):
            found.append(message)

    page.on("websocket", lambda socket: socket.on("framereceived", read))


def test_a_page_moves_to_the_node_of_its_match_and_nobody_sees_an_absence(
    visit, machine, postgres_url
):
    command = [*SERVER, "--port=0", f"--store={postgres_url}"]
    first, second = [machine.run(Server, command, "server") for _ in range(2)]
    proxy = MatchProxy(second.port)
    proxy.restore(first.port)  # for addresses without a match
    proxy.hold_matches()
    with proxy_in_thread(proxy) as running:
        ann = visit.arrive(f"http://127.0.0.1:{running.port}").new_page()
        sockets = []
        ann.on("websocket", lambda socket: sockets.append(socket))
        ann.goto("/")
        ann.get_by_role("link", name="Invite a friend").click()
        ann.get_by_role("combobox", name="Length").select_option("1")
        ann.get_by_role("combobox", name="First round").select_option("maker")
        ann.get_by_role("button", name="Get the link").click()
        code = urlsplit(ann.get_by_label("Link").input_value()).path[1:]

        presence: list[Presence] = []
        bob, carol = [
            visit.arrive(f"http://127.0.0.1:{node.port}").new_page() for node in (second, first)
        ]
        for page in (bob, carol):
            record_presence(page, presence)
            page.goto(f"/{code}")
        expect(carol.get_by_role("button", name="Take the seat")).to_be_visible()
        take_seat(bob, "Bob")
        expect_status(ann, "Hide a code for Bob")
        with sockets[0].expect_event("close"):  # the page keeps it a second after its move
            running.restore()
        enter(ann, "RGBY", "Hide it")
        expect_status(carol, "Bob looks for the code of")
        carol.close()
        first.kill()  # now both players play at the second node
        enter(bob, "RRGG")
        expect_guess(ann, 1, "1 black, 1 white")
        enter(bob, "RGBY")
        expect(bob.get_by_role("heading", name="You win.")).to_be_visible()
        expect(ann.get_by_role("heading", name="Bob wins.")).to_be_visible()

        site = f"ws://127.0.0.1:{running.port}"
        assert [socket.url for socket in sockets] == [f"{site}/", f"{site}/m/{find_part(code)}"]
        assert len({each.player for each in presence}) == 1  # Bob, who has come
        assert all(each.here for each in presence)
