import gzip
import json
import re

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from mastermind_server.network.web.files import WebFiles, read_web_files
from mastermind_server.network.web.pages import (
    HOME_PREVIEW,
    Pages,
    Preview,
    find_match_code,
    is_kept_alive,
    is_page_request,
)

TEMPLATE = b"<title>{{title}}</title>{{description}}|{{url}}|{{image}}|{{digest}}|{{lang}}"
SCRIPT = b"export const one=1;" * 100
TEXTS = {"texts/en.json": b"{}", "texts/pl.json": b"{}"}
MODULES = dict.fromkeys(
    ["main.js", "pages/home.js", "pages/invitation.js", "match/match.js"], SCRIPT
)
WEB = WebFiles({"index.html": TEMPLATE, "icon.svg": b"<svg/>", **MODULES, **TEXTS})
PAGES = Pages(WEB)
OURS = Pages(read_web_files())
RUNNING = Preview("Ann and Bob play mini", "Watch Mastermind.", has_free_seat=False)
VIEWS = {
    "pages/home.js": ("/", HOME_PREVIEW),
    "pages/invitation.js": ("/K7M2QX", HOME_PREVIEW),
    "match/match.js": ("/K7M2QX", RUNNING),
}
"""The path and the preview of each first view, by its module."""
MOST_TRANSFERRED = {
    ("pages/home.js", "en"): 21_504,
    ("pages/home.js", "pl"): 24_576,
    ("pages/invitation.js", "en"): 28_160,
    ("pages/invitation.js", "pl"): 30_720,
    ("match/match.js", "en"): 36_864,
    ("match/match.js", "pl"): 37_888,
}
"""Bytes of a first visit, which a slow phone (50 KB/s) loads in under a second.

A match has more, 36.5 KiB at most: it is the view in which a visitor stays.
"""
MOST_FILES = {"pages/home.js": 12, "pages/invitation.js": 15, "match/match.js": 18}
"""A browser has six connections of HTTP/1.1: each six files cost a slow phone another 400 ms."""


def ask(path: str, method: str = "GET", protocol: str = "HTTP/1.1", **headers: str) -> Request:
    """Return a request; `headers` are named with underscores, and Host has a default."""
    given = {"Host": "game.test"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return Request(path, Headers(given), method, protocol)


def answer(path: str, pages: Pages = PAGES, **headers: str) -> Response:
    return pages.answer(ask(path, **headers))


def read_page(response: Response) -> list[str]:
    """Return the values of the placeholders in a page."""
    assert response.status_code == 200
    return bytes(response.body).decode().removeprefix("<title>").replace("</title>", "|").split("|")


@pytest.mark.parametrize(("view", "language"), MOST_TRANSFERRED)
def test_a_first_visit_transfers_little(view, language):
    path, preview = VIEWS[view]
    given = {"Accept_Language": language, "Accept_Encoding": "gzip"}
    page = OURS.answer(ask(path, **given), preview=preview)
    named = re.findall(rb'"(/s/[^"]+)"', gzip.decompress(page.body))
    files = [answer(name.decode(), OURS, **given) for name in dict.fromkeys(named)]
    assert {file.status_code for file in files} == {200}
    size = len(page.body) + sum(len(file.body) for file in files)
    assert size <= MOST_TRANSFERRED[view, language]
    assert len(files) <= MOST_FILES[view]


@pytest.mark.parametrize("view", VIEWS)
def test_a_page_preloads_the_modules_of_its_view(view):
    path, preview = VIEWS[view]
    text = bytes(OURS.answer(ask(path), preview=preview).body).decode()
    preloaded = re.findall(r'<link rel="modulepreload" href="/s/\w+/([\w/]+\.js)">', text)
    assert {*VIEWS, "pages/forms.js"} & set(preloaded) == {view}


def test_the_page_has_its_values():
    assert read_page(answer("/")) == [
        HOME_PREVIEW.title,
        HOME_PREVIEW.description,
        "http://game.test/",
        f"http://game.test/s/{WEB.digest}/preview.png",
        WEB.digest,
        "en",
    ]


@pytest.mark.parametrize("path", ["/k7m2qx", "/K7M2QX", "/K7M2QX?fbclid=1&x=/../"])
def test_the_page_of_a_match_names_its_link_and_no_query(path):
    response = answer(path)
    assert read_page(response)[2] == "http://game.test/K7M2QX"
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert find_match_code(ask(path)) == "K7M2QX"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("pl-PL,pl;q=0.9,en;q=0.8", "pl"),
        ("de, PL ; q=0.5", "pl"),
        ("en-GB,pl;q=0.5", "en"),
        ("de", "en"),
        ("", "en"),
        ('*,..,"><b>', "en"),
    ],
)
def test_the_page_has_the_first_language_of_the_browsers_that_has_texts(accepted, language):
    response = answer("/", Accept_Language=accepted)
    assert read_page(response)[-1] == language
    assert response.headers["Vary"] == "Accept-Encoding, Accept-Language"


