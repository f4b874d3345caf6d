"""`python -m tacit`."""

import sys

from tacit.surfaces.cli import main

sys.exit(main())
