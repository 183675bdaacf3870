"""The forms that a model fills in, derived from the tools: one type per tool, and the step."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from inspect import Parameter
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from core.ledger import Tool
from core.ledger.tool import folded, spelled
from next_step.names import meant_by

COMPLETION = "TaskCompletion"
Status = Literal["solved", "impossible", "need_more_work"]
ClosingStatus = Literal["solved", "need_more_work"]
"""If the final tool ends the task, "impossible" is one of its answers."""
PROBLEMS_SHOWN = 3


class Misuse(ValueError):
    """A function that does not exist or does not take these arguments; the text says what does."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NextStep(_Form):
    """One step: what is known, what is left to do, and the one function that is called now."""

    current_state: str
    plan_remaining_steps_brief: list[str] = Field(min_length=1, max_length=5)


class Forms:
    """The types of one set of tools, without the tools themselves.

    Raises:
        ValueError: not exactly one tool is final.
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        finals = [t for t in tools if t.final]
        if len(finals) != 1:
            raise ValueError(f"one tool must be final, not {len(finals)}")
        callable_ = [t for t in tools if not t.final and (t.told or t.kind == "read")]
        self.final = finals[0]
        self.tools = tuple(t for t in callable_ if t.told)
        """Those that the prompt speaks of; raw reads of the API can be called as well."""
        self._tools: dict[str, Tool | None] = {t.name: t for t in callable_} | {COMPLETION: None}
        self._models = {t.name: _model(t.name, _arguments(t), t.name) for t in callable_}
        arguments = _arguments(self.final)
        # Of a tool that closes the task optional ones may be left out: what they mean then is an
        # answer as well.
        if not self.final.closes:
            types = self.final.types()
            arguments = {name: (_without_none(type_), ...) for name, type_ in types.items()}
        answer = self._answer = _model(f"{self.final.name}_Arguments", arguments)
        completion: dict[str, Any] = {
            "status": (ClosingStatus, "solved") if self.final.closes else (Status, ...),
            "reason": (str, ""),
            "conditions": (list[str], []),
            "final": (answer | None, None),
        }
        self._models[COMPLETION] = _model(COMPLETION, completion, COMPLETION)
        told = [self._models[t.name] for t in self.tools]
        union: Any = reduce(or_, [*told, self._models[COMPLETION]])
        fields: dict[str, Any] = {"function": (Annotated[union, Field(discriminator="tool")], ...)}
        if self.final.closes:
            fields["if_done"] = (answer | None, None)
        self.step: type[NextStep] = create_model("NextStep", __base__=NextStep, **fields)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The step's JSON schema; the same tools give the same one."""
        schema: dict[str, Any] = _plain(self.step.model_json_schema())
        return schema

    @cached_property
    def words(self) -> frozenset[str]:
        """Every field and argument as it is spelled."""
        named = (_names_in(model.model_json_schema()) for model in self._models.values())
        return frozenset({*NextStep.model_fields, "function", "if_done"}.union(*named))

    @cached_property
    def listing(self) -> list[str]:
        """How each function but the completion is called and what it does, on a line each."""
        lines = []
        for tool in self.tools:
            given = tool.signature.parameters
            arguments = ", ".join(_argument(given[n], t) for n, t in tool.types().items())
            doc = " ".join(tool.doc.split())
            lines.append(f"{tool.name}({arguments}): {doc}")
        return lines

    def spelled(self, name: str) -> str:
        """Return the exact name of a function, ignoring case and punctuation."""
        names = {folded(known): known for known in self._models}
        return names.get(folded(name), name)

    def check(self, function: dict[str, Any]) -> BaseModel:
        """The call, validated. Raises Misuse with what would be right."""
        name = str(function.get("tool", ""))
        model = self._models.get(name)
        if model is None:
            raise Misuse(self._unknown(name))
        try:
            return model.model_validate(spelled(model.model_fields, function))
        except ValidationError as error:
            shown = "; ".join(explain(error)[:PROBLEMS_SHOWN])
            raise Misuse(f"{name} was not called: {shown}; expected {self.usage(name)}") from None

    def prepared(self, given: object) -> str:
        """The final answer that a step prepares for when it is done, as JSON.

        "" if there is none, or if it cannot be used: then the next step gives the answer.
        """
        if not self.final.closes or not isinstance(given, dict):
            return ""
        try:
            return self.final_answer(self._answer.model_validate(given))
        except ValidationError:
            return ""

    def final_answer(self, answer: BaseModel) -> str:
        """The call of the final tool as JSON."""
        words = {"tool": self.final.name} | answer.model_dump(mode="json")
        return json.dumps(words, ensure_ascii=False)

    def usage(self, name: str) -> str:
        """How a function is called."""
        if name == COMPLETION:
            parameters = self.final.signature.parameters
            if self.final.closes:
                return f"{COMPLETION}(final: {{{', '.join(parameters)}}})"
            needed = ", ".join(
                f"{name}: {given.annotation.removesuffix(' | None')}"
                for name, given in parameters.items()
            )
            statuses = " | ".join(f'"{word}"' for word in get_args(Status))
            fields = f"reason: str, conditions: list[str], final: {{{needed}}}"
            return f"{COMPLETION}(status: {statuses}, {fields})"
        tool = self._tools[name]
        assert tool is not None, "the completion is told above"
        return tool.usage()

    def _unknown(self, name: str) -> str:
        if folded(name) == folded(self.final.name):
            return (
                f"{name} is not called by itself: {COMPLETION} with status solved does it with "
                f"the arguments in final; expected {self.usage(COMPLETION)}"
            )
        told = {known: tool for known, tool in self._tools.items() if tool is None or tool.told}
        meant = " or ".join(map(self.usage, meant_by(name, told)))
        right = f"what does that is {meant}" if meant else f"there are {', '.join(told)}"
        return f"there is no function {name[:80]!r}; {right}"


