"""Pairs of a failed call and the later call that seems to have mended it.

A failed call is compared with the successes among the next calls of the same agent, and the most similar one is its
candidate. Shell commands are compared by their words, calls of other tools by the words of their input; a retry may use
another program or another tool. `is_never_advice` is a hard stop; all else is decided by its score. What quoting did to
a command is read here, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product

from tacit.commandline.names import ParsedCommand, outside_quotes, parse_commands, quoted_words, strip_quotes
from tacit.commandline.programs import program_tables
from tacit.learn import SessionEvent, load_data
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, SessionCompacted, ToolAction, ToolOutcome, ToolUsed, TurnInterrupted
from tacit.record import Record

WINDOW = 12  # calls after a failure among which its retry is looked for
_CALLS_PER_PROMPT = 2  # a prompt counts as so many calls
_MIN_SIMILARITY = 0.2  # of a retry by another program or another tool
_MAX_ERROR_LINES = 60
_MAX_LINE_CHARS = 400
_HIDDEN_LINES = 3  # lines of a result in which an error is looked for if a pipe may have hidden the exit status
_MAX_CACHED = 2048

_QUIET = re.compile(r"\s{0,4}(?:[12]?>&[12]|2?>{1,2} ?/dev/null|&> ?/dev/null|\|\| true$)")
_TRIMMED = re.compile(r"\s{0,4}\|\s{0,4}(?:head|tail|cat|less)(?: -n)?(?: ?-?\d{1,5}| -[a-z]\d{0,5}){0,2}\s{0,4}$")
_FLAG = re.compile(r"-{1,2}[A-Za-z]")
_PIECE = re.compile(r"[\w.@-]{3,60}")
_NAMED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s][^`'\"‘’“”\n]{0,60})[`'\"’”]|(?<![\w-])(--?[A-Za-z][\w-]{0,40})")
_SHORT_OPTION = re.compile(r"\boption -- ['\"`]?(\w)\b")
_LINE_BREAK = re.compile(r"\n| \[…[\d,]{1,12} characters left out…\] (?:[^\n]{0,20}(?:\n|$))?")
_FRAME = re.compile(
    r"^(?:Exit code:? \d{1,3}|.{0,200}?\bstderr: |Wall time: .{0,40}|Output:|</?tool_use_error>)", re.IGNORECASE
)
_FRAME_WORDS = ("exit code", "stderr: ", "wall time: ", "output:", "tool_use_error>")
ANSI_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_ERROR_START = re.compile(r"(?:[\w./ -]{1,40}: ){0,3}(?:fatal|error|usage|npm err)\b", re.IGNORECASE)
_ERROR_WORD = re.compile(
    r"\b(?:error|fatal|failed|cannot|can't|unable|not found|no such|unknown|unrecogni[sz]ed|invalid|unexpected|denied|"
    r"missing|must|requires?|not (?:allowed|supported|installed|permitted|a|an|in|exist))\b|no matches|illegal",
    re.IGNORECASE,
)
_SHELL_PREFIX = re.compile(r"^(?:\(eval\):\d{1,5}:|(?:/bin/)?(?:ba|z|da|k)?sh: )")
_OWN_NAME = re.compile(r"^([A-Za-z][\w.+-]{0,30}): ")
_MASKS = re.compile(r"[|;\n]")
_ENTERS = frozenset("cd pushd export source . eval nvm direnv asdf conda pyenv workon".split())
LOOKS = frozenset(
    "status log diff show branch list ls info view why ps logs images inspect version help env doctor search which "
    "--version --help --list".split()
)
# Calls that another tool can replace; an edit or a read is no retry of a command.
_REPLACEABLE = frozenset((ToolAction.RAN, ToolAction.FETCHED, ToolAction.OTHER, ToolAction.DELEGATED))
_HELP = re.compile(r"\s(?:--help|-h|help)\b|^(?:man|which|type|command -v) ")

# The person or the host did not let the call run, or another call of a batch ended it: nothing failed.
_DECLINED = re.compile(
    r"\buser (?:doesn't want|declined|denied|rejected|cancel+ed|chose not)|request interrupted|by (?:the )?user\b|"
    r"sibling tool call|parallel tool call|^cancel+ed: |permission to use|haven't granted|requires approval|"
    r"blocked by (?:a )?(?:hook|policy)",
    re.IGNORECASE,
)
_DECLINED_WORDS = (
    *("user", "request interrupted", "tool call", "cancel", "permission to use", "haven't granted"),
    *("requires approval", "blocked by"),
)
_EXPECTED = re.compile(
    r"\b(?:should|must|expect(?:ed|s)?(?: to)?|supposed to) (?:fail|error|be rejected)\b", re.IGNORECASE
)
_ANSWERS = re.compile(r"(?:diff|cmp|comm|test|\[|\[\[|git diff --(?:quiet|exit-code)) ")  # a failure is their answer


class Call(Record):
    """A tool call and the event that recorded it."""

    event_id: EventId
    used: ToolUsed

    @property
    def is_command(self) -> bool:
        return self.used.act is ToolAction.RAN

    @property
    def is_edit(self) -> bool:
        used = self.used
        return used.outcome is ToolOutcome.SUCCEEDED and (used.act is ToolAction.CHANGED or bool(used.files))

    @property
    def text(self) -> str:
        """The command without what only shortens its output, or the tool and its input."""
        return bare(self.used.input) if self.is_command else f"{self.used.tool}: {self.used.input}"


class Pair(Record):
    """A failed call and its candidate.

    `before` and `after` are the commands that differ, parts of the two calls. `repair` is the one call in between that
    changed something, if the retry is the same command; `edited` are the files that were edited in between.
    """

    failure: Call
    retry: Call
    before: str
    after: str
    family: str  # of the command that failed, or the tool
    similarity: float
    is_same_family: bool
    error: str = ""  # the line of the result that says what went wrong
    distance: int = 0
    repair: Call | None = None
    edited: tuple[str, ...] = ()
    prompts: int = 0
    asked_help: bool = False

    @property
    def is_same_text(self) -> bool:
        return self.before == self.after


@lru_cache(maxsize=_MAX_CACHED)
def bare(text: str) -> str:
    """Return a command without redirections and filters that only make its output shorter or quieter."""
    return _TRIMMED.sub("", _QUIET.sub("", text)).strip()


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a command without quotes."""
    return tuple(strip_quotes(bare(text)).split())


