"""Anthropic's messages: what Claude Code speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.clients.apis.shape import USED, Api, Asked, Body, Entry, Sent, Step, all_text, made_up


def read(body: Body) -> Asked:
    spoken = [message for message in body.get("messages", []) if message["role"] != "assistant"]
    return Asked([entry for message in spoken for entry in _entries(message["content"])], bool(body.get("tools")))


def _entries(content: str | list[Body]) -> Iterator[Entry]:
    for block in [{"text": content}] if isinstance(content, str) else content:
        yield Entry(all_text(block), block.get("type") == "tool_result")


def whole(body: Body, step: Step) -> Body:
    return {
        "id": made_up("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": [_block(step)],
        "stop_reason": "tool_use" if step.tool else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": step.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": USED,
        },
    }


def _block(step: Step) -> Body:
    if step.tool:
        return {"type": "tool_use", "id": made_up("toolu_"), "name": step.tool, "input": step.input}
    return {"type": "text", "text": step.text}


def stream(body: Body, step: Step) -> list[Sent]:
    message = whole(body, step)
    (block,) = message["content"]
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": _opened(block)},
        {"type": "content_block_delta", "index": 0, "delta": _delta(block)},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": message["usage"]},
        {"type": "message_stop"},
    ]
    return [Sent(event["type"], event) for event in events]


def _opened(block: Body) -> Body:
    return {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}


def _delta(block: Body) -> Body:
    if block["type"] == "tool_use":
        return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {"type": "text_delta", "text": block["text"]}


API = Api(read, whole, stream)
