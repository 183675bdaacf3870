"""Prompts that improve themselves: an optimiser that plays in the lab, and what comes of it."""
