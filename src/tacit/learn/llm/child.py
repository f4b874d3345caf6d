"""The process that asks: a question as JSON on standard input, what came of it as JSON on standard output.

Run by its path, in a process of its own: a model that hangs or floods can then be ended whatever it is doing. It uses
nothing of Tacit. It ends by itself when its time is up, and when whoever started it is gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from threading import Thread
from typing import Any, TextIO


def main() -> None:
    question = json.load(sys.stdin)
    signal.setitimer(signal.ITIMER_REAL, question["timeout"])  # nobody catches it: the process ends
    Thread(target=_exit_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    told = _quiet_stdout()
    json.dump(_ask(question), told)
    told.flush()
    os._exit(0)  # threads of plugins may still be busy


def _exit_with_parent(pipe: int) -> None:
    """The other end of the pipe is closed when the process that holds it ends, however it ends."""
    os.read(pipe, 1)
    os._exit(1)


def _quiet_stdout() -> TextIO:
    """Where the answer goes. What plugins print, also from C, goes nowhere."""
    told = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return told


def _ask(question: dict[str, Any]) -> dict[str, object]:
    try:
        import llm
    except ImportError as error:
        return {"unready": "missing", "reason": _describe_error(error)}
    try:
        model = llm.get_model(question["model"])
    except llm.UnknownModelError as error:
        return {"unready": "unknown", "reason": _describe_error(error)}
    except Exception as error:  # a plugin that cannot be loaded
        return {"error": _describe_error(error)}
    try:
        return _answer(model, question)
    except llm.NeedsKeyException as error:
        return {"unready": "key", "reason": _describe_error(error)}
    except Exception as error:  # whatever a plugin raises
        return {"error": _describe_error(error)}


def _answer(model: Any, question: dict[str, Any]) -> dict[str, object]:
    """The answer as it comes in, up to as many characters as are wanted: then nobody listens any longer."""
    schema = question["schema"] if getattr(model, "supports_schema", False) else None
    response = model.prompt(question["prompt"], schema=schema)
    text, most = "", question["most"]
    for chunk in response:
        text += chunk[: most + 1 - len(text)]
        if len(text) > most:
            return {"long": text}
    usage = response.usage()
    return {"text": text, "input": usage.input or 0, "output": usage.output or 0}


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:2000]


if __name__ == "__main__":
    main()
