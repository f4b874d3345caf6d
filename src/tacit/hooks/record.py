"""What a snippet starts after each command, by its path: `python -I -S record.py`, with one record on its input.

It is the hottest path there is. Nothing of the environment is imported but the standard library and this package; the
garbage collector is off, and nothing is tidied up at the end. Whatever happens, it says nothing and exits with 0.
"""

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()
    try:
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        from tacit.hooks.recorder import record

        record(0)
    finally:
        os._exit(0)
