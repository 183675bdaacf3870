"""``Req_*`` tools made from the wire's request models: same name, same fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar, get_type_hints

import regex
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from core.erc3_client import switch
from core.ledger import Tool, tool
from core.ledger.calls import Kind

T = TypeVar("T")
_MODULES = regex.compile(r"(?<![\"'\w.])(?:\w+\.)+(?=\w)")


def request_tool(
    kind: Kind,
    model: type[BaseModel],
    act: Callable[..., object],
    doc: str = "",
    *,
    defaults: Mapping[str, object] | None = None,
    unsaid: Collection[str] = (),
    final: bool = False,
    prepared_by: str = "",
) -> Tool:
    """Make a tool with the name and the fields of a request model, and ``doc`` as its text.

    ``act`` gets the checked arguments as keywords; omitted ones only if ``defaults`` has
    them, which precede the fields' own, because those differ between clients. ``unsaid`` fields are
    not arguments of the tool; ``act`` knows them.
    """
    filled = dict(defaults or {})
    fields = {n: f for n, f in model.model_fields.items() if n != "tool" and n not in unsaid}
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=filled.get(name, _default_of(field)),
            # Without the names of modules, for a model.
            annotation=_MODULES.sub("", inspect.formatannotation(field.annotation)),
        )
        for name, field in fields.items()
    ]
    # What has no default comes first, as in every signature.
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    types = {name: field.annotation for name, field in fields.items()}
    request = _described(partial(act, **filled), (model.__name__, doc), types, parameters)
    return tool(kind, request, final=final, prepared_by=prepared_by)


def request_at(api: str, path: str, body: Mapping[str, object]) -> Any:
    """A recorded request as the chosen client has it; ``api``: ``store`` or ``company``.

    Raises KeyError: there is no such path, ValidationError: the body does not fit.
    """
    return _models(api)[path].model_validate(body)


@cache
def _models(api: str) -> dict[str, type[BaseModel]]:
    """The request of each path."""
    names = vars(switch.load(api))
    models = [model for name, model in names.items() if name.startswith("Req_")]
    return {model.model_fields["tool"].default: model for model in models}


def _default_of(field: FieldInfo) -> object:
    if field.is_required():
        return inspect.Parameter.empty
    return field.get_default(call_default_factory=True, validated_data={})


def bound(function: Callable[..., T], given: Mapping[str, object]) -> Callable[..., T]:
    """A function that has some arguments already, with the signature of those that are left."""
    signature = inspect.signature(function)
    types = get_type_hints(function, include_extras=True)
    first = {name: given[name] for name in signature.parameters if name in given}
    left = [one for name, one in signature.parameters.items() if name not in first]
    told = function.__name__, function.__doc__ or ""
    return _described(
        partial(function, **first), told, {one.name: types[one.name] for one in left}, left
    )


def _described(
    call: partial[T],
    told: tuple[str, str],
    types: Mapping[str, Any],
    parameters: Sequence[inspect.Parameter],
) -> Callable[..., T]:
    """A call as a tool is made of it; ``told``: its name and its text."""
    call.__name__, call.__doc__ = told  # type: ignore[attr-defined]
    call.__annotations__ = dict(types)
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call
