"""The agent: a prompt, one model call, one step; and the step carried out through the ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.ledger import Ledger, Tool, ToolFault
from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, response_format
from core.models.prompt_json import as_data, compact, packed
from core.models.prompts import prompt
from core.models.reply_text import Misread
from core.models.reprompt import Unreadable, reprompt
from core.models.sections import NONE, Texts
from core.models.tokens import count_messages, count_text, cut_text
from core.runs.fit import fit
from core.runs.task import Declined, TurnContext
from core.runs.work import CallOutcome
from next_step.forms import COMPLETION, Forms, Misuse, forms_of
from next_step.reply import EXAMPLE, Step, read_step

MORE_WORK = 3
"""So often ``need_more_work`` leads back to planning in one task."""
LEAST_ROOM = 600
"""Tokens for the steps where the task alone fills the prompt."""
_AGAIN = (
    "Reply with exactly one JSON object that has current_state, plan_remaining_steps_brief and "
    "function."
)


SHARES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.03)
"""Parts of the usual room for each step, tried in order until all steps fit; the last step has four
times as much of its own."""
ERROR_CHARS = 1_500
PROMPT_TOKENS = 12_000
"""Maximum tokens of a whole prompt, including the system part."""
RECENT = 3
"""So many of the last steps keep their answers as far as ``RECENT_TOKENS`` go."""
RECENT_TOKENS = 4_000
"""Maximum tokens of one result, call or state of the last step."""
OLD_TOKENS = 200


@dataclass(frozen=True)
class PastStep:
    """One step that was taken, and what came of it."""

    current_state: str
    call: str
    """The function as JSON text."""
    answer: object = None
    error: str | None = None


def rendered(steps: Sequence[PastStep], room: int) -> list[str]:
    """The steps as texts that have no more than ``room`` tokens together.

    Answers of older steps are shortened: lists keep their first entries, whole, so that what is
    kept has its prices and totals; what is missing is counted. Errors stay. Where nothing else
    helps, the oldest steps are left out.
    """
    texts: list[str] = []
    for share in SHARES:
        texts = [_text(step, len(steps) - i, share) for i, step in enumerate(steps, start=1)]
        if sum(map(count_text, texts)) <= room:
            return texts
    while texts and sum(map(count_text, texts)) > room:
        texts = texts[1:]
    return texts


def _text(step: PastStep, behind: int, share: float) -> str:
    """One step; ``behind``: how many steps were taken after it."""
    share = share if behind else min(4 * share, 1.0)
    usual = RECENT_TOKENS if behind < RECENT else OLD_TOKENS
    room, small = max(int(usual * share), 12), max(int(OLD_TOKENS * share), 12)
    said = {
        "current_state": cut_text(step.current_state, small // 3 if behind else room),
        "function": json.loads(fit(called(step.call), small)),
    }
    came = [] if step.error is None else [f'"error":{_error(step.error, share)}']
    if step.error is None or step.answer is not None:
        came.append(f'"answer":{fit(step.answer, room)}')
    return as_data(f"{compact(said)}\n{{{','.join(came)}}}")


def _error(text: str, share: float) -> str:
    return compact(packed(text, chars=max(int(ERROR_CHARS * share), 120)))


def called(text: str) -> object:
    """The function of a step; of what is no JSON the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_replanning(step: PastStep) -> bool:
    """Whether a step did nothing but go back to planning."""
    given = called(step.call)
    status = given.get("status") if isinstance(given, dict) else None
    return status == "need_more_work" and step.error is None


def system_prompt(rules: str, guide: str, forms: Forms, texts: Texts = NONE) -> str:
    """The part that is the same for all steps and tasks."""
    return prompt(
        "next_step",
        "system",
        texts,
        rules=rules,
        guide=guide,
        functions=forms.listing,
        final=forms.final,
        completion=forms.usage(COMPLETION),
        completion_name=COMPLETION,
        example=EXAMPLE,
    )


