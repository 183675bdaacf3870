"""Statistics over many runs, rebuilt from their folders alone: ``submission.py stats``."""
