"""The name under which the platform knows a model: OpenRouter's ``vendor/model``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import regex

from core.models.providers import is_rule_based

_QUANTISED = regex.compile(r"-(?:fp8|fp4|nvfp4|mxfp4|bf16|fp16|int4|int8|awq|gptq)$")


@lru_cache(maxsize=1)
def _vendors() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("vendors.toml").read_text(encoding="utf-8"))


def slug_of(model: str) -> str:
    """The slug of a LiteLLM id: without provider and quantisation, with the vendor where known.

    Our own providers keep their ids; so does what is not known.
    """
    parts = model.split("/")
    if is_rule_based(model) or len(parts) == 1:
        return _with_vendor(model, model)
    name = _QUANTISED.sub("", parts[-1].casefold())
    if len(parts) > 2:
        return f"{parts[-2].casefold()}/{name}"
    return _with_vendor(name, f"{parts[0].casefold()}/{name}")


def _with_vendor(name: str, otherwise: str) -> str:
    low = name.casefold()
    vendor = next((v for v, starts in _vendors().items() if low.startswith(tuple(starts))), None)
    return f"{vendor}/{low}" if vendor else otherwise
