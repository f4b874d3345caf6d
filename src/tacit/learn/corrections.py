"""Corrections: prompts in which a person tells an agent that it did the wrong thing.

A prompt is one if it comes after work of the agent, and if it refuses ("no, …"), reproaches ("you forgot …") or states
something for good. Whether it repeats an earlier statement is told by its cores: what is left of its sentences without
the words that only object. To take two statements for one wrongly is worse than to miss that they are one: names, order
and polarity have to agree, and most words. The wordings are in `corrections.toml`, each with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from tacit.contradiction import relate
from tacit.contradiction.polarity import content_stems
from tacit.contradiction.resemblance import Similarity, may_say_the_same
from tacit.learn import SessionEvent, load_data
from tacit.learn.statements import REFERENCE
from tacit.learn.statements.sentences import PromptSentence, exclusions, find_statement, is_short, typed_sentences
from tacit.model.conflict import RelationKind
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolUsed
from tacit.model.recap import REFUSAL, REFUSAL_LEAD
from tacit.record import Record
from tacit.text.display import one_line
from tacit.text.words import normalize_text

_MAX_PROMPT_CHARS, _MAX_SENTENCES = 1000, 4  # what is longer describes a task; what comes later is another one
_MAX_TEXT_CHARS = 160
_CORRECTING = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION)
_STATING = (*_CORRECTING, PromptKind.ANSWER)
# What holds for the task at hand.
_TASK_FENCE = re.compile(
    r"\b(?:yet|for now|right now|this time|any ?more|(?<!from )now|today|tomorrow|in this (?:pr|branch|commit))\b"
)
# What may hold beyond the task: only such sentences are compared.
_RULE = re.compile(
    r"\b(?:never|always|don'?t|do not|should(?:n'?t| not)?|must|make sure|remember|instead of|rather than|prefer|only"
    r"|no need|let'?s (?:not|use)|(?:we|i) (?:want|use|like|keep)|use)\b|^\W*(?:no|not|stop|avoid)\b"
)
# Words that only object, remind or introduce: what is left is what should be done. "No commits" is what should be done.
_OBJECTING = re.compile(
    r"\A\W{0,6}(?:(?:(?:no|nein|non|stop)(?=\s?[,.!:;–—]|\s(?:we|you|i|it|that|use|don'?t|do|never|always|please|just)\b)"
    r"|nope|wait|hey|hmm+|ugh|ok|okay|please|pls|again|remember|and|but|so|also|actually"
    r"|as i (?:said|mentioned|told you)(?: before| earlier)?|like i said|from now on"
    r"|(?:i|we)(?:'ve| have)? (?:already |just |clearly |explicitly |specifically )?(?:said|told you|asked you)"
    r"(?: before| already| again| many times)?(?: to(?! )| that)?"
    r"|you(?:'ve| have)? (?:again |still |also )?(?:forgot|forgotten|were supposed|are supposed|need|have)(?= to )"
    r"|to(?= \w+ ))\b[\s,.!:;–—-]{0,6}){1,8}",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[\s,]{0,4}(?:\b(?:again|please|pls|thanks|ok|from now on)\b[\s!.]{0,4}){1,4}\Z|[\s!.]{1,20}\Z", re.IGNORECASE
)
# That two statements share. Chosen on `bench/contradicting/seen.jsonl`: 10 of 15 that say the same, none of 125 others.
_MIN_STEMS, _MIN_SHARE, _MIN_SIMILARITY = 2, 0.6, 0.75


class Correction(Record):
    """A prompt that corrects the agent, shown as `text`, and the cores of its sentences.

    One that is not `is_plain` states a rule, and corrects the agent if it was stated before.
    """

    event_id: EventId
    text: str
    cores: tuple[str, ...]
    is_plain: bool = True


class UserStatement(Record):
    """A sentence of a person that may hold in other sessions: as it was typed, and its core."""

    event_id: EventId
    text: str
    core: str


@cache
def assent_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the wordings that begin like a refusal and refuse nothing."""
    return _patterns("assent")


