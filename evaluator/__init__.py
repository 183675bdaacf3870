"""The part that decides: a prompt, one model call, and the reply read into a Decision."""

from evaluator.evaluator import Evaluator, Unreadable

__all__ = ["Evaluator", "Unreadable"]
