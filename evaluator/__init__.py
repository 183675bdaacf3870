"""The part that decides: a prompt, one model call, and the reply read into a Decision."""

from evaluator.evaluator import Evaluator
from models.ask_back import Unreadable

__all__ = ["Evaluator", "Unreadable"]
