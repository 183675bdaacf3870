"""Tools made from the wire's request models."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from core.ledger import Ledger, ToolFault
from core.tools.requests import request_tool


class Ref(BaseModel):
    kind: Literal["page", "note.old"]
    id: str


class Req_Save(BaseModel):
    tool: Literal["/save"] = "/save"
    text: str
    refs: list[Ref] = Field(default_factory=list)
    by: str | None = None


class Req_Drop(BaseModel):
    tool: Literal["/drop"] = "/drop"
    text: str
    refs: list[Ref] = Field(default_factory=list)
    by: str | None = None


class Req_Page(BaseModel):
    tool: Literal["/page"] = "/page"
    offset: int
    limit: int


def said(**arguments: object) -> dict[str, object]:
    return arguments


def test_a_tool_has_the_name_and_the_fields_of_its_model() -> None:
    saved = request_tool("write", Req_Save, said, "Saves.", unsaid={"by"})
    assert (saved.name, saved.kind, saved.doc) == ("Req_Save", "write", "Saves.")
    assert saved.usage() == "Req_Save(text: str, refs: list[Ref] = [])"
    assert saved.types() == {"text": str, "refs": list[Ref]}


def test_models_with_the_same_fields_stay_apart() -> None:
    both = [request_tool("write", model, said, model.__name__) for model in (Req_Save, Req_Drop)]
    assert [t.doc for t in both] == ["Req_Save", "Req_Drop"]
    assert both[1].usage().startswith("Req_Drop(")


def test_arguments_are_checked_and_turned_into_the_types_of_the_fields() -> None:
    ledger = Ledger()
    got: list[Any] = []
    ledger.offer([request_tool("write", Req_Save, lambda **a: got.append(a))])
    ledger.call("Req_Save", ["a"], {"refs": [{"kind": "page", "id": "1"}]})
    assert got == [{"text": "a", "refs": [Ref(kind="page", id="1")]}]
    with pytest.raises(ToolFault, match=r"refs\.0\.kind.*expected Req_Save\(text: str"):
        ledger.call("Req_Save", ["a"], {"refs": [{"kind": "song", "id": "1"}]})
    with pytest.raises(ToolFault, match="expected Req_Save"):
        ledger.call("Req_Save", [], {})


def test_defaults_stand_before_those_of_the_client_and_are_filled_in() -> None:
    page = request_tool("read", Req_Page, said, defaults={"offset": 0, "limit": 0})
    assert page.usage() == "Req_Page(offset: int = 0, limit: int = 0)"
    assert page.run(limit=3) == {"offset": 0, "limit": 3}
