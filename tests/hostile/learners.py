"""What must hold of everything that is learnt, whatever was said: tried with sessions that are made to trip it."""

from __future__ import annotations

import json
import random
import re
import time
import traceback
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from tacit.learn import Lesson, SessionEvent
from tacit.learn.judge.answer import check_answer, parse_answer
from tacit.learn.judge.question import build_questions, session_material
from tacit.learn.statements import ABOUT, learn_statements
from tacit.learn.statements.sentences import is_short
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolUsed
from tacit.secrets import secret_kind
from tacit.text.display import printable
from tacit.text.words import tokenize
from tests.hostile.mean_talk import IN_FENCE, OF_AGENT, OF_RESULT, OF_TOOL, PLANNING, Case, answer, case, is_as_captured

LONGEST = 500  # signs of a statement, with what it is about
SLOW = 1.0  # seconds of the processor; no session may take so long
_HEARD = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER, PromptKind.COMMAND)
_CHOSEN = re.compile(r"Prefer \S+ over \S+\.")  # says all there is to say


class Trial(NamedTuple):
    """`inputs` counts texts that were given to learners and answers of a model; `learnt` what came of them."""

    inputs: int
    learnt: int
    faults: tuple[str, ...]
    slowest: float


def try_learners(inputs: int, seed: int = 1) -> Trial:
    """As many sessions as it takes for so many inputs. One that broke something is made again from its numbers."""
    done = Trial(0, 0, (), 0.0)
    for number in count():
        if done.inputs >= inputs:
            break
        one = try_case(seed, number)
        faults = tuple(f"{fault} [case {seed}:{number}]" for fault in one.faults)
        slowest = max(done.slowest, one.slowest)
        done = Trial(done.inputs + one.inputs, done.learnt + one.learnt, done.faults + faults, slowest)
    return done


def try_case(seed: int, number: int) -> Trial:
    made = case(seed, number)
    began = time.process_time()
    try:
        learnt = learn_statements(made.said)
        asked = list(_asked(made, random.Random(number)))
        faults = [*_faults(made, learnt), *asked]
    except Exception as error:  # whatever comes out is what is looked for
        place = _place(error)
        return Trial(len(made.said) + 1, 0, (f"{type(error).__name__}: {error} in {place}"[:160],), 0.0)
    took = time.process_time() - began
    if took > SLOW:
        faults.append(f"took {took:.1f} s")
    return Trial(len(made.said) + 1, len(learnt), tuple(dict.fromkeys(faults)), took)


def _place(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno}"


def _faults(made: Case, learnt: Sequence[Lesson]) -> Iterator[str]:
    is_captured = is_as_captured(made.said) if learnt else True
    for one in learnt:
        yield from (f"{what}: {one.reason}" for what in _wrong(one, made.said, is_captured))
        if made.is_fenced and _is_talk(one, made.said) and IN_FENCE in one.sentence.split(ABOUT)[0]:
            yield f"words of a fence: {one.reason}"


def _is_talk(one: Lesson, said: Sequence[SessionEvent]) -> bool:
    """Whether it comes from what was made of whole parts: commands are cut anywhere, also in a fence."""
    bodies = [spoken.body for spoken in said if spoken.event_id == one.evidence[0]]
    return not any(isinstance(body, ToolUsed) and body.tool != PLANNING for body in bodies)


def _wrong(one: Lesson, said: Sequence[SessionEvent], is_captured: bool) -> Iterator[str]:
    bodies = {spoken.event_id: spoken.body for spoken in said}
    if not one.evidence or not set(one.evidence) <= set(bodies):
        yield "evidence that was not there"
        return
    if not one.quote.strip() or one.quote not in _words_of(bodies[one.evidence[0]], one.provenance):
        yield "a quote that does not occur"
    if not 0 <= one.confidence <= 1:
        yield "a confidence that is none"
    yield from _unsaid(one.sentence, is_captured)
    if one.provenance is Provenance.USER_DIRECT:
        yield from _of_others(one, [bodies[event] for event in one.evidence])


def _words_of(body: object, provenance: Provenance) -> str:
    """What of a thing that was said can be quoted as the words of such a speaker."""
    match body:
        case PromptGiven(text=text, how=how) if provenance >= Provenance.MODEL and how in _HEARD:
            return text
        case ToolUsed(act=ToolAction.PLANNED, input=plan) if provenance is Provenance.MODEL:
            return plan
        case ToolUsed(result=result) if provenance is Provenance.TOOL_LOCAL:
            return result
    return ""


def _unsaid(sentence: str, is_captured: bool) -> Iterator[str]:
    """What no statement may be."""
    if len(sentence.splitlines()) != 1 or sentence != sentence.strip():
        yield "a statement that is not one line"
    if len(sentence) > LONGEST:
        yield f"a statement that is too long ({len(sentence) // 100} hundred)"
    if is_short(sentence) and len(tokenize(sentence)) < 9 and not _CHOSEN.fullmatch(sentence):
        yield "a statement that is too short"
    if printable(sentence) != sentence:
        yield "a statement with signs that lie"
    if is_captured and secret_kind(sentence):
        yield f"a statement with a secret ({secret_kind(sentence)})"


def _of_others(one: Lesson, bodies: Sequence[object]) -> Iterator[str]:
    """What others said counts as the person's at most as the question that they answered."""
    if not all(isinstance(body, PromptGiven) and body.how in _HEARD for body in bodies):
        yield "evidence of somebody else"
    is_answer = one.reason == "chosen when the agent asked"
    if any(word in one.sentence for word in (OF_TOOL, OF_RESULT, *((OF_AGENT,) if not is_answer else ()))):
        yield "words of somebody else"


# With a judge


def _asked(made: Case, dice: random.Random) -> Iterator[str]:
    """What is believed of what a judge answers about this session."""
    for question in build_questions([session_material("s", "p", "claude", made.said)]):
        assert question.text
        told = parse_answer(answer(dice, question))
        for one in check_answer(told, question, "judge").sessions["s"].findings if told else ():
            bodies = {spoken.event_id: spoken.body for spoken in made.said}
            if not set(one.evidence) <= set(bodies):
                yield "judge: evidence that was not there"
            elif not any(one.quote in _all_words_of(bodies[event]) for event in one.evidence):
                yield "judge: a quote that does not occur"
            if one.provenance > Provenance.MODEL:
                yield "judge: more authority than a model has"
            yield from (f"judge: {what}" for what in _unsaid(one.sentence, is_captured=True))


def _all_words_of(body: object) -> str:
    match body:
        case PromptGiven(text=text) | ReplyGiven(text=text):
            return text
        case ToolUsed():
            return "\n".join((body.input, body.tool, body.result))
    return ""


def told_in_full(seed: int, number: int) -> str:
    """A session as JSON, to be looked at or kept."""
    said = case(seed, number).said
    return json.dumps([[one.event_id, type(one.body).__name__, one.body._asdict()] for one in said], indent=1)
