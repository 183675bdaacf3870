"""The evaluator: prompt in, decision out, with one question back where the reply is unreadable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluator.decision import Decision, Missing, read_decision
from evaluator.form import EXAMPLE, FORM
from models.door import Door
from models.model_call import Message
from models.prompt_json import as_data
from models.reply_text import repair

_REPAIR = (
    "Your reply could not be used: {problem}. Reply again, for this task and in exactly this form. "
    "Of another task, a reply would be:\n{example}"
)


class Unreadable(Exception):
    """Two replies in a row could not be read as a decision."""


@cache
def _environment() -> Environment:
    # Prompts are plain text; what may hold markup of ours is defused in as_data.
    return Environment(
        loader=PackageLoader("evaluator", "prompts"),
        undefined=StrictUndefined,
        keep_trailing_newline=False,
        autoescape=False,
    )


class Evaluator:
    """Decides turn by turn; keeps nothing between calls."""

    def __init__(self, door: Door, rules: str, guide: str) -> None:
        self._door = door
        template = _environment().get_template("system.jinja")
        self.system = template.render(rules=rules, guide=guide, form=FORM)

    def messages(
        self, task: str, turns: Sequence[str], state: str, number: int, limit: int
    ) -> list[Message]:
        """The prompt: the stable part first, the changing part last."""
        template = _environment().get_template("user.jinja")
        user = template.render(
            task=as_data(task),
            turns=[as_data(t) for t in turns],
            state=as_data(state),
            number=number,
            limit=limit,
        )
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]

    def decide(
        self,
        task: str,
        turns: Sequence[str],
        state: str,
        number: int,
        limit: int,
        challenge: str | None = None,
    ) -> Decision:
        """Ask the model for the next decision.

        ``challenge`` is put behind the prompt when an earlier FINISH does not agree with the facts.

        Raises:
            Unreadable: neither the reply nor its repair holds a decision.
            ModelFailed: the model gave no answer at all.
        """
        messages = self.messages(task, turns, state, number, limit)
        if challenge:
            messages[-1] = {"role": "user", "content": f"{messages[-1]['content']}\n\n{challenge}"}
        call = self._door.complete(messages)
        try:
            return read_decision(call.text, call.finish_reason, call.reasoning, self.system)
        except Missing as problem:
            question = _REPAIR.format(problem=problem, example=EXAMPLE)
            again = repair(messages, call.text, question)
        call = self._door.complete(again)
        try:
            return read_decision(call.text, call.finish_reason, call.reasoning, self.system)
        except Missing as problem:
            raise Unreadable(
                f"the evaluator's reply could not be read twice: {problem} ({self._door.model})"
            ) from None
