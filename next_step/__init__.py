"""The schema-guided agent: one model fills in a form and picks one typed tool for each step."""

from next_step.agent import Agent, Answer, PastStep, system_prompt

__all__ = ["Agent", "Answer", "PastStep", "system_prompt"]