def flags_of(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word.split("=", 1)[0] for word in words if _FLAG.match(word))


def named_in(line: str) -> frozenset[str]:
    """Return what an error names: texts in quotes, and options; `illegal option -- d` names `-d`."""
    short = {f"-{match[1]}" for match in _SHORT_OPTION.finditer(line)}
    return frozenset(match[1] or match[2] for match in _NAMED.finditer(line)) | short


# Errors


def error_lines(result: str) -> list[str]:
    """Return the lines of a result without colours and what a host puts in front of them."""
    lines = [line[:_MAX_LINE_CHARS] for line in _LINE_BREAK.split(result)[:_MAX_ERROR_LINES]]
    if "\x1b" in result:
        lines = [ANSI_STYLE.sub("", line) for line in lines]
    if _may_match(_FRAME_WORDS, result):
        lines = [_FRAME.sub("", line, count=1) for line in lines]
    return [stripped for line in lines if (stripped := line.strip())]


def _may_match(words: tuple[str, ...], text: str) -> bool:
    """Return whether a text has one of the words without which an expression does not match, in any case.

    Other letters than those of ASCII may be the same as one of them without case.
    """
    low = text.lower()
    return not text.isascii() or any(word in low for word in words)


def error_line(result: str, command: str = "", noise: frozenset[str] = frozenset()) -> str:
    """Return the line that says what went wrong, or "". Lines in `noise` are also printed by a success."""
    lines = [line for line in error_lines(result) if line not in noise]
    if not lines:
        return ""
    if any(line.startswith("Traceback") for line in lines):
        return lines[-1]
    programs = _programs(command)

    def rank(line: str) -> int:
        name = _OWN_NAME.match(line)
        is_own = name is not None and name[1] in programs
        return (_ERROR_WORD.search(line) is not None) + 2 * (is_own or _ERROR_START.match(line) is not None)

    return max(lines, key=rank)


