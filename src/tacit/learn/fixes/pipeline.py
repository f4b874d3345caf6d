"""What failed and is not yet mended, call by call: `fold(trail, said) -> (trail, what was learnt)`.

A failure stays open for a few calls, so that its most similar retry is found and not the first success that comes
along. An edit, the person's stop and a summary close what is open: what works after them may work because of them. It
does not matter in how many pieces a session comes. `rest` closes what is open at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tacit.learn.fixes.command_kinds import does, is_bypass
from tacit.learn.fixes.compare import is_of_the_moment, pair_of, shape
from tacit.learn.fixes.errors import Sort, Trouble
from tacit.learn.fixes.match import Call, Found, found, is_learnable, trouble_in
from tacit.learn.fixes.render import learnt
from tacit.learn.types import Learnt, Said
from tacit.model.observation import Act, Compacted, Interrupted, Outcome, PromptGiven, ToolUsed
from tacit.record import Record

WINDOW = 9  # calls in which a failure may be mended
_MOST_LOST = 64  # paths that were not there and the like, kept to see whether they are missed again
_MOST_ASKED = 2000  # characters of a request that are looked at
_PROMPT = 2  # a request of the person counts as so many calls


class Open(Record):
    """A failure, and the best that came after it."""

    failure: Call
    recurs: bool = False
    age: int = 0
    doing: tuple[Call, ...] = ()
    best: Found | None = None
    asked: str = ""  # what the person said since


class Trail(Record):
    open: tuple[Open, ...] = ()
    lost: tuple[str, ...] = ()


Step = tuple[Trail, tuple[Learnt, ...]]


def fold(trail: Trail, said: Said) -> Step:
    match said.body:
        case ToolUsed():
            return _called(trail, Call(said.event, said.body))
        case PromptGiven():
            asked = said.body.text[:_MOST_ASKED]
            aged = tuple(one._replace(age=one.age + _PROMPT, asked=f"{one.asked} {asked}") for one in trail.open)
            return _closed(trail._replace(open=aged), lambda one: one.age >= WINDOW)
        case Interrupted() | Compacted():
            return _closed(trail, lambda _: True)
        case _:
            return trail, ()


def rest(trail: Trail) -> tuple[Learnt, ...]:
    """What stands when nothing more comes."""
    return _closed(trail, lambda _: True)[1]


def learnt_from(said: Iterable[Said]) -> Iterator[Learnt]:
    """Everything that a session shows."""
    trail = Trail()
    for one in said:
        trail, seen = fold(trail, one)
        yield from seen
    yield from rest(trail)


def _called(trail: Trail, call: Call) -> Step:
    gone_on = trail._replace(open=tuple(_gone_on(one, call) for one in trail.open))
    ended, seen = _closed(gone_on, lambda one: one.age >= WINDOW or (_edits(call) and _same_hand(one.failure, call)))
    return _opened(ended, call), seen


def _gone_on(one: Open, call: Call) -> Open:
    """An open failure after one more call."""
    if not _same_hand(one.failure, call):
        return one
    older = one._replace(age=one.age + 1)
    if call.used.outcome is not Outcome.WELL:
        return older
    if _gets_around(one.failure, call):  # how it went on is no advice
        return older._replace(age=WINDOW, best=None)
    seen = found(one.failure, one.doing, call, age=one.age, recurs=one.recurs, asked=one.asked)
    best = seen if seen and (one.best is None or seen.score > one.best.score) else one.best
    return older._replace(best=best, doing=(*one.doing, call) if call.is_run and does(call.command) else one.doing)


def _gets_around(failure: Call, call: Call) -> bool:
    pair = pair_of(failure.command, call.command)
    return pair is not None and pair.is_family and is_bypass(failure.command, call.used.input)


def _opened(trail: Trail, call: Call) -> Trail:
    trouble = trouble_in(call)
    if not is_learnable(trouble, call):
        return trail
    lost = _lost(call, trouble)
    recurs = lost in trail.lost and not any(lost == _lost(one.failure, trouble_in(one.failure)) for one in trail.open)
    kept = (*trail.lost, lost)[-_MOST_LOST:] if lost and lost not in trail.lost else trail.lost
    return Trail((*trail.open, Open(call, recurs)), kept)


def _lost(call: Call, trouble: Trouble) -> str:
    """What must come again before it counts: the path that was not there, as it was typed, or an error that names one
    object or temporary file. Empty if the trouble was another."""
    if is_of_the_moment(trouble.line):
        return shape(trouble.line)
    if trouble.sort is not Sort.PATH:
        return ""
    typed = (word for part in call.command.parts for word in part.words[1:])
    return next((word for word in typed if len(word) > 2 and word in trouble.line), "")


def _closed(trail: Trail, is_over: Callable[[Open], bool]) -> Step:
    """The trail without what is over, and what that showed. Failures that one success mended are one thing learnt."""
    left: list[Open] = list(trail.open)
    seen: list[Learnt] = []
    for one in trail.open:
        if one not in left or not is_over(one):
            continue
        left.remove(one)
        if one.best is not None:
            also = [other for other in left if _mended_too(one.best, other)]
            left = [other for other in left if other not in also]
            said = learnt(one.failure, one.best, tuple(other.failure.event for other in also))
            seen += [said] if said else []
    return trail._replace(open=tuple(left)), tuple(seen)


def _mended_too(best: Found, other: Open) -> bool:
    return other.best is not None and other.best.success == best.success


def _same_hand(one: Call, other: Call) -> bool:
    """The agent and its helpers work side by side."""
    return one.used.aside == other.used.aside


def _edits(call: Call) -> bool:
    used = call.used
    return used.outcome is Outcome.WELL and (used.act is Act.CHANGED or bool(used.files))
