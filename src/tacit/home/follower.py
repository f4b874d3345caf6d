"""A thread that follows the changes of a long-lived program: it indexes them and draws the pages of the home.

Whatever a follower writes follows from the log alone. So it may be late or killed: whoever comes next does it. The
thread ends when there is nothing more to do. It is no daemon: the interpreter waits for it, so what a script has
recorded is drawn before the script ends.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

_PAUSE_SECONDS = 0.05  # for several changes to be drawn together
_MAX_PAUSE_SECONDS = 2.0
_PAUSES_PER_WORK = 9  # in a program that never stops changing things, a tenth of the time goes into pages

# By the root of the home: a server opens it anew for every request, and one thread follows all of them.
_threads: dict[str, threading.Thread] = {}
_due: set[str] = set()
_lock = threading.Lock()


def follow_soon(root: str, follow: Callable[[], None]) -> None:
    """Have `follow` called for a home in a moment, by the thread of this home if there is one."""
    with _lock:
        _due.add(root)
        if root not in _threads:
            thread = _threads[root] = threading.Thread(target=_run, args=(root, follow), name="tacit-follower")
            thread.start()


def wait_for_threads() -> None:
    """Wait until this program has drawn the pages of every home that it changed."""
    for thread in list(_threads.values()):
        thread.join()


def _run(root: str, follow: Callable[[], None]) -> None:
    pause = _PAUSE_SECONDS
    while True:
        time.sleep(pause)
        with _lock:
            _due.discard(root)
        started = time.monotonic()
        try:
            follow()
        finally:
            worked = time.monotonic() - started
            with _lock:
                is_done = root not in _due
                if is_done:
                    del _threads[root]
        if is_done:
            return
        pause = min(max(_PAUSE_SECONDS, _PAUSES_PER_WORK * worked), _MAX_PAUSE_SECONDS)


def _forget_threads() -> None:
    """Begin anew in a forked process, which has no thread but the one that forked."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()
    _threads.clear()
    _due.clear()


os.register_at_fork(after_in_child=_forget_threads)
