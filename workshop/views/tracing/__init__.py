"""Traces of a run for the tools that people have: spans from its journals, and where they go."""
