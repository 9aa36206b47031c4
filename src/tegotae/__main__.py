"""`python -m tegotae` is the command line."""

import sys

from tegotae.cli import main

sys.exit(main())
