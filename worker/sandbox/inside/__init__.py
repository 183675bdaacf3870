"""Source that runs inside the sandbox; nothing here runs on the host."""
