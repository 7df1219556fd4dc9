import pytest
from websockets.exceptions import InvalidStatus

from mastermind_server.network.sockets.access import Access

HERE = "https://example.org"


@pytest.mark.promise("origin")
@pytest.mark.parametrize("origins", [(), (HERE,), ("https://other.example", HERE)])
async def test_only_listed_origins_and_clients_without_an_origin_may_connect(idle_hall, origins):
    await idle_hall.start(access=Access(origins=origins))
    await idle_hall.meet("Ada")
    for origin in (HERE, "null", "https://example.org.evil.example", "http://example.org"):
        if origin in origins:
            await (await idle_hall.connect(origin=origin)).hello("Bob")
            continue
        with pytest.raises(InvalidStatus) as refused:
            await idle_hall.connect(origin=origin)
        assert refused.value.response.status_code == 403
