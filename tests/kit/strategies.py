"""Hypothesis strategies for the values of the protocol.

`values_of` derives messages from the schema, so that tests cover new messages and fields without
changes to this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from msgspec import inspect

from mastermind_protocol.code import Code
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, PRESETS, Rules, find_rules

few = settings(max_examples=5)  # for tests that try each example in many ways
brief = settings(max_examples=25)
thorough = settings(max_examples=100)

custom_names: st.SearchStrategy[str] = st.builds(
    "{}x{}/{}".format,
    st.integers(1, MAX_PEGS),
    st.integers(2, MAX_COLOURS),
    st.integers(1, MAX_GUESSES),
)
unique_names: st.SearchStrategy[str] = st.integers(2, MAX_COLOURS).flatmap(
    lambda colours: st.builds(
        "{}x{}u/{}".format,
        st.integers(1, min(MAX_PEGS, colours)),
        st.just(colours),
        st.integers(1, MAX_GUESSES),
    )
)
rules_names: st.SearchStrategy[str] = st.sampled_from(sorted(PRESETS)) | custom_names | unique_names
any_rules: st.SearchStrategy[Rules] = rules_names.map(find_rules)
nonces: st.SearchStrategy[bytes] = st.binary(min_size=NONCE_BYTES, max_size=NONCE_BYTES)


def codes_of(rules: Rules) -> st.SearchStrategy[Code]:
    """Return a strategy for valid codes by `rules`."""
    if not rules.repeats:
        return st.permutations(range(rules.colours)).map(lambda code: tuple(code[: rules.pegs]))
    colours = st.integers(0, rules.colours - 1)
    return st.tuples(*[colours] * rules.pegs)


def rounds(*names: str, most: int = 6) -> st.SearchStrategy[tuple[Rules, Code, list[Code]]]:
    """Return a strategy for rules with one of these names, a secret and at most `most` guesses."""
    return (
        st.sampled_from(names)
        .map(find_rules)
        .flatmap(
            lambda rules: st.tuples(
                st.just(rules), codes_of(rules), st.lists(codes_of(rules), max_size=most)
            )
        )
    )


def code_pairs(pegs: int, colours: int) -> st.SearchStrategy[tuple[Code, Code]]:
    """Return a strategy for pairs of codes with `pegs` pegs in `colours` colours."""
    codes = st.tuples(*[st.integers(0, colours - 1)] * pegs)
    return st.tuples(codes, codes)


any_code_pair: st.SearchStrategy[tuple[Code, Code]] = st.tuples(
    st.integers(1, MAX_PEGS), st.integers(1, MAX_COLOURS)
).flatmap(lambda size: code_pairs(*size))

msgpack_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=12)
    | st.binary(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(["op", "id", "code", "v"]), inner)
    ),
    max_leaves=12,
)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values that msgspec accepts for the type `kind`."""
    return _of(inspect.type_info(kind))


def _of(info: inspect.Type) -> st.SearchStrategy[Any]:
    return _STRATEGIES[type(info)](info)


def _struct(info: inspect.StructType) -> st.SearchStrategy[Any]:
    required = {field.name: _of(field.type) for field in info.fields if field.required}
    optional = {field.name: _of(field.type) for field in info.fields if not field.required}
    drawn = st.fixed_dictionaries(required, optional=optional)
    return drawn.map(lambda fields: info.cls(**fields))


def _text(info: inspect.StrType) -> st.SearchStrategy[str]:
    if info.pattern is not None:
        return st.from_regex(info.pattern, fullmatch=True)
    return st.text(min_size=info.min_length or 0, max_size=info.max_length or 40)


def _array(info: inspect.VarTupleType) -> st.SearchStrategy[tuple[Any, ...]]:
    most = 3 if info.max_length is None else info.max_length
    return st.lists(_of(info.item_type), min_size=info.min_length or 0, max_size=most).map(tuple)


_STRATEGIES: dict[type[inspect.Type], Callable[[Any], st.SearchStrategy[Any]]] = {
    inspect.BoolType: lambda _: st.booleans(),
    inspect.BytesType: lambda info: st.binary(
        min_size=info.min_length or 0, max_size=info.max_length
    ),
    inspect.DictType: lambda info: st.dictionaries(
        _of(info.key_type), _of(info.value_type), max_size=info.max_length
    ),
    inspect.EnumType: lambda info: st.sampled_from(list(info.cls)),
    inspect.FloatType: lambda info: st.floats(info.ge, info.le, allow_nan=False),
    inspect.IntType: lambda info: st.integers(
        -(2**63) if info.ge is None else info.ge, 2**64 - 1 if info.le is None else info.le
    ),
    inspect.LiteralType: lambda info: st.sampled_from(info.values),
    inspect.NoneType: lambda _: st.none(),
    inspect.StrType: _text,
    inspect.StructType: _struct,
    inspect.TupleType: lambda info: st.tuples(*[_of(item) for item in info.item_types]),
    inspect.UnionType: lambda info: st.one_of([_of(kind) for kind in info.types]),
    inspect.VarTupleType: _array,
}


def fields_of(kind: type[msgspec.Struct], *, required: bool) -> list[str]:
    """Return the names of a struct's required fields, or of its optional fields."""
    return [field.name for field in msgspec.structs.fields(kind) if field.required is required]
