"""The scenes of this folder, compared to the character.

`make transcripts` rewrites the scenes that differ; read the difference.
"""

import os
from pathlib import Path

import pytest

from mastermind_server.monitoring.logs import quiet_libraries
from transcripts.runner import Differs, Play, read, write

FOLDER = Path(__file__).parent
WRITE = os.environ.get("TRANSCRIPTS") == "write"
SCENES = [
    (path.stem, scene.title)
    for path in sorted(FOLDER.glob("*.txt"))
    for scene in read(path.read_text(encoding="utf-8"))
]


@pytest.fixture
def play(tmp_path):
    """Play a scene with new folders."""
    quiet_libraries()

    def play(scene, **options):
        home = tmp_path / f"home-{len(list(tmp_path.iterdir()))}"
        home.mkdir()
        Play(scene, home, **options).run()

    return play


@pytest.mark.parametrize(("file", "title"), SCENES)
def test_a_scene_is_printed_exactly(file, title, play):
    path = FOLDER / f"{file}.txt"
    scenes = read(path.read_text(encoding="utf-8"))
    (scene,) = [scene for scene in scenes if scene.title == title]
    try:
        play(scene)
    except Differs as difference:
        if not WRITE:
            told, expected, shown = difference.args
            assert shown == expected, told
            pytest.fail(f"{told}: the command has not ended, or ended too early")
    except Exception:
        if not WRITE:
            raise
    else:
        return
    try:
        play(scene, written=True)
    finally:
        path.write_text(write(scenes), encoding="utf-8")
    play(scene)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_file_is_written_as_it_is_read(path):
    text = path.read_text(encoding="utf-8")
    scenes = read(text)
    assert write(scenes) == text
    assert len({scene.title for scene in scenes}) == len(scenes)
