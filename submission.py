"""The door: run a benchmark session and show its scores; everything else is in the rooms below."""

from cli.cli import main

if __name__ == "__main__":
    main()
