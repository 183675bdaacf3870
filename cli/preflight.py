"""The checks of ``doctor`` that a run makes of its models before anything begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cli.checks import Asked, Finding, Level, ask_models, look_at, with_substitutes
from core.models.model_call import ModelCall
from core.models.models_file import Models
from core.runs.errors import CannotRun, Usage
from core.terminal.console import say

if TYPE_CHECKING:
    from rich.console import Console

    from cli.options import Options
    from cli.run_models import RunModels


def check_ids(models: Models, asked: Asked) -> None:
    """Whether somebody answers to every id; sends nothing. Raises ModelsError, Usage."""
    looked = look_at(models, asked, Level.IDS)
    if unknown := _problems(found for one in looked for found in one.findings):
        raise Usage(_listed("unknown model", unknown))


def ready(run: RunModels, options: Options, note: Console) -> tuple[ModelCall, ...]:
    """Whether all models can do their work: their keys and, with ``real``, an answer of each.

    Returns every attempt. Raises CannotRun: a key is missing, or a model gives no usable answer.
    """
    if options.playback or (options.resume and options.submit_as_is):
        return ()
    looked = look_at(run.models, run.asked, Level.KEYS)
    found = with_substitutes(looked)
    if lacking := _problems(found):
        raise CannotRun(_listed("a key is missing or a model cannot be reached", lacking))
    calls: list[ModelCall] = []
    if options.real and not options.no_preflight:
        calls = ask_models(looked, every=False)
        found = with_substitutes(looked)
        if failed := _problems(found):
            way = "`doctor` has details; --no-preflight skips this check"
            what = "no task was started, because a model gives no usable answer"
            raise CannotRun(f"{_listed(what, failed)}\n{way}")
    for one in found:
        if one.state == "warning":
            say(note, f"warning: {one.line}")
        elif one.name in ("decision", "program") and not options.as_json:
            say(note, f"preflight: {one.name} of {one.line}")
    return tuple(calls)


def _problems(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one.state == "problem"]


def _listed(what: str, findings: Iterable[Finding]) -> str:
    return "\n  ".join([f"{what}:", *(one.line for one in findings)])
