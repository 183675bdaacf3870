"""Starts external agents on the simulator, with a replacement for their SDK."""
