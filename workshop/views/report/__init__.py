"""The report: a run folder as one self-contained page."""
