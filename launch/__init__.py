"""Puts a run together: command line, platform, pack, models, run folder, session."""
