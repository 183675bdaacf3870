"""The part that decides: a prompt, one model call, and the reply read into a Decision."""

from core.models.reprompt import Unreadable
from evaluator.evaluator import Evaluator

__all__ = ["Evaluator", "Unreadable"]
