"""Arguments as models write them, taken where the meaning is certain.

Keys in PascalCase or camelCase, a single value for a list, a list as JSON text, an id within a
record or with a name beside it, words of an enum in another case, shares in percent, dates in
digits. What could mean two things is left as it is, for the check that follows to refuse. "+10"
says by how much, so only an argument for that takes it.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Literal, Union, get_args, get_origin

import regex
from pydantic import BaseModel, BeforeValidator

from core.erc3_client.bounds import NAME_AT_MOST
from core.ledger import Tool, ToolFault, tool
from core.ledger.tool import folded, spelled

_FORMS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y",
)  # fmt: skip
_SLASHES = regex.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_CLOCK = regex.compile(r"(?<=\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*")
_ID_LIKE = regex.compile(r"(?=.*[_./\d])[\p{L}\p{N}_./-]+")
_WITH_NAME = regex.compile(
    r"(?:[^()\[\]]+[(\[]\s*(?:id\s*[:=]\s*)?(?P<behind>\S+?)\s*[)\]]"
    r"|(?P<before>\S*_\S*?)\s*[(\[][^()\[\]]+[)\]]|id\s*[:=]\s*(?P<alone>\S+))\s*",
    regex.I,
)
"""An id with a name: "Ann Lee (ann_lee)", "ann_lee (Ann Lee)", "id: ann_lee"."""
_DIGITS = regex.compile(r"\s*(-?\d+(?:\.\d{1,2})?)\s*(%?)\s*")
"""A number for certain: "95.000" may be thousands."""
_STEP = regex.compile(r"\s*\+\d")


def loosened(made: Tool) -> Tool:
    """The tool, taking its arguments in every form whose meaning is certain.

    What it shows of itself, and the schema of its arguments, stay as they are.
    """
    function, types = made.function, made.types()
    function.__annotations__ = {
        name: Annotated[kind, BeforeValidator(partial(_argument, name, kind))]
        for name, kind in types.items()
    }
    setattr(function, "__signature__", made.signature)  # noqa: B010 - no attribute of a callable
    return tool(made.kind, function, final=made.final, prepared_by=made.prepared_by)


def _argument(name: str, kind: object, value: object) -> object:
    """The value as its type wants it; an argument that says by how much takes "+10"."""
    return mended(kind, _without_plus(value) if name.endswith(("_delta", "_deltas")) else value)


def _without_plus(value: object) -> object:
    if isinstance(value, str):
        return value.strip()[1:] if _STEP.match(value) else value
    if isinstance(value, Mapping):
        return {name: _without_plus(inner) for name, inner in value.items()}
    return [_without_plus(one) for one in value] if isinstance(value, list | tuple) else value


def mended(kind: object, value: object) -> object:
    """The value as the type wants it, where its meaning is certain; else as it is.

    Raises ValueError: a number that could be two.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return mended(inner[0], value)
    if origin in (Union, types.UnionType):
        kinds = [part for part in inner if part is not type(None)]
        return value if value is None or len(kinds) != 1 else mended(kinds[0], value)
    if origin is list:
        return [mended(inner[0], one) for one in _items(value, get_origin(inner[0]) is Literal)]
    if origin is dict:
        return _levels(value) if inner[1] is int else value
    if origin is Literal:
        return _option(inner, value)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _record(kind, value)
    if kind is str:
        return _text(value)
    return _number(value) if kind in (float, int) else value


def _items(value: object, parted: bool = False) -> list[object]:
    """A list: nothing is an empty one, JSON text is read, ids with commas between are parted.

    Names are not, unless they have to be ``parted``: one may have a comma in it.
    """
    if value is None or value == "":
        return []
    if isinstance(value, list | tuple | set):
        return list(value)
    if not isinstance(value, str):
        return [value]
    if value.lstrip().startswith(("[", "{")):
        try:
            return _items(json.loads(value), parted)
        except ValueError:
            return [value]
    parts = [part.strip() for part in regex.split(r"[,;]", value) if part.strip()]
    certain = parted or all(_ID_LIKE.fullmatch(part) for part in parts)
    return [*parts] if certain else [value]


