"""Where a session stands: what an agent is told when its own memory of it was cut."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.gist import lead, one_line
from tacit.core.session import Session
from tacit.core.text import clip
from tacit.recall.fence import named, plain

REQUESTS = 12
_REQUEST, _OUTCOME, _FILES = 200, 160, 20


def checkpoint(session: Session, most: int = REQUESTS) -> Iterator[str]:
    """Where a session stands: what was asked, what was changed, how the last request ended."""
    asked = [turn for turn in session.turns if turn.prompts]
    if len(asked) > most:
        yield f"- {len(asked) - most} earlier requests, the first: {plain(lead(asked[0].request, _REQUEST))}"
    for turn in asked[len(asked) - most :] if most else []:
        ended = turn.outcome
        yield f"- {turn.at:%Y-%m-%d %H:%M} asked: {plain(lead(turn.request, _REQUEST))}" + (
            f" Outcome: {plain(clip(ended, _OUTCOME))}" if ended else ""
        )
        for prompt in turn.prompts[1:]:
            yield f"  - also said: {plain(lead(prompt.text, _REQUEST))}"
    if session.files:
        yield f"- Files changed: {named(session.files, _FILES)}"
    failed = [call for turn in session.turns[-1:] for call in turn.failed]
    if failed:
        yield f"- Failed last: {plain(one_line(failed[-1].input, _REQUEST))}"
