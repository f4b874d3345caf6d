"""The sentences of a prompt: which the person typed, and whether one states something for good.

Forms are wordings with which people say that something holds from now on. Only those are here that were right on
prompts of people they were not written for. The rows are in `forms.toml`, each with an example. A question or a fence
around the task at hand makes none of them a statement. What has only a looser wording, or is about the product, is
doubtful.

A linear model of the words and the shape of a sentence scores it. The weights in `weights.json` come from
`python -m bench.train_statements`, which describes the data. It tells how sure a statement is, and any sentence needs
`MIN_CANDIDATE_SCORE` to be doubtful or to be read by a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from tacit.learn import SessionEvent, load_data
from tacit.model.claim import Kind
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind
from tacit.record import Record
from tacit.text.words import TextSpan, sentence_spans

# Two readings of a prompt. Only what a person typed can become a statement by its form: not fenced and indented code,
# quoted lines, logs, stack traces, tables, what follows a line that announces something pasted, documents, and prompts
# that a host wrote. A judge reads all prose, also that of documents, and is told to leave out what was pasted.

# Shell commands are not read.
READ_PROMPTS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER, PromptKind.COMMAND)
MAX_PROMPT_CHARS = 6000  # of a prompt that are read; what is longer was not typed


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
# An element of XML with tags on lines of their own: a template that a tool filled in.
_TEMPLATE = re.compile(
    r"^<([a-z][\w-]{0,60})(?:\s[^>\n]{0,200})?>[^\S\n]*\n(?s:.{0,6000}?)^</\1>\s*?$", re.IGNORECASE | re.MULTILINE
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
    r"\d{4}-\d\d-\d\d[T ]|\d{1,5}\.\d{1,3}\s\S"
    r"|\[?\d{1,2}:\d\d:\d\d|at \S{1,200}\(|File \"|Traceback |#\d+ |\+[^\s+]|\+{3} |-{3} |@@ |diff --git"
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


def _prose_lines(lines: list[PromptLine]) -> Iterator[PromptLine | None]:
    """Yield each line, None in place of a line of fenced code or of a log."""
    fence = ""  # the mark that opened the code we are in: a shorter one or another does not close it
    for line in lines:
        if (match := _FENCE.match(line.text)) and match[1].startswith(fence):
            fence = "" if fence or "```" in line.text.strip().strip("`") else match[1]
            yield None
        else:
            yield None if fence or _LOG.match(line.text) else line


def _is_authored(text: str, lines: list[PromptLine]) -> bool:
    """Whether somebody speaks in a prompt: it is no template, no plan, spec or review, and no page of a tracker."""
    if _TEMPLATE.search(text) or _TRACKER.search(text) or (len(text) > _LONG and _PERSON.search(text) is None):
        return False
    filled = [line.text for line in lines if line.text.strip()]
    built = sum(1 for line in filled if _STRUCTURE.match(line))
    is_mostly_structure = built >= _DOCUMENT_LINES and 3 * built >= len(filled)
    return not is_mostly_structure or 6 * sum(1 for line in filled if _PERSON.search(line)) >= len(filled)


def _typed_lines(lines: list[PromptLine], prose: list[PromptLine | None]) -> Iterator[PromptLine | None]:
    """Yield each line that the person typed, None in place of any other."""
    for place, line in enumerate(prose):
        text = line.text if line else ""
        is_indented = place > 0 and _INDENTED.match(text) and not _STRUCTURE.match(text)
        if line is None or is_indented or _QUOTED.match(text):
            yield None
        else:
            yield line
            if _ANNOUNCES.search(text):
                rest = [line.text for line in lines[place + 1 :] if line.text.strip()]
                is_short_list = len(rest) <= 12 and all(_PERSON.search(line) for line in rest[:3])
                if rest and not is_short_list:  # what follows is not the person's
                    return


def _line_spans(lines: Iterable[PromptLine | None]) -> Iterator[TextSpan]:
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


# One sentence of a prompt as learners read it: in lower case, with what is quoted or code in it covered.

MAX_SENTENCE_CHARS = 700  # of a sentence that are read
MAX_SENTENCES = 120  # of a prompt that are read
_LINE_HEAD_CHARS = 24  # of a line, which tell whether it is an item of a list or a heading
_COVERED = re.compile(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{2,80}'(?!\w)")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # written without blanks between words
_MIN_WORDS = 3  # "Answer in German." is a complete statement
_STRAIGHT = str.maketrans("’‘´“”\n\t\u00a0", "'''\"\"   ")


class PromptSentence(Record):
    """A sentence, its place among the `total` sentences of the prompt, and whether the person typed it.

    `plain` has the length of `text`, so a position in one is the position in the other. `line_head` is how the line
    begins in which the sentence begins.
    """

    span: TextSpan
    text: str
    plain: str
    number: int = 0
    total: int = 1
    is_typed: bool = True
    line_head: str = ""


def prompt_sentences(text: str) -> list[PromptSentence]:
    """Return the sentences of a prompt that are prose: no code and no log, whoever wrote them."""
    if _WRITTEN_BY_MACHINES.match(text):
        return []
    lines: list[PromptLine] = []
    for line in text[:MAX_PROMPT_CHARS].split("\n"):
        lines.append(PromptLine(lines[-1].start + len(lines[-1].text) + 1 if lines else 0, line))
    prose = list(_prose_lines(lines))
    spans = list(sentence_spans(text, list(_line_spans(prose))))[:MAX_SENTENCES]
    typed = list(_line_spans(_typed_lines(lines, prose))) if spans and _is_authored(text, lines) else []
    sentences = []
    for number, span in enumerate(spans):
        part = text[span.start : min(span.end, span.start + MAX_SENTENCE_CHARS)]
        is_typed = any(run.start <= span.start and span.end <= run.end for run in typed)
        line_start = text.rfind("\n", 0, span.start) + 1
        line_head = text[line_start : line_start + _LINE_HEAD_CHARS]
        sentences.append(PromptSentence(span, part, normalize_text(part), number, len(spans), is_typed, line_head))
    return sentences


def typed_sentences(text: str) -> list[PromptSentence]:
    """Return the sentences of a prompt that the person typed."""
    return [sentence for sentence in prompt_sentences(text) if sentence.is_typed]


def normalize_text(text: str) -> str:
    """Return a text in lower case, with straight quotes and covered code, of the same length."""
    covered = _COVERED.sub(lambda match: match[0][0] + "x" * (len(match[0]) - 2) + match[0][-1], text)
    covered = covered.translate(_STRAIGHT)
    lower = covered.lower()
    if len(lower) != len(text):
        lower = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in covered)
    return lower


def is_short(text: str) -> bool:
    """Return whether a text has fewer words than a statement needs; text without blanks is counted by characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2 < _MIN_WORDS


