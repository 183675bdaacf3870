"""The strategies, a folder for each benchmark."""
