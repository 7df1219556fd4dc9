"""A client of the benchmark loads what a browser loads."""

from bench.page_load import load_page
from bench.processes import SERVER, driving, running


async def test_a_client_loads_the_page_with_its_files_before_it_connects():
    async with running(SERVER) as process, driving(SERVER, process) as driver:
        assert 15_000 < await load_page(process.address, "127.0.0.1") < 30_000
        connected = await driver.do("connect", connections=20)
        loaded = await driver.do("connect", connections=40, load=1.0)
        assert loaded.cpu > connected.cpu
