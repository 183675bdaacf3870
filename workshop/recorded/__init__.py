"""Replies of a language model that were recorded once, to show an agent at work without a key."""
