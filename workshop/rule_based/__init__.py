"""Models that play by rules, without an LLM."""
