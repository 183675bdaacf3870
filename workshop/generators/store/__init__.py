"""Endless shops with a task each: drawn from a seed, solved by the oracle, written as a pack."""