@lru_cache(maxsize=_MAX_CACHED)
def _programs(command: str) -> frozenset[str]:
    """Return the words of a line that may be names of programs."""
    return frozenset(word.rpartition("/")[2] for part in parse_commands(command) for word in part.text.split())


def is_declined(result: str) -> bool:
    """Return whether a call did not run: the person or the host stopped it, or another call of a batch failed."""
    head = result[:_MAX_LINE_CHARS]
    return _may_match(_DECLINED_WORDS, head) and _DECLINED.search(head) is not None


def failure_text(call: Call) -> str:
    """Return the output of a call that failed, also if a pipe or `|| true` hid its status. "" if it did not fail."""
    used = call.used
    is_failed = used.outcome is ToolOutcome.FAILED
    is_masked = used.outcome is ToolOutcome.SUCCEEDED and call.is_command and _MASKS.search(used.input) is not None
    # Most calls neither failed nor could have hidden it, so this is tested before the slower expressions.
    if not (is_failed or is_masked) or is_declined(used.result) or _EXPECTED.search(used.input):
        return ""
    if is_failed and not (call.is_command and _ANSWERS.match(call.text)):
        return used.result
    programs = _programs(used.input)
    # An error of the shell, or of a program of the line under its own name
    for line in error_lines(used.result)[:_HIDDEN_LINES]:
        name = _OWN_NAME.match(line)
        is_own = name is not None and (name[1] in programs or name[1].lower() in ("error", "fatal", "usage"))
        if _SHELL_PREFIX.match(line) or (is_own and _ERROR_WORD.search(line)):
            return line
    return ""


# Candidates


def find_pairs(events: Sequence[SessionEvent]) -> Iterator[Pair]:
    """Yield the candidate of each failed call of a session, in order."""
    for at, event in enumerate(events):
        if isinstance(event.body, ToolUsed):
            failure = Call(event.event_id, event.body)
            following = (events[place] for place in range(at + 1, len(events)))
            if (result := failure_text(failure)) and (pair := _best_pair(failure, result, following)):
                yield pair


def _best_pair(failure: Call, result: str, following: Iterable[SessionEvent]) -> Pair | None:
    """Return the failure with the most similar success behind it, if one is similar enough."""
    best: Pair | None = None
    best_score = 0.0
    between: list[Call] = []
    prompts = 0
    for event in following:
        if isinstance(event.body, TurnInterrupted | SessionCompacted):
            break
        if isinstance(event.body, PromptGiven):
            prompts += 1
        if not isinstance(event.body, ToolUsed) or event.body.aside != failure.used.aside:
            continue
        if len(between) + _CALLS_PER_PROMPT * prompts >= WINDOW:
            break
        call = Call(event.event_id, event.body)
        pair = _match(failure, call) if call.used.outcome is ToolOutcome.SUCCEEDED else None
        if pair and pair.is_same_family and is_bypass(failure.text, call.used.input):
            return None  # what follows works because of it
        if pair and not failure_text(call):
            error = error_line(result, failure.text, frozenset(error_lines(call.used.result)))
            named = named_in(error) | set(_PIECE.findall(error))
            is_advised = not named.isdisjoint(set(words_of(pair.after)) - set(words_of(pair.before)))
            score = pair.similarity + 0.15 * is_advised + 0.3 * pair.is_same_family - 0.02 * len(between)
            if error and score > best_score and not _keeps_blamed_option(error, pair):
                edits = (other.used.files or (other.used.input,) for other in between if other.is_edit)
                best_score = score
                best = pair._replace(
                    error=error,
                    distance=len(between),
                    repair=_repair(failure, between),
                    edited=tuple(file for files in edits for file in files),
                    prompts=prompts,
                    asked_help=any(_HELP.search(other.text) for other in between),
                )
            if pair.is_same_text:  # it works again
                break
        between.append(call)
    return best


def _keeps_blamed_option(error: str, pair: Pair) -> bool:
    """Return whether the error names an option of the command, and another command still has it and none that helps."""
    named, old, new = named_in(error), flags_of(words_of(pair.before)), flags_of(words_of(pair.after))
    is_kept = not pair.is_same_text and bool(named & old) and named & old <= new
    return is_kept and named.isdisjoint(new - old)


