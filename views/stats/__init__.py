"""Statistics over many runs, rebuilt from their folders alone: ``python -m views.stats``."""
