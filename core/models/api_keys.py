"""Which environment variable a backend's key is looked for in, and whether it is there."""

from __future__ import annotations

import os
from typing import Any

from core.models.gonka import missing_variables
from core.models.litellm_module import load
from core.models.models_file import Backend
from core.models.providers import GONKA, is_served

_ALSO = {
    "anthropic": ("ANTHROPIC_AUTH_TOKEN",),
    "cohere": ("CO_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "huggingface": ("HF_TOKEN",),
    "openrouter": ("OR_API_KEY",),
    "replicate": ("REPLICATE_API_TOKEN",),
}
"""Variables that LiteLLM takes a key from without naming them."""
_OTHER_WAYS = frozenset({"azure"})
"""Providers that take other proofs than a key, which LiteLLM does not look for."""


def missing_keys(backend: Backend) -> tuple[str, ...]:
    """Variables of which one has to hold the key, where none does; nothing is sent.

    Empty: the key is there, none is needed, or nobody can tell without asking the provider
    (roles of a cloud, servers of one's own).
    """
    if not is_served(backend.model):
        return ()
    if backend.model.startswith(f"{GONKA}/"):
        return missing_variables(backend)
    if backend.key_variable is not None:
        return () if _set(backend.key_variable) else (backend.key_variable,)
    litellm, provider = load(), provider_of(backend.model)
    if provider == "openai":
        return () if backend.base_url or _set("OPENAI_API_KEY") else ("OPENAI_API_KEY",)
    names = tuple(litellm.validate_environment(backend.model)["missing_keys"])
    usual = f"{provider.upper()}_API_KEY"
    if provider in litellm.openai_compatible_providers:
        # Without one of its own LiteLLM would show OpenAI's; who is not found signs in otherwise.
        found = _found(backend.model)
        return () if found is None or found[2] else names or (usual,)
    if not names and usual in os.environ and not _set(usual):
        names = (usual,)  # LiteLLM takes a variable that is empty for one that is set
    plain = all(name.endswith("_API_KEY") for name in names)
    if not plain or provider in _OTHER_WAYS or any(map(_set, (*names, *_ALSO.get(provider, ())))):
        return ()
    return names


def provider_of(model: str) -> str:
    """LiteLLM's provider of an id, the empty text where there is none."""
    litellm = load()
    prefix, slash, _ = model.partition("/")
    if slash and prefix in litellm.provider_list:
        return prefix
    found = _found(model)
    return str(found[1]) if found else ""


def _found(model: str) -> Any:
    """LiteLLM's name, provider, key and address of an id; None where it knows none of them."""
    litellm = load()
    try:
        return litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return None


def _set(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())
