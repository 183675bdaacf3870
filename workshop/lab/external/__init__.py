"""Runs of agents that are not ours: a command plays, and its platform says what came of it."""
