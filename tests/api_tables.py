"""The request fields of the two APIs, as docs/agents.md shows them, made from the wire models.

``python -m tests.api_tables`` writes them between the marks of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from core.erc3_client.own import company_models, store

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
BEGIN = "<!-- requests: written by `python -m tests.api_tables` -->"
END = "<!-- end of requests -->"


def tables() -> str:
    """A table of the store and one of the company, a row for each request."""
    return f"**Store**\n\n{_table(store)}\n\n**Company**\n\n{_table(company_models)}"


def with_tables(page: str) -> str:
    """The page with the tables of today."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}"


def _table(module: Any) -> str:
    rows = [f"| `{path}` | {fields} |" for path, fields in _rows(module)]
    return "\n".join(["| path | fields |", "|---|---|", *rows])


def _rows(module: Any) -> Iterator[tuple[str, str]]:
    # Some requests have a second name.
    models = dict.fromkeys(model for name, model in vars(module).items() if name.startswith("Req_"))
    for model in models:
        fields = model.model_fields
        shown = (_field(one, info) for one, info in fields.items() if one != "tool")
        yield fields["tool"].default, ", ".join(shown) or "none"


def _field(name: str, info: FieldInfo) -> str:
    return f"`{name}{'' if info.is_required() else '?'}` {_kind(info.annotation)}"


def _kind(annotation: Any) -> str:
    """A type in the words of JSON."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return _kind(next(one for one in inner if one is not type(None)))
    if origin is list:
        return f"[{_kind(inner[0])}]"
    if origin is Literal:
        return " / ".join(str(one) or '""' for one in inner)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"{{{', '.join(_field(n, i) for n, i in annotation.model_fields.items())}}}"
    words = {str: "text", int: "integer", float: "number", bool: "boolean"}
    return words.get(annotation, re.sub(r".*\.", "", str(annotation)))


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
