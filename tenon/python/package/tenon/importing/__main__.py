"""`python -m tenon.importing`: `tenon import` where only the package is installed."""

import sys

from tenon.importing.command import main

sys.exit(main(sys.argv[1:]))