def _fields(value: Mapping[object, object]) -> dict[str, object]:
    """A mapping by its folded keys."""
    return {folded(str(key)): inner for key, inner in value.items()}


def _levels(value: object) -> object:
    """Levels by name, also from a list of records or of names."""
    if value is None or value == "" or value == []:
        return {}
    if isinstance(value, Mapping) and not _fields(value).keys() & {"name", "skill"}:
        return {str(name): _level(level) for name, level in value.items()}
    levels: dict[str, object] = {}
    for one in _items(value):
        fields = _fields(one) if isinstance(one, Mapping) else {"name": one}
        name = fields.get("name") or fields.get("skill") or fields.get("id")
        if name is None:
            return value
        level = fields.get("level", fields.get("minlevel", fields.get("delta", 0)))
        levels[str(name)] = _level(level)
    return levels


def _level(value: object) -> object:
    if isinstance(value, Mapping):
        fields = _fields(value)
        return fields.get("level", fields.get("minlevel", value))
    return 0 if value is None else _number(value)


def _option(options: tuple[object, ...], value: object) -> object:
    if value in options or not isinstance(value, str):
        return "" if value is None and "" in options else value
    near = [option for option in options if folded(str(option)) == folded(value)]
    return near[0] if len(near) == 1 else value


def _record(kind: type[BaseModel], value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    fields = kind.model_fields
    named = spelled(fields, {str(name): inner for name, inner in value.items()})
    return {
        name: mended(fields[name].annotation, inner) if name in fields else inner
        for name, inner in named.items()
    }


def _text(value: object) -> object:
    """A text; a record is its id, as is a list that holds no other."""
    if isinstance(value, Mapping):
        fields = _fields(value)
        return fields.get("id") or fields.get("employee") or fields.get("name") or value
    if isinstance(value, list | tuple) and len(value) == 1:
        return _text(value[0])
    if value is None:
        return ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _number(value: object) -> object:
    """The value, or a share in percent. Raises ValueError for what is no number for certain."""
    if isinstance(value, bool):
        raise ValueError("a number is wanted, no truth value")
    if not isinstance(value, str):
        return value
    if _STEP.match(value):
        raise ValueError(
            f"{value[:40]!r} says by how much, and a number as it shall be is wanted; write that, "
            "or use an argument that ends in _delta or _deltas"
        )
    match = _DIGITS.fullmatch(value)
    if match is None:
        raise ValueError(f"{value[:40]!r} is no number for certain; write digits alone")
    return float(match[1]) / 100 if match[2] else match[1]


def bare_id(text: str) -> str:
    """The id in a text that has a name beside it; any other text as it is."""
    text = text.strip()
    match = _WITH_NAME.fullmatch(text) if len(text) <= NAME_AT_MOST else None
    if match is None:
        return text
    return str(match["behind"] or match["before"] or match["alone"]).strip("'\"`,;")


def day(text: str) -> str:
    """A date as the platform writes it, YYYY-MM-DD. Raises ToolFault: it is none for certain."""
    plain = _CLOCK.sub("", text.strip())
    forms = [*_FORMS]
    if match := _SLASHES.fullmatch(plain):
        plain = regex.sub(r"[/-]", " ", plain)
        one, two = int(match[1]), int(match[2])
        # Of two numbers that could both be a month, nobody can tell.
        forms = ["%d %m %Y", "%m %d %Y"] if one == two or max(one, two) > 12 else []
    for form in forms:
        try:
            return datetime.strptime(plain, form).date().isoformat()
        except ValueError:
            continue
    raise ToolFault(f"{text[:40]!r} is no date for certain; write YYYY-MM-DD")
