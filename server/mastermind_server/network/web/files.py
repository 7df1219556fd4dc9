"""The files of the web page, which are read, compressed and digested once."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from importlib.metadata import version
from posixpath import normpath
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

PAGE_FILE = "index.html"
SOURCE_LANGUAGE = "en"  # for browsers that want none of the languages
DIGEST_DIGITS = 16  # hexadecimal digits of a digest
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".whl": "application/octet-stream",
}
_COMPRESSED_SUFFIXES = {".png", ".whl"}  # formats that gzip does not make smaller
_TEXTS_PATH = re.compile(r"texts/([a-z]+)\.json")
_IMPORT = re.compile(r"(?:^|;)import\b[^;]*?from\"([./\w]+\.js)\"")  # as it is served
# A third of what phones would load is comments, also compressed; spaces are another 1,500 bytes.
# Texts, regular expressions and comments are found first, because each could contain the others.
_SCRIPT_PART = re.compile(
    rb"(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
    rb"|(?:(?<=[(,=:])|(?<=[(,=:] ))/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^]\\\n]|\\.)*])+/)"
    rb"|(?P<space>(?:\s|//[^\n]*|/\*[\s\S]*?\*/)+)"
)
_NEEDED_SPACE = re.compile(rb"[\w$][\w$]|\+\+|--|//")
_NEEDED_BREAK = re.compile(rb"[\w$)\]}\"'`/][\w$(\[\"'`/+-]|\+\+|--")

# No text of the style sheet has these spaces and comments.
_CSS_SPACE_PATTERN = re.compile(rb"/\*[^*]*\*/|[;\s]*(})\s*|\s*([{;,>])\s*|(?<=:) ")


@dataclass(frozen=True, slots=True)
class WebFile:
    """The content of a response, with its ETag.

    `compressed` is the content in gzip format, or None if the format is compressed already.
    """

    content_type: str
    content: bytes
    compressed: bytes | None
    etag: str

    @classmethod
    def make(cls, name: str, content: bytes) -> WebFile:
        """Return a file of this content. The ending of `name` determines the content type.

        Comments and spaces are removed from JavaScript and CSS, spaces from JSON.
        """
        ending = name[name.rfind(".") :]
        if ending == ".js":
            content = _SCRIPT_PART.sub(_shorten, content).strip()
        elif ending == ".css":
            content = _CSS_SPACE_PATTERN.sub(rb"\1\2", content)
        elif ending == ".json":
            content = msgspec.json.format(content, indent=-1)
        compressed = None if ending in _COMPRESSED_SUFFIXES else gzip.compress(content, mtime=0)
        return cls(CONTENT_TYPES[ending], content, compressed, make_digest(content))


class WebFiles:
    """The files of the web page: the HTML `template`, and the other `files` by name.

    `digest` is one digest of all names and contents. `languages` are the codes of the languages
    with translated texts.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        names = sorted(contents)
        self.digest = make_digest(*(part for name in names for part in (name, contents[name])))
        self.template = contents[PAGE_FILE].decode()
        self.files = {
            name: WebFile.make(name, contents[name]) for name in names if name != PAGE_FILE
        }
        self.languages = [found[1] for name in names if (found := _TEXTS_PATH.fullmatch(name))]

    def find_modules(self, *names: str) -> list[str]:
        """Return `names` and all modules that they import at any depth, except by `import()`."""
        found = list(names)
        for name in found:  # grows during the loop
            imported = _IMPORT.findall(self.files[name].content.decode())
            paths = [normpath(f"{name}/../{path}") for path in imported]
            found += [path for path in paths if path not in found]
        return found


def read_web_files() -> WebFiles:
    """Return the files of the package mastermind_web."""
    return WebFiles(dict(_read_folder(resources.files("mastermind_web"), "")))


def read_wheel(folder: Path) -> dict[str, bytes]:
    """Return the content of this version's wheel in `folder`, by file name. Raises OSError."""
    name = f"networked_mastermind-{version('networked-mastermind')}-py3-none-any.whl"
    return {name: (folder / name).read_bytes()}


def make_digest(*parts: str | bytes) -> str:
    """Return the first DIGEST_DIGITS hexadecimal digits of SHA-256 of `parts`.

    The lengths of the parts are included, so that ("ab", "c") and ("a", "bc") have different
    digests.
    """
    digest = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()[:DIGEST_DIGITS]


def _shorten(part: re.Match[bytes]) -> bytes:
    """Return a text unchanged, and of spaces and comments what separates the code around them.

    A line break stays where a statement could end without a semicolon, or a name would grow.
    """
    if part["text"] is not None:
        return part["text"]
    start, end = part.span()
    around = part.string[max(0, start - 1) : start] + part.string[end : end + 1]
    if b"\n" in part[0]:
        return b"\n" if _NEEDED_BREAK.fullmatch(around) else b""
    return b" " if _NEEDED_SPACE.fullmatch(around) else b""


def _read_folder(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read_folder(entry, f"{prefix}{entry.name}/")
        elif entry.name[entry.name.rfind(".") :] in CONTENT_TYPES:  # no Python modules
            yield f"{prefix}{entry.name}", entry.read_bytes()
