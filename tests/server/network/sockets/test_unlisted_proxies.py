import pytest

from kit.server import GameServer
from mastermind_server.network.addresses import (
    PROXY_ADDRESS,
    UNKNOWN_ADDRESS,
    read_networks,
)
from mastermind_server.network.sockets.unlisted_proxies import (
    MANY_CLIENTS,
    MAX_HOPS,
    MAX_REPORTS,
    WATCHED_ADDRESSES,
    UnlistedProxies,
)

Caplog = pytest.LogCaptureFixture
PROXY = "192.0.2.1"


def name_clients(
    proxies: UnlistedProxies, address: str, number: int = MANY_CLIENTS, peer: str | None = None
) -> None:
    """Record requests that name `number` clients, as a proxy does."""
    for client in range(number):
        proxies.record(address, peer or address, [f"203.0.113.{client}"])


def reported(caplog: Caplog) -> list[str]:
    """Return the reported addresses."""
    return [record.getMessage().split()[2] for record in caplog.records]


async def connect_through_a_proxy(hall: GameServer, number: int) -> None:
    for client in range(number):
        header = {"X-Forwarded-For": f"203.0.113.{client}"}
        await (await hall.connect(additional_headers=header)).close()


async def test_a_proxy_that_is_not_listed_is_logged(hall, caplog):
    await connect_through_a_proxy(hall, MANY_CLIENTS - 1)
    assert reported(caplog) == []
    await connect_through_a_proxy(hall, MANY_CLIENTS + 3)
    (logged,) = caplog.records
    assert logged.getMessage() == (
        "requests from 127.0.0.1 name 10 clients in X-Forwarded-For, which all count as one address"
        " in limits: if it is your proxy, list it in --trusted-proxies"
    )


def test_each_address_is_reported_once_and_few_in_all(caplog):
    proxies = UnlistedProxies(())
    addresses = [f"198.51.100.{host}" for host in range(MAX_REPORTS + 2)]
    for address in addresses:
        for _ in range(2):
            name_clients(proxies, address)
    assert reported(caplog) == addresses[:MAX_REPORTS]


def test_an_address_of_ipv6_is_reported_as_its_network(caplog):
    name_clients(UnlistedProxies(()), "2001:db8::/64", peer="2001:db8::1")
    assert reported(caplog) == ["2001:db8::/64"]


def test_a_proxy_behind_a_listed_one_is_reported(caplog):
    proxies = UnlistedProxies(read_networks("10.0.0.0/8"))
    for client in range(MANY_CLIENTS):
        proxies.record(PROXY, "10.0.0.1", [f"203.0.113.{client}, {PROXY}", "10.0.0.2"])
    assert reported(caplog) == [PROXY]


def test_others_are_not_reported(caplog):
    proxies = UnlistedProxies(())
    for address in (UNKNOWN_ADDRESS, PROXY_ADDRESS):
        name_clients(proxies, address)
    long = ",".join([PROXY] * MAX_HOPS)
    for client in range(MANY_CLIENTS):
        for forged in ("", "me", "203.0.113.1", PROXY, f"203.0.113.{client},{long}"):
            proxies.record(PROXY, PROXY, [forged])
    assert reported(caplog) == []


def test_the_latest_addresses_are_watched(caplog):
    proxies = UnlistedProxies(())
    others = [f"198.51.100.{host}" for host in range(WATCHED_ADDRESSES)]
    for address in (PROXY, others[0]):
        name_clients(proxies, address, MANY_CLIENTS - 1)
    for other in others[1:-1]:
        name_clients(proxies, other, 1)
    name_clients(proxies, PROXY, 1)  # a known client
    name_clients(proxies, others[-1], 1)  # instead of others[0]
    for address in (others[0], PROXY):
        proxies.record(address, address, ["203.0.113.99"])
    assert reported(caplog) == [PROXY]
