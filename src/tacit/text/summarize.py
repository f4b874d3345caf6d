"""Summaries of one line: the topic of a request, the result of a reply.

Plain rules over sentences. A sentence is weighted by the words in it that distinguish one piece of work from another:
"fix the failing tests" has none, "rename the cart table" has three. Courtesies, announcements ("let me look at …"),
headings, tables, code and pasted output are skipped. Words are only left out, never added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import islice, pairwise, takewhile

from tacit.record import Record
from tacit.text.display import clip, clip_at_word
from tacit.text.words import STOP_WORDS, sentence_ends

_CODE_FENCE = re.compile(r"\s{0,9}(?:```|~~~)")
_MARKDOWN_PREFIX = re.compile(r"\s{0,9}(?:#{1,6}\s{1,9}|>\s?|[-*+]\s{1,9}|\d{1,3}[.)]\s{1,9}){1,9}")
_HORIZONTAL_RULE = re.compile(r"[-*_=|:\s]{3,}$")
_EMPHASIS = re.compile(r"\*\*([^*\s][^*]{0,200})\*\*|`([^`]{1,200})`")
_MIN_SENTENCE_CHARS = 12  # shorter ones ("Done.", "Perfect!") are joined with the next
_MAX_SUMMARY_INPUT_CHARS = 4000


def summarize(text: str, limit: int = 160) -> str:
    """Return the first sentence of the first line of prose, at most `limit` characters."""
    lines = _prose_lines(text[:_MAX_SUMMARY_INPUT_CHARS])
    sentence = _first_sentence(next(lines, ""), limit)
    if sentence.endswith(":"):  # it announces something
        sentence = f"{sentence} {_first_sentence(next(lines, ''), limit)}".rstrip()
    return clip(sentence, limit)


def opening_line(text: str, limit: int) -> str:
    """Return the beginning of the prose of a text as one line, for lists."""
    return clip(" ".join(" ".join(_prose_lines(text[: max(_MAX_SUMMARY_INPUT_CHARS, 4 * limit)])).split()), limit)


def _prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of prose without Markdown. Fenced code, rules and empty lines are skipped."""
    fenced = False
    for line in text.split("\n"):
        if _CODE_FENCE.match(line):
            fenced = not fenced
        elif not fenced and not _HORIZONTAL_RULE.match(line):
            marks = _MARKDOWN_PREFIX.match(line)
            bare = line[marks.end() :] if marks else line
            if plain := " ".join(_EMPHASIS.sub(r"\1\2", bare).split()):
                yield plain


def _first_sentence(line: str, limit: int) -> str:
    end = next((end for end in sentence_ends(line) if end >= _MIN_SENTENCE_CHARS), None)
    return line if end is None or end > limit else line[:end]


# Headlines of requests and results of replies

MIN_SPECIFICITY = 2  # weight from which a request says what a session is about
_MIN_RESULT_SPECIFICITY = 2  # weight from which a sentence of a reply states a result
_FULL_SPECIFICITY = 4  # weight from which a sentence needs no other beside it
_MAX_TEXT_CHARS = 6000
_MAX_UNITS = 60  # sentences of a text
_MAX_LABEL_CHARS = 40
_MAX_FOLLOWING_UNITS = 3  # sentences after the first specific one
_MIN_WRAPPED_CHARS = 55  # a line of this length without punctuation at its end continues in the next

