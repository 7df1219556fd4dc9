"""The forms of an HTTP request's target (RFC 9112, section 3.2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websockets.http11 import Request

_ABSOLUTE_FORM = re.compile(r"https?://([^/?#]*)(.*)", re.IGNORECASE)


def resolve_target(request: Request) -> None:
    """Change a target in absolute form, such as `http://host/path`, to its path.

    The target's host replaces the one in the header Host, which a request must still have once. The
    scheme is ignored, because it is unknown behind a proxy. A target in another form is unchanged.
    """
    found = _ABSOLUTE_FORM.fullmatch(request.path)
    if found is None:
        return
    authority, path = found.groups()
    request.path = path if path.startswith("/") else f"/{path}"
    if len(request.headers.get_all("Host")) == 1:
        del request.headers["Host"]
        request.headers["Host"] = authority
