"""From a prompt to sentences: which words are the person's own, and how a sentence is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import clip, one_line, visible_line
from tacit.text.sentences import TextSpan, sentence_spans

# Which parts of a prompt are the person's own words, and which were pasted, quoted or written by a machine.
#
# Only what a person typed can say a rule. What is left out: fenced and indented code, quoted lines, logs, stack
# traces, tables, everything behind a line that announces something pasted, documents, and prompts that a host wrote.

MAX_PROMPT_CHARS = 6000  # letters of a prompt that are read; what is longer was not typed


NO_SPAN = TextSpan(-1, -1)


class PromptLine(Record):
    """A line of a prompt and where it begins."""

    start: int
    text: str


# How texts begin that hosts and plugins put in the place of a prompt, and plans that are handed over to be carried out.
_WRITTEN_BY_MACHINES = re.compile(
    r"\s*(?:"
    r"this session is being continued|implement the following plan|caveat: the messages below"
    r"|operation stopped by hook|stop hook feedback|\[request interrupted|base directory for this skill"
    r"|<(?:task-notification|command-|local-command|system-reminder|user-prompt-submit|context|teammate|environment_)"
    r"|# agents\.md instructions|you are an? (?:\w+ ){0,4}(?:agent|assistant|engineer|expert|reviewer|developer)\b"
    r"|your task is to|\w+ review for pr\b|\[(?:image|pasted)[^\]]{0,40}\]\s*$"
    r")",
    re.IGNORECASE,
)
# A line that says: what follows is not mine.
_ANNOUNCES = re.compile(
    r"\b(?:feedback|reviews?|comments?|errors?|failures?|output|logs?|messages?|plan|issues?|task|specs?|description"
    r"|examples?|prompt|code|this|these|those|below|files?|steps?|changes?|requirements?|following|diff|config"
    r"|results?|here|idea|text|running|says?|got|getting|said)"
    r"\b[^.:]{0,60}:\s*\\?$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s{0,12}(?:[-*]\s|\d{1,3}\.\s)?\s{0,4}(`{3,}|~{3,}|\"\"\"(?=\s*$))")
_QUOTED = re.compile(r"\s{0,8}(?:>|❯|│|┃|\||[┌└├╭╰])")
_LOG = re.compile(
    r"\s*(?:"
    r"\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|at \S{1,200}\(|File \"|Traceback |#\d+ |\+{3} |-{3} |@@ |diff --git"
    r"|commit [0-9a-f]{7}"
    r"|(?:error|warning|fatal|remote|caused by|npm err!)(?:\[\w{1,12}\])?:\s|(?-i:INFO|DEBUG|WARN|ERROR)\b|\$ \S|% \S"
    r"|[>]{2,} |\[[a-z][\w:-]{1,20}\]\s|\S{1,200}\(\d{1,6}(?:,\d{1,6})?\):\s"
    r"|={3,}|-{3,}|_{3,}|[{}\[\]();,]+\s*$"
    r"|(?-i:import|from|const|let|var|def|class|func|fn|return|export|package|public|private)\s\S{1,80}\s?[({=;]"
    r"|</?[a-zA-Z][^>]{0,200}>\s*$|\S{1,200}:\d{1,6}(?::\d{1,6})?[: ]"
    r")",
    re.IGNORECASE,
)
_STRUCTURE = re.compile(r"\s{0,8}(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\*\*|\|)")
_PERSON = re.compile(r"\b(?:i|i'm|i’m|i'd|i’d|i'll|me|my|we|our|let's|lets|let’s|please|pls|you)\b", re.IGNORECASE)
_INDENTED = re.compile(r"(?: {4,}|\t)\S")
_TRACKER = re.compile(
    r"\bopened (?:this issue )?(?:on )?\w{1,12} \w{1,12} ago\b|^(?:low|medium|high|critical) severity\s*$", re.I | re.M
)
_DOCUMENT_LINES = 6
_LONG = 400


def authored_spans(text: str) -> list[TextSpan]:
    """The runs of lines that the person typed, in order."""
    if _WRITTEN_BY_MACHINES.match(text):
        return []
    lines = list(_prompt_lines(text[:MAX_PROMPT_CHARS]))
    if _is_document(lines) or _is_report(text):
        return []
    return list(_line_spans(_typed(lines)))


def _prompt_lines(text: str) -> Iterator[PromptLine]:
    start = 0
    for line in text.split("\n"):
        yield PromptLine(start, line)
        start += len(line) + 1


def _is_document(lines: list[PromptLine]) -> bool:
    """Whether it is a plan, a spec or a review: mostly structure, and nobody speaks in it."""
    filled = [line.text for line in lines if line.text.strip()]
    built = [line for line in filled if _STRUCTURE.match(line)]
    if len(built) < _DOCUMENT_LINES or 3 * len(built) < len(filled):
        return False
    return 6 * sum(1 for line in filled if _PERSON.search(line)) < len(filled)


def _is_report(text: str) -> bool:
    """Whether it is a finding of a review or a page of a tracker: long, and nobody speaks in it."""
    return _TRACKER.search(text) is not None or (len(text) > _LONG and _PERSON.search(text) is None)


def _typed(lines: list[PromptLine]) -> Iterator[PromptLine | None]:
    """Each line that is the person's own; None where something else stands between."""
    fence = ""  # the mark that opened the code we are in: a shorter one or another does not close it
    for place, line in enumerate(lines):
        if (match := _FENCE.match(line.text)) and match[1].startswith(fence):
            fence = "" if fence or "```" in line.text.strip().strip("`") else match[1]
            yield None
        elif fence or _is_foreign(line.text, after_blank=place > 0):
            yield None
        else:
            yield line
            if _ANNOUNCES.search(line.text) and _goes_on(lines, place):
                return