# Words that most requests and replies about software contain.
_COMMON_WORDS = frozenset(
    "above actually added adding address addressed after again agent ah ahead almost already alright another anything"
    " apply asked back basically before begin below better bit branch branches briefly bug bugs build change changed"
    " changes check checked checking checks clean code comment comments commit commits committed complete completed"
    " continue correct correctly create created current don't done double draft each edit edits else ensure error"
    " errors even every everything exactly fail failed failing failure failures feedback few file files final finally"
    " find fine first fix fixed fixes fixing follow following format formatted formatting found full fully further gah"
    " get give given go going good got great green happy hello help here here's hey hi hmm hold huh i'd i'll i'm i've"
    " idea implement implementation implemented improve include included includes including instead integration issue"
    " issues it's item items job kind know last later least left less let let's lets like line lines lint linter"
    " linting little local locally look looking looks lot made main make makes making maybe mean merge merged minor"
    " more most much need needed needs new next nice nope nothing now number oh ok okay one ones only open opened"
    " other others out own part parts pass passed passes passing patch per perfect perform place plan please point pr"
    " present probably problem problems proceed project properly pull push pushed put question questions quick quickly"
    " quite read ready really remaining repo repository request requests result results review reviewed right run"
    " running runs same save say see seems session set should show since small something sort start started step steps"
    " still stop stuff success successful successfully suggested suite summary sure take task tasks tell test tested"
    " testing tests thank thanks that's there's thing things think though time together too total try trying two uh"
    " unit update updated updates use user usual verified verify via wait want way welcome well what's while without"
    " won't work worked working works write written wrong yeah yep yes yet you're".split()
)
_WORD = re.compile(r"[^\W_](?:[\w'’.:/+-]{0,80}\w)?(?:\(\))?")
_UNSPACED_SCRIPT = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HASH = re.compile(r"[0-9a-f]{7,64}$")
_URL = re.compile(r"https?://\S+")
# An identifier, a path, a version, a ticket.
_IDENTIFIER = re.compile(r"[a-z][A-Z]|\w[_./:]\w|\(\)|[A-Za-z]-?\d|\d[.]\d")
_TABLE_RULE = re.compile(r"[-*_=|:+\s]{3,}$")
_HEADING = re.compile(r"\s{0,9}#{1,6}\s{1,9}")
_BOLD_LINE = re.compile(r"\s{0,3}\*\*[^*\n]{1,80}\*\*:?\s{0,3}")
_LIST_ITEM = re.compile(r"\s{0,19}(?:>\s?)?(?:[-*+•]|\d{1,3}[.)])\s{1,9}")
# Output of programs: times, levels, stack frames, shell prompts, diffs, JSON, tags.
_PROGRAM_OUTPUT = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|FAIL|PASS)\b"
    r"|at \S.{0,300}\(.{0,200}\)$|File \".{1,300}\", line \d|Traceback"
    r"|[$%❯➜⏺⎿│├└┌✓✗✔✘●|]|[=]{3}|[-]{3}|[+]{3}|@@|npm ERR!|[{}\[\]]"
    r"|</?[A-Za-z]|\S+:\d+:\d+:|(?:Exit code|exit status) \d)"
)
_HOOK_STOP_MESSAGE = "Operation stopped by hook:"  # Claude Code writes it in the place of a prompt
_MIN_LETTER_SHARE = 0.55  # of a line of prose

