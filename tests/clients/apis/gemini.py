"""Google's generateContent: what Gemini CLI speaks."""

from __future__ import annotations

from tests.clients.apis.shape import USED, Api, Asked, Body, Entry, Sent, Step, all_text, made_up


def read(body: Body) -> Asked:
    spoken = [content for content in body.get("contents", []) if content.get("role") != "model"]
    return Asked([_entry(content["parts"]) for content in spoken], bool(body.get("tools")))


def _entry(parts: list[Body]) -> Entry:
    return Entry(all_text(parts), any("functionResponse" in part for part in parts))


def whole(body: Body, step: Step) -> Body:
    return {
        "candidates": [{"content": {"role": "model", "parts": [_part(step)]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": step.tokens,
            "candidatesTokenCount": USED,
            "totalTokenCount": step.tokens + USED,
        },
        "modelVersion": "stub",
        "responseId": made_up(""),
    }


def _part(step: Step) -> Body:
    if step.tool:  # a call without a signature is taken for a mistake of the model
        return {"functionCall": {"name": step.tool, "args": step.input}, "thoughtSignature": "c3R1Yg=="}
    return {"text": step.text}


def stream(body: Body, step: Step) -> list[Sent]:
    return [Sent("", whole(body, step))]


API = Api(read, whole, stream)
