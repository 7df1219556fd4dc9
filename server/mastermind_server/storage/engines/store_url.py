"""The URL of a PostgreSQL database, with one host or several.

libpq tries several hosts in their order. It must skip standbys, which accept no writes.
"""

from __future__ import annotations

import re

import sqlalchemy as sa

_HOSTS = re.compile(  # as in SQLAlchemy, a password may have any character but @
    r"(?P<before>[\w+]+://(?:[^:/?@]*(?::[^@]*)?@)?)(?P<hosts>[^@/?]*,[^@/?]*)(?P<after>([/?].*)?)"
)
# A name, a folder, or an IPv6 address, which needs brackets before a port.
_HOST = re.compile(r"(?P<host>\[[^]]+\]|[^:]+|[\da-fA-F:.]{3,})(?::(?P<port>\d+))?")
_SCHEMES = ("postgresql", "postgres")  # as in libpq
_DEFAULT_PORT = "5432"


def read_store_url(text: str) -> sa.URL:
    """Return the URL in `text`. Raises ValueError if it is no URL of a PostgreSQL database.

    Several hosts may be given as `//h1:5432,h2:5432/`, `?host=h1:5432&host=h2:5432` or
    `?host=h1,h2&port=5432,5433`. The result has the last form, and
    `target_session_attrs=read-write` unless `text` sets it.
    """
    listed = _HOSTS.fullmatch(text)
    try:
        url = sa.make_url(listed["before"] + listed["after"] if listed else text)
    except sa.exc.ArgumentError as error:
        raise ValueError("no URL") from error
    if url.get_backend_name() not in _SCHEMES:
        raise ValueError("a URL of another database")
    hosts = _list_values(url, "host") or (listed["hosts"].split(",") if listed else [])
    ports = _list_values(url, "port") or [_DEFAULT_PORT]
    if len(hosts) < 2 and len(ports) == 1:
        return url
    if "hostaddr" in url.query:
        raise ValueError("hostaddr with several hosts")  # its order would differ from theirs
    if len(ports) == 1:
        ports *= len(hosts)
    if len(ports) != len(hosts):
        raise ValueError("not a port for each host")
    names = []
    for n, host in enumerate(hosts):
        found = _HOST.fullmatch(host)
        if found is None:
            raise ValueError("a host that is none")
        names.append(found["host"].strip("[]"))
        ports[n] = found["port"] or ports[n]
    query = {"host": ",".join(names), "port": ",".join(ports)}
    return url.set(query={"target_session_attrs": "read-write", **url.query, **query})


def format_store_url(text: str) -> str:
    """Return the URL in `text` for operators: without its passwords, hosts joined by commas."""
    url = read_store_url(text).difference_update_query(("password", "sslpassword"))
    return url.render_as_string(hide_password=True).replace("%2C", ",")


def _list_values(url: sa.URL, name: str) -> list[str]:
    """Return the values of a parameter, which may be repeated or joined by commas."""
    return ",".join(url.normalized_query[name]).split(",") if name in url.query else []
