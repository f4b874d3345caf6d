"""What failed and is not yet mended, call by call: `fold(trail, said) -> (trail, what was learnt)`.

A failure stays open for a few calls, so that its most similar retry is found and not the first success that comes
along. An edit, the person's stop and a summary close what is open: what works after them may work because of them. It
does not matter in how many pieces a session comes. `rest` closes what is open at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.learn import FixCandidate, Lesson, SessionEvent
from tacit.learn.fixes.command_kinds import has_effect, is_bypass
from tacit.learn.fixes.compare import is_temporary, pair_of, shape
from tacit.learn.fixes.errors import ErrorClass, ParsedError
from tacit.learn.fixes.match import AttemptedCall, FoundFix, error_in_call, find_fix, is_learnable
from tacit.learn.fixes.render import lesson_from_fix
from tacit.model.observation import PromptGiven, SessionCompacted, ToolAction, ToolOutcome, ToolUsed, TurnInterrupted
from tacit.record import Record

WINDOW = 9  # calls in which a failure may be mended
_MAX_SEEN_ERRORS = 64  # paths that were not there and the like, kept to see whether they are missed again
_MAX_PROMPT_CHARS = 2000  # characters of a request that are looked at
_CALLS_PER_PROMPT = 2  # a request of the person counts as so many calls


class OpenFailure(Record):
    """A failure, and the best that came after it."""

    failure: AttemptedCall
    recurs: bool = False
    age: int = 0
    doing: tuple[AttemptedCall, ...] = ()
    best: FoundFix | None = None
    prompts: str = ""  # what the person said since


class FixTrail(Record):
    open: tuple[OpenFailure, ...] = ()
    seen_errors: tuple[str, ...] = ()


FixStep = tuple[FixTrail, tuple[Lesson, ...]]


def follow_event(trail: FixTrail, event: SessionEvent) -> FixStep:
    match event.body:
        case ToolUsed():
            return _follow_call(trail, AttemptedCall(event.event_id, event.body))
        case PromptGiven():
            asked = event.body.text[:_MAX_PROMPT_CHARS]
            aged = tuple(
                pending._replace(age=pending.age + _CALLS_PER_PROMPT, prompts=f"{pending.prompts} {asked}")
                for pending in trail.open
            )
            return _close_failures(trail._replace(open=aged), lambda pending: pending.age >= WINDOW)
        case TurnInterrupted() | SessionCompacted():
            return _close_failures(trail, lambda _: True)
        case _:
            return trail, ()


def remaining_lessons(trail: FixTrail) -> tuple[Lesson, ...]:
    """What stands when nothing more comes."""
    return _close_failures(trail, lambda _: True)[1]


def learn_fixes(events: Iterable[SessionEvent]) -> Iterator[Lesson]:
    """Everything that a session shows."""
    trail = FixTrail()
    for event in events:
        trail, seen = follow_event(trail, event)
        yield from seen
    yield from remaining_lessons(trail)


def _follow_call(trail: FixTrail, call: AttemptedCall) -> FixStep:
    gone_on = trail._replace(open=tuple(_after_call(pending, call) for pending in trail.open))
    ended, seen = _close_failures(
        gone_on, lambda pending: pending.age >= WINDOW or (_edits(call) and _is_same_agent(pending.failure, call))
    )
    return _open_failure(ended, call), seen


def _after_call(pending: OpenFailure, call: AttemptedCall) -> OpenFailure:
    """An open failure after one more call."""
    if not _is_same_agent(pending.failure, call):
        return pending
    older = pending._replace(age=pending.age + 1)
    if call.used.outcome is not ToolOutcome.SUCCEEDED:
        return older
    pair = pair_of(pending.failure.command, call.command)
    if pair and pair.is_same_family and is_bypass(pending.failure.command, call.used.input):
        return older._replace(age=WINDOW, best=None)  # how it went on is no advice
    seen = find_fix(pending.failure, pending.doing, call, age=pending.age, recurs=pending.recurs, asked=pending.prompts)
    best = seen if seen and (pending.best is None or seen.score > pending.best.score) else pending.best
    return older._replace(
        best=best, doing=(*pending.doing, call) if call.is_run and has_effect(call.command) else pending.doing
    )


def _open_failure(trail: FixTrail, call: AttemptedCall) -> FixTrail:
    error = error_in_call(call)
    if not is_learnable(error, call):
        return trail
    lost = _recurrence_key(call, error)
    recurs = lost in trail.seen_errors and not any(
        lost == _recurrence_key(other.failure, error_in_call(other.failure)) for other in trail.open
    )
    seen = (
        (*trail.seen_errors, lost)[-_MAX_SEEN_ERRORS:] if lost and lost not in trail.seen_errors else trail.seen_errors
    )
    return FixTrail((*trail.open, OpenFailure(call, recurs)), seen)


def _recurrence_key(call: AttemptedCall, error: ParsedError) -> str:
    """What must come again before it counts: the path that was not there, as it was typed, or an error that names one
    object or temporary file. Empty if the error was another."""
    if is_temporary(error.line):
        return shape(error.line)
    if error.error_class is not ErrorClass.PATH:
        return ""
    typed = (word for part in call.command.commands for word in part.words[1:])
    return next((word for word in typed if len(word) > 2 and word in error.line), "")


def _close_failures(trail: FixTrail, is_over: Callable[[OpenFailure], bool]) -> FixStep:
    """The trail without what is over, and what that showed. Failures that one success mended are one thing learnt."""
    left: list[OpenFailure] = list(trail.open)
    seen: list[Lesson] = []
    for pending in trail.open:
        if pending not in left or not is_over(pending):
            continue
        left.remove(pending)
        if pending.best is not None:
            also = [other for other in left if other.best and other.best.success == pending.best.success]
            left = [other for other in left if other not in also]
            lesson = lesson_from_fix(pending.failure, pending.best, tuple(other.failure.event_id for other in also))
            seen += [lesson] if lesson else []
    return trail._replace(open=tuple(left)), tuple(seen)


def _is_same_agent(first: AttemptedCall, second: AttemptedCall) -> bool:
    """The agent and its helpers work side by side."""
    return first.used.aside == second.used.aside


def _edits(call: AttemptedCall) -> bool:
    used = call.used
    return used.outcome is ToolOutcome.SUCCEEDED and (used.act is ToolAction.CHANGED or bool(used.files))


def fix_candidates(events: Sequence[SessionEvent]) -> list[FixCandidate]:
    """Return the failures of a session with the calls that seem to have mended them."""
    inputs = {event.event_id: event.body.input for event in events if isinstance(event.body, ToolUsed)}
    return [
        FixCandidate(
            inputs[lesson.evidence[0]],
            lesson.quote,
            inputs[lesson.evidence[-1]],
            lesson.evidence,
            lesson.confidence,
        )
        for lesson in learn_fixes(events)
    ]
