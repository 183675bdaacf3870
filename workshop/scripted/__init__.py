"""Scripted models: they know what is asked, from the pack, and play it through the whole agent."""
