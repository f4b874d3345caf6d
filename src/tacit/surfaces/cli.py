"""The command line, where an editable installation made before version 0.2 looks for it; now it is `tacit.cli`."""

from tacit.cli import main

__all__ = ["main"]
