"""The reflecting model: its answers are kept on cassettes, so that none is paid twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from core.models.cassette import Tapes
from core.models.model_call import KeptCalls, ModelCall, total_cost
from core.models.model_client import ModelClient, ModelFailed, open_transport
from core.models.sections import tags
from core.runs.errors import CannotRun

WHY_CHARS = 300
_WHY = regex.compile(r"^[\s*_#>-]*why[*_]*:[*_]*[ \t]*(.+)$", regex.MULTILINE | regex.IGNORECASE)


@dataclass
class Reflection:
    """Answers prompts by a model, which is asked no more once it gave no answer."""

    client: ModelClient
    calls: list[ModelCall]
    asked: int = 0
    failed: CannotRun | None = None

    def __call__(self, prompt: Any) -> str:
        """The model's answer. Raises CannotRun."""
        if self.failed:
            raise self.failed
        try:
            answer = self.client.complete([{"role": "user", "content": str(prompt)}])
        except ModelFailed as error:
            # The optimiser takes it for a bad proposal and would ask again.
            text = f"the reflecting model gave no answer: {error}; continue with --resume"
            self.failed = CannotRun(text)
            raise self.failed from None
        self.asked += 1
        return answer.text

    @property
    def cost_usd(self) -> float | None:
        """Dollars of all answers so far, including those before a resume; None: unknown."""
        return total_cost(self.calls)


@contextmanager
def reflection_of(model: str, folder: Path, base_url: str | None = None) -> Iterator[Reflection]:
    """The reflecting model of that id; what it has answered in the folder, it is not asked again.

    Raises ModelsError: its settings do not fit; TapeError.
    """
    calls: list[ModelCall] = []
    with closing(Tapes(folder)) as tapes:
        transport_factory = tapes.transport_factory(open_transport)
        client = ModelClient(
            model,
            "reflection",
            KeptCalls(calls),
            base_url=base_url,
            transport_factory=transport_factory,
        )
        yield Reflection(client, calls)


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
