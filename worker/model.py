"""The model client as a model of smolagents."""

from __future__ import annotations

from typing import Any

from smolagents.models import ChatMessage, MessageRole, Model

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient
from core.models.reply_code import find_code
from core.models.reply_text import clean
from core.models.reprompt import Misread, reprompt

_REPAIR = (
    "Nothing of your reply was run: {problem}. Reply again with one line 'Thought: ...' and then "
    "one Python block between <code> and </code>, and nothing behind it. For another instruction "
    "a reply would be:\n"
    "Thought: I look at the first page and report it.\n"
    "<code>\nreport = {{}}\ntry:\n    report['page'] = SomeTool(offset=0)\n"
    "except Exception as error:\n    report['error'] = str(error)\nfinal_answer(report)\n</code>"
)
_FORM_LINES = frozenset({"...", "…", "pass", "final_answer(report)", "report = {}", "report = ..."})
"""Lines of the prompt's form, which do nothing by themselves."""
_ONLY_FORM = "it only repeats the form of the prompt; write the code for this instruction"


class NoUsableCode(Exception):
    """Two replies in a row held no code that may be run; the text says what they held."""


class WorkerModel(Model):  # type: ignore[misc]
    """Calls the client and passes on exactly one code block, never one that was cut off.

    A reply without usable code is prompted for again once.
    """

    def __init__(self, client: ModelClient) -> None:
        super().__init__(model_id=client.model)
        self._client = client

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        """Generate with at most two calls; no stop strings, since some reasoning contains them.

        Raises:
            NoUsableCode: neither the reply nor the second one has code that may run.
            ModelFailed: the model gave no answer at all.
        """
        # What a step called is its code, which is in the reply before already.
        prompt = [_plain(m) for m in messages if m.role != MessageRole.TOOL_CALL]
        try:
            code = reprompt(self._client, prompt, _code, lambda why: _REPAIR.format(problem=why))
        except Misread as problem:
            raise NoUsableCode(
                f"the worker's model gave no usable code twice: {problem} ({self.model_id})"
            ) from None
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n</code>")


def _code(call: ModelCall) -> str:
    """Extract the code of a reply. Raises Misread if there is none that may run."""
    snippet = find_code(clean(call.text, call.finish_reason, call.reasoning))
    if snippet.code is None:
        raise Misread(snippet.words)
    lines = {line.strip() for line in snippet.code.splitlines() if line.strip()}
    if "SomeTool(" in snippet.code or lines <= _FORM_LINES:
        raise Misread(_ONLY_FORM)
    return snippet.code


def _plain(message: Any) -> Message:
    role = getattr(message.role, "value", message.role)
    content = message.content
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content)
    names = {"tool-call": "assistant", "tool-response": "user"}
    return {"role": names.get(str(role), str(role)), "content": str(content)}
