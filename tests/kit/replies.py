"""Texts as replies of a model, for its readers."""

from core.models.model_call import ModelCall
from core.runs.task import Decision
from evaluator import reply as evaluator_reply
from evaluator.reply import FORM
from store_tools.order import has_order


def reply_of(text: str, finish: str | None = "stop", reasoning: str = "") -> ModelCall:
    """A reply of a model with this text."""
    return ModelCall(
        role="evaluator", model="m", text=text, finish_reason=finish, reasoning=reasoning
    )


def read_decision(
    text: str, finish: str | None = None, reasoning: str = "", form: str = FORM, prompt: str = ""
) -> Decision:
    """The decision in a text, as the store has it read. Raises Misread."""
    call = reply_of(text, finish, reasoning)
    return evaluator_reply.read_decision(call, form, prompt, has_order)