def _repair(failure: Call, between: Sequence[Call]) -> Call | None:
    """Return the one command in between that may have changed something."""
    succeeded = (call for call in between if call.is_command and call.used.outcome is ToolOutcome.SUCCEEDED)
    others = [call for call in succeeded if not call.is_edit and has_effect(call.text) and call.text != failure.text]
    return others[0] if len(others) == 1 else None


def _match(failure: Call, call: Call) -> Pair | None:
    """Compare a failure with a success; None if they have too little in common."""
    if not (failure.is_command and call.is_command):
        before, after, tool = failure.text, call.text, failure.used.tool
        if tool == call.used.tool:
            return Pair(failure, call, before, after, tool, 0.3 + 0.7 * _overlap(before.split(), after.split()), True)
        similarity = _overlap(_pieces(before), _pieces(after))
        is_retry = similarity >= _MIN_SIMILARITY and {failure.used.act, call.used.act} <= _REPLACEABLE
        return Pair(failure, call, before, after, tool, similarity, False) if is_retry else None
    if failure.text.split() == call.text.split():
        return Pair(failure, call, failure.text, failure.text, family_of(failure.text), 1.0, True)
    ours, theirs = _tasks(failure.text), _tasks(call.text)
    pairs = [(_overlap(words_of(old.text), words_of(new.text)), old, new) for old in ours for new in theirs]
    if not pairs:
        return None
    similarity, old, new = max(pairs, key=lambda pair: pair[0] + 0.3 * (pair[1].family == pair[2].family))
    has_common = old.family == new.family or not set(_pieces(old.text)).isdisjoint(_pieces(new.text))
    if similarity < _MIN_SIMILARITY and not has_common:
        return None
    before, after = bare(old.text), bare(new.text)
    known = {part.text for part in parse_commands(failure.text)}
    ahead = [part for part in parse_commands(call.text) if part.text not in known and part.text != new.text]
    leads = [part.text for part in ahead[:2] if _enters(part) or (before == after and has_effect(part.text))]
    retry = " && ".join([*leads, after])
    return Pair(failure, call, before, retry, old.family, similarity, old.family == new.family)


def _tasks(text: str) -> list[ParsedCommand]:
    """Return the commands of a line without those that only move, wait or print."""
    parts = parse_commands(text)
    return [part for part in parts if not _enters(part) and part.family not in ("echo", "sleep", "true")] or list(parts)


@lru_cache(maxsize=_MAX_CACHED)
def family_of(text: str) -> str:
    return next((part.family for part in _tasks(text)), text.split(" ", 1)[0])


def _enters(part: ParsedCommand) -> bool:
    """Return whether a command sets a directory or a variable for those behind it."""
    return part.family in _ENTERS or part.family.endswith("=") or part.words[:1] == (".",)


def has_effect(text: str) -> bool:
    """Return whether a line may have changed something that another command needs."""
    for part in parse_commands(text):
        is_listed = part.is_trivial or part.family in program_tables().read_only
        is_reading = part.words[:1] == ("curl",) or part.words[:2] == ("sed", "-n")
        if not (is_listed or is_reading) and LOOKS.isdisjoint(part.words[1:3]):
            return True
    return False


def _pieces(text: str) -> list[str]:
    """Return the parts of words, so that a path, a URL and an argument can have something in common."""
    return [piece for piece in _PIECE.findall(text) if not piece.startswith("-")]


