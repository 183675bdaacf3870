"""LiteLLM behind one client: model ids, calls, usage and cost."""