@cache
def reproach_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the wordings that reproach."""
    return _patterns("reproach")


def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    rows = load_data("corrections.toml")[name]
    return tuple(re.compile(row["pattern"].replace("<lead>", f"^{REFUSAL_LEAD}")) for row in rows)


def find_corrections(events: Sequence[SessionEvent]) -> Iterator[Correction]:
    """Yield the prompts of a conversation that correct the agent, or may do so, in order."""
    has_worked, asks = False, False
    for event in events:
        match event.body:
            case ReplyGiven(text=text):
                has_worked, asks = True, text.rstrip(" \n*_)`").endswith(("?", "？"))
            case ToolUsed():
                has_worked, asks = True, False
            case PromptGiven() as prompt:
                if has_worked and prompt.how in _CORRECTING and len(prompt.text) <= _MAX_PROMPT_CHARS:
                    sentences = typed_sentences(prompt.text)[:_MAX_SENTENCES]
                    is_plain = _corrects(prompt, sentences, is_answer=asks)
                    cores = tuple(filter(None, (core_of(sentence, is_rule=is_plain) for sentence in sentences)))
                    if is_plain or cores:
                        yield Correction(event.event_id, one_line(prompt.text, _MAX_TEXT_CHARS), cores, is_plain)
                asks = False


def user_statements(events: Sequence[SessionEvent]) -> Iterator[UserStatement]:
    """Yield the sentences of a person in a conversation that may hold in other sessions, in order."""
    for event in events:
        if isinstance(event.body, PromptGiven) and event.body.how in _STATING:
            for sentence in typed_sentences(event.body.text):
                if core := core_of(sentence):
                    yield UserStatement(event.event_id, one_line(sentence.text, _MAX_TEXT_CHARS), core)


def _corrects(prompt: PromptGiven, sentences: Sequence[PromptSentence], *, is_answer: bool) -> bool:
    """Return whether a prompt corrects the agent. `is_answer`: the agent had just asked, so that "no" is an answer."""
    if prompt.how is PromptKind.REJECTION:
        return not is_short(prompt.text)
    if not sentences:
        return False
    first = sentences[0].plain
    refuses = REFUSAL.match(first) is not None and not _has(assent_patterns(), first) and sentences[0].span.start == 0
    reproaches = (_has(reproach_patterns(), sentence.plain) or _states(sentence) for sentence in sentences)
    return (refuses and not is_answer) or any(reproaches)


def _has(patterns: Iterable[re.Pattern[str]], plain: str) -> bool:
    return any(pattern.search(plain) for pattern in patterns)


def _states(sentence: PromptSentence) -> bool:
    """Return whether a sentence states something for good, beyond doubt."""
    stated = find_statement(sentence)
    return stated is not None and not stated.is_doubtful


def core_of(sentence: PromptSentence, *, is_rule: bool = False) -> str:
    """Return what a sentence says without what only objects; "" if it cannot be compared with other sessions' words.

    Questions, tasks, what holds for the task at hand, and what points to something that it does not name cannot.
    `is_rule` says that it is known to be no task.
    """
    plain = sentence.plain
    core = _CLOSING.sub("", _OBJECTING.sub("", sentence.text, count=1))
    if is_short(core) or REFERENCE.search(normalize_text(core)) or _TASK_FENCE.search(plain):
        return ""
    if not (is_rule or _RULE.search(plain) or find_statement(sentence)):
        return ""
    is_question = plain.rstrip().endswith(("?", "？"))
    return "" if is_question or _has(exclusions(), plain) else core


def says_again(core: str, earlier: str, similarity: Similarity) -> bool:
    """Return whether a core says the same as an earlier statement. `similarity` is the cosine of two texts."""
    ours, theirs = content_stems(core), content_stems(earlier)
    shared = len(ours & theirs)
    if shared < _MIN_STEMS or shared < _MIN_SHARE * min(len(ours), len(theirs)):
        return False
    relation = relate(core, earlier)
    is_near = not relation.is_noticed and similarity(core, earlier) >= _MIN_SIMILARITY
    return relation.kind is RelationKind.SAME or (is_near and may_say_the_same(core, earlier, similarity))
