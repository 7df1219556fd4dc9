import gzip
import re
from importlib.metadata import version

import pytest

from mastermind_server.network.web.files import WebFile, WebFiles, read_web_files, read_wheel

COMMENT = re.compile(rb"(?<!:)//|/\*")  # a URL has a colon
CONTENTS = {"index.html": b"<p>", "main.js": b"1", "icon.svg": b"<svg/>"}


def test_the_files_of_the_page_are_read_and_compressed():
    web = read_web_files()
    assert web.template.startswith("<!doctype html>")
    main = web.files["main.js"]
    assert main.content_type == "text/javascript; charset=utf-8"
    assert main.compressed is not None
    assert gzip.decompress(main.compressed) == main.content
    assert not [name for name in web.files if re.search(r"\.pyc?$|^index.html$", name)]


@pytest.mark.parametrize(
    ("written", "served"),
    [
        (b"// One.\n/**\n * Two.\n */\n  f(); /** Three. */\n", b"f();"),
        (b"f(/** @type {A} */ (a), /** @param {B} b */ (b) => 1);", b"f((a),(b)=>1);"),
        (b"f(2 // Four.\n  * 3); // Five.\n\n  g( ';  // 7', `8 /* ${a} */` );", None),
        (b"const a = b + +c;\nreturn a / 2 / b;\n", b"const a=b+ +c;return a/2/b;"),
        (b"s.replace( /[ //]  \\//g, 'a  b' );", b"s.replace(/[ //]  \\//g,'a  b');"),
        (b"let a\n++b\nlet c = {\n  d,\n}\ne()", b"let a\n++b\nlet c={d,}\ne()"),
    ],
)
def test_a_module_is_served_without_comments_and_spaces(written, served):
    expected = served or b"f(2*3);g(';  // 7',`8 /* ${a} */`);"
    assert WebFile.make("a.js", written).content == expected


def test_only_the_wheel_of_this_version_is_read(tmp_path):
    name = f"networked_mastermind-{version('networked-mastermind')}-py3-none-any.whl"
    (tmp_path / "networked_mastermind-0.0.1-py3-none-any.whl").write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        read_wheel(tmp_path)
    (tmp_path / name).write_bytes(b"PK")
    assert read_wheel(tmp_path) == {name: b"PK"}


def test_a_module_is_found_with_all_that_it_imports():
    contents = {
        "main.js": b'import { a } from "./a.js";\nimport b from "./b.js";\nimport("./c.js");\n',
        "a.js": b'import { b } from "./b.js";\nimport { d } from "./main.js";\n',
        "b.js": b'// import { e } from "./e.js";\n',
    }
    web = WebFiles(CONTENTS | contents)
    assert web.find_modules("main.js") == ["main.js", "a.js", "b.js"]
    assert web.find_modules("b.js") == ["b.js"]


def test_no_module_is_served_with_a_comment():
    modules = [file for name, file in read_web_files().files.items() if name.endswith(".js")]
    assert not [line for it in modules for line in it.content.split(b"\n") if COMMENT.search(line)]


def test_style_sheets_and_texts_are_served_without_spaces():
    css, json = b"a:hover,\nb > i { color: red; }\n", b'{\n"one": "1: {x}, 2",\n"two": [1, 2]\n}\n'
    assert WebFile.make("a.css", css).content == b"a:hover,b>i{color:red}"
    assert WebFile.make("a.json", json).content == b'{"one":"1: {x}, 2","two":[1,2]}'


def test_the_preview_is_small_enough_for_chats():
    image = read_web_files().files["preview.png"]
    assert image.compressed is None
    assert len(image.content) < 300_000
    assert image.content[:8] == b"\x89PNG\r\n\x1a\n"
    size = image.content[16:24]
    assert (int.from_bytes(size[:4]), int.from_bytes(size[4:])) == (1200, 630)


@pytest.mark.parametrize(
    "other",
    [
        CONTENTS | {"main.js": b"2"},
        CONTENTS | {"index.html": b"<b>"},
        CONTENTS | {"main.js": b"", "more.js": b"1"},
    ],
)
def test_the_digest_changes_with_each_file(other):
    assert WebFiles(other | {"more.css": b""}).digest != WebFiles(CONTENTS).digest
    assert WebFiles(dict(reversed(CONTENTS.items()))).digest == WebFiles(CONTENTS).digest


def test_equal_contents_are_equal_files():
    assert WebFile.make("a.js", b"1") == WebFile.make("b.js", b"1")
