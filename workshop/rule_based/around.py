"""``playbook/around``: a model without a key for the steps around a solver, sure of nothing.

It answers each of their prompts in the form that is asked for and so that it changes nothing. So
steps can be priced, and what becomes of spoiled answers be tried (``faulty/around``).
"""

from __future__ import annotations

import json

import regex

from core.models.model_call import Message

_ANSWER = regex.compile(r"<answer>\n(.*)\n</answer>", regex.DOTALL)
_SURE_OF_NOTHING: dict[str, dict[str, object]] = {
    "names": {"names": []},
    "verdict": {"verdict": "unclear", "rule": 0, "reason": "no line decides it", "message": ""},
    "ok": {"ok": True},
    "rules": {"rules": []},
}
"""By the first field of the form."""
_FORM = regex.compile(r'^Reply with one JSON object: \{"(\w+)"', regex.MULTILINE)


def reply(messages: list[Message]) -> str:
    """The form of the prompt, filled in. Raises LookupError where it has none that is known."""
    said = {m["role"]: m["content"] for m in messages}
    form = _FORM.search(said.get("system", ""))
    field = form[1] if form else ""
    answer = _ANSWER.search(said.get("user", ""))
    if field == "answer" and answer:
        return json.dumps({"answer": answer[1]}, ensure_ascii=False)
    if field not in _SURE_OF_NOTHING:
        raise LookupError("the prompt is of no step around a solver")
    return json.dumps(_SURE_OF_NOTHING[field])
