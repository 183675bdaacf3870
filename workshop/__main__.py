"""`python -m workshop`."""

import sys

from workshop.command import main

if __name__ == "__main__":
    sys.exit(main())
