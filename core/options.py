"""How a field of a record is declared as an option of a command."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field
from pydantic_core import PydanticUndefined


def option(text: str, default: Any = PydanticUndefined, **more: Any) -> Any:
    """A field that is an option; ``text`` is its help."""
    return Field(default, description=text, **more)


fixed = partial(option, json_schema_extra={"resume": "fixed"})
"""An option that a resumed run keeps: ``--resume`` refuses another value."""
once = partial(option, exclude=True)
"""An option of one command and not of the run: the manifest does not keep it."""