@pytest.mark.promise("page-text")
def test_names_stay_text():
    evil = Preview('"><script>alert(1)</script>', "{{digest}} & 'x'")
    response = PAGES.answer(ask("/K7M2QX"), preview=evil)
    text = bytes(response.body).decode()
    assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{digest}} &amp; &#x27;x&#x27;" in text
    assert "<script" not in text


@pytest.mark.promise("page-host")
@pytest.mark.parametrize(
    "host",
    ["", '"><b>', "a b", "game.test/x", "game.test:123456", "a@b", "[::1", "-a", "a..%20", "é"],
)
def test_a_host_that_is_none_is_refused(host):
    response = answer("/", Host=host)
    assert response.status_code == 400
    assert host not in bytes(response.body).decode() or not host


@pytest.mark.parametrize("hosts", [0, 2])
def test_a_request_has_one_host(hosts):
    request = Request("/", Headers([("Host", "game.test")] * hosts))
    assert PAGES.answer(request).status_code == 400


@pytest.mark.parametrize("host", ["game.test:8765", "127.0.0.1", "[::1]:80", "server_1", "A.Test."])
def test_hosts_of_all_kinds_are_named_in_the_page(host):
    assert read_page(answer("/", Host=host))[2] == f"http://{host.lower()}/"


def test_the_public_address_replaces_the_requested_one():
    pages = Pages(WEB, "https://play.test/")
    assert pages.page_url == "https://play.test/"
    assert PAGES.page_url == "/"
    assert read_page(answer("/K7M2QX", pages))[2] == "https://play.test/K7M2QX"


@pytest.mark.parametrize(
    ("pages", "schemes", "secure"),
    [
        (PAGES, [], False),
        (PAGES, ["https"], True),
        (PAGES, ["http"], False),
        (PAGES, ["https", "http"], False),
        (PAGES, ['"><b>'], False),
        (Pages(WEB, secure=True), [], True),
    ],
)
def test_the_scheme_is_the_servers_or_the_proxys(pages, schemes, secure):
    response = pages.answer(ask("/"), forwarded_schemes=schemes)
    assert read_page(response)[2] == f"http{'s' * secure}://game.test/"
    assert ("Cross-Origin-Opener-Policy" in response.headers) is secure


def test_files_of_the_current_digest_never_expire():
    response = answer(f"/s/{WEB.digest}/main.js?x")
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.body == SCRIPT


def test_files_of_another_digest_are_todays_and_must_be_checked():
    response = answer("/s/0123456789abcdef/main.js")
    assert (response.status_code, response.body) == (200, SCRIPT)
    assert response.headers["Cache-Control"] == "no-cache"
    assert answer("/").headers["Cache-Control"] == "no-cache"


@pytest.mark.promise("page-headers")
@pytest.mark.parametrize("path", ["/", "/none", "/robots.txt", f"/s/{WEB.digest}/main.js"])
def test_every_answer_forbids_what_the_page_does_not_need(path):
    headers = answer(path).headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, br", False),
        ("br", False),
        ("", False),
    ],
)
def test_gzip_is_sent_if_it_is_accepted(accepted, compressed):
    response = answer(f"/s/{WEB.digest}/main.js", Accept_Encoding=accepted)
    assert response.headers.get("Content-Encoding") == ("gzip" if compressed else None)
    body = bytes(response.body)
    assert (gzip.decompress(body) if compressed else body) == SCRIPT
    assert response.headers["Content-Length"] == str(len(body))
    assert response.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("encoding", ["gzip", ""])
