"""The program that the shell snippet runs after each command: `python -I -S record.py`, with one record on its input.

This is the hottest path. It imports only the standard library and this package, the garbage collector is off, and the
process ends without clean-up. It prints nothing and always exits with 0.
"""

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()
    try:
        if "TACIT_JUDGE" not in os.environ:  # not in a client that judges sessions for Tacit
            sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
            from tacit.hooks.recorder import record

            record(0)
    finally:
        os._exit(0)
