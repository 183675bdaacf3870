"""What is wrong with a file of ours, as one sentence that says where."""

from __future__ import annotations

from pydantic import ValidationError

from models.model_call import plain_text

SHOWN = 60


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, behind its place where it has one."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return plain_text(f"{where}: {first['msg']}" if where else first["msg"])


def shown(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} in many others"
    return plain_text(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")
