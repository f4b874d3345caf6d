"""Short ways to write conversations down in tests."""

from __future__ import annotations

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements import learn_statements
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, PromptGiven, PromptKind, ReplyGiven


def prompt(text: str, how: PromptKind = PromptKind.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about)


def reply(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text)


def conversation(*bodies: ConversationBody) -> list[SessionEvent]:
    return [SessionEvent(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def learnt(*bodies: ConversationBody | str) -> list[Lesson]:
    """What is learnt of these; plain texts are prompts."""
    return learn_statements(conversation(*(prompt(body) if isinstance(body, str) else body for body in bodies)))


def sentences(*bodies: ConversationBody | str) -> list[str]:
    return [one.sentence for one in learnt(*bodies)]