# Forms of explicit statements


class StatementForm(Record):
    """A class of wordings. `kind` is the kind of what is said with it; `loose` are wordings that are doubtful."""

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    loose: re.Pattern[str] | None
    example: str
    is_order: bool


class Stated(Record):
    """The form that a sentence has, and what it states: its words from `start` to `end`, which have the form `said`.

    `is_about_before` says that it states what the sentence before it says ("save that in memory").
    """

    form: StatementForm
    said: StatementForm
    start: int = 0
    end: int | None = None
    is_doubtful: bool = False
    is_about_before: bool = False


_INTRODUCTION = (
    r"(?:(?:ok|okay|yes|yep|no|yeah|and|but|so|also|please|pls|plz|hmm|well|great|thanks|perfect|actually|btw|wait|sorry"
    r"|bitte|por\sfavor|s'il\ste\splaît|пожалуйста|again|important|note(?:\sthat)?|just|hey|then|one\smore\sthing)"
    r"[\s,.!:;-]{1,4}){0,4}"
)
_CLAUSE = r"(?:^\W{0,3}|[.;:!,]\s{1,2}|[，。；：！、]\s?|\s[–—-]{1,2}\s|\b(?:and|but|then)\s)"
_PLACES = {"<begin>": rf"^\W{{0,3}}{_INTRODUCTION}", "<start>": _CLAUSE + _INTRODUCTION}
_NO_STATEMENT_LINE = re.compile(r"\s{0,12}(?:#{1,6}\s|(?:[-*+]\s{1,3})?\[[ xX]?\]\s|//)")  # headings, checklists
_NUMBERED_LINE = re.compile(r"\s{0,12}(?:[-*+]\s{1,3})?\(?\d{1,3}[.)]\s")


