"""Arguments as models write them, taken where the meaning is certain.

Keys in PascalCase or camelCase, a single value for a list, a list as JSON text, an id within a
record or with a name beside it, words of an enum in another case, shares in percent, dates in
common forms. What could mean two things is left as it is, for the check that follows to refuse.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import regex
from pydantic import BaseModel, BeforeValidator

from core.erc3_client.cuts import NAME_AT_MOST
from core.ledger import Tool, ToolFault, tool
from core.ledger.tool import folded, spelled

_FORMS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y",
    "%b %d %Y", "%A %d %B %Y", "%A %B %d %Y",
)  # fmt: skip
_SLASHES = regex.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_CLOCK = regex.compile(r"(?<=\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*")
_ORDINAL = regex.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ID_LIKE = regex.compile(r"(?=.*[_./\d])[\p{L}\p{N}_./-]+")
_WITH_NAME = regex.compile(
    r"(?:[^()\[\]]+[(\[]\s*(?:id\s*[:=]\s*)?(?P<behind>\S+?)\s*[)\]]"
    r"|(?P<before>\S*_\S*?)\s*[(\[][^()\[\]]+[)\]]|id\s*[:=]\s*(?P<alone>\S+))\s*",
    regex.I,
)
"""An id with a name: "Ann Lee (ann_lee)", "ann_lee (Ann Lee)", "id: ann_lee"."""
_GROUPED = regex.compile(r"[+-]?\d{1,3}(?:([,.'’ ])\d{3})(?:\1\d{3})*")
"""Digits that look like thousands; in a number with a fraction, they may be that."""
_GROUPS = regex.compile(r"[,'’ ]")
_LEVEL = regex.compile(r"(?P<name>[^:=<>]+?)\s*(?:[:=]|>=|≥)\s*(?P<level>[+-]?\d+)\s*")


def loosened(made: Tool) -> Tool:
    """The tool, taking its arguments in every form whose meaning is certain.

    What it shows of itself, and the schema of its arguments, stay as they are.
    """
    function: Any = made.function
    hints = made.types()
    shown = made.signature
    function.__annotations__ = {
        name: Annotated[kind, BeforeValidator(_Mended(kind))] for name, kind in hints.items()
    }
    function.__signature__ = shown
    return tool(
        made.kind,
        function,
        final=made.final,
        prepared_by=made.prepared_by,
        fields=made.fields,
    )


@dataclass(frozen=True)
class _Mended:
    """Brings a value into the form of a type, where that is certain."""

    kind: Any

    def __call__(self, value: Any) -> Any:
        return mended(self.kind, value)


def mended(kind: Any, value: Any) -> Any:
    """The value as the type wants it, where its meaning is certain; else as it is."""
    origin = get_origin(kind)
    if origin is Annotated:
        return mended(get_args(kind)[0], value)
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(kind) if part is not type(None)]
        return value if value is None or len(inner) != 1 else mended(inner[0], value)
    if origin is list:
        item = get_args(kind)[0]
        return [mended(item, one) for one in _listed(value, get_origin(item) is Literal)]
    if origin is dict:
        return _levels(value) if get_args(kind)[1] is int else _by_name(value)
    if origin is Literal:
        return _enum(get_args(kind), value)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _record(kind, value)
    if kind is str:
        return _text(value)
    return _number(value, kind is int) if kind in (float, int) else value


def _listed(value: Any, parted: bool = False) -> list[Any]:
    """A list: nothing is an empty one, JSON text is read, ids with commas between are parted.

    Names are not, unless they have to be ``parted``: one may have a comma in it.
    """
    if value is None or value == "":
        return []
    if isinstance(value, list | tuple | set):
        return list(value)
    if isinstance(value, str):
        if value.lstrip().startswith(("[", "{")):
            try:
                return _listed(json.loads(value), parted)
            except ValueError:
                return [value]
        parts = [part.strip() for part in regex.split(r"[,;]", value) if part.strip()]
        return parts if parted or all(_ID_LIKE.fullmatch(part) for part in parts) else [value]
    return [value]


def _levels(value: Any) -> Any:
    """Levels by name, also from a list of records, names, or texts such as "name: 7"."""
    if value is None or value == "" or value == []:
        return {}
    if isinstance(value, Mapping) and not {folded(str(k)) for k in value} & {"name", "skill"}:
        return {str(name): _level(level) for name, level in value.items()}
    found: dict[str, Any] = {}
    for one in _listed(value):
        if isinstance(one, Mapping):
            low = {folded(str(k)): v for k, v in one.items()}
            name = low.get("name") or low.get("skill") or low.get("id")
            if name is None:
                return value
            found[str(name)] = _level(low.get("level", low.get("minlevel", low.get("delta", 0))))
        else:
            said = _LEVEL.fullmatch(str(one)[:NAME_AT_MOST].strip())
            found[said["name"] if said else str(one)] = int(said["level"]) if said else 0
    return found


def _by_name(value: Any) -> Any:
    """Texts by name, also from a list of records of one name and one text each."""
    if not isinstance(value, list):
        return value
    pairs = []
    for one in value:
        low = {folded(str(k)): v for k, v in one.items()} if isinstance(one, Mapping) else {}
        names = [k for k in ("file", "path", "page", "name") if k in low]
        texts = [k for k in ("content", "text") if k in low]
        if len(names) != 1 or len(texts) != 1 or len(low) != 2:
            return value
        pairs.append((low[names[0]], low[texts[0]]))
    return dict(pairs) if len({name for name, _ in pairs}) == len(pairs) else value


def _level(value: Any) -> Any:
    if isinstance(value, Mapping):
        low = {folded(str(k)): v for k, v in value.items()}
        return low.get("level", low.get("minlevel", value))
    return 0 if value is None else _number(value)


def _enum(options: tuple[Any, ...], value: Any) -> Any:
    if value in options or not isinstance(value, str):
        return "" if value is None and "" in options else value
    near = [option for option in options if folded(str(option)) == folded(value)]
    return near[0] if len(near) == 1 else value


def _record(kind: type[BaseModel], value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, str) and list(kind.model_fields) == ["kind", "id"] and ":" in value:
        value = dict(zip(("kind", "id"), value.split(":", 1), strict=True))
    if not isinstance(value, Mapping):
        return value
    fields = kind.model_fields
    named = spelled(fields, {str(name): inner for name, inner in value.items()})
    return {
        name: mended(fields[name].annotation, inner) if name in fields else inner
        for name, inner in named.items()
    }


def _text(value: Any) -> Any:
    """A text; a record is its id, as is a list that holds no other."""
    if isinstance(value, Mapping):
        low = {folded(str(k)): v for k, v in value.items()}
        return low.get("id") or low.get("employee") or low.get("name") or value
    if isinstance(value, list | tuple) and len(value) == 1:
        return _text(value[0])
    if value is None:
        return ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _number(value: Any, whole: bool = True) -> Any:
    """A number, from digits as people write them. Raises ValueError for what could be two."""
    if isinstance(value, bool):
        raise ValueError("a number is wanted, no truth value")
    if not isinstance(value, str):
        return value
    plain = value.strip().removesuffix("h").strip()
    if _GROUPED.fullmatch(plain):
        if not whole or "." in plain:
            raise ValueError(f"{plain[:40]!r} could be two numbers; write digits alone")
        return int(_GROUPS.sub("", plain))
    try:
        found = float(plain[:-1]) / 100 if plain.endswith("%") else float(plain.replace(",", "."))
    except ValueError:
        return value
    if not math.isfinite(found):
        raise ValueError("a number must be finite")
    return found


def bare_id(text: str) -> str:
    """The id in a text that has a name beside it; any other text as it is."""
    text = text.strip()
    found = _WITH_NAME.fullmatch(text) if len(text) <= NAME_AT_MOST else None
    if found is None:
        return text
    return (found["behind"] or found["before"] or found["alone"]).strip("'\"`,;")


def day(text: str, today: str) -> str:
    """A date as the platform writes it, YYYY-MM-DD. Raises ToolFault where it is none for certain.

    ``today``, in that form, is what "today" and "yesterday" count from.
    """
    said = _ORDINAL.sub("", _CLOCK.sub("", text.strip())).replace(",", " ")
    said = " ".join(said.split())
    steps = {"today": 0, "yesterday": -1, "tomorrow": 1, "day before yesterday": -2}
    if said.casefold().removeprefix("the ") in steps:
        if not today:
            raise ToolFault(f"{said!r} is unknown: whoami tells no day; write YYYY-MM-DD")
        moved = timedelta(days=steps[said.casefold().removeprefix("the ")])
        return (date.fromisoformat(today) + moved).isoformat()
    for form in _FORMS:
        try:
            return datetime.strptime(said, form).date().isoformat()
        except ValueError:
            continue
    slashed = _SLASHES.fullmatch(said)
    if slashed:
        one, two, year = (int(part) for part in slashed.groups())
        ways = {(m, d) for m, d in ((one, two), (two, one)) if 1 <= m <= 12 and 1 <= d <= 31}
        if len(ways) == 1:
            month, of_month = ways.pop()
            try:
                return date(year, month, of_month).isoformat()
            except ValueError:
                pass
    raise ToolFault(f"{text[:40]!r} is no date for certain; write YYYY-MM-DD")
