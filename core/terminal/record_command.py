"""A command from a pydantic record: its fields are the options."""

from __future__ import annotations

from collections.abc import Callable, Collection
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer
from pydantic import BaseModel, Field, ValidationError
from pydantic.fields import FieldInfo

Record = TypeVar("Record", bound=BaseModel)
_UNSAID = ("DEFAULT", "DEFAULT_MAP")


def argument(text: str, default: Any = ...) -> Any:
    """A field that is the argument of a command; ``text`` is its help."""
    return Field(default=default, description=text, json_schema_extra={"argument": True})


def takes(
    record: type[Record], only: Collection[str] = ()
) -> Callable[[Callable[[Record, typer.Context], int]], Callable[..., None]]:
    """Make a command of a function that takes a record and a context, and returns an exit code.

    Every field that has a description is an option of its name or alias, with the field's type,
    default and bounds. Only options that are given are set in the record. ``only``: these fields.
    """
    fields = {
        name: field
        for name, field in record.model_fields.items()
        if field.description and (not only or name in only)
    }

    def decorated(action: Callable[[Record, typer.Context], int]) -> Callable[..., None]:
        def command(context: typer.Context, **values: Any) -> None:
            sources = {name: context.get_parameter_source(name) for name in values}
            given = {n: values[n] for n, by in sources.items() if by and by.name not in _UNSAID}
            try:
                asked = record.model_validate(given, by_name=True)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                name = str(first["loc"][0])
                text = first["msg"].removeprefix("Value error, ")
                raise typer.BadParameter(text, param_hint=option_of(record, name)) from None
            raise typer.Exit(action(asked, context))

        options = [_parameter(n, field, option_of(record, n)) for n, field in fields.items()]
        context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
        vars(command)["__signature__"] = Signature([context, *options])
        command.__doc__ = action.__doc__
        return command

    return decorated


def option_of(record: type[BaseModel], name: str) -> str:
    """How the option of a field is written."""
    return f"--{(record.model_fields[name].alias or name).replace('_', '-')}"


def _parameter(name: str, field: FieldInfo, written: str) -> Parameter:
    # What a factory gives depends on other options; its help says what it is.
    kind: Any = field.annotation
    default = None if field.default_factory else field.default
    if field.is_required():
        default = ...
    if get_origin(kind) is tuple:
        kind, default = list.__class_getitem__(get_args(kind)[0]), None
    low = next((m.ge for m in field.metadata if hasattr(m, "ge")), None)
    high = next((m.le for m in field.metadata if hasattr(m, "le")), None)
    option: Any = typer.Option(written, help=field.description, min=low, max=high)
    if field.json_schema_extra == {"argument": True}:
        option = typer.Argument(help=field.description)
        default = Parameter.empty if field.is_required() else default
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )
