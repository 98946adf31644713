"""`python -m spyre_mlir.command` is the command `spyre`."""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
