"""HTTP responses to browsers: the page, its files, and small fixed answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import formatdate
from functools import lru_cache
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING

from websockets.datastructures import Headers
from websockets.http11 import Response

from mastermind_protocol.events import LINK_END, MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_server.network.web.files import SOURCE_LANGUAGE, WebFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from websockets.http11 import Request

    from mastermind_server.network.web.files import WebFiles

PROBE_PATHS = ("/healthz", "/readyz")  # in any case, and never pages
PROBE_METHODS = ("GET", "HEAD", "OPTIONS")  # HAProxy uses OPTIONS by default
CACHE_FOREVER = "public, max-age=31536000, immutable"  # a year, the longest time that caches use
CACHE_FOR_A_DAY = "public, max-age=86400"
CACHE_AND_CHECK = "no-cache"  # browsers ask each time whether their copy is still current
PAGES_KEPT = 64  # rendered pages in the cache, about 6 KiB each
_HOST_PATTERN = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?\.?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?"
)
_MATCH_PATH = re.compile(f"/[{MATCH_CODE_ALPHABET}]{{{MATCH_CODE_LENGTH}}}", re.IGNORECASE)
_CHANGED_PATH = re.compile(f"({_MATCH_PATH.pattern}){LINK_END}", re.IGNORECASE)
_MISTYPED_PATH = re.compile(r"/[A-Za-z0-9-]{3,8}")  # perhaps meant as a match code
_FILE_PATH = re.compile(r"/s/([0-9a-f]+)/(.+)")
_PLACEHOLDER = re.compile(r"\{\{([a-z]+)\}\}")
_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_INSTALL_FOLDER = "install/"  # of the files that devices keep with an installed page
# The modules of a page's first view, which browsers load at once instead of one after another.
_HOME_MODULES = ("main.js", "pages/home.js")
_INVITATION_MODULES = ("main.js", "pages/invitation.js")
_BOARD_MODULES = ("main.js", "match/match.js")
_NOT_FOUND = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Not found</title>'
    '<h1>Not found</h1><p>There is no such page. <a href="/">Play Mastermind</a></p></html>'
)
_ROBOTS_TEXT = "User-agent: *\nAllow: /\n"


@dataclass(frozen=True, slots=True)
class Preview:
    """The title and the description that messaging apps show for a link to the page.

    `has_free_seat` is false for a match with two players: the page then shows its board first.
    """

    title: str
    description: str
    has_free_seat: bool = True


HOME_PREVIEW = Preview(
    "Mastermind", "Play Mastermind with a friend or against a bot, in a browser or a terminal."
)


class Pages:
    """The responses to browsers.

    `public_url` is the URL of the page, with a slash at the end. Without it, each response uses the
    host that the browser requested. `downloads` are the files below /download/. `secure` is
    whether the server itself uses TLS.
    """

    def __init__(
        self,
        files: WebFiles,
        public_url: str | None = None,
        downloads: Mapping[str, bytes] | None = None,
        *,
        secure: bool = False,
    ) -> None:
        self._files, self._public_url, self._secure = files, public_url, secure
        self._fixed = {
            "/robots.txt": WebFile.make("robots.txt", _ROBOTS_TEXT.encode()),
            "/favicon.ico": files.files["icon.svg"],
        }
        for name, file in files.files.items():
            if name.startswith(_INSTALL_FOLDER):  # devices keep these addresses: without a digest
                self._fixed[f"/{name.removeprefix(_INSTALL_FOLDER)}"] = file
        for name, content in (downloads or {}).items():
            self._fixed[f"/download/{name}"] = WebFile.make(name, content)
        self._wheel = next((path for path in self._fixed if path.endswith(".whl")), "")
        self._moved = WebFile.make(".txt", b"moved\n")
        self._not_found = WebFile.make("404.html", _NOT_FOUND.encode())
        self._render = lru_cache(PAGES_KEPT)(self._render_page)

    @property
    def page_url(self) -> str:
        """The URL of the page, or "/" if each client must use the host to which it connects."""
        return self._public_url or "/"

    def answer(
        self,
        request: Request,
        *,
        forwarded_schemes: Sequence[str] = (),
        preview: Preview = HOME_PREVIEW,
    ) -> Response:
        """Return the response to a request for a page or a file.

        The response to an unknown path is a 404. If the path could be a mistyped match code, the
        404 contains the page, which reports that the match does not exist. The path of a match with
        characters that chats append is redirected to the match. `forwarded_schemes` are
        the values of X-Forwarded-Proto from a trusted proxy. `preview` describes the match in the
        path.
        """
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not _HOST_PATTERN.fullmatch(hosts[0].lower()):
            return self._respond(
                request, HTTPStatus.BAD_REQUEST, WebFile.make(".txt", b"invalid Host header\n")
            )
        path = get_path(request)
        secure = self._secure or list(forwarded_schemes) == ["https"]
        scheme = "https" if secure else "http"
        known = path == "/" or _MATCH_PATH.fullmatch(path)
        if known or _MISTYPED_PATH.fullmatch(path):
            base = self._public_url or f"{scheme}://{hosts[0].lower()}/"
            language = find_language(request, self._files.languages)
            page = self._render(base, path.upper() if known else "/", preview, language)
            status = HTTPStatus.OK if known else HTTPStatus.NOT_FOUND
            response = self._respond(request, status, page, CACHE_AND_CHECK)
            del response.headers["Vary"]
            response.headers["Vary"] = "Accept-Encoding, Accept-Language"
            if path != "/":
                response.headers["X-Robots-Tag"] = "noindex"
        elif found := _FILE_PATH.fullmatch(path):
            digest, name = found.groups()
            file = self._files.files.get(name)
            current = digest == self._files.digest
            response = self._respond(
                request, HTTPStatus.OK, file, CACHE_FOREVER if current else CACHE_AND_CHECK
            )
        elif found := _CHANGED_PATH.fullmatch(path):
            response = self._respond(
                request, HTTPStatus.MOVED_PERMANENTLY, self._moved, CACHE_FOR_A_DAY
            )
            response.headers["Location"] = found[1].upper()
        else:
            response = self._respond(request, HTTPStatus.OK, self._fixed.get(path), CACHE_FOR_A_DAY)
        if secure:
            response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        return response

    def _respond(
        self,
        request: Request,
        status: HTTPStatus,
        file: WebFile | None,
        caching: str = CACHE_AND_CHECK,
    ) -> Response:
        """Return a response with `file`, or a 304 if the browser has the file.

        Without a file, return a 404.
        """
        if file is None:
            status, file, caching = HTTPStatus.NOT_FOUND, self._not_found, CACHE_AND_CHECK
        compressed = file.compressed if accepts_gzip(request) else None
        etag = f'"{file.etag}-gzip"' if compressed is not None else f'"{file.etag}"'
        headers = Headers()
        headers["Date"] = formatdate(usegmt=True)
        headers["Cache-Control"] = caching
        headers["Vary"] = "Accept-Encoding"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Content-Security-Policy"] = _SECURITY_POLICY
        if status is HTTPStatus.OK:
            headers["ETag"] = etag
            known = [tag.removeprefix("W/") for tag in _read_list(request, "If-None-Match")]
            if etag in known or "*" in known:
                status = HTTPStatus.NOT_MODIFIED
                return Response(status.value, status.phrase, headers)
        content = file.content if compressed is None else compressed
        headers["Content-Type"] = file.content_type
        headers["Content-Length"] = str(len(content))
        if compressed is not None:
            headers["Content-Encoding"] = "gzip"
        body = b"" if request.method == "HEAD" else content
        return Response(status.value, status.phrase, headers, body)

    def _render_page(self, base: str, path: str, preview: Preview, language: str) -> WebFile:
        """Return the page with its placeholders filled, in the language `language`.

        The URL of the page is `base` followed by `path`.
        """
        values = {
            "title": preview.title,
            "description": preview.description,
            "url": base + path[1:],
            "image": f"{base}s/{self._files.digest}/preview.png",
            "digest": self._files.digest,
            "lang": language,
            "wheel": self._wheel,
        }
        view = _INVITATION_MODULES if preview.has_free_seat else _BOARD_MODULES
        modules = self._files.find_modules(*(_HOME_MODULES if path == "/" else view))
        links = [f'<link rel="modulepreload" href="/s/{{{{digest}}}}/{name}">' for name in modules]
        template = self._files.template.replace("{{modules}}", "\n".join(links))
        # One pass, so that a placeholder in a name stays text.
        text = _PLACEHOLDER.sub(lambda found: escape(values[found[1]]), template)
        return WebFile.make(".html", text.encode())


def is_page_request(request: Request) -> bool:
    """Return whether a request is for a page or a file.

    Other requests are WebSocket handshakes and health checks.
    """
    return (
        request.method in ("GET", "HEAD")
        and not _is_upgrade(request)
        and get_path(request).lower() not in PROBE_PATHS
        and not (is_probe(request) and "Host" not in request.headers)
    )


def is_probe(request: Request) -> bool:
    """Return whether a proxy may have sent the request to learn whether the server is up.

    HAProxy's default is `OPTIONS / HTTP/1.0` without the header Host. A GET with the header can be
    a page request by an old proxy.
    """
    if get_path(request) != "/" or _is_upgrade(request):
        return False
    return request.method == "OPTIONS" or (
        request.method in ("GET", "HEAD") and request.protocol == "HTTP/1.0"
    )


def _is_upgrade(request: Request) -> bool:
    return "websocket" in [name.lower() for name in _read_list(request, "Upgrade")]


def is_file_request(request: Request) -> bool:
    """Return whether a page request is for a file that belongs to a page."""
    return request.path.startswith("/s/")


def is_kept_alive(request: Request) -> bool:
    """Return whether the client may send another HTTP request on the connection."""
    options = [option.lower() for option in _read_list(request, "Connection")]
    return request.protocol == "HTTP/1.1" and "close" not in options


def accepts_gzip(request: Request) -> bool:
    """Return whether the client accepts gzip."""
    for coding in _read_list(request, "Accept-Encoding"):
        name, _, quality = coding.replace(" ", "").lower().partition(";")
        if name in ("gzip", "x-gzip", "*"):
            return quality not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def find_language(request: Request, languages: Sequence[str]) -> str:
    """Return the language in `languages` that the browser prefers most, or English.

    Browsers list their languages by falling quality.
    """
    wanted = [
        tag.partition(";")[0].partition("-")[0].strip().lower()
        for tag in _read_list(request, "Accept-Language")
    ]
    return next((code for code in wanted if code in languages), SOURCE_LANGUAGE)


def find_match_code(request: Request) -> str | None:
    """Return the match code in the path of a page request, or None for other paths."""
    path = get_path(request)
    return path[1:].upper() if _MATCH_PATH.fullmatch(path) else None


def get_path(request: Request) -> str:
    """Return the path of a request without its query."""
    return request.path.partition("?")[0]


def _read_list(request: Request, name: str) -> list[str]:
    """Return the values of all headers `name`, split at commas."""
    values = ",".join(request.headers.get_all(name)).split(",")
    return [text for value in values if (text := value.strip())]