def _overlap(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the share of words that two texts have in common, 0 to 1."""
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / (len(first) + len(second)) if first or second else 0.0


# Quoting

# Programs whose first operand is a pattern or a program, and options behind which one stands.
_PATTERN_PROGRAMS = re.compile(r"(?:^|[|;&] ?|git )(?:[ef]?grep|rg|ag|ack|g?sed|[gm]?awk|jq|yq) ")
_SCRIPT_OPTION = re.compile(r"\s(?:-c|-e|-p|-r|--eval|--jq|--query|--command|--execute) $")
_QUOTED_TEXT = re.compile(r"'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)

_SHELL_ERROR = re.compile(
    r"syntax error near|no matches found|: no match\b|event not found|parse error near|bad pattern|bad substitution|"
    r"unknown (?:file attribute|sort specifier)|number expected|unmatched|unexpected eof while looking|"
    r"command not found|not a valid identifier|substitution failed",
    re.IGNORECASE,
)
# Characters that the shell interprets, pairs first. A blank is none: it is never the whole reason.
_SIGNS = ("()", "[]", "{}", "*", "?", "!", "&", ";", "|", "<>", "#", "`", "$", "~", "^", "=")
_READ_IN_DOUBLE_QUOTES = ("!", "`", "$")
_JOINT = re.compile(r"(?:[|&;<>]{1,2}|\d?>&?\d?|&>)(?:/dev/null)?")


class Quoting(Record):
    """The characters of a word that the shell interpreted before it was quoted."""

    signs: str
    is_path: bool
    is_single: bool  # double quotes were not enough


def asks_something_else(before: str, after: str) -> bool:
    """Return whether two commands are the same but for a pattern or a program in quotes: another question, no fix."""
    return before != after and _without_texts(before) == _without_texts(after)


def _without_texts(command: str) -> str:
    """Return a command without the quoted words that are patterns or programs."""
    command = command.partition("<<")[0]
    has_pattern = _PATTERN_PROGRAMS.search(command) is not None
    parts: list[str] = []
    end = 0
    for match in _QUOTED_TEXT.finditer(command):
        ahead = command[end : match.start()]
        parts += [ahead, "∅" if has_pattern or _SCRIPT_OPTION.search(ahead) else match[0]]
        end = match.end()
    return "".join(parts) + command[end:]


def quoted_signs(before: str, after: str, error: str) -> Quoting | None:
    """Return the characters that a shell stumbled over if the retry has them in quotes, else None."""
    if not _SHELL_ERROR.search(error):
        return None
    quoted = [word for word in quoted_words(after) if not {"'", '"', "\\"}.isdisjoint(word)]
    words = [word for word in quoted_words(before) if not _JOINT.fullmatch(word)]
    for word, signs in product(words, _SIGNS):
        now = [other for other in quoted if _has(strip_quotes(other), signs) and not _has(outside_quotes(other), signs)]
        if now and _has(outside_quotes(word), signs):
            return Quoting(signs, "/" in word and "://" not in word, is_single=False)
        is_in_double = signs in _READ_IN_DOUBLE_QUOTES and word.startswith('"') and signs in word
        if is_in_double and any(other.startswith("'") for other in now):
            return Quoting(signs, is_path=False, is_single=True)
    return None


def _has(text: str, signs: str) -> bool:
    return all(sign in text for sign in signs)


# Hard stops


@cache
def never_patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of `never.toml` by table."""
    return {
        name: tuple(re.compile(row[0], re.IGNORECASE if name == "errors" else 0) for row in rows)
        for name, rows in load_data("fixes/never.toml").items()
    }


def is_bypass(before: str, after: str) -> bool:
    """Return whether a command gets around a check, or destroys something, and the other does not."""
    return not _bypasses(after) <= _bypasses(before)


@lru_cache(maxsize=_MAX_CACHED)
def _bypasses(text: str) -> frozenset[re.Pattern[str]]:
    tables = (rows for name, rows in never_patterns().items() if name not in ("errors", "retries"))
    return frozenset(pattern for rows in tables for pattern in rows if pattern.search(text))


def is_never_advice(pair: Pair) -> bool:
    """Return whether a pair must not be suggested: a bypass, or what every agent knows."""
    never, failure = never_patterns(), pair.failure.used
    after = pair.after if pair.repair is None else f"{pair.repair.text}\n{pair.after}"
    errors = f"{pair.error}\n{failure.result[:_MAX_LINE_CHARS]}"
    return (
        is_bypass(failure.input, after)
        or is_bypass(failure.input, pair.retry.used.input)
        or any(pattern.search(errors) for pattern in never["errors"])
        or any(pattern.search(after) and not pattern.search(pair.before) for pattern in never["retries"])
    )
