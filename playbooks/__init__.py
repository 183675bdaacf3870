"""Strategies as text for prompts, a folder for each benchmark."""
