"""A model client that fails on purpose, and replies damaged on purpose."""
