"""The recorder of a shell, where it was registered before version 0.2; now it is `tacit/hooks/record.py`."""

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()
    try:
        if "TACIT_JUDGE" not in os.environ:  # not in a client that judges sessions for Tacit
            package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
            sys.path.append(os.path.dirname(package))
            from tacit.hooks.recorder import record

            record(0)
    finally:
        os._exit(0)
