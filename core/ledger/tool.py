"""A tool: a name, a signature, a text for the model, and whether it writes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache
from types import CodeType
from typing import Any, TypeAlias, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from core.ledger.calls import Kind, ToolFault

T = TypeVar("T")
ARGUMENT_CHARS = 1_000_000
"""Arguments of one call that are longer than this as JSON are refused."""


@dataclass(frozen=True)
class Tool:
    """One function that generated code may call; arguments are validated before it runs."""

    name: str
    kind: Kind
    doc: str
    signature: inspect.Signature
    run: Callable[..., object] = field(repr=False)
    function: Callable[..., object] = field(repr=False)
    """The function; its annotations are the types of the arguments."""
    final: bool = False
    """Whether it does what cannot be undone."""
    closes: bool = False
    """Whether only the one who decides uses it, as the end of the task: its arguments are what a
    FINISH says, and no code may call it."""
    prepared_by: str = ""
    """The tool that brings about what this one expects; it takes the arguments of this one by
    their names without ``expected_``."""
    told: bool = True
    """Whether prompts speak of it; what other tools cover can be called all the same."""

    def bind(self, args: list[object], kwargs: dict[str, object]) -> dict[str, object]:
        """Arguments by name, with positional ones placed and names in their own spelling.

        Raises ToolFault: they do not fit, in which case it names the expected signature, or are
            no plain data.
        """
        named = spelled(self.signature.parameters, kwargs)
        try:
            arguments = dict(self.signature.bind(*args, **named).arguments)
        except TypeError as error:
            raise ToolFault(f"{error}; expected {self.usage()}", kind="TypeError") from None
        try:
            text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (TypeError, ValueError, RecursionError):
            raise ToolFault(
                "arguments must be plain data (numbers, strings, lists, dicts)", kind="TypeError"
            ) from None
        if len(text) > ARGUMENT_CHARS:
            raise ToolFault(f"arguments are too large ({len(text)} characters)", kind="ValueError")
        plain: dict[str, object] = json.loads(text)
        return plain

    def usage(self) -> str:
        """The call as a model writes it: ``Name(a: int, b: str = "")``."""
        signature = str(self.signature.replace(return_annotation=inspect.Signature.empty))
        return f"{self.name}{signature}"

    def types(self) -> dict[str, Any]:
        """The type of each argument, by name, as Python types and not as text."""
        return _types(self.function, self.signature)


def tool(
    kind: Kind,
    function: Callable[..., Any],
    *,
    final: bool = False,
    closes: bool = False,
    prepared_by: str = "",
) -> Tool:
    """Make a tool of a typed function; its docstring is the text for the model."""
    name, doc = function.__name__, inspect.getdoc(function) or ""
    # Every instruction has its tools made again: what follows from a function's text is kept.
    code = getattr(function, "__code__", None)
    key = code, f"{name}{inspect.signature(function)} {function.__annotations__} {doc}"
    if key not in _forms:
        _forms[key] = _form(function)
    signature, schema = _forms[key]

    def run(**arguments: object) -> object:
        try:
            checked = schema().model_validate(arguments)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=False)[:3]
            told = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)
            raise ToolFault(f"{told}; expected {finished.usage()}") from None
        return plain(function(**{name: getattr(checked, name) for name in arguments}))

    finished = Tool(name, kind, doc, signature, run, function, final, closes, prepared_by)
    return finished


_Form: TypeAlias = tuple[inspect.Signature, Callable[[], type[BaseModel]]]
_forms: dict[tuple[CodeType | None, str], _Form] = {}


def _form(function: Callable[..., Any]) -> _Form:
    """The signature of a tool, and what makes the schema of its arguments at the first call.

    The function itself is not kept: it holds on to the world of its task.
    """
    name, signature = function.__name__, inspect.signature(function)
    # As a model reads it: its annotations are texts.
    bare = [p.replace(annotation=_Bare(str(p.annotation))) for p in signature.parameters.values()]
    signature = signature.replace(parameters=bare)
    types = _types(function, signature)

    @cache
    def schema() -> type[BaseModel]:
        fields: dict[str, Any] = {
            name: (types[name], ... if given.default is given.empty else given.default)
            for name, given in signature.parameters.items()
        }
        return create_model(name, __config__=ConfigDict(protected_namespaces=()), **fields)

    return signature, schema


def plain(value: Any) -> Any:
    """A result as generated code sees it: plain data.

    Of a wire record what it leaves open is left out; the result of a tool, a dataclass, has all of
    its fields.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def retold(tools: Iterable[Tool], docs: Mapping[str, str]) -> list[Tool]:
    """The tools with other texts for the model, by name; those that are not named as they are."""
    return [replace(one, doc=docs[one.name]) if one.name in docs else one for one in tools]


def folded(name: str) -> str:
    """A name without case and punctuation, to recognise other spellings."""
    return "".join(c for c in name.casefold() if c.isalnum())


def spelled(known: Collection[str], given: Mapping[str, T]) -> dict[str, T]:
    """Values by the known names: timeSlice is time_slice, owner_id is owner.

    A name that is not known for certain, or of which both spellings are given, stays as it is.
    """
    if given.keys() <= set(known):
        return dict(given)
    renamed: dict[str, T] = {}
    for name, value in given.items():
        fold = folded(name)
        same = [k for k in known if folded(k) == fold] or [
            k for k in known if fold in (folded(k) + "id", folded(k).removesuffix("id")) and fold
        ]
        certain = name not in known and len(same) == 1 and same[0] not in given
        renamed[same[0] if certain and same[0] not in renamed else name] = value
    return renamed


def _types(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    return {name: hints[name] for name in signature.parameters}


class _Bare(str):
    """An annotation that ``inspect`` prints without quotes."""

    def __repr__(self) -> str:
        return str(self)
