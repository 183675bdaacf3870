"""Agents that are not ours: a command plays, and the platform tells what came of it."""
