"""What failed and is not yet mended, call by call: `fold(trail, said) -> (trail, what was learnt)`.

A failure stays open for a few calls, so that its most similar retry is found and not the first success that comes
along. An edit, the person's stop and a summary close what is open: what works after them may work because of them. It
does not matter in how many pieces a session comes. `rest` closes what is open at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tacit.learn.fixes.command_kinds import has_effect, is_bypass
from tacit.learn.fixes.compare import is_temporary, pair_of, shape
from tacit.learn.fixes.errors import ErrorClass, ParsedError
from tacit.learn.fixes.match import AttemptedCall, FoundFix, error_in_call, find_fix, is_learnable
from tacit.learn.fixes.render import lesson_from_fix
from tacit.learn.types import Lesson, SessionEvent
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


def follow_event(trail: FixTrail, said: SessionEvent) -> FixStep:
    match said.body:
        case ToolUsed():
            return _follow_call(trail, AttemptedCall(said.event_id, said.body))
        case PromptGiven():
            asked = said.body.text[:_MAX_PROMPT_CHARS]
            aged = tuple(
                one._replace(age=one.age + _CALLS_PER_PROMPT, prompts=f"{one.prompts} {asked}") for one in trail.open
            )
            return _close_failures(trail._replace(open=aged), lambda one: one.age >= WINDOW)
        case TurnInterrupted() | SessionCompacted():
            return _close_failures(trail, lambda _: True)
        case _:
            return trail, ()


def remaining_lessons(trail: FixTrail) -> tuple[Lesson, ...]:
    """What stands when nothing more comes."""
    return _close_failures(trail, lambda _: True)[1]


def learn_fixes(said: Iterable[SessionEvent]) -> Iterator[Lesson]:
    """Everything that a session shows."""
    trail = FixTrail()
    for one in said:
        trail, seen = follow_event(trail, one)
        yield from seen
    yield from remaining_lessons(trail)


def _follow_call(trail: FixTrail, call: AttemptedCall) -> FixStep:
    gone_on = trail._replace(open=tuple(_after_call(one, call) for one in trail.open))
    ended, seen = _close_failures(
        gone_on, lambda one: one.age >= WINDOW or (_edits(call) and _is_same_agent(one.failure, call))
    )
    return _open_failure(ended, call), seen


def _after_call(one: OpenFailure, call: AttemptedCall) -> OpenFailure:
    """An open failure after one more call."""
    if not _is_same_agent(one.failure, call):
        return one
    older = one._replace(age=one.age + 1)
    if call.used.outcome is not ToolOutcome.SUCCEEDED:
        return older
    if _gets_around(one.failure, call):  # how it went on is no advice
        return older._replace(age=WINDOW, best=None)
    seen = find_fix(one.failure, one.doing, call, age=one.age, recurs=one.recurs, asked=one.prompts)
    best = seen if seen and (one.best is None or seen.score > one.best.score) else one.best
    return older._replace(
        best=best, doing=(*one.doing, call) if call.is_run and has_effect(call.command) else one.doing
    )


def _gets_around(failure: AttemptedCall, call: AttemptedCall) -> bool:
    pair = pair_of(failure.command, call.command)
    return pair is not None and pair.is_same_family and is_bypass(failure.command, call.used.input)


def _open_failure(trail: FixTrail, call: AttemptedCall) -> FixTrail:
    trouble = error_in_call(call)
    if not is_learnable(trouble, call):
        return trail
    lost = _recurrence_key(call, trouble)
    recurs = lost in trail.seen_errors and not any(
        lost == _recurrence_key(one.failure, error_in_call(one.failure)) for one in trail.open
    )
    kept = (
        (*trail.seen_errors, lost)[-_MAX_SEEN_ERRORS:] if lost and lost not in trail.seen_errors else trail.seen_errors
    )
    return FixTrail((*trail.open, OpenFailure(call, recurs)), kept)


def _recurrence_key(call: AttemptedCall, trouble: ParsedError) -> str:
    """What must come again before it counts: the path that was not there, as it was typed, or an error that names one
    object or temporary file. Empty if the trouble was another."""
    if is_temporary(trouble.line):
        return shape(trouble.line)
    if trouble.error_class is not ErrorClass.PATH:
        return ""
    typed = (word for part in call.command.commands for word in part.words[1:])
    return next((word for word in typed if len(word) > 2 and word in trouble.line), "")


def _close_failures(trail: FixTrail, is_over: Callable[[OpenFailure], bool]) -> FixStep:
    """The trail without what is over, and what that showed. Failures that one success mended are one thing learnt."""
    left: list[OpenFailure] = list(trail.open)
    seen: list[Lesson] = []
    for one in trail.open:
        if one not in left or not is_over(one):
            continue
        left.remove(one)
        if one.best is not None:
            also = [other for other in left if _has_same_fix(one.best, other)]
            left = [other for other in left if other not in also]
            said = lesson_from_fix(one.failure, one.best, tuple(other.failure.event_id for other in also))
            seen += [said] if said else []
    return trail._replace(open=tuple(left)), tuple(seen)


def _has_same_fix(best: FoundFix, other: OpenFailure) -> bool:
    return other.best is not None and other.best.success == best.success


def _is_same_agent(one: AttemptedCall, other: AttemptedCall) -> bool:
    """The agent and its helpers work side by side."""
    return one.used.aside == other.used.aside


def _edits(call: AttemptedCall) -> bool:
    used = call.used
    return used.outcome is ToolOutcome.SUCCEEDED and (used.act is ToolAction.CHANGED or bool(used.files))
