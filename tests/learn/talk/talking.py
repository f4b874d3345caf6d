"""Short ways to write conversations down in tests."""

from __future__ import annotations

from tacit.learn.statements.pipeline import learn_from
from tacit.learn.types import Learnt, Said
from tacit.model.ids import EventId
from tacit.model.observation import Conversation, How, PromptGiven, ReplyGiven


def prompt(text: str, how: How = How.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about)


def reply(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text)


def conversation(*bodies: Conversation) -> list[Said]:
    return [Said(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def learnt(*bodies: Conversation | str) -> list[Learnt]:
    """What is learnt of these; plain texts are prompts."""
    return learn_from(conversation(*(prompt(body) if isinstance(body, str) else body for body in bodies)))


def sentences(*bodies: Conversation | str) -> list[str]:
    return [one.sentence for one in learnt(*bodies)]