_ANNOUNCEMENT = re.compile(
    r"(?i)(?:(?:now|ok|okay|good|great|first|next|then|alright|perfect|excellent|so|and|also|but|right|yes|sure|done"
    r"|wait|hmm)[,.!:;—-]{0,2}\s+){0,3}(?:let me\b|let's\b|i['’]?ll\b|i will\b|i['’]?m going to\b|i am going to\b"
    r"|i need to\b|i should\b|i['’]?d be happy\b|we need to\b|we should\b"
    r"|now (?:i (?:have|understand|see|know|can|need)|add|check|fix|run|update|verify)\b"
    r"|(?:checking|running|looking|reading|searching|verifying|investigating)\b)"
)
_INTRODUCTION = re.compile(
    r"(?i)(?:here['’]?s|here is|here are|(?:final )?summary|changes?|what (?:changed|i did|was done|we did)|key changes"
    r"|files? changed|results?|in summary|overview|the (?:changes|fix|result)s? (?:is|are)|this (?:adds|includes))\b"
    r"[^.!?]{0,60}:?$"
)
_COURTESY = re.compile(
    r"(?i)(?:hi|hello|hey|good (?:morning|evening)|thanks|thank you|great|perfect|ok|okay|yes|yeah|nice|cool|alright"
    r"|sure|please|awesome|excellent)\b[^.!?:\n]{0,20}[.!…]{0,3}$"
)
# How an agent says what it has done, and what it only found out on the way.
_COMPLETED = re.compile(
    r"(?i)(?:(?:✅|done[.!:,]|i['’]ve|i have|successfully|now)\s{1,3}){0,2}(?:fixed|resolved|repaired|corrected|added"
    r"|implemented|introduced|created|wrote|built|removed|deleted|dropped|replaced|renamed|moved|migrated|refactored"
    r"|rewrote|extracted|split|converted|updated|upgraded|changed|improved|reverted|restored|enabled|disabled|merged"
    r"|released|deployed)\b"
)
_FOUND = re.compile(
    r"(?i)(?:i\s|i['’]ve\s|i have\s)?(?:identified|found|located|discovered|noticed|read|searched|looked|checked"
    r"|reviewed|examined|explored|investigated|analy[sz]ed|traced|confirmed)\b"
)
_OFFER = re.compile(
    r"(?i)(?:let me know|would you like|do you want|want me to|shall i|should i|feel free|happy to|glad|good luck"
    r"|if you(?:['’]d| would)? (?:like|want)|i(?:['’]?m| am) (?:so |really |very )?(?:glad|happy)"
    r"|you(?:['’]re| are) (?:very |most |absolutely |quite )?(?:welcome|right|correct)"
    r"|try (?:it|running)|you can now (?:run|try))\b"
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
    """Return how well a text distinguishes one piece of work from another.

    Distinct words that are not common count 1; identifiers, paths, versions and tickets 2; words of scripts without
    blanks half their length.
    """
    weights: dict[str, int] = {}
    for match in _WORD.finditer(_URL.sub(" ", text[:_MAX_TEXT_CHARS])):
        word = match[0]
        lower = word.lower().replace("’", "'")
        if _UNSPACED_SCRIPT.search(word):
            weights[lower] = len(word) // 2
        elif _HASH.match(lower):
            continue
        elif _IDENTIFIER.search(word):
            weights[lower] = 2
        elif len(word) > 1 and not word.isdigit() and lower not in _COMMON_WORDS and lower not in STOP_WORDS:
            weights[lower] = 1
    return sum(weights.values())


def headline(text: str, limit: int) -> str:
    """Return the sentence of a request that says what it is about, at most `limit` characters, cut at a word.

    "" if the request is only pasted code or output.
    """
    return _cached_headline(text[:_MAX_TEXT_CHARS], limit)


@lru_cache(maxsize=256)  # a session is folded whenever it grows, and its page needs each title again
def _cached_headline(text: str, limit: int) -> str:
    units, weights = _leading_units(text)
    if not units or text.lstrip().startswith(_HOOK_STOP_MESSAGE):
        return ""
    index = most_specific(weights)
    title = units[index].text
    if index == 1 and weights[0] and _is_label_line(units[0], weights[0]):
        title = f"{units[0].text.rstrip(':')}: {title}"
    elif index + 1 < len(units) and title.endswith(":") and weights[index] < _FULL_SPECIFICITY <= weights[index + 1]:
        title = units[index + 1].text  # the announced sentence says more
    elif index + 1 < len(units) and (title.endswith(":") or _is_label_line(units[index], weights[index])):
        title = f"{title.rstrip(':')}: {units[index + 1].text}"
    return clip_at_word(title.rstrip(": "), limit)


def _leading_units(text: str) -> tuple[list[_TextUnit], list[int]]:
    """Return the sentences of a request with their weights, up to a few after the first specific one."""
    units: list[_TextUnit] = []
    weights: list[int] = []
    courtesies: list[_TextUnit] = []
    last = None
    for unit in _text_units(text, allow_output=False):
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
    """Return the index of the most specific text, given the weights of all.

    It is the first specific one, unless that is barely so and one of the next two weighs at least twice as much. 0 if
    none is specific.
    """
    first = next((at for at, weight in enumerate(weights) if weight >= MIN_SPECIFICITY), 0)
    if weights[first] > MIN_SPECIFICITY:
        return first
    twice = 2 * max(weights[first], 1)
    return next((at for at in range(first + 1, min(first + 3, len(weights))) if weights[at] >= twice), first)


def _is_label_line(unit: _TextUnit, weight: int) -> bool:
    """Return whether a line is a label of what follows rather than a sentence."""
    is_short = weight <= MIN_SPECIFICITY and len(unit.text) < _MAX_LABEL_CHARS
    return is_short and unit.kind is not _UnitKind.ITEM and not any(sentence_ends(unit.text))


def result_sentence(text: str, limit: int) -> str:
    """Return the first sentence of a reply that states a result, with the items after a colon.

    If that is a step on the way, an item of a list or something that was found, and a later sentence says what was
    done, it is that one. "" if the reply only announces, thanks, asks or offers something.
    """
    units = list(_text_units(text, allow_output=True))
    for index, unit in enumerate(units):
        if result := _unit_result(units, index, limit):
            is_found = _FOUND.match(unit.text) is not None
            is_step = is_found or unit.kind is _UnitKind.ITEM
            return (_completed_work(units, limit, in_items=is_found) if is_step else "") or result
    return _completed_work(units, limit)


def _unit_result(units: list[_TextUnit], index: int, limit: int) -> str:
    """Return the result that a sentence states, with the items after a colon; "" if it states none."""
    unit = units[index]
    if unit.kind in (_UnitKind.HEADING, _UnitKind.CODE) or is_filler(unit.text) or unit.text.endswith("?"):
        return ""
    if not unit.text.endswith(":"):
        return clip_at_word(unit.text, limit) if specificity(unit.text) >= _MIN_RESULT_SPECIFICITY else ""
    listed = _listed_items(units, index, limit)
    is_result = listed and specificity(f"{unit.text} {listed}") >= _MIN_RESULT_SPECIFICITY
    return clip_at_word(f"{unit.text} {listed}", limit) if is_result else ""


def _completed_work(units: list[_TextUnit], limit: int, *, in_items: bool = False) -> str:
    """Return the first sentence that says what was done, with a word that is not common; "" if there is none.

    Paragraphs conclude what items list, so items count only with `in_items`, and after paragraphs.
    """
    kinds = [_UnitKind.PARAGRAPH, *([_UnitKind.ITEM] if in_items else [])]
    sentences = (unit.text for kind in kinds for unit in units if unit.kind is kind)
    done = (text.rstrip(":") for text in sentences if _COMPLETED.match(text) and not text.endswith("?"))
    return clip_at_word(next(filter(specificity, done), ""), limit)


def is_announcement(sentence: str) -> bool:
    """Return whether a sentence of an agent says what it is about to do."""
    return _ANNOUNCEMENT.match(sentence) is not None


def is_filler(sentence: str) -> bool:
    """Return whether a sentence of an agent announces work, introduces a list, or is a courtesy."""
    if is_announcement(sentence) or _OFFER.match(sentence):
        return True
    return _INTRODUCTION.match(sentence) is not None and specificity(sentence) < MIN_SPECIFICITY


def last_sentence(text: str) -> str:
    """Return the last sentence of a text outside of code and tables; "" if there is none."""
    units = _text_units(text[-_MAX_TEXT_CHARS:], allow_output=True)
    return next((unit.text for unit in reversed([*units]) if unit.kind is not _UnitKind.CODE), "")


def _listed_items(units: list[_TextUnit], index: int, limit: int) -> str:
    """Return what follows a colon: items up to the limit, or one line."""
    following = units[index + 1 :]
    joined = ""
    for unit in takewhile(lambda unit: unit.kind is _UnitKind.ITEM, following):
        item = unit.text.rstrip(".;")
        if joined and len(units[index].text) + len(joined) + len(item) + 3 > limit:
            break
        joined = f"{joined}; {item}" if joined else item
    if joined or not following or following[0].kind is _UnitKind.HEADING:
        return joined
    first = following[0].text
    return f"{first} {_listed_items(units, index + 1, limit - len(first))}".rstrip() if first.endswith(":") else first


def _text_units(text: str, *, allow_output: bool) -> Iterator[_TextUnit]:
    """Yield the first sentences in order. Without `allow_output`, lines that look like program output are left out."""
    blocks = _text_blocks(text[:_MAX_TEXT_CHARS], allow_output)
    return islice((unit for block in blocks for unit in _sentences(block)), _MAX_UNITS)


def _sentences(block: _TextUnit) -> Iterator[_TextUnit]:
    """Yield the sentences of a paragraph, or another block as it is."""
    ends = [*sentence_ends(block.text), len(block.text)] if block.kind is _UnitKind.PARAGRAPH else [len(block.text)]
    for start, end in pairwise([0, *ends]):
        if sentence := block.text[start:end].strip():
            yield _TextUnit(block.kind, sentence)


def _text_blocks(text: str, allow_output: bool) -> Iterator[_TextUnit]:
    """Yield paragraphs with their wrapped lines joined; headings, items and the first line of each code block."""
    fenced, has_code_line, paragraph = False, False, ""
    for line in text.split("\n"):
        if _CODE_FENCE.match(line):
            fenced, has_code_line = not fenced, False
        elif fenced:
            if not has_code_line and any(map(str.isalpha, line)):
                yield _TextUnit(_UnitKind.CODE, " ".join(line.split()))
                has_code_line = True
            continue
        kind, bare = _strip_markdown(line, allow_output)
        is_wrapped = paragraph[-1:] not in ".!?:;。！？" and (
            len(paragraph) >= _MIN_WRAPPED_CHARS or bare[:1].islower()
        )
        if paragraph and (kind is not _UnitKind.PARAGRAPH or not bare or not is_wrapped):
            yield _TextUnit(_UnitKind.PARAGRAPH, paragraph)
            paragraph = ""
        if bare and kind is _UnitKind.PARAGRAPH:
            paragraph = f"{paragraph} {bare}".strip()
        elif bare:
            yield _TextUnit(kind, bare)
    if paragraph:
        yield _TextUnit(_UnitKind.PARAGRAPH, paragraph)


def _strip_markdown(line: str, allow_output: bool) -> tuple[_UnitKind, str]:
    """Return a line without Markdown, and its kind; "" if it is not prose."""
    if not line.strip() or _TABLE_RULE.match(line) or _CODE_FENCE.match(line) or line.lstrip().startswith("|"):
        return _UnitKind.PARAGRAPH, ""
    kind, mark = _UnitKind.PARAGRAPH, _HEADING.match(line)
    if mark or _BOLD_LINE.fullmatch(line):
        kind = _UnitKind.HEADING
    elif mark := _LIST_ITEM.match(line):
        kind = _UnitKind.ITEM
    bare = line[mark.end() :] if mark else line.lstrip("> ")
    is_indented = kind is _UnitKind.PARAGRAPH and line.startswith(("    ", "\t"))
    if not allow_output and (is_indented or _is_program_output(bare)):
        return _UnitKind.PARAGRAPH, ""
    plain = " ".join(_EMPHASIS.sub(r"\1\2", bare).split()).replace("**", "").replace("`", "")
    return kind, plain


def _is_program_output(line: str) -> bool:
    chars = "".join(line.split())
    if _PROGRAM_OUTPUT.match(line) or (len(line.split()) == 1 and len(chars) > 40):
        return True
    return len(chars) > 15 and sum(map(str.isalpha, chars)) < _MIN_LETTER_SHARE * len(chars)
