"""The process that asks a model: reads a question as JSON from standard input and writes a reply as JSON to standard
output.

It is run by its path, in a process of its own, so that a model that hangs or floods can be killed. It imports nothing
of Tacit. It ends by itself when its time is up.
"""

from __future__ import annotations

import json
import os
import signal
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    question = json.load(sys.stdin)
    signal.setitimer(signal.ITIMER_REAL, question["timeout"])  # nobody catches it: the process ends
    output = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what plugins print, also from C, is discarded
    json.dump(_ask(question), output)
    output.flush()
    os._exit(0)  # threads of plugins may still be busy


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
    """Return the answer. Stop listening when it has more characters than are wanted."""
    schema = question["schema"] if getattr(model, "supports_schema", False) else None
    response = model.prompt(question["prompt"], schema=schema)
    text, max_chars = "", question["max_chars"]
    for chunk in response:
        text += chunk[: max_chars + 1 - len(text)]
        if len(text) > max_chars:
            return {"long": text}
    usage = response.usage()
    return {"text": text, "input": usage.input or 0, "output": usage.output or 0}


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:2000]


if __name__ == "__main__":
    main()
