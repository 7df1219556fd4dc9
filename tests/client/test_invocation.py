import pytest

from mastermind_client.invocation import PROGRAMS_BY_MAKE, PROGRAMS_ON_PATH, Programs, find_programs


@pytest.fixture
def program(tmp_path):
    """Return the path of an executable `mastermind`."""
    program = tmp_path / "my bin" / "mastermind"
    program.parent.mkdir()
    program.touch(mode=0o755)
    return program


@pytest.mark.parametrize("by_make", [False, True])
def test_a_program_on_the_path_is_named_without_its_folder(program, tmp_path, by_make):
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "mastermind").symlink_to(program)
    for path in (f"/nowhere:{program.parent}", f"{tmp_path / 'link'}:{program.parent}"):
        assert find_programs(str(program), path, by_make=by_make) == PROGRAMS_ON_PATH


def test_a_program_that_make_has_started_is_named_by_its_target(program, tmp_path):
    assert find_programs(str(program), "/nowhere", by_make=True) == PROGRAMS_BY_MAKE
    other = tmp_path / "mastermind"
    other.touch(mode=0o755)
    assert find_programs(str(program), str(tmp_path), by_make=True) == PROGRAMS_BY_MAKE


def test_another_program_is_named_by_its_quoted_path(program):
    found = find_programs(str(program), "/nowhere", by_make=False)
    assert found == Programs(f"'{program}' {{}}", f"'{program}-server'")


def test_another_way_to_start_the_client_changes_no_names():
    assert find_programs("/usr/bin/pytest", "/nowhere", by_make=False) == PROGRAMS_ON_PATH
