"""What a tool is: a name, a signature, a text for the model, and whether it writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_type_hints

from pydantic import ConfigDict, ValidationError, validate_call

from ledger.fault import ToolFault
from ledger.record import Kind


@dataclass(frozen=True)
class Tool:
    """One function that generated code may call; arguments are validated before it runs."""

    name: str
    kind: Kind
    doc: str
    signature: inspect.Signature
    run: Callable[..., object] = field(repr=False)
    function: Callable[..., object] = field(repr=False)
    """As it was written: its annotations are the types of the arguments."""
    final: bool = False
    """Whether it does what cannot be undone."""

    def bind(self, args: list[object], kwargs: dict[str, object]) -> dict[str, object]:
        """Arguments by name, with positional ones placed.

        Raises:
            ToolFault: (``TypeError``) with the expected signature.
        """
        try:
            return dict(self.signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise ToolFault(f"{error}; expected {self.usage()}", kind="TypeError") from None

    def usage(self) -> str:
        """The call as a model writes it: ``Name(a: int, b: str = "")``."""
        shown = str(self.signature.replace(return_annotation=inspect.Signature.empty))
        return f"{self.name}{shown}"

    def types(self) -> dict[str, Any]:
        """The type of each argument, by name, as Python types and not as text."""
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hints[name] for name in self.signature.parameters}


def tool(kind: Kind, function: Callable[..., Any], *, final: bool = False) -> Tool:
    """Make a tool of a typed function; its docstring is the text for the model."""
    name = function.__name__

    @cache
    def checked() -> Callable[..., object]:
        # Made at the first call: it takes long, and an instruction needs few of its tools.
        return validate_call(config=ConfigDict(arbitrary_types_allowed=False))(function)

    def run(**arguments: object) -> object:
        try:
            return checked()(**arguments)
        except ValidationError as error:
            raise ToolFault(f"{_explain(error)}; expected {made.usage()}") from None

    doc = inspect.getdoc(function) or ""
    made = Tool(name, kind, doc, _signature(function), run, function, final)
    return made


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature as a model reads it: its annotations are texts already."""
    signature = inspect.signature(function)
    return signature.replace(parameters=[_plain(p) for p in signature.parameters.values()])


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    annotation = parameter.annotation
    return parameter.replace(annotation=_Bare(str(annotation)))


class _Bare(str):
    """An annotation that ``inspect`` prints without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False)[:3]
    return "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in problems)
