"""One line of a longer text: what a request is about, what came of the work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from tacit.record import Record
from tacit.text.display import clip, escape_deceptive
from tacit.text.words import STOP_WORDS

# The gist of what somebody wrote: its first telling sentence, as one line, without the marks of Markdown.

_CODE_FENCE = re.compile(r"\s{0,9}(?:```|~~~)")
_MARKDOWN_PREFIX = re.compile(r"\s{0,9}(?:#{1,6}\s{1,9}|>\s?|[-*+]\s{1,9}|\d{1,3}[.)]\s{1,9}){1,9}")
_HORIZONTAL_RULE = re.compile(r"[-*_=|:\s]{3,}$")
_EMPHASIS = re.compile(r"\*\*([^*\s][^*]{0,200})\*\*|`([^`]{1,200})`")
# A sentence ends at a sign that a blank follows: not inside `.env`, `v1.2` or `e.g.`.
_SUMMARY_END = re.compile(r"(?<![.\s][A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)[.!?。！？]['\")\]]{0,2}(?=\s|$)")
_MIN_SENTENCE_CHARS = 12  # "Done." and "Perfect!" tell nothing: the next sentence comes too
_MAX_SUMMARY_INPUT_CHARS = 4000


def summarize(text: str, limit: int = 160) -> str:
    """At most `limit` characters: the first sentence that says something, of the first line that does."""
    lines = _prose_lines(text[:_MAX_SUMMARY_INPUT_CHARS])
    said = _first_sentence(next(lines, ""), limit)
    if said.endswith(":"):  # what is announced tells more than that it is
        said = f"{said} {_first_sentence(next(lines, ''), limit)}".rstrip()
    return clip(said, limit)


def opening_line(text: str, limit: int) -> str:
    """The beginning of a text as one line: for lists where the whole would be too long."""
    return clip(" ".join(" ".join(_prose_lines(text[: max(_MAX_SUMMARY_INPUT_CHARS, 4 * limit)])).split()), limit)


def one_line(text: str, limit: int) -> str:
    """The beginning of what is no prose, a command or what it printed: sign by sign as it is, but on one line."""
    return clip(" ".join(text[: 8 * limit].split()), limit)


def visible_line(text: str) -> str:
    """On one line, without signs that nobody sees."""
    return " ".join(escape_deceptive(" ".join(text.split()), lambda _: "").split())


def _prose_lines(text: str) -> Iterator[str]:
    """The lines that are prose: code in fences, rules and empty lines are not."""
    fenced = False
    for line in text.split("\n"):
        if _CODE_FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and not _HORIZONTAL_RULE.match(line):
            marks = _MARKDOWN_PREFIX.match(line)
            bare = line[marks.end() :] if marks else line
            plain = " ".join(_EMPHASIS.sub(lambda found: found[1] or found[2], bare).split())
            if plain:
                yield plain


def _first_sentence(line: str, limit: int) -> str:
    for end in _SUMMARY_END.finditer(line):
        if end.end() > limit:
            break
        if end.end() >= _MIN_SENTENCE_CHARS:
            return line[: end.end()]
    return line


# One line of a longer text: of a request what it is about, of a reply what came of the work.
#
# Plain rules over sentences. A sentence is weighed by the words in it that tell one piece of work from another: "fix
# the failing tests" has none, "rename the cart table" has three. Courtesies, announcements ("let me look at …"),
# headings, tables, code and pasted output are passed over. Words are only left out, never added.

MIN_SPECIFICITY = 2  # the weight from which a request tells what a session is about
_MIN_RESULT_SPECIFICITY = 2  # the weight from which a sentence of a reply tells a result
_FULL_SPECIFICITY = 4  # the weight from which a sentence needs no other beside it
_MAX_TEXT_CHARS = 6000  # characters of a text
_MAX_UNITS = 60  # sentences of it
_MAX_LABEL_CHARS = 40  # characters of a name
_MAX_FOLLOWING_UNITS = 3  # sentences behind the first that tells anything
_MIN_WRAPPED_CHARS = 55  # a line of so many characters that ends without a mark goes on in the next

# Words that most requests and replies about software have, and that tell none of them apart.
_COMMON_WORDS = frozenset(
    (
        "above actually added adding address addressed after again agent ah ahead almost already alright another "
        "anything apply asked back basically before begin below better bit branch branches briefly bug bugs build "
        "change changed changes check checked checking checks clean code comment comments commit commits "
        "committed complete completed continue correct correctly create created current don't done double draft "
        "each edit edits else ensure error errors even every everything exactly fail failed failing failure "
        "failures feedback few file files final finally find fine first fix fixed fixes fixing follow following "
        "format formatted formatting found full fully further gah get give given go going good got great green "
        "happy hello help here here's hey hi hmm hold huh i'd i'll i'm i've idea implement implementation "
        "implemented improve include included includes including instead integration issue issues it's item items "
        "job kind know last later least left less let let's lets like line lines lint linter linting little local "
        "locally look looking looks lot made main make makes making maybe mean merge merged minor more most much "
        "need needed needs new next nice nope nothing now number oh ok okay one ones only open opened other "
        "others out own part parts pass passed passes passing patch per perfect perform place plan please point "
        "pr present probably problem problems proceed project properly pull push pushed put question questions "
        "quick quickly quite read ready really remaining repo repository request requests result results review "
        "reviewed right run running runs same save say see seems session set should show since small something "
        "sort start started step steps still stop stuff success successful successfully suggested suite summary "
        "sure take task tasks tell test tested testing tests thank thanks that's there's thing things think "
        "though time together too total try trying two uh unit update updated updates use user usual verified "
        "verify via wait want way welcome well what's while without won't work worked working works write written "
        "wrong yeah yep yes yet you're"
    ).split()
)
_WORD = re.compile(r"[^\W_](?:[\w'’.:/+-]{0,80}\w)?(?:\(\))?")
_UNSPACED_SCRIPT = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HASH = re.compile(r"[0-9a-f]{7,64}$")  # tells nothing
_URL = re.compile(r"https?://\S+")
_IDENTIFIER = re.compile(
    r"[a-z][A-Z]|\w[_./:]\w|\(\)|[A-Za-z]-?\d|\d[.]\d"
)  # an identifier, a path, a version, a ticket
_TABLE_RULE = re.compile(r"[-*_=|:+\s]{3,}$")
_HEADING = re.compile(r"\s{0,9}#{1,6}\s{1,9}")
_BOLD_LINE = re.compile(r"\s{0,3}\*\*[^*\n]{1,80}\*\*:?\s{0,3}")
_LIST_ITEM = re.compile(r"\s{0,19}(?:>\s?)?(?:[-*+•]|\d{1,3}[.)])\s{1,9}")
# A sentence ends at a sign that a blank follows: not inside `.env`, `v1.2` or `e.g.`.
_SENTENCE_END = re.compile(
    r"(?:(?<![.\s][A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)[.!?]['\")\]]{0,2}(?=\s|$)|[。！？]['\")\]」』]{0,2})"
)
# What programs print: times, levels, frames of a stack, prompts of a shell, diffs, JSON, tags.
_PROGRAM_OUTPUT = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|FAIL|PASS)\b"
    r"|at \S.{0,300}\(.{0,200}\)$|File \".{1,300}\", line \d|Traceback"
    r"|[$%❯➜⏺⎿│├└┌✓✗✔✘●|]|[=]{3}|[-]{3}|[+]{3}|@@|npm ERR!|[{}\[\]]"
    r"|</?[A-Za-z]|\S+:\d+:\d+:|(?:Exit code|exit status) \d)"
)
_HOOK_STOP_MESSAGE = "Operation stopped by hook:"  # Claude Code writes it where a prompt would stand
_MIN_LETTER_SHARE = 0.55  # the least share of letters in a line of prose

_ANNOUNCEMENT = re.compile(
    r"(?:(?:now|ok|okay|good|great|first|next|then|alright|perfect|excellent|so|and|also|but|right|yes|sure|done|wait"
    r"|hmm)"
    r"[,.!:;—-]{0,2}\s+){0,3}"
    r"(?:let me\b|let's\b|i['’]?ll\b|i will\b|i['’]?m going to\b|i am going to\b|i need to\b|i should\b"
    r"|i['’]?d be happy\b|we need to\b|we should\b|now i (?:have|understand|see|know|can|need)\b"
    r"|now (?:add|check|fix|run|update|verify)\b"
    r"|(?:checking|running|looking|reading|searching|verifying|investigating)\b)",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(
    r"(?:here['’]?s|here is|here are|summary|final summary|changes?|what (?:changed|i did|was done|we did)|key changes"
    r"|files? changed|results?|in summary|overview|the (?:changes|fix|result)s? (?:is|are)|this (?:adds|includes))\b"
    r"[^.!?]{0,60}:?$",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:hi|hello|hey|good (?:morning|evening)|thanks|thank you|great|perfect|ok|okay|yes|yeah|nice|cool|alright|sure"
    r"|please|awesome|excellent)\b[^.!?:\n]{0,20}[.!…]{0,3}$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:let me know|would you like|do you want|want me to|shall i|should i|feel free"
    r"|if you(?:['’]d| would)? (?:like|want)"
    r"|i(?:['’]?m| am) (?:so |really |very )?(?:glad|happy)"
    r"|you(?:['’]re| are) (?:very |most |absolutely |quite )?(?:welcome|right|correct)|happy to|glad|good luck"
    r"|try (?:it|running)|you can now (?:run|try))\b",
    re.IGNORECASE,
)


class _UnitKind(Enum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    CODE = "code"  # the first line of a block


class _TextUnit(Record):
    """A sentence, or a whole heading, item or line of code."""

    kind: _UnitKind
    text: str


def specificity(text: str) -> int:
    """How much a text tells one piece of work from another: distinct words that are not common count 1, names of
    code, paths, versions and tickets 2, scripts without blanks by two letters."""
    found: dict[str, int] = {}
    for match in _WORD.finditer(_URL.sub(" ", text[:_MAX_TEXT_CHARS])):
        word = match[0]
        lower = word.lower().replace("’", "'")
        if _UNSPACED_SCRIPT.search(word):
            found[lower] = len(word) // 2
        elif _HASH.match(lower):
            continue
        elif _IDENTIFIER.search(word):
            found[lower] = 2
        elif len(word) > 1 and not word.isdigit() and lower not in _COMMON_WORDS and lower not in STOP_WORDS:
            found[lower] = 1
    return sum(found.values())


def headline(text: str, limit: int) -> str:
    """The sentence of a request that tells what it is about, at most `limit` characters, cut at a word. Empty where
    nothing but code or output was pasted."""
    return _cached_headline(text[:_MAX_TEXT_CHARS], limit)


@lru_cache(maxsize=256)  # a session is folded again whenever it grows, and its page asks for each title once more
def _cached_headline(text: str, limit: int) -> str:
    units, weights = _leading_units(text)
    if not units or text.lstrip().startswith(_HOOK_STOP_MESSAGE):
        return ""
    at = most_specific(weights)
    told = units[at].text
    if at == 1 and weights[0] and _is_label_line(units[0], weights[0]):
        told = f"{units[0].text.rstrip(':')}: {told}"
    elif at + 1 < len(units) and told.endswith(":") and weights[at] < _FULL_SPECIFICITY <= weights[at + 1]:
        told = units[at + 1].text  # what is announced tells more than that it is
    elif at + 1 < len(units) and (told.endswith(":") or _is_label_line(units[at], weights[at])):
        told = f"{told.rstrip(':')}: {units[at + 1].text}"
    return clip_at_word(told.rstrip(":"), limit)


def _leading_units(text: str) -> tuple[list[_TextUnit], list[int]]:
    """The sentences of a request with their weights, up to a few behind the first that tells anything."""
    units: list[_TextUnit] = []
    weights: list[int] = []
    courtesies: list[_TextUnit] = []
    last = None
    for unit in _text_units(text, printed=False):
        if unit.kind is _UnitKind.CODE or _COURTESY.match(unit.text):
            courtesies += [unit] if unit.kind is not _UnitKind.CODE else []
            continue
        units.append(unit)
        weights.append(specificity(unit.text))
        if last is None and weights[-1] >= MIN_SPECIFICITY:
            last = len(units) + _MAX_FOLLOWING_UNITS
        if len(units) == last:
            break
    return (units, weights) if units else (courtesies, [specificity(unit.text) for unit in courtesies])


def most_specific(weights: list[int]) -> int:
    """Which of some texts tells what they are about, by their weights: the first that tells anything, unless one of the
    next two tells at least twice as much; where none does, the first."""
    first = next((at for at, found in enumerate(weights) if found >= MIN_SPECIFICITY), 0)
    if weights[first] > MIN_SPECIFICITY:
        return first
    least = 2 * max(weights[first], 1)
    return next((at for at in range(first + 1, min(first + 3, len(weights))) if weights[at] >= least), first)


def _is_label_line(unit: _TextUnit, found: int) -> bool:
    """Whether a line is the name of what follows rather than a sentence."""
    return (
        found <= MIN_SPECIFICITY
        and len(unit.text) < _MAX_LABEL_CHARS
        and not _SENTENCE_END.search(unit.text)
        and unit.kind is not _UnitKind.ITEM
    )


def result_sentence(text: str, limit: int) -> str:
    """The first sentence of a reply that tells what was done or found; after a colon, what is listed there. Empty where
    the reply only announces, thanks, asks or offers something."""
    units = list(_text_units(text, printed=True))
    for at, unit in enumerate(units):
        if unit.kind in (_UnitKind.HEADING, _UnitKind.CODE) or is_filler(unit.text) or unit.text.endswith("?"):
            continue
        if unit.text.endswith(":"):
            listed = _listed_items(units, at, limit)
            if specificity(f"{unit.text} {listed}") >= _MIN_RESULT_SPECIFICITY and listed:
                return clip_at_word(f"{unit.text} {listed}", limit)
        elif specificity(unit.text) >= _MIN_RESULT_SPECIFICITY:
            return clip_at_word(unit.text.rstrip(":"), limit)
    return ""


def is_announcement(sentence: str) -> bool:
    """Whether a sentence of an agent tells what it is about to do."""
    return _ANNOUNCEMENT.match(sentence) is not None


def is_filler(sentence: str) -> bool:
    """Whether a sentence of an agent announces work, introduces a list, or is a courtesy: it tells no result."""
    if is_announcement(sentence) or _OFFER.match(sentence):
        return True
    return _INTRODUCTION.match(sentence) is not None and specificity(sentence) < MIN_SPECIFICITY


def last_sentence(text: str) -> str:
    """The last sentence of a text outside of code and tables."""
    ends = [unit.text for unit in _text_units(text[-_MAX_TEXT_CHARS:], printed=True) if unit.kind is not _UnitKind.CODE]
    return ends[-1] if ends else ""


def clip_at_word(text: str, limit: int) -> str:
    """At most `limit` characters, cut behind a word, the cut made visible."""
    if len(text) <= limit:
        return text
    room = text[: limit - 1]
    blank = room.rfind(" ", limit // 2)
    return (room[:blank] if blank > 0 else room).rstrip(" ,;:—–-(“\"'") + "…"


def _listed_items(units: list[_TextUnit], at: int, limit: int) -> str:
    """What follows a colon: items up to the limit, or the one line that does."""
    following = units[at + 1 :]
    items = [unit.text.rstrip(".;") for unit in _leading_items(following)]
    told = ""
    for item in items:
        if told and len(units[at].text) + len(told) + len(item) + 3 > limit:
            break
        told = f"{told}; {item}" if told else item
    if told or not following or following[0].kind is _UnitKind.HEADING:
        return told
    first = following[0].text
    return f"{first} {_listed_items(units, at + 1, limit - len(first))}".rstrip() if first.endswith(":") else first


def _leading_items(units: list[_TextUnit]) -> Iterator[_TextUnit]:
    for unit in units:
        if unit.kind is not _UnitKind.ITEM:
            return
        yield unit


def _text_units(text: str, *, printed: bool) -> Iterator[_TextUnit]:
    """Sentences in order. Without `printed`, lines that a program seems to have printed are left out."""
    made = 0
    for kind, block in _text_blocks(text[:_MAX_TEXT_CHARS], printed):
        for unit in [block] if kind is not _UnitKind.PARAGRAPH else _paragraph_sentences(block):
            yield _TextUnit(kind, unit)
            made += 1
            if made == _MAX_UNITS:
                return


def _text_blocks(text: str, printed: bool) -> Iterator[tuple[_UnitKind, str]]:
    """Paragraphs with their wrapped lines joined; headings, items and the first lines of code by themselves."""
    fenced, shown, gathered = False, False, ""
    for line in text.split("\n"):
        if _CODE_FENCE.match(line):
            fenced, shown = not fenced, False
        elif fenced:
            if not shown and any(map(str.isalpha, line)):
                if gathered:
                    yield _UnitKind.PARAGRAPH, gathered
                    gathered = ""
                yield _UnitKind.CODE, " ".join(line.split())
                shown = True
            continue
        kind, bare = _strip_markdown(line, printed)
        if gathered and (kind is not _UnitKind.PARAGRAPH or not bare or not _is_wrapped(gathered, bare)):
            yield _UnitKind.PARAGRAPH, gathered
            gathered = ""
        if bare and kind is _UnitKind.PARAGRAPH:
            gathered = f"{gathered} {bare}".strip()
        elif bare:
            yield kind, bare
    if gathered:
        yield _UnitKind.PARAGRAPH, gathered


def _is_wrapped(before: str, after: str) -> bool:
    """Whether a line was wrapped."""
    last = before[-1]
    return last not in ".!?:;。！？" and (len(before) >= _MIN_WRAPPED_CHARS or after[0].islower())


def _strip_markdown(line: str, printed: bool) -> tuple[_UnitKind, str]:
    """A line without the marks of Markdown; nothing of it where it is no prose."""
    if not line.strip() or _TABLE_RULE.match(line) or _CODE_FENCE.match(line) or line.lstrip().startswith("|"):
        return _UnitKind.PARAGRAPH, ""
    kind, mark = _UnitKind.PARAGRAPH, _HEADING.match(line)
    if mark or _BOLD_LINE.fullmatch(line):
        kind = _UnitKind.HEADING
    elif mark := _LIST_ITEM.match(line):
        kind = _UnitKind.ITEM
    bare = line[mark.end() :] if mark else line.lstrip("> ")
    if not printed and (_is_program_output(bare) or (kind is _UnitKind.PARAGRAPH and line.startswith(("    ", "\t")))):
        return _UnitKind.PARAGRAPH, ""
    plain = " ".join(_EMPHASIS.sub(lambda found: found[1] or found[2], bare).split()).replace("**", "").replace("`", "")
    return kind, plain


def _is_program_output(line: str) -> bool:
    """Whether a program seems to have printed a line."""
    signs = "".join(line.split())
    if _PROGRAM_OUTPUT.match(line) or (len(line.split()) == 1 and len(signs) > 40):
        return True
    return len(signs) > 15 and sum(map(str.isalpha, signs)) < _MIN_LETTER_SHARE * len(signs)


def _paragraph_sentences(paragraph: str) -> Iterator[str]:
    begins = 0
    for end in _SENTENCE_END.finditer(paragraph):
        if sentence := paragraph[begins : end.end()].strip():
            yield sentence
        begins = end.end()
    if rest := paragraph[begins:].strip():
        yield rest
