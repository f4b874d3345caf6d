"""The program `tacit`, also as `python -m tacit`: run one command and end at once.

Most commands live for a tenth of a second, and a fifth of that was spent on tidying up what the end of the process
gives back anyway.
"""

import atexit
import contextlib
import gc
import os
import sys

# Most commands end with fewer objects than this. Those that make more have few cycles, as their parts are values.
_OBJECTS_BEFORE_COLLECTING = 100_000


def run() -> None:
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
    from tacit.cli import main

    code = main()
    if "threading" in sys.modules:  # a thread may be at work that follows what was recorded: it is waited for
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
