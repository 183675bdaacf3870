"""The stage ``verify``: a model looks at the end that the strategy wants, and may object once."""

from __future__ import annotations

from coordinator.stages import StageSpec
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.models.tokens import count_text
from core.runs.task import Finding, StageInput

BRIEFING_TOKENS = 5_000
"""A briefing may have a whole wiki of 4,000."""
LOG_TOKENS = 1_000
OBJECTION_CHARS = 400


def system(texts: Texts = NONE) -> str:
    """The beginning of its prompts."""
    return prompt("coordinator", "verify", texts)


class Verify:
    """Objects to an end that the texts contradict; of any benchmark."""

    def __init__(self, _environment: object, texts: Texts = NONE) -> None:
        """``texts``: sections over the shipped ones."""
        self._texts = texts

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """One call with briefing, log and final answer; nothing without a model."""
        if client is None:
            return Finding()
        briefing, log = task.briefing, task.log
        while count_text(briefing) > BRIEFING_TOKENS:
            briefing = briefing[: len(briefing) * 4 // 5]
        while count_text(log) > LOG_TOKENS:
            log = log[len(log) // 5 or 1 :]
        parts = {
            "task": task.text,
            "findings": "\n".join(f"{f.step}: {f.text}" for f in task.earlier if f.text) or "none",
            "briefing": briefing,
            "log": log or "nothing was done",
            "end": task.final_answer,
        }
        user = "\n".join(f"<{name}>\n{as_data(text)}\n</{name}>" for name, text in parts.items())
        message, failed = ask_once(client, system(self._texts), user, ["ok"], _objection)
        return Finding(objection=message or "", failed=failed)


def _objection(reply: dict[str, object]) -> str:
    ok, text = reply["ok"], str(reply.get("objection") or "").strip()
    if ok is True or str(ok).casefold() in ("true", "yes"):
        return ""
    if not text:
        raise ValueError("it objects without saying to what")
    return text[:OBJECTION_CHARS]


VERIFY = StageSpec(
    "verify",
    "one model call checks the final answer and may object once",
    "objects",
    Verify,
    default=False,
    prompt=system,
)
"""The stage that every benchmark may have, after its own."""