@cache
def statement_forms(flags: re.RegexFlag = re.NOFLAG) -> tuple[StatementForm, ...]:
    """Return the rows of `forms.toml`. Their patterns are for sentences in lower case."""

    def compiled(pattern: str) -> re.Pattern[str]:
        for mark, place in _PLACES.items():
            pattern = pattern.replace(mark, place)
        return re.compile(pattern, flags)

    return tuple(
        StatementForm(
            row["name"],
            Kind.from_label(row["kind"]),
            compiled(row["pattern"]),
            compiled(row["loose"]) if "loose" in row else None,
            row["example"],
            row.get("order", False),
        )
        for row in load_data("statements/forms.toml")["form"]
    )


@cache
def exclusions(flags: re.RegexFlag = re.NOFLAG) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that make a sentence none of the forms."""
    return tuple(re.compile(row["pattern"], flags) for row in load_data("statements/forms.toml")["exclusion"])


@cache
def doubts(flags: re.RegexFlag = re.NOFLAG) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that make a sentence of a form doubtful."""
    return tuple(re.compile(row["pattern"], flags) for row in load_data("statements/forms.toml")["doubt"])


def find_statement(sentence: PromptSentence) -> Stated | None:
    """Return what a sentence states by the first form that it has, None if it has none or is excluded."""
    plain = sentence.plain
    flags = _flags_for(plain)
    found = _form_of(plain)
    if found is None or _NO_STATEMENT_LINE.match(sentence.line_head):
        return None
    if any(pattern.search(plain) for pattern in exclusions(flags)):
        return None
    form = found.form
    if form.is_order:
        if found.is_about_before:
            return found
        inner = _form_of(plain[found.start : found.end])
        return found._replace(said=inner.said) if inner and not inner.is_doubtful else found
    is_doubtful = (
        found.is_doubtful
        or _NUMBERED_LINE.match(sentence.line_head) is not None
        or any(pattern.search(plain) for pattern in doubts(flags))
    )
    return found._replace(is_doubtful=is_doubtful)


def find_form(sentence: PromptSentence) -> StatementForm | None:
    """Return the first form that a sentence has, doubtful or not, None if it has none or is excluded."""
    found = find_statement(sentence)
    return found.form if found else None


def _flags_for(plain: str) -> re.RegexFlag:
    # Sentences are in lower case. Only other letters than those of ASCII may still be the same without case ("ſ").
    return re.NOFLAG if plain.isascii() else re.IGNORECASE


def _form_of(plain: str) -> Stated | None:
    """Return the first form that has a pattern in a sentence, or else a loose one, which is doubtful."""
    forms = statement_forms(_flags_for(plain))
    for form in forms:
        if match := form.pattern.search(plain):
            start, end = match.span(match.lastindex) if match.lastindex else (0, len(plain))
            return Stated(form, form, is_about_before=True) if start == end else Stated(form, form, start, end)
    loose = next((form for form in forms if form.loose and form.loose.search(plain)), None)
    return Stated(loose, loose, is_doubtful=True) if loose else None


# Scores

