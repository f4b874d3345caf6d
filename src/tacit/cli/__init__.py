"""The command line. One verb is loaded a run; help for all of them loads none."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it went (0 done, 1 nothing found or refused, 2 wrong use, 3+ unwell)."""
    from tacit.cli.run import run

    _escape_unencodable()
    try:
        code = run(list(sys.argv[1:] if argv is None else argv))
        return _flush_output(code)
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130


def _flush_output(code: int) -> int:
    """Write the answer out. Where that fails (a full disk), say that the command itself was carried out."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if code == 0:
            code = 3
            sys.stderr.write("tacit: this was done, but the answer could not be written: ")
        sys.stderr.write(f"{error.strerror}\n")
    return code


def _escape_unencodable() -> None:
    """A terminal that cannot show a letter gets its number, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
