"""`python -m tableside` is `tableside`."""

import sys

from tableside.cli import main

sys.exit(main())
