"""The part that decides: a prompt, one model call, and the reply read into a Decision."""

from evaluator.decision import Decision
from evaluator.evaluator import Evaluator, Unreadable

__all__ = ["Decision", "Evaluator", "Unreadable"]
