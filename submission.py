"""The entry point: runs a benchmark session and shows its scores."""

from cli.cli import main

if __name__ == "__main__":
    main()
