"""Starts agents that are not ours on the embedded platform, with a stand-in for their SDK."""
