"""Prompt by prompt, for reading by eye: what bore on it and why, and what each system gave there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.briefing.replay import Asked
from tacit.text.display import clip, printable

_PROMPT, _LINE = 200, 170


def listed(every: Iterable[Asked]) -> Iterator[str]:
    for number, asked in enumerate(every, 1):
        yield ""
        yield from _told(number, asked)


def _told(number: int, asked: Asked) -> Iterator[str]:
    session, part = asked.sitting.session, asked.sitting.parts[asked.place]
    where = f"{printable(session.scope)}, session {session.id}, turn {asked.place + 1}"
    yield f"{number}. {part.began:%Y-%m-%d %H:%M} {where}"
    yield f"   {printable(clip(asked.prompt, _PROMPT))}"
    for name, reasons in asked.bearing.items():
        seen = [system for system, answer in asked.answers.items() if name in answer.seen]
        yield f"   BEARS by {', '.join(sorted(reasons))}: {_shown(asked.known[name].line)} [{', '.join(seen)}]"
    for system, answer in asked.answers.items():
        for item in answer.given.items:
            mark = "+" if item.id in asked.bearing else "-"
            yield f"   {system} {mark} {_shown(item.line)}"


def _shown(line: str) -> str:
    return printable(clip(line, _LINE))