MIN_CANDIDATE_SCORE = -2.05
_MIN_SHORT_CANDIDATE_SCORE = -2.85
_MAX_SHORT_WORDS, _MAX_SENTENCES_AROUND = 6, 3
# How tasks, assent and questions begin.
_NO_RULE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|yep|yeah|no|so|now|then|and|please|pls|also|just|let's|bitte|ja|oui|s[ií]|sim)[,\s]+){0,3}"
    r"(?:fix|add|make|create|implement|update|change|show|explain|check|run|commit|push|continue|try|do|go|look|find"
    r"|remove|delete|read|open|give|tell|write(?! in\b)|build|start|test|review|merge|install|move|rename|debug"
    r"|refactor|what|why|how|where|when|who|which|can|could|is|are|does|did|should|thanks?|looks|good|great|perfect|nice|yes|ok(?:ay)?"
    r"|proceed|resume|retry|undo|revert|deploy|generate|list|print|clean|help|i|it|that|this|there|the"
    r"|mach|weiter|warum|was|wie|danke|gut|corrige|arregla|continua|continúa|pourquoi|merci|gracias"
    r"|исправь|продолжай|почему|сделай|добавь|perché|perche|obrigado|grazie|por qu[eé])\b"
)
_NEIGHBOURS = 2  # sentences on each side of a candidate that are near it
_WORD = re.compile(r"[^\W\d_][\w'-]*|[?!:]")
_LENGTHS = (3, 5, 8, 12, 20, 35)  # a sentence has the feature of each that it is shorter than
_SHAPES = {
    "code": re.compile(r"`"),
    "path": re.compile(r"[\w~.]/[\w.]"),
    "url": re.compile(r"https?:"),
    "digit": re.compile(r"\d"),
    "capitals": re.compile(r"\b[A-Z]{4,}\b"),
    "identifier": re.compile(r"[a-z][A-Z]|_[a-z]"),
    "name": re.compile(r"(?<=[a-z,] )[A-Z][a-z]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "ideographs": _UNSPACED,
    "question": re.compile(r"[?？]\s*$"),
    "colon": re.compile(r":\s*$"),
}


def sentence_features(sentence: PromptSentence, prompt_chars: int) -> set[str]:
    """Return the features of a sentence, given the length of its prompt. Words are marked with `=`, forms with `~`."""
    ideographs = _UNSPACED.findall(sentence.plain)
    words = _WORD.findall(sentence.plain)
    if ideographs:
        words += [*ideographs, *(first + second for first, second in pairwise(ideographs))]
    features = {f"={word}" for word in words}
    if words:
        features.add(f"^{words[0]}")
    length = len(sentence.plain.split()) + len(ideographs) // 2
    features.update(f"shorter than {limit}" for limit in _LENGTHS if length < limit)
    features.update(name for name, pattern in _SHAPES.items() if pattern.search(sentence.text))
    places = {
        "typed": sentence.is_typed,
        "alone": sentence.total == 1,
        "first": sentence.number == 0,
        "last": sentence.number == sentence.total - 1,
        "of few": sentence.total <= 3,
        "of many": sentence.total > 8,
        "of very many": sentence.total > 20,
    }
    features.update(name for name, does_hold in places.items() if does_hold)
    features.add(f"prompt of 2^{min(prompt_chars.bit_length(), 13)}")
    if form := find_form(sentence):
        features |= {"~", f"~{form.name}"}
    return features


def score_sentence(sentence: PromptSentence, prompt_chars: int, weights: Mapping[str, float] | None = None) -> float:
    """Return the log odds that a sentence is meant to last. The weight of "" is added to every score."""
    table: Mapping[str, float] = _load_weights("statements/weights.json") if weights is None else weights
    return table.get("", 0.0) + sum(table.get(name, 0.0) for name in sentence_features(sentence, prompt_chars))


_load_weights = cache(load_data)


# Candidates for a judge: the half of the sentences in which nearly all statements are


class SentenceCandidate(Record):
    """A sentence of a prompt. `answering` is the agent's question that the prompt answered.

    `around` are the sentences near it, and `before` is the one before it, if that is no candidate itself.
    """

    event_id: EventId
    text: str
    answering: str = ""
    before: str = ""
    around: str = ""


def sentence_candidates(events: Sequence[SessionEvent]) -> list[SentenceCandidate]:
    """Return the sentences of a session that are worth a judge's attention, in order."""
    return [
        candidate
        for event in events
        if isinstance(event.body, PromptGiven) and event.body.how in READ_PROMPTS
        for candidate in _prompt_candidates(event.event_id, event.body)
    ]


def _prompt_candidates(event_id: EventId, prompt: PromptGiven) -> Iterator[SentenceCandidate]:
    sentences = prompt_sentences(prompt.text)
    texts = [sentence.text for sentence in sentences]
    wanted = [is_candidate(sentence, len(prompt.text)) for sentence in sentences]
    for at in (at for at, is_wanted in enumerate(wanted) if is_wanted):
        before = texts[at - 1] if at and not wanted[at - 1] else ""
        around = " ".join((*texts[max(at - _NEIGHBOURS, 0) : at], *texts[at + 1 : at + 1 + _NEIGHBOURS]))
        yield SentenceCandidate(event_id, texts[at], prompt.about, before, around)


def is_candidate(sentence: PromptSentence, prompt_chars: int) -> bool:
    """Return whether a sentence is likely enough to state something.

    Of short ones more are: "use tabs" has little that a model could tell it by, least of all in other languages.
    """
    score = score_sentence(sentence, prompt_chars)
    if score >= MIN_CANDIDATE_SCORE:
        return True
    return score >= _MIN_SHORT_CANDIDATE_SCORE and sentence.is_typed and _may_be_a_rule(sentence)


def _may_be_a_rule(sentence: PromptSentence) -> bool:
    words = _WORD.findall(sentence.plain)
    is_few = sentence.total <= _MAX_SENTENCES_AROUND
    if not is_few or not 2 <= len(words) <= _MAX_SHORT_WORDS or _NO_RULE.match(sentence.plain):
        return False
    return words[-1] not in ("?", ":")