def test_a_page_that_the_browser_has_is_not_sent_again(encoding):
    tag = answer("/", Accept_Encoding=encoding).headers["ETag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = answer("/", Accept_Encoding=encoding, If_None_Match=known)
        assert (again.status_code, again.body) == (304, b"")
        assert again.headers["ETag"] == tag
        assert "Content-Length" not in again.headers
    for other in ("/K7M2QX", f"/s/{WEB.digest}/main.js", "/none"):
        assert answer(other, Accept_Encoding=encoding, If_None_Match=tag).status_code != 304


@pytest.mark.parametrize("path", ["/", "/none", f"/s/{WEB.digest}/main.js"])
def test_the_answer_to_head_has_the_headers_of_get_and_no_body(path):
    head, get = answer(path, method="HEAD"), answer(path)
    assert head.body == b""
    assert dict(head.headers) == dict(get.headers)
    assert head.status_code == get.status_code


@pytest.mark.parametrize("path", ["/abc", "/K7M2Q", "/K7M2Q0", "/k7-m2qx"])
def test_a_mistyped_match_code_gets_the_page_which_explains_it(path):
    response = answer(path)
    assert response.status_code == 404
    assert bytes(response.body).startswith(b"<title>Mastermind</title>")
    assert find_match_code(ask(path)) is None


@pytest.mark.parametrize(
    "path",
    [
        "/of-no-match",
        "/K7M2QX/abc",
        "/K7M2QX/%zz",
        f"/s/{WEB.digest}/none.js",
        f"/s/{WEB.digest}/../index.html",
        f"/s/{WEB.digest}/index.html",
        "/s/X/main.js",
        "//game.test/",
        "http://game.test/",
        "/download/none.whl",
    ],
)
def test_other_paths_are_not_found(path):
    response = answer(path)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b'href="/"' in response.body


@pytest.mark.parametrize(
    "end", ["/", ".", ")", ",", "!", "%20", "%E2%80%9D", "_", "*/?fbclid=1", ")./", "...", "%2F"]
)
def test_a_link_that_a_chat_has_changed_is_redirected_to_its_match(end):
    response = answer(f"/k7m2qx{end}")
    assert (response.status_code, response.headers["Location"]) == (301, "/K7M2QX")
    assert find_match_code(ask(f"/k7m2qx{end}")) is None


def test_robots_may_read_and_the_icon_is_found():
    assert answer("/robots.txt").body == b"User-agent: *\nAllow: /\n"
    icon = answer("/favicon.ico")
    assert (icon.body, icon.headers["Content-Type"]) == (b"<svg/>", "image/svg+xml")


def test_the_manifest_of_an_installed_page_and_its_icons_keep_their_addresses():
    response = answer("/manifest.webmanifest", OURS)
    assert response.headers["Content-Type"] == "application/manifest+json"
    manifest = json.loads(bytes(response.body))
    for icon in manifest["icons"]:
        found = answer(icon["src"], OURS)
        assert (found.status_code, found.headers["Content-Type"]) == (200, icon["type"])
        if icon["type"] == "image/png":
            size = (int.from_bytes(found.body[at : at + 4]) for at in (16, 20))
            assert "{}x{}".format(*size) == icon["sizes"]


def test_an_installed_page_has_the_ground_of_the_style_sheet():
    style = bytes(answer("/s/0/style.css", OURS).body).decode()
    page = bytes(answer("/", OURS).body).decode()
    grounds = re.findall(r"--ground:(#\w+)", style)
    assert re.findall(r'"theme-color" content="(#\w+)"', page) == grounds[:2]
    manifest = json.loads(bytes(answer("/manifest.webmanifest", OURS).body))
    assert {manifest["theme_color"], manifest["background_color"]} == {grounds[0]}


def test_downloads_are_offered():
    pages = Pages(WEB, downloads={"game-1.whl": b"PK"})
    response = answer("/download/game-1.whl", pages, Accept_Encoding="gzip")
    assert (response.status_code, response.body) == (200, b"PK")


def test_the_page_names_the_wheel_that_is_offered():
    web = WebFiles({"index.html": b"<{{wheel}}>", "icon.svg": b"<svg/>", **MODULES})
    assert (
        answer("/", Pages(web, downloads={"game-1.whl": b"PK"})).body == b"</download/game-1.whl>"
    )
    assert answer("/", Pages(web)).body == b"<>"


def test_page_requests_are_told_from_handshakes_and_health_checks():
    assert is_page_request(ask("/", Upgrade="h2c"))
    assert is_page_request(ask("/x", "HEAD"))
    assert not is_page_request(ask("/", Upgrade="WebSocket"))
    assert not is_page_request(ask("/HealthZ?x"))
    assert not is_page_request(ask("/ReadyZ"))
    assert not is_page_request(ask("/", "POST"))


def test_browsers_keep_their_connections():
    assert is_kept_alive(ask("/", Connection="keep-alive"))
    assert is_kept_alive(ask("/"))
    assert not is_kept_alive(ask("/", Connection="x, Close"))
    assert not is_kept_alive(ask("/", protocol="HTTP/1.0", Connection="keep-alive"))


def test_the_answers_have_a_date():
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT", answer("/").headers["Date"])
