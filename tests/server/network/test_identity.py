from pathlib import Path

import pytest
from msgspec.structs import replace

from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MAX_NAME_LENGTH
from mastermind_protocol.text import MAX_COMBINING_MARKS
from mastermind_server.bans import Ban, Bans
from mastermind_server.clock import Clock
from mastermind_server.limits import Limiter
from mastermind_server.network.identity import ID_LENGTH, Identities, make_digest, normalise_name
from mastermind_server.storage.statements.accounts import change_player


@pytest.fixture
def bans():
    return Bans()


@pytest.fixture
def identities(store, bans):
    return Identities(store, Clock(), Limiter(), bans)


async def test_each_new_player_gets_an_id_and_a_token_that_proves_it(identities):
    made = [await identities.register("Ada") for _ in range(2)]
    for player, token in made:
        assert (player.name, len(player.id), len(token)) == ("Ada", ID_LENGTH, 43)
        assert set(player.id) <= set(MATCH_CODE_ALPHABET)
        assert await identities.authenticate(token, None) == player
    assert len({player.id for player, _ in made}) == len({token for _, token in made}) == 2


async def test_a_new_name_is_stored_and_a_guest_is_named_by_its_id(identities):
    for name in (None, "guest"):
        player, token = await identities.register(name)
        assert player.name == f"guest-{player.id[:4]}"
    for name, kept in ((" Countess ", "Countess"), (" guest ", f"guest-{player.id[:4]}")):
        renamed = await identities.authenticate(token, name)
        assert (renamed.id, renamed.name) == (player.id, kept)
        assert await identities.authenticate(token, None) == renamed


async def test_a_player_who_was_a_program_stays_one(identities):
    robot, token = await identities.register("Robot", program=True)
    assert robot.program
    assert await identities.authenticate(token, None) == robot

    ada, token = await identities.register("Ada")
    assert not ada.program
    assert (await identities.authenticate(token, None, program=True)).program
    assert (await identities.authenticate(token, "Countess")).program


async def test_a_program_keeps_the_name_that_another_connection_has_just_chosen(identities, store):
    found, token = await identities.register("Ada")
    await identities.authenticate(token, "Countess")
    await store.write(change_player, found, replace(found, program=True))  # it had read the old one
    assert await identities.authenticate(token, None) == replace(
        found, name="Countess", program=True
    )


@pytest.mark.promise("banned-player")
async def test_a_banned_player_is_refused_without_a_change(identities, bans):
    player, token = await identities.register("Ada")
    code, _ = await identities.replace_transfer_code(player, make_digest(token))
    bans.replace([Ban(player.id, None, "that name")])
    for come in (
        identities.authenticate(token, "Mallory", program=True), identities.use_transfer_code(code),
    ):  # fmt: skip
        with pytest.raises(MastermindError) as refused:
            await come
        assert refused.value.code == ErrorCode.BANNED
    bans.replace([])
    assert await identities.authenticate(token, None) == player
    assert await identities.use_transfer_code(code) is not None


async def test_an_invalid_name_is_refused_without_a_change(identities):
    player, token = await identities.register("Ada")
    code, _ = await identities.replace_transfer_code(player, make_digest(token))
    for come in (
        identities.authenticate(token, "A\x1b[2Jda"),
        identities.use_transfer_code(code, "A\x1b[2Jda"),
    ):
        with pytest.raises(Refused) as refused:
            await come
        assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_NAME, "name")
    assert await identities.authenticate(token, None) == player
    arrived = await identities.use_transfer_code(code, " Countess ")
    assert arrived is not None
    assert (arrived[0].id, arrived[0].name) == (player.id, "Countess")
    assert {await identities.authenticate(each, None) for each in (token, arrived[1])} == {
        arrived[0]
    }


def read_all(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


@pytest.mark.promise("stored-tokens")
async def test_the_database_file_contains_no_token(identities, store, tmp_path):
    _, token = await identities.register("Ada")
    await store.close()
    written = read_all(tmp_path)
    assert b"Ada" in written
    assert token.encode() not in written


ACCENT = "\N{COMBINING ACUTE ACCENT}"
LONG = (
    "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * MAX_NAME_LENGTH
)  # 18 characters each, when normal


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *[
            (f"  {name} ", name)
            for name in ("Ada", "Åsa Löv", "李雷", "x" * MAX_NAME_LENGTH, "'; DROP--")
        ],
        ("\N{NO-BREAK SPACE}Jan\N{NO-BREAK SPACE}III ", "Jan III"),
        ("e" + ACCENT * 20, "\N{LATIN SMALL LETTER E WITH ACUTE}" + ACCENT * MAX_COMBINING_MARKS),
    ],
)
def test_a_name_in_any_script_is_normalised(name, kept):
    assert normalise_name(name) == kept
    assert len(normalise_name(LONG)) <= MAX_NAME_LENGTH


async def test_a_player_with_a_stored_invalid_name_may_log_in(identities, store):
    player, token = await identities.register("Ada")
    await store.write(change_player, player, replace(player, name="\N{HANGUL FILLER}"))
    assert (await identities.authenticate(token, None)).name == "\N{HANGUL FILLER}"


@pytest.mark.parametrize(
    "name",
    ["", " ", "\t", "a\nb", "a\x00b", "a\x1b[31mb", "a\u202eb", "\N{HANGUL FILLER}", "\ufe0f"],
    ids=ascii,
)
def test_an_invisible_name_is_refused(name):
    with pytest.raises(Refused):
        normalise_name(name)