def _is_foreign(line: str, *, after_blank: bool) -> bool:
    indented = after_blank and _INDENTED.match(line) is not None and _STRUCTURE.match(line) is None
    return indented or _QUOTED.match(line) is not None or _LOG.match(line) is not None


def _goes_on(lines: list[PromptLine], place: int) -> bool:
    """Whether more than a short list follows what announces it."""
    rest = [line.text for line in lines[place + 1 :] if line.text.strip()]
    return bool(rest) and not (len(rest) <= 12 and all(_PERSON.search(line) for line in rest[:3]))


def _line_spans(lines: Iterator[PromptLine | None]) -> Iterator[TextSpan]:
    start = end = -1
    for line in lines:
        if line is None:
            if end > start >= 0:
                yield TextSpan(start, end)
            start = -1
            continue
        if start < 0:
            start = line.start
        end = line.start + len(line.text)
    if end > start >= 0:
        yield TextSpan(start, end)


# One sentence of a prompt as learners read it: in small letters, with what is quoted or code in it covered up.
#
# `plain` has the length of `text`, so a place in one is the place in the other.

MAX_SENTENCE_CHARS = 700  # letters of a sentence that are read
MAX_SENTENCES = 80  # sentences of a prompt that are read
_TWO, _FEW = 2, 4  # sentences of a prompt that is little else than one of them
# How orders and questions of the moment begin: what stands beside one mostly belongs to it.
_TASK = re.compile(
    r"\W{0,4}(?:(?:please|pls|ok|okay|now|then|and|also|so|great|next|first|hi|hey|yes|no)\b[\s,.!:]{0,3}){0,3}"
    r"(?:fix|add|create|build|implement|make (?!sure)|change|update|remove|delete|move|rename|refactor|rewrite|read"
    r"|look|check|find|show|explain|give|generate|debug|investigate|review|continue|help|install|start|finish|convert"
    r"|replace|separate|split|merge|commit|push|analy[sz]e|(?:can|could|would|will) (?:you|we)"
    r"|i (?:want|need|would like)|i'd like"
    r"|why|what|how|where|which|is (?:it|this|there)|are (?:there|you)|do (?:you|we)|does)\b"
)
_COVERED = re.compile(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{2,80}'(?!\w)")
_STRAIGHT = str.maketrans("’‘´“”\n\t\u00a0", "'''\"\"   ")
# How people misspell the words that matter, each with as many letters as the right spelling or fewer.
_RIGHT = {
    **dict.fromkeys(("alwasy", "alwyas", "awlays", "alawys"), "always"),
    **dict.fromkeys(("nevre", "neevr"), "never"),
    **dict.fromkeys(("isntead", "insetad"), "instead"),
    **{"perfer": "prefer", "shoudl": "should"},
}
_SPELLED = re.compile(rf"\b(?:{'|'.join(_RIGHT)})\b")


class PromptSentence(Record):
    """`before` is the sentence in front of it in the same prompt; `alone` tells whether the prompt is little else;
    `pressing` is what the moment adds: words with which a call was turned down are meant."""

    span: TextSpan
    text: str
    plain: str
    before: TextSpan | None = None
    is_main: bool = False
    pressing: int = 0


def prompt_sentences(text: str, *, pressing: int = 0) -> list[PromptSentence]:
    """The sentences that the person typed."""
    spans = list(sentence_spans(text, authored_spans(text)))[:MAX_SENTENCES]
    texts = [text[span.start : min(span.end, span.start + MAX_SENTENCE_CHARS)] for span in spans]
    plain_texts = [normalize_text(part) for part in texts]
    tasks = [place for place, part in enumerate(plain_texts) if _TASK.match(part)]
    return [
        PromptSentence(
            span,
            texts[place],
            plain_texts[place],
            spans[place - 1] if place else None,
            len(spans) <= _TWO or (len(spans) <= _FEW and tasks in ([], [place])),
            pressing,
        )
        for place, span in enumerate(spans)
    ]


def normalize_text(text: str) -> str:
    """Small letters, straight quotes, covered code: of the same length."""
    covered = _COVERED.sub(_cover, text).translate(_STRAIGHT)
    small = covered.lower()
    if len(small) != len(text):
        small = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in covered)
    return _SPELLED.sub(lambda match: _RIGHT[match[0]], small)


