"""``python -m kifuwatch`` is the command ``kifuwatch``."""

import sys

from kifuwatch.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
