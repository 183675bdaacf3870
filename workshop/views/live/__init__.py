"""Live pages of all runs of a folder, on loopback."""