def _cover(match: re.Match[str]) -> str:
    mark = match[0][0]
    return mark + "x" * (len(match[0]) - 2) + match[0][-1]


# How a sentence is stored: able to stand alone, with the polarity it had, its names whole, and a quote to prove it.
#
# The quote is an exact part of the prompt. Where a sentence points at another ("never do that again"), the sentence
# in front of it comes along; where there is none, what the turn before was about is named behind it.

MIN_WORDS = 5  # C4
ABOUT = " (about: "  # behind it stand words of the agent
_MAX_STATEMENT_CHARS = 320
_CLAUSE = 240  # a sentence longer than this is cut at its clauses
_NAMED = 120
_SELF_CONTAINED_WORDS = 13  # a sentence of so many words names its matter itself

_LEADS = re.compile(
    # "No, we use X" begins with an answer; "no more X" with what is meant.
    r"(?:(?:ok|okay|yes|yep|no(?=\s?[,.:!;…-]|\s(?:we|i|you|it|that|this|don't|dont|do|use|let)\b)|nope|yeah|and|but"
    r"|so|also|please|pls|hmm|uh+|oh|ah+|well|alright|right|great|thanks"
    r"|thank you|perfect"
    r"|just to be clear|to be clear|remember(?: that| to)?|note(?: that)?|(?:please )?make sure (?:that )?(?:you|to)"
    r"|again|actually|btw|by the way|wait|sorry"
    r"|like noted before|as i said|like i said|from now on|going forward|moving forward|for future reference"
    r"|in the future)"
    r"(?![\w'’`-])[\s,.:!;…-]{0,4}){1,5}",
    re.IGNORECASE,
)
_REWRITES = (
    (
        re.compile(r"(?:i|we) (?:already |explicitly |clearly )?(?:told|asked|instructed) (?:you|it) not to ", re.I),
        "Never ",
    ),
    (re.compile(r"(?:i|we) (?:already |explicitly |clearly )?(?:told|asked|instructed) (?:you|it) to ", re.I), ""),
    (re.compile(r"my instructions? (?:was|were|is|are) (?:not to|never to) ", re.I), "Never "),
    (re.compile(r"my instructions? (?:was|were|is|are) to ", re.I), ""),
    (re.compile(r"let[’']?s (?=always\b|never\b)", re.I), ""),
    (re.compile(r"do (?=ask me\b|check with\b)", re.I), ""),
)
# A sentence that says what to do with something it does not name.
_POINTS = re.compile(
    r"^(?:never|don't|do not|dont|always|stop|we|i|you|please)?\s?(?:\w+\s){0,5}?(?:it|that|this|them|those"
    r"|these)\b(?:\s(?:again|myself|yourself|way|pattern|here|there|instead|anymore))?"
    r"(?:[\s.,!;]|$)|^(?:that|this|it|those|these|they)\b|\b(?:said|such) \w+",
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BREAK = re.compile(r"[,;:]\s|\s[—–-]\s")


class NormalizedStatement(Record):
    """What is stored, the part of the prompt it is made of, and whether it points at something outside itself."""

    sentence: str
    quote: TextSpan
    points: bool = False


def normalize_statement(
    text: str, phrase: PromptSentence, at: int, turn_before: str, after: TextSpan | None = None
) -> NormalizedStatement | None:
    """The statement of a sentence in which something was found `at` this place; nothing if it says too little."""
    span = _clause(phrase, at)
    points = _points(phrase)
    if (points or is_short(phrase.text)) and phrase.before is not None:
        span = _joined(text, phrase.before, span)
    if is_short(text[span.start : span.end]) and after is not None and _is_gap(text[span.end : after.start]):
        span = TextSpan(span.start, after.end)
    sentence = _normalize_sentence(text[span.start : span.end])
    if span.start == phrase.span.start and points and turn_before:
        sentence = f"{sentence}{ABOUT}{one_line(turn_before, _NAMED)})"
    sentence = visible_line(sentence)
    return None if is_short(sentence) or secret_kind(sentence) else NormalizedStatement(sentence, span, points)


def _points(phrase: PromptSentence) -> bool:
    """Whether it hardly says more than what to do with something it does not name."""
    return len(phrase.plain.split()) < _SELF_CONTAINED_WORDS and _POINTS.search(phrase.plain) is not None


def is_short(text: str) -> bool:
    """Fewer words than a thought takes; what is written without blanks is counted by letters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2 < MIN_WORDS


def _is_gap(between: str) -> bool:
    """Whether nothing stands there but blanks and the mark of a list: no code, no words of somebody else."""
    return not between.strip(" \t\r\n-*+•–—#()[].0123456789")


def _joined(text: str, before: TextSpan, span: TextSpan) -> TextSpan:
    """With the sentence in front of it, unless that makes it too long or a question stands there."""
    gap = text[before.end : span.start]
    is_near = span.end - before.start <= _MAX_STATEMENT_CHARS and not gap[-3:].count("\n\n") and _is_gap(gap)
    return TextSpan(before.start, span.end) if is_near and not text[: before.end].endswith("?") else span


def _clause(phrase: PromptSentence, at: int) -> TextSpan:
    """The whole sentence; of a very long one the clauses around the place."""
    if len(phrase.text) <= _CLAUSE:
        return TextSpan(phrase.span.start, phrase.span.start + len(phrase.text))
    breaks = [0, *(match.end() for match in _BREAK.finditer(phrase.text)), len(phrase.text)]
    start = max((place for place in breaks if place <= at + 2), default=0)
    ends = [place for place in breaks if place - start <= _CLAUSE and place > at + 12]
    end = max(ends, default=min(start + _CLAUSE, len(phrase.text)))
    end = start + len(phrase.text[start:end].rstrip(" ,;:—–-"))
    return TextSpan(phrase.span.start + start, phrase.span.start + end)


def _normalize_sentence(text: str) -> str:
    """Without what only introduces it, on one line, with a capital letter unless it begins with a name."""
    sentence = " ".join(text.split())
    if sentence.startswith("(") and sentence.rstrip(".").endswith(")"):
        sentence = sentence.rstrip(".")[1:-1]
    if (match := _LEADS.match(sentence)) and not is_short(sentence[match.end() :]):
        sentence = sentence[match.end() :]
    for pattern, instead in _REWRITES:
        if (match := pattern.match(sentence)) and not is_short(retold := instead + sentence[match.end() :]):
            sentence = retold
    first = sentence.split(" ", 1)[0]
    plainly = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return clip(sentence[:1].upper() + sentence[1:] if plainly else sentence, _MAX_STATEMENT_CHARS)
