import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from mastermind_server.network.web.targets import resolve_target


def resolve(target: str, *hosts: str) -> tuple[str, list[str]]:
    """Return the path and the values of Host after a target is resolved."""
    request = Request(target, Headers([("Host", host) for host in hosts]))
    resolve_target(request)
    return request.path, request.headers.get_all("Host")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://game.test/K7M2QX?x", "/K7M2QX?x"),
        ("HTTPS://game.test", "/"),
        ("http://game.test?x=/y", "/?x=/y"),
        ("http://game.test//evil.test/", "//evil.test/"),
        ("http://game.test/http://evil.test/", "/http://evil.test/"),
    ],
)
def test_an_absolute_target_has_a_path_and_the_host_that_counts(target, path):
    assert resolve(target, "evil.test") == (path, ["game.test"])


@pytest.mark.parametrize("target", ["/http://game.test/", "*", "game.test:80", "ftp://game.test/"])
def test_targets_in_other_forms_stay(target):
    assert resolve(target, "game.test") == (target, ["game.test"])


@pytest.mark.parametrize("hosts", [(), ("game.test", "game.test")])
def test_a_target_does_not_replace_a_missing_or_second_host(hosts):
    assert resolve("http://game.test/", *hosts) == ("/", list(hosts))
