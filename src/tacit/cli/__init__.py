"""The command line. A run imports the module of one command; `tacit --help` imports none."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Return its exit code: 0 done, 1 nothing found or refused, 2 usage error, 3 or more unwell."""
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
    """Flush the output. If that fails, as on a full disk, say that the command itself was carried out."""
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
    """Print characters that the terminal cannot show as escapes, instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
