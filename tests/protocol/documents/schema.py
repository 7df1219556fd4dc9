"""The JSON Schema of every message, made of the types that the codec checks by.

It describes values as the documents write them: binary ones are {"$hex": "00ff"}.
"""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import inspect

from mastermind_protocol import events, messages, requests

Schema: TypeAlias = dict[str, Any]

UNIONS: dict[str, tuple[type[msgspec.Struct], ...]] = {
    "request": get_args(requests.AnyRequest),
    "message": get_args(messages.AnyMessage),
    "event": get_args(events.AnyEvent),
}


def name_of(kind: type[msgspec.Struct]) -> str:
    """Return the name of a struct in the schema: `request_guess`, `event_left`, `player`."""
    union = next((union for union, kinds in UNIONS.items() if kind in kinds), None)
    return f"{union}_{kind.__struct_config__.tag}" if union else kind.__name__.lower()


def make_schema() -> Schema:
    """Return the schema; each union and each struct is a definition of its own."""
    definitions = _Definitions()
    unions = {
        union: {"oneOf": [definitions.refer(kind) for kind in kinds]}
        for union, kinds in UNIONS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": messages.SUBPROTOCOL,
        "anyOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/message"}],
        "$defs": unions | dict(sorted(definitions.structs.items())),
    }


def describe_type(kind: Any) -> Schema:
    """Return the schema of a type that refers to no struct."""
    return _Definitions()._describe(inspect.type_info(kind))


class _Definitions:
    """The structs that something has referred to."""

    def __init__(self) -> None:
        self.structs: dict[str, Schema] = {}

    def refer(self, kind: type[msgspec.Struct]) -> Schema:
        name = name_of(kind)
        if name not in self.structs:
            self.structs[name] = {}  # its place: inner types may refer to it
            self.structs[name] = self._define(inspect.type_info(kind))
        return {"$ref": f"#/$defs/{name}"}

    def _define(self, info: inspect.Type) -> Schema:
        """Return the definition of a struct. Only a request is closed: messages may grow."""
        assert isinstance(info, inspect.StructType)
        if info.array_like:
            named = [self._describe(field.type) | {"title": field.name} for field in info.fields]
            return _describe_tuple(named)
        tag = {info.tag_field: {"const": info.tag}} if info.tag_field else {}
        fields = {field.encode_name: self._describe_field(field) for field in info.fields}
        required = [*tag, *(field.encode_name for field in info.fields if field.required)]
        schema = {"type": "object", "properties": {**tag, **fields}, "required": required}
        return schema | ({"additionalProperties": False} if info.forbid_unknown_fields else {})

    def _describe_field(self, field: inspect.Field) -> Schema:
        """Return the schema of a field, with its default if it has one."""
        schema = self._describe(field.type)
        known = not field.required and field.default is not None
        return schema | ({"default": field.default} if known else {})

    def _describe(self, info: inspect.Type) -> Schema:
        match info:
            case inspect.UnionType(types=types):
                return self._describe_union(types)
            case inspect.StructType(cls=kind):
                return self.refer(kind)
            case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
                bounds = _bound(minItems=least, maxItems=most)
                return {"type": "array", "items": self._describe(item), **bounds}
            case inspect.DictType(key_type=key, value_type=value, max_length=most):
                parts = {"propertyNames": self._describe(key), **_bound(maxProperties=most)}
                return {"type": "object", "additionalProperties": self._describe(value), **parts}
            case inspect.TupleType(item_types=items):
                return _describe_tuple([self._describe(item) for item in items])
            case inspect.IntType(ge=least, le=most):
                return {"type": "integer", **_bound(minimum=least, maximum=most)}
            case inspect.FloatType():
                return {"type": "number"}
            case inspect.BoolType():
                return {"type": "boolean"}
            case inspect.StrType(pattern=str(pattern)):
                return {"type": "string", "pattern": pattern.replace(r"\Z", "$")}
            case inspect.StrType(min_length=least, max_length=most):
                return {"type": "string", **_bound(minLength=least, maxLength=most)}
            case inspect.BytesType(min_length=int(length), max_length=most) if most == length:
                digits = {"type": "string", "pattern": f"^[0-9a-f]{{{2 * length}}}$"}
                bare = {"required": ["$hex"], "additionalProperties": False}
                return {"type": "object", "properties": {"$hex": digits}, **bare}
            case inspect.EnumType(cls=kind):
                return {"enum": [str(value.value) for value in kind]}
            case inspect.LiteralType(values=values):
                return {"enum": list(values)}
        raise AssertionError(f"there is no schema for {info}")

    def _describe_union(self, types: tuple[inspect.Type, ...]) -> Schema:
        """Remove None: a field without a value is absent, and nil is never sent."""
        kinds = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
        structs = tuple(kind.cls for kind in kinds if isinstance(kind, inspect.StructType))
        if set(structs) == set(UNIONS["event"]):
            return {"$ref": "#/$defs/event"}
        parts = [self._describe(kind) for kind in kinds]
        return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _describe_tuple(parts: list[Schema]) -> Schema:
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "items": False}


def _bound(**bounds: int | None) -> Schema:
    return {name: at for name, at in bounds.items() if at is not None}
