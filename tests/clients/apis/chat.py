"""OpenAI's chat completions: what Copilot and OpenCode speak."""

from __future__ import annotations

import json
import time

from tests.clients.apis.shape import USED, Api, Asked, Body, Entry, Sent, Step, all_text, made_up


def read(body: Body) -> Asked:
    spoken = [message for message in body.get("messages", []) if message["role"] not in ("assistant", "system")]
    entries = [Entry(all_text(message.get("content")), message["role"] == "tool") for message in spoken]
    return Asked(entries, bool(body.get("tools")))


def whole(body: Body, step: Step) -> Body:
    return {
        **_head(body, "chat.completion"),
        "choices": [{"index": 0, "message": _message(step), "finish_reason": _finish(step)}],
        "usage": _usage(step),
    }


def _head(body: Body, kind: str) -> Body:
    return {
        "id": made_up("chatcmpl-"),
        "object": kind,
        "created": int(time.time()),
        "model": body.get("model", "stub"),
    }


def _message(step: Step) -> Body:
    if not step.tool:
        return {"role": "assistant", "content": step.text}
    called = {"name": step.tool, "arguments": json.dumps(step.input)}
    call = {"index": 0, "id": made_up("call_"), "type": "function", "function": called}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _finish(step: Step) -> str:
    return "tool_calls" if step.tool else "stop"


def _usage(step: Step) -> Body:
    return {"prompt_tokens": step.tokens, "completion_tokens": USED, "total_tokens": step.tokens + USED}


def stream(body: Body, step: Step) -> list[Sent]:
    head = _head(body, "chat.completion.chunk")
    said = {"index": 0, "delta": _message(step), "finish_reason": None}
    done = {"index": 0, "delta": {}, "finish_reason": _finish(step)}
    return [
        Sent("", {**head, "choices": [said]}),
        Sent("", {**head, "choices": [done], "usage": _usage(step)}),
        Sent("", "[DONE]"),
    ]


API = Api(read, whole, stream)
