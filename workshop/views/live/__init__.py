"""All runs of a folder as pages on loopback, which follow a run while it goes on."""
