"""Whether a model id is answered by anybody and its key is there, found out without asking."""

from __future__ import annotations

import os
from typing import Any

from core.models.litellm_module import load
from core.models.models_file import Backend
from core.models.providers import GONKA, GONKA_KEY, is_gonka, is_scripted, provider

EXAMPLE = "nebius/openai/gpt-oss-120b"


def missing_keys(backend: Backend) -> tuple[str, ...]:
    """Variables of which one has to hold the key, where none does; nothing is sent.

    Empty: the key is there, none is needed, or nobody can tell without asking the provider
    (roles of a cloud, servers of one's own).
    """
    if is_scripted(backend.model):
        return ()
    if backend.key_variable is not None or is_gonka(backend.model):
        named = backend.key_variable or GONKA_KEY
        return () if _is_set(named) else (named,)
    litellm, provider = load(), provider_of(backend.model)
    if provider == "openai" and backend.base_url:
        return ()
    names = tuple(litellm.validate_environment(backend.model)["missing_keys"])
    usual = f"{provider.upper()}_API_KEY"
    if provider in litellm.openai_compatible_providers:
        # Without one of its own LiteLLM would show OpenAI's; who is not found signs in otherwise.
        result = _found(backend.model)
        return () if result is None or result[2] else names or (usual,)
    if not names and usual in os.environ and not _is_set(usual):
        return (usual,)  # LiteLLM takes a variable that is empty for one that is set
    # Clouds let their users sign in otherwise, and need more than a key.
    is_cloud = provider == "azure" or not all(name.endswith("_API_KEY") for name in names)
    return () if is_cloud else names


def key_variable(backend: Backend) -> str:
    """The variable that holds a backend's key, or the usual one where none is named."""
    if backend.key_variable is not None:
        return backend.key_variable
    if is_gonka(backend.model):
        return GONKA_KEY
    provider, slash, _ = backend.model.partition("/")
    return f"{(provider if slash else provider_of(backend.model)).upper()}_API_KEY"


def address_of(backend: Backend) -> str | None:
    """The address that a backend is asked at; None where LiteLLM alone knows it."""
    if backend.base_url or is_scripted(backend.model) or is_gonka(backend.model):
        return backend.base_url
    result = _found(backend.model)
    return "https://api.openai.com/v1" if result and result[1] == "openai" else result and result[3]


def provider_of(model: str) -> str:
    """LiteLLM's provider of an id; "" if there is none."""
    litellm = load()
    prefix, slash, _ = model.partition("/")
    if slash and prefix in litellm.provider_list:
        return prefix
    result = _found(model)
    return str(result[1]) if result else ""


def _found(model: str) -> Any:
    litellm = load()
    try:
        return litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return None


def _is_set(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())


class UnknownModel(Exception):
    """Nobody answers to an id; the text says why."""


def check_id(model: str) -> None:
    """Check whether any provider can answer this id.

    A new model of a known provider is accepted: models appear daily, and servers choose names.

    Raises:
        UnknownModel: no model of our own, no provider.
        ExtraMissing: this provider needs an extra.
    """
    prefix, slash, rest = model.partition("/")
    if is_scripted(model):
        try:
            provider(prefix).check(rest)
        except LookupError as error:
            raise UnknownModel(str(error.args[0])) from None
    elif slash and not rest.strip():
        raise UnknownModel("the model's name is missing after the provider's")
    elif prefix == GONKA and slash:
        from core.models.gonka import require

        require()
    elif not provider_of(model):
        what = f"LiteLLM has no provider {prefix!r}" if slash else "it names no provider"
        raise UnknownModel(
            f"{what}; name a LiteLLM id such as {EXAMPLE}, a model of the models file, or one "
            "that plays without a key, such as scripted/store"
        )
