"""Recorded work, done again: repeated, compared, stepped through."""