class Agent:
    """Plays one task step by step; each prompt contains the earlier steps again.

    Args:
        client: the way to its one model.
        rules: the rules of the benchmark.
        guide: strategies in prose.
        tools: what can be called; one of them is final.
        prompt_tokens: maximum of a whole prompt; the past is shortened to fit.
        texts: sections that replace built-in ones.
    """

    def __init__(
        self,
        client: ModelClient,
        rules: str,
        guide: str,
        tools: Sequence[Tool],
        prompt_tokens: int = PROMPT_TOKENS,
        texts: Texts = NONE,
    ) -> None:
        self._client = client
        self._forms = forms_of(tools)
        self._prompt_tokens = prompt_tokens
        self._replanned = 0
        """How often the steps so far went back to planning."""
        self._params: dict[str, Any] = {}
        if client.takes_schema:
            self._params["response_format"] = response_format("NextStep", self._forms.schema)
        self.system = system_prompt(rules, guide, self._forms, texts)

    def messages(self, context: TurnContext[PastStep]) -> list[Message]:
        """The prompt: the stable part first, then the task, the steps, and what is now."""
        past = len(context.past)

        def messages(texts: Sequence[str]) -> list[Message]:
            steps = list(enumerate(texts, start=past - len(texts) + 1))
            closes = self._forms.final.closes
            user = prompt("next_step", "user", now=context, steps=steps, closes=closes)
            return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]

        # Tags around the steps have tokens too.
        bare = count_messages(messages([""] * past))
        room = max(self._prompt_tokens - bare, LEAST_ROOM)
        return messages(rendered(context.past, room))

    def next(self, context: TurnContext[PastStep]) -> Step:
        """Ask the model for the next step, and once more if its reply is unreadable.

        Raises:
            Unreadable: neither the reply nor the second one contains a step.
            ModelFailed: the model gave no answer at all.
        """

        def read(call: ModelCall) -> Step:
            return read_step(self._forms, call)

        self._replanned = sum(map(_is_replanning, context.past))
        try:
            return reprompt(self._client, self.messages(context), read, _AGAIN, **self._params)
        except Misread as problem:
            raise Unreadable(
                f"the model's step could not be read twice: {problem.advice} ({self._client.model})"
            ) from None

    def carry_out(self, call: str, ledger: Ledger) -> CallOutcome:
        """Dispatch a function, or those of a queue, through the ledger; a refusal is an answer too.

        A queue ends at its first failure; its answers up to there are kept. An ``impossible`` that
        comes here does not stand alone or has no reason: what is well said ends the task instead.
        """
        given = json.loads(call)
        if not isinstance(given, list):
            try:
                return CallOutcome(self._call(given, ledger))
            except (Misuse, ToolFault) as fault:
                return CallOutcome(error=str(fault))
        answers: list[dict[str, object]] = []
        for left, function in zip(reversed(range(len(given))), given, strict=True):
            failed = None
            try:
                if left and function["tool"] == COMPLETION:
                    raise ToolFault("refused: nothing may stand behind it")
                result = self._call(function, ledger)
                answers.append({"tool": function["tool"], "answer": result})
                if isinstance(result, dict) and result.get("success") is False:
                    failed = "a request of it failed"
            except (Misuse, ToolFault) as fault:
                failed = str(fault)
            if failed:
                rest = f"; {left} behind it not called" if left else ""
                return CallOutcome(answers, f"{function['tool']}: {failed}{rest}")
        return CallOutcome(answers)

    def _call(self, function: dict[str, Any], ledger: Ledger) -> object:
        """The answer of one function. Raises Misuse, ToolFault."""
        form = self._forms.check(function)
        if function["tool"] == COMPLETION:
            return self._complete(form, ledger)
        arguments = form.model_dump(mode="json", exclude_unset=True, exclude={"tool"})
        return ledger.call(function["tool"], [], arguments)

    def ending(self, step: Step) -> str | None:
        """The words of a valid completion that ends the task by itself, or None.

        One says that it cannot be done, with its reason: a :class:`Declined` as JSON. Where the
        final tool closes the task, ``solved`` does so: the words are its call as JSON.
        """
        if len(step.functions) > 1 or step.functions[0].get("tool") != COMPLETION:
            return None
        try:
            form: Any = self._forms.check(step.functions[0])
        except Misuse:
            return None
        if form.status == "impossible":
            reason: str = form.reason.strip()
            return Declined(declined=reason).model_dump_json() if reason else None
        final = self._forms.final
        if form.status != "solved" or not final.closes or self._flaw(form):
            return None
        return self._forms.final_answer(form.final)

    def _complete(self, form: Any, ledger: Ledger) -> object:
        """A completion that does not end the task by itself: checked, then the final tool called,
        behind the tool that brings about what it expects.

        Raises:
            ToolFault: it is refused, or the final tool refused.
        """
        if form.status == "impossible":
            raise ToolFault("refused: impossible stands alone, with its reason")
        if form.status == "need_more_work":
            if self._replanned >= MORE_WORK:
                raise ToolFault(
                    f"refused: need_more_work was said {MORE_WORK} times; call a function, or say "
                    "solved or impossible"
                )
            return "back to planning: take the next step"
        final = self._forms.final
        if flaw := self._flaw(form):
            raise ToolFault(f"{flaw}; expected {self._forms.usage(COMPLETION)}")
        if final.closes:
            raise ToolFault("refused: what ends the task stands alone")
        wanted = form.final.model_dump(mode="json")
        first = next((t for t in self._forms.tools if t.name == final.prepared_by), None)
        if first is not None:
            plain = {name.removeprefix("expected_"): value for name, value in wanted.items()}
            known = {k: v for k, v in plain.items() if k in first.signature.parameters}
            ledger.call(first.name, [], known)
        return ledger.call(final.name, [], wanted)

    def _flaw(self, form: Any) -> str | None:
        """Return what a completion as solved lacks; an answer to the user needs no conditions."""
        if not self._forms.final.closes and not any(c.strip() for c in form.conditions):
            return "refused: solved needs every condition of the task restated in conditions"
        return "refused: solved needs final" if form.final is None else None
