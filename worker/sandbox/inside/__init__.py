"""Source that runs on the far side of the wall; nothing here runs in the host."""