_forms_by_tools: dict[tuple[object, ...], Forms] = {}


def forms_of(tools: Sequence[Tool]) -> Forms:
    """The forms of these tools; those of equal tools are made once."""
    key = tuple((t.name, str(t.signature), t.doc, t.kind, t.final, t.closes, t.told) for t in tools)
    if key not in _forms_by_tools:
        _forms_by_tools[key] = Forms(tools)
    return _forms_by_tools[key]


def explain(error: ValidationError) -> list[str]:
    """List what is wrong, a line each, in the form's terms."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return [f"{'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in problems]


def _argument(given: Parameter, type_: Any) -> str:
    """An argument without the type of texts, and with ``?`` where it may be left out."""
    type_ = _without_none(type_)
    if get_origin(type_) is Annotated:
        type_ = _without_none(get_args(type_)[0])
    if get_origin(type_) is Literal:
        kind = f": {'|'.join(filter(None, get_args(type_)))}"
    else:
        kind = "" if type_ is str else f": {given.annotation.removesuffix(' | None')}"
    if given.default is Parameter.empty:
        return f"{given.name}{kind}"
    return f"{given.name}{kind} = {given.default!r}" if given.default else f"{given.name}?{kind}"


def _model(name: str, fields: dict[str, Any], tool: str | None = None) -> type[BaseModel]:
    first = {"tool": (Literal[tool], ...)} if tool else {}
    model: type[BaseModel] = create_model(name, __base__=_Form, **(first | fields))
    return model


def _arguments(tool: Tool) -> dict[str, Any]:
    """Type and default of each argument; the default is ``...`` if it is required."""
    given = tool.signature.parameters
    return {
        name: (type_, ... if given[name].default is Parameter.empty else given[name].default)
        for name, type_ in tool.types().items()
    }


def _without_none(type_: Any) -> Any:
    if get_origin(type_) not in (Union, types.UnionType):
        return type_
    return reduce(or_, (part for part in get_args(type_) if part is not type(None)))


def _plain(schema: Any) -> Any:
    """Return a schema without titles and descriptions, which the tools already have."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    texts = {k for k in ("title", "description") if isinstance(schema.get(k), str)}
    left = {k: v for k, v in schema.items() if k not in texts and k != "discriminator"}
    if "const" in left:
        left.pop("type", None)
    if "oneOf" in left:
        # The same to a validator here, and known to more providers.
        left["anyOf"] = left.pop("oneOf")
    return {k: _plain(v) for k, v in left.items()}


def _names_in(schema: Any) -> Iterator[str]:
    """The names of all fields in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    if isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from _names_in(part)
