"""The lab's adapter of each benchmark."""
