"""Which strings of a program a person would read: what is left over when the rest is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mastermind_client.language import LANGUAGES

MARKS = {"_", "N_", "ngettext", "pgettext", "mark_plural"}
SINKS = {"write", "prompt", "write_error", "print", "tell", "say", "_write", "add_column"}
"""What puts a text before a person: whatever letters they are given are to be read."""

# Calls that say something to programmers and machines alone.
_LOGGING = {"debug", "info", "warning", "error", "exception"}
_FOR_PROGRAMMERS = {
    *("ValueError", "TypeError", "RuntimeError", "NotImplementedError", "AssertionError")
}
_PATTERNS = {"compile", "fullmatch", "match", "search", "sub"}
_WORDS = re.compile(r"[^\W\d_]{2,}[,;:.!?)]*\s+\(?[^\W\d_]|^\s*[A-Z][a-z]+[.!?:]?\s*$")
_FILLED = re.compile(r"[^\W\d_]{2,}[,;:.!?)]*\s|\s\(?[^\W\d_]{2,}")  # with places for values
_A_WORD = re.compile(r"[^\W\d_]{2,}")
_STYLES = "bold|nobold|reverse|noreverse|underline|dim|italic"
_NO_PROSE = re.compile(
    rf"\s*((class:[\w.-]+|[a-z]+:#?\w+|{_STYLES})\s*)+"  # a style of prompt_toolkit
    r"|\w+\[[\w, |]+\]"  # a type
    r"|(mastermind( [a-z]+)?:?|make (play|serve)).*"  # a command line, or an error of one
    r"|\s*\(?[#$-].*"  # an option, as it is typed, or what a shell is to have
    r"|(?s:\s*_\w+\(\) \{.*)"  # a function of a shell
)
_NAMES = re.compile("|".join(("Mastermind", "Python", *LANGUAGES.values())))  # in every language


def find_prose(source: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every string that a person would read and that is not marked.

    A string is read if it has two words with a blank between them, or is one word that begins with
    a capital; given to one of the SINKS, if it has a word at all. Left out are docstrings, what is
    logged, what is raised for programmers, patterns, styles, types, commands to be typed and
    names of tasks.
    """
    tree = ast.parse(source.read_text(encoding="utf-8"))
    left_out = set(_find_left_out(tree))
    sunk = {
        id(text)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _name(call.func) in SINKS
        for argument in call.args[:1]
        for text in _texts(argument)
    }
    parts: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            literals = [part for part in node.values if isinstance(part, ast.Constant)]
            parts.update(map(id, literals))
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values
            )
            read = _FILLED.search(text) or any(id(part) in sunk for part in literals)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            read = (bool(_WORDS.search(text)) and id(node) not in parts) or id(node) in sunk
        else:
            continue
        words = _NAMES.sub("", text)
        if read and _A_WORD.search(words) and not _NO_PROSE.fullmatch(text):
            yield node.lineno, text


def find_hidden_marks(source: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every mark within an f-string, where no catalogue looks."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for string in ast.walk(tree):
        for call in ast.walk(string) if isinstance(string, ast.JoinedStr) else ():
            if isinstance(call, ast.Call) and _name(call.func) in MARKS:
                for argument in call.args:
                    if any(isinstance(text, ast.Constant) for text in _texts(argument)):
                        yield call.lineno, ast.unparse(call)


def _find_left_out(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)  # a docstring, also of a constant
        elif isinstance(node, ast.Subscript):
            yield from _inside(node.slice)  # a key, or a type
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield from _inside(node)
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield from _inside(node.annotation)
        elif isinstance(node, ast.Call):
            name = _name(node.func)
            if name == "create_task":
                for keyword in node.keywords:  # the task's name
                    yield from _inside(keyword.value)
            logged = name in _LOGGING and "_LOG" in ast.unparse(node.func)
            matched = name in _PATTERNS and ast.unparse(node.func).startswith("re.")
            if name in MARKS or logged or matched or name in _FOR_PROGRAMMERS:
                yield from _inside(node)


def _texts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the literals that a value is made of, not those that it is computed from."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from _texts(part)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left)
        yield from _texts(node.right)


def _inside(node: ast.AST) -> Iterator[int]:
    return (id(inner) for inner in ast.walk(node))


def _name(function: ast.AST) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
