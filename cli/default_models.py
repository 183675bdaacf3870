"""The default models: the reference model, or rule-based models."""

from __future__ import annotations

import os
from typing import TypeVar

from cli.options import Options
from cli.registry import registered
from cli.run_models import asks_role
from coordinator.beginning import base_urls
from core.models.models_file import ModelsError, load_models
from core.models.providers import is_rule_based
from core.runs.errors import Usage

REFERENCE = "reference"
"""A name in the settings of models, whose backends say which key is for which id."""
OptionsOf = TypeVar("OptionsOf", bound=Options)
_VARIABLES = ("EVALUATOR_MODEL", "WORKER_MODEL")
_ROLES = {"evaluator", "worker"}


def with_models(options: OptionsOf) -> tuple[OptionsOf, str]:
    """The options with the models that play, and what is to be said of them; "" for nothing.

    Where no model is named and the key of a provider is set, evaluator and worker are the
    reference model at the first such provider.
    """
    if options.resume:
        return options, ""
    if options.rule_based:
        model = registered(options.benchmark).rule_based[options.strategy]
        left = _ROLES - options.model_fields_set
        return options.model_copy(update=dict.fromkeys(left, model)), ""
    named = _ROLES & options.model_fields_set or any(map(os.environ.get, _VARIABLES))
    reference = None if named or base_urls() else _reference(options)
    if reference is None:
        return options, ""
    model, variable = reference
    pair = "evaluator and worker are" if asks_role(options, "worker") else "the model is"
    text = f"no model is named and {variable} is set: {pair} {model}"
    notice = f"{text}; --rule-based plays without an LLM"
    return options.model_copy(update=dict.fromkeys(_ROLES, model)), notice


def check_models(options: Options) -> None:
    """Raises Usage: a real session would be played by rules, and nobody has asked for that."""
    if not options.real or options.rule_based:
        return
    by_rules = {role: model for role, model in options.ids.items() if asks_role(options, role)}
    by_rules = {role: model for role, model in by_rules.items() if is_rule_based(model)}
    if by_rules:
        listed = ", ".join(f"--{role} {model}" for role, model in by_rules.items())
        raise Usage(
            f"--real would play this session with rule-based models ({listed}): name models, "
            "or give --rule-based"
        )


def _reference(options: Options) -> tuple[str, str] | None:
    """Id of the reference model at the first provider whose key is set, and the key's variable."""
    try:
        targets = load_models(options.models).settings(REFERENCE, "evaluator").targets
    except ModelsError:
        return None  # whoever asks a model says what is wrong with the file
    for backend in (target.backend for target in targets):
        variable = backend.key_variable
        if variable and not backend.base_url and os.environ.get(variable, "").strip():
            return backend.model, variable
    return None
