"""OpenAI's responses: what Codex speaks."""

from __future__ import annotations

import json
import time

from tests.clients.apis.shape import USED, Api, Asked, Body, Entry, Sent, Step, all_text, made_up


def read(body: Body) -> Asked:
    spoken = [item for item in body.get("input", []) if item.get("role") != "assistant"]
    return Asked([entry for item in spoken for entry in _entries(item)], bool(body.get("tools")))


def _entries(item: Body) -> list[Entry]:
    kind = item.get("type", "message")
    if kind.endswith("_output"):
        return [Entry(all_text(item["output"]), returned=True)]
    return [Entry(all_text(item["content"]))] if kind == "message" else []


def whole(body: Body, step: Step) -> Body:
    return {
        "id": made_up("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": body.get("model", "stub"),
        "output": [_item(step)],
        "error": None,
        "usage": {
            "input_tokens": step.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": USED,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": step.tokens + USED,
        },
    }


def _item(step: Step) -> Body:
    if not step.tool:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        return {
            "type": "message",
            "id": made_up("msg_"),
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    call = {"id": made_up("fc_"), "status": "completed", "call_id": made_up("call_"), "name": step.tool}
    if isinstance(step.input, str):  # a tool whose input is not JSON
        return {"type": "custom_tool_call", **call, "input": step.input}
    return {"type": "function_call", **call, "arguments": json.dumps(step.input)}


def stream(body: Body, step: Step) -> list[Sent]:
    response = whole(body, step)
    (item,) = response["output"]
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Body] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return [Sent(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)]


API = Api(read, whole, stream)
