"""The evaluator: prompt in, decision out."""

from __future__ import annotations

from collections.abc import Callable

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.models.reply_text import Misread
from core.models.reprompt import Unreadable, reprompt
from core.models.sections import NONE, Texts
from core.runs.task import Decision, TurnContext
from evaluator.reply import FORM, read_decision

_AGAIN = "Reply with THOUGHT, DECISION and INSTRUCTION, each on a line of its own."


class Evaluator:
    """Decides turn by turn; keeps nothing between calls.

    Args:
        client: the way to its model.
        rules: the rules of the benchmark.
        guide: strategies in prose.
        ending: how the instruction of a FINISH is worded.
        texts: sections that replace built-in ones.
        is_final: whether an instruction orders what cannot be undone.
    """

    def __init__(
        self,
        client: ModelClient,
        rules: str,
        guide: str,
        ending: str,
        texts: Texts = NONE,
        is_final: Callable[[str], bool] = lambda _instruction: False,
    ) -> None:
        self._client = client
        self._is_final = is_final
        self._form = FORM + ending
        self.system = prompt(
            "evaluator", "system", texts, rules=rules, guide=guide, form=self._form
        )

    def messages(self, context: TurnContext[str]) -> list[Message]:
        """The prompt: the stable part first, the changing part last."""
        user = prompt("evaluator", "user", now=context)
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]

    def decide(self, context: TurnContext[str]) -> Decision:
        """Ask the model for the next decision.

        Raises:
            Unreadable: neither the reply nor its repair holds a decision.
            ModelFailed: the model gave no answer at all.
        """

        prompt_text = "\n".join(filter(None, (self.system, context.challenge, context.withheld)))

        def read(call: ModelCall) -> Decision:
            return read_decision(call, self._form, prompt_text, self._is_final)

        try:
            return reprompt(self._client, self.messages(context), read, _AGAIN)
        except Misread as problem:
            raise Unreadable(
                "the evaluator's reply could not be read twice: "
                f"{problem.advice} ({self._client.model})"
            ) from None
