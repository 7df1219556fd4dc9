from pathlib import Path

import pytest

from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MAX_NAME, Player
from mastermind_protocol.text import MAX_MARKS
from mastermind_server.bans import Ban, Bans
from mastermind_server.clock import Clock
from mastermind_server.limits import Limiter
from mastermind_server.network.identity import ID_LENGTH, Identities, check_name, make_digest


@pytest.fixture
def bans():
    return Bans()


@pytest.fixture
def identities(store, bans):
    return Identities(store, Clock(), Limiter(), bans)


async def test_a_new_player_gets_a_token_that_proves_it(identities):
    player, token = await identities.register("Ada")
    assert player.name == "Ada"
    assert len(player.id) == ID_LENGTH
    assert set(player.id) <= set(MATCH_CODE_ALPHABET)
    assert len(token) == 43
    assert await identities.recognise(token, None) == player


async def test_players_of_one_name_have_ids_and_tokens_of_their_own(identities):
    (first, token), (second, other) = [await identities.register("Ada") for _ in range(2)]
    assert first.id != second.id
    assert token != other


async def test_a_new_name_is_kept_and_a_guest_has_one_of_its_id(identities):
    for name in (None, "guest"):
        player, token = await identities.register(name)
        assert player.name == f"guest-{player.id[:4]}"
    for name, kept in ((" Countess ", "Countess"), (" guest ", f"guest-{player.id[:4]}")):
        renamed = await identities.recognise(token, name)
        assert (renamed.id, renamed.name) == (player.id, kept)
        assert await identities.recognise(token, None) == renamed


async def test_a_program_stays_a_program(identities):
    robot, token = await identities.register("Robot", program=True)
    assert robot.program
    assert await identities.recognise(token, None) == robot

    ada, token = await identities.register("Ada")
    assert not ada.program
    assert (await identities.recognise(token, None, program=True)).program
    assert (await identities.recognise(token, "Countess")).program


async def test_an_unknown_token_is_refused(identities):
    with pytest.raises(Refused) as refused:
        await identities.recognise("x" * 43, "Mallory")
    assert (refused.value.code, refused.value.field) == (ErrorCode.UNKNOWN_TOKEN, "token")


async def test_a_banned_player_is_not_changed_and_uses_no_code_up(identities, bans):
    player, token = await identities.register("Ada")
    code, _ = await identities.offer_transfer(player, make_digest(token))
    bans.replace([Ban(player.id, None, "that name")])
    for come in (
        identities.recognise(token, "Mallory", program=True), identities.take_transfer(code),
    ):  # fmt: skip
        with pytest.raises(MastermindError) as refused:
            await come
        assert refused.value.code == ErrorCode.BANNED
    bans.replace([])
    assert await identities.recognise(token, None) == player
    assert await identities.take_transfer(code) is not None


async def test_a_name_that_cannot_be_shown_changes_nothing_and_uses_no_code_up(identities):
    player, token = await identities.register("Ada")
    code, _ = await identities.offer_transfer(player, make_digest(token))
    for come in (
        identities.recognise(token, "A\x1b[2Jda"), identities.take_transfer(code, "A\x1b[2Jda"),
    ):  # fmt: skip
        with pytest.raises(Refused) as refused:
            await come
        assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_NAME, "name")
    assert await identities.recognise(token, None) == player
    arrived = await identities.take_transfer(code, " Countess ")
    assert arrived is not None
    assert (arrived[0].id, arrived[0].name) == (player.id, "Countess")
    assert {await identities.recognise(each, None) for each in (token, arrived[1])} == {arrived[0]}


def read_all(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_the_file_holds_no_token(identities, store, tmp_path):
    _, token = await identities.register("Ada")
    await store.close()
    written = read_all(tmp_path)
    assert b"Ada" in written
    assert token.encode() not in written


ACCENT = "\N{COMBINING ACUTE ACCENT}"
LONG = (
    "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * MAX_NAME
)  # 18 characters each, when normal


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *[(f"  {name} ", name) for name in ("Ada", "Åsa Löv", "李雷", "x" * MAX_NAME, "'; DROP--")],
        ("\N{NO-BREAK SPACE}Jan\N{NO-BREAK SPACE}III ", "Jan III"),
        ("e" + ACCENT * 20, "\N{LATIN SMALL LETTER E WITH ACUTE}" + ACCENT * MAX_MARKS),
    ],
)
def test_a_name_in_any_script_is_kept_tidy(name, kept):
    assert check_name(name) == kept
    assert len(check_name(LONG)) <= MAX_NAME


async def test_a_name_that_an_older_version_let_through_keeps_nobody_out(identities, store):
    player, token = await identities.register("Ada")
    await store.change_player(Player(id=player.id, name="\N{HANGUL FILLER}"))
    assert (await identities.recognise(token, None)).name == "\N{HANGUL FILLER}"


@pytest.mark.parametrize(
    "name",
    ["", " ", "\t", "a\nb", "a\x00b", "a\x1b[31mb", "a\u202eb", "\N{HANGUL FILLER}", "\ufe0f"],
    ids=ascii,
)
def test_names_that_cannot_be_shown_are_refused(name):
    with pytest.raises(Refused):
        check_name(name)
