"""The model APIs that clients speak: what a client asks, and how it is answered, at once or in events.

Anthropic's messages for Claude Code, OpenAI's responses for Codex and its chat completions for Copilot and OpenCode,
Google's generateContent for Gemini CLI.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Body = dict[str, Any]  # JSON, as the APIs spell it
_USED = 20  # the tokens that every answer is said to have cost


class Step(NamedTuple):
    """One answer of the model: a call of a tool, or words that end its turn.

    `tokens` is how long it says the request was.
    """

    text: str = ""
    tool: str = ""
    input: Any = None
    tokens: int = 100


class Entry(NamedTuple):
    """One entry of the conversation that a client sends along: words, or what a tool returned."""

    text: str
    returned: bool = False


class Asked(NamedTuple):
    """A request: the conversation so far, and whether the model may use tools."""

    entries: list[Entry]
    tools: bool


class Sent(NamedTuple):
    """One event of a stream; a plain text is sent as it is."""

    name: str
    content: Body | str


class Api(NamedTuple):
    """One model API. `whole` answers at once, `stream` in events; both take the request, too."""

    entries: Callable[[Body], Iterator[Entry]]
    whole: Callable[[Body, Step], Body]
    stream: Callable[[Body, Step], list[Sent]]

    def read(self, body: Body) -> Asked:
        return Asked([*self.entries(body)], bool(body.get("tools")))


def texts(content: object) -> Iterator[str]:
    """Every text below a value of JSON, in order; keys are none."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for value in content.values() if isinstance(content, dict) else content:
            yield from texts(value)


def all_text(content: object) -> str:
    return "\n".join(texts(content))


def _made_up(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


# Anthropic's messages


def _message_entries(body: Body) -> Iterator[Entry]:
    for message in body.get("messages", []):
        content = message["content"] if message["role"] != "assistant" else []
        for block in [{"text": content}] if isinstance(content, str) else content:
            yield Entry(all_text(block), block.get("type") == "tool_result")


def _message(body: Body, step: Step) -> Body:
    call = {"type": "tool_use", "id": _made_up("toolu_"), "name": step.tool, "input": step.input}
    cache = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {
        "id": _made_up("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": [call if step.tool else {"type": "text", "text": step.text}],
        "stop_reason": "tool_use" if step.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": step.tokens, **cache, "output_tokens": _USED},
    }


def _message_events(body: Body, step: Step) -> list[Sent]:
    message = _message(body, step)
    (block,) = message["content"]
    opened: Body = {**block, "input": {}} if step.tool else {**block, "text": ""}
    delta: Body = {"type": "text_delta", "text": step.text}
    if step.tool:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.input)}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": opened},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": message["usage"]},
        {"type": "message_stop"},
    ]
    return [Sent(event["type"], event) for event in events]


# OpenAI's responses


def _response_entries(body: Body) -> Iterator[Entry]:
    for item in body.get("input", []):
        kind = item.get("type", "message")
        if kind.endswith("_output"):
            yield Entry(all_text(item["output"]), returned=True)
        elif kind == "message" and item.get("role") != "assistant":
            yield Entry(all_text(item["content"]))


def _response(body: Body, step: Step) -> Body:
    usage = {"input_tokens": step.tokens, "output_tokens": _USED, "total_tokens": step.tokens + _USED}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    item: Body = {"id": _made_up("fc_" if step.tool else "msg_"), "status": "completed"}
    if not step.tool:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        item |= {"type": "message", "role": "assistant", "content": content}
    elif isinstance(step.input, str):  # a tool whose input is not JSON
        item |= {"type": "custom_tool_call", "input": step.input}
    else:
        item |= {"type": "function_call", "arguments": json.dumps(step.input)}
    if step.tool:
        namespace, _, name = step.tool.rpartition("/")  # the tools of a server are in one of its own
        item |= {"call_id": _made_up("call_"), "name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "id": _made_up("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": body.get("model", "stub"),
        "output": [item],
        "error": None,
        "usage": {**usage, **details},
    }


def _response_events(body: Body, step: Step) -> list[Sent]:
    response = _response(body, step)
    (item,) = response["output"]
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Body] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return [Sent(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)]


# OpenAI's chat completions


def _chat_entries(body: Body) -> Iterator[Entry]:
    for message in body.get("messages", []):
        if message["role"] not in ("assistant", "system"):
            yield Entry(all_text(message.get("content")), message["role"] == "tool")


def _chat(body: Body, step: Step, *, is_chunk: bool = False) -> Body:
    message: Body = {"role": "assistant", "content": None if step.tool else step.text}
    if step.tool:
        called = {"name": step.tool, "arguments": json.dumps(step.input)}
        message["tool_calls"] = [{"index": 0, "id": _made_up("call_"), "type": "function", "function": called}]
    finish = "tool_calls" if step.tool else "stop"
    return {
        "id": _made_up("chatcmpl-"),
        "object": "chat.completion.chunk" if is_chunk else "chat.completion",
        "created": int(time.time()),
        "model": body.get("model", "stub"),
        "choices": [{"index": 0, "delta" if is_chunk else "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": step.tokens, "completion_tokens": _USED, "total_tokens": step.tokens + _USED},
    }


def _chat_events(body: Body, step: Step) -> list[Sent]:
    chat = _chat(body, step, is_chunk=True)
    (choice,) = chat["choices"]
    said = {name: value for name, value in chat.items() if name != "usage"}
    return [
        Sent("", {**said, "choices": [{**choice, "finish_reason": None}]}),
        Sent("", {**chat, "choices": [{**choice, "delta": {}}]}),
        Sent("", "[DONE]"),
    ]


# Google's generateContent


def _content_entries(body: Body) -> Iterator[Entry]:
    for content in body.get("contents", []):
        if content.get("role") != "model":
            yield Entry(all_text(content["parts"]), any("functionResponse" in part for part in content["parts"]))


def _content(body: Body, step: Step) -> Body:
    part: Body = {"text": step.text}
    if step.tool:  # a call without a signature is taken for a mistake of the model
        part = {"functionCall": {"name": step.tool, "args": step.input}, "thoughtSignature": "c3R1Yg=="}
    tokens = {"promptTokenCount": step.tokens, "candidatesTokenCount": _USED}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {**tokens, "totalTokenCount": step.tokens + _USED},
        "modelVersion": "stub",
        "responseId": _made_up(""),
    }


_GEMINI = Api(_content_entries, _content, lambda body, step: [Sent("", _content(body, step))])
# By how a path ends, whatever base address a client was given.
APIS = {
    "/messages": Api(_message_entries, _message, _message_events),
    "/responses": Api(_response_entries, _response, _response_events),
    "/chat/completions": Api(_chat_entries, _chat, _chat_events),
    ":generateContent": _GEMINI,
    ":streamGenerateContent": _GEMINI,
}
