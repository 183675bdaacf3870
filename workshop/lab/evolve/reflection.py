"""The reflecting model: asked once for each prompt, its answers kept as they come."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex

from core.models.model_call import KeptCalls, ModelCall, sha256_of, total_cost
from core.models.model_client import ModelClient, ModelFailed
from core.models.sections import tags
from core.runs.errors import CannotRun

WHY_CHARS = 300
_WHY = regex.compile(r"^[\s*_#>-]*why[*_]*:[*_]*[ \t]*(.+)$", regex.MULTILINE | regex.IGNORECASE)


class CannotReflect(CannotRun):
    """The reflecting model gave no answer."""


@dataclass
class Reflection:
    """Answers prompts from a file of what was asked before, then from a model."""

    path: Path
    client: ModelClient
    calls: KeptCalls
    asked: int = 0
    cost_usd: float | None = 0.0
    """Dollars of all answers so far, including those before a resume."""
    failed: BaseException | None = None
    _kept: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read what was answered before."""
        self._kept = _read(self.path)

    def __call__(self, prompt: Any) -> str:
        """The model's answer. Raises CannotReflect, CannotRun."""
        if self.failed:
            raise self.failed
        digest = sha256_of(str(prompt))
        if self.asked < len(self._kept):
            known = self._kept[self.asked]
            if known["prompt_sha256"] != digest:
                raise self._fail(
                    CannotRun(f"{self.path} belongs to another loop: its prompts differ")
                )
        else:
            known = self._ask(str(prompt), digest)
        self.asked += 1
        cost = known["cost_usd"]
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost
        return str(known["text"])

    def _ask(self, prompt: str, digest: str) -> dict[str, Any]:
        self.calls.calls.clear()
        try:
            answer = self.client.complete([{"role": "user", "content": prompt}])
        except ModelFailed as error:
            text = f"the reflecting model gave no answer: {error}; continue with --resume"
            raise self._fail(CannotReflect(text)) from None
        line = {
            "prompt_sha256": digest,
            "prompt": prompt,
            "text": answer.text,
            "cost_usd": total_cost(self.calls.calls),
            "tokens": answer.usage.model_dump(),
        }
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._kept.append(line)
        return line

    def _fail(self, error: BaseException) -> BaseException:
        # The optimiser takes it for a bad proposal and would ask again.
        self.failed = error
        return error


def reflection_of(model: str, path: Path, base_url: str | None = None) -> Reflection:
    """The reflecting model of that id. Raises ModelsError: its settings do not fit."""
    calls: list[ModelCall] = []
    kept_calls = KeptCalls(calls)
    client = ModelClient(model, "reflection", kept_calls, base_url=base_url)
    return Reflection(path, client, kept_calls)


def template(section: str, text: str) -> str:
    """The prompt for a section; the optimiser fills in two places."""
    from jinja2 import Template  # late: help needs none

    source = Path(__file__).with_name("reflect.jinja").read_text(encoding="utf-8")
    placeholders = " ".join(dict.fromkeys(tags(text)))
    return str(Template(source).render(section=section, placeholders=placeholders))


def why_of(answer: str) -> str:
    """The purpose of the change, in one line; "" if the model gives none."""
    match = _WHY.search(answer)
    return match[1].strip()[:WHY_CHARS] if match else ""


def _read(path: Path) -> list[dict[str, Any]]:
    """The whole lines; half a line, as a crash leaves it, is taken away."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        os.truncate(path, len(whole))
    return [json.loads(line) for line in whole.splitlines()]
