"""Secrets: found before anything is written. Each row names its kind, a word that must be there, and a shape."""

from __future__ import annotations

import re
from typing import NamedTuple

from tacit.core.errors import Refused


class Shape(NamedTuple):
    kind: str
    hint: str
    pattern: str


_SHAPES = (
    Shape("private key", "-----BEGIN", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
    Shape("AWS access key", "A", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    Shape("GitHub token", "gh", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})\b"),
    Shape("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,64}"),
    Shape("API key", "sk-", r"\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,255}"),
    Shape("Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    Shape("Google API key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
    Shape("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    Shape("JSON web token", "eyJ", r"\beyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000}"),
    Shape("password in an address", "://", r"://[^/\s:@]{1,100}:[^/\s:@]{1,100}@"),
    Shape("authorization header", "uthorization", r"[Aa]uthorization:\s{0,4}(?:Bearer|Basic|Token)\s{1,4}\S{8,}"),
)


def secret_kind(text: str) -> str | None:
    """The kind of the first secret in a text."""
    for shape in _SHAPES:
        if shape.hint in text and re.search(shape.pattern, text):
            return shape.kind
    return None


def refuse_secrets(*texts: str) -> None:
    """Raise when a text holds a secret; the message names its kind, never its value."""
    for text in texts:
        if kind := secret_kind(text):
            raise Refused(
                f"this looks like a secret ({kind}), and Tacit stores none",
                "say it without the value, for example where the value is kept",
            )


def redacted(text: str) -> str:
    """The text with each secret replaced by its kind."""
    for shape in _SHAPES:
        if shape.hint in text:
            text = re.sub(shape.pattern, f"[redacted:{shape.kind}]", text)
    return text
