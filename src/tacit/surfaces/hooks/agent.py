"""What an agent's host starts at its hooks: `python -I -S agent.py HOST inject|capture EVENT [--home PATH]`.

The host's JSON comes on the input. `inject` prints what the model should know; `capture` hands the reading of the
transcript to a process of its own and is done. Whatever happens, it says nothing else and exits with 0.
"""

import gc
import os
import select
import sys
import time

_MOST = 8 << 20  # bytes of the host's JSON; the rest is read and dropped, so that the host need not wait
_INPUT_SECONDS, _SECONDS = 1.0, 1.5  # for the host to say it all, and for what the host waits for


def _all_of_input() -> bytes:
    """What the host says; it may forget to end."""
    until = time.monotonic() + _INPUT_SECONDS
    parts, size = [], 0
    while (left := until - time.monotonic()) > 0 and select.select((0,), (), (), left)[0]:
        part = os.read(0, 1 << 20)
        if not part:
            break
        if size < _MOST:
            parts.append(part)
        size += len(part)
    return b"".join(parts)


def _detached() -> bool:
    """Whether this is the process that goes on by itself: no terminal, no pipe to anybody, a session of its own.

    The other one waits for that session: a host may end with its whole group as soon as its hook has.
    """
    ready, going = os.pipe()
    if os.fork():
        os.close(going)
        os.read(ready, 1)
        return False
    os.setsid()
    os.close(ready)
    os.close(going)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return True


def _main(words: list[str]) -> None:
    name, what, event, *rest = words
    # A repository can set TACIT_HOME in the environment of its agent, so a hook goes by its installation alone.
    home = rest[1] if rest[:1] == ["--home"] else "~/.agents"
    given = _all_of_input()
    if what == "capture" and not _detached():
        return
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    from tacit.surfaces.hooks import moments

    if what == "capture":
        moments.capture(name, event, given, home)
        return
    moments.stop_after(_SECONDS)
    if text := moments.inject(name, event, given, home):
        os.write(1, text.encode("ascii", "backslashreplace"))
    if moments.anything_waits(home) and _detached():
        moments.sweep(home)


if __name__ == "__main__":
    gc.disable()
    try:
        _main(sys.argv[1:])
    finally:
        os._exit(0)
