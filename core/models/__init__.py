"""LiteLLM behind one door: model ids, calls, usage and cost."""
