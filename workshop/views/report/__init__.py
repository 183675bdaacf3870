"""What a run looked like: a run folder read into records, and those as one self-contained page."""
