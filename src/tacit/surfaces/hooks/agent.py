"""An agent's hook, where it was registered before version 0.2; now it is `tacit/hooks/agent.py`."""

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()
    try:
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
        from tacit.hooks.agent import main

        main(sys.argv[1:])
    finally:
        os._exit(0)
