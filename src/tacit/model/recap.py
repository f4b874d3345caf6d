"""Title and outcome of a session: what it was about and how it ended, in one line each, without a model.

The title is the name that the person gave the session in its host, else the one its host gave it, else the first
request that tells what the work was about, else the subject of what was committed, else what was run. The outcome is
the result that the agent told of the turn with most of the work, and the last one that it told; with what is known
besides: a commit, a pull request, a failed last test run, a question that was left open, a request without an answer.
Both are derived from the events alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.model.observation import PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.text.summarize import (
    MIN_SPECIFICITY,
    clip_at_word,
    headline,
    is_announcement,
    last_sentence,
    most_specific,
    one_line,
    opening_line,
    result_sentence,
    specificity,
    summarize,
)

if TYPE_CHECKING:
    from tacit.model.session import Turn

MAX_TITLE_CHARS, MAX_OUTCOME_CHARS = 100, 320  # characters
_MAX_QUOTE_CHARS, _MAX_STATEMENT_CHARS, _MIN_STATEMENT_CHARS = 70, 200, 60
_MAX_MAIN_RESULT_CHARS = (
    130  # characters of what came of the turn with most of the work, where something else was said last
)
_MIN_CHANGES = 2  # changes that make a turn one in which work was done
_MAX_PROGRAMS = 4
_MAX_ANSWER_WORDS = 2  # words
UNANSWERED = "The last request has no recorded answer"
_GIT_COMMIT = re.compile(r"(?:^|[\s;&|(])git\s(?:-[cC]\s\S{1,300}\s|-\S{1,60}\s){0,4}commit\b")
_COMMIT_MESSAGE = re.compile(
    _GIT_COMMIT.pattern + r"[^\n]{0,120}?\s(?:-[a-z]{0,3}m|--message)[= ]\s?"
    r"(?:\"\$\(cat <<-?\s?['\"]?\w+['\"]?\s*|\\?[\"']\s*)?([^\n]{1,200})"
)
_PULL_REQUEST = re.compile(r"\bgh pr create\b.{0,300}?--title[= ]\s?[\"']([^\n]{3,200})", re.DOTALL)
_CLOSING_QUOTE = re.compile(r"(?<!\\)[\"'](?:\s|$).*")
_TEST_COMMAND = re.compile(
    r"(?:^|[\s;&|/])(?:pytest|tox|nox|jest|vitest|rspec|phpunit|ctest|unittest"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|deno|mix|dotnet|swift|mvn|gradle|gradlew|make|just|mise|rake|rails|bazel|php|flutter)"
    r"(?:\s[\w@:./=-]{1,60}){0,4}?\s(?:run )?(?:test|tests|check)(?::[\w-]{1,40})?)(?=[\s;&|]|$)"
)
_THANKS = re.compile(
    r"\W{0,3}(?:(?:ok|okay|great|perfect|awesome|nice|cool|yes|excellent|wonderful|amazing)\W{1,3}){0,3}"
    r"(?:many thanks|thanks|thank you|thx|cheers|danke|merci|gracias)\b.{0,80}$"
    r"|\W{0,3}(?:(?:this|that|it|everything|all) ?(?:is|'s|looks|works|sounds) )?"
    r"(?:great|perfect|perfectly|awesome|nice|cool|excellent|good|fine|looks good|lgtm|well done|good job)\W{0,4}$",
    re.IGNORECASE | re.DOTALL,
)
_TEST_FAILURE = re.compile(r"\b(?:FAIL|FAILED|[1-9]\d{0,5} (?:failed|failures?|failing))\b")


def session_title(named: str, turns: Sequence[Turn]) -> str:
    """`named` is the title that the session has in its host, if it has one."""
    if named:
        return clip_at_word(" ".join(named.split()), MAX_TITLE_CHARS)
    asked = [turn for turn in turns if _is_request(turn) and turn_title(turn)]
    weights = [_request_specificity(turn.request) for turn in asked]
    at = most_specific(weights) if asked else 0
    best = turn_title(asked[at]) if asked else ""
    if not any(weights[at : at + 1]) and (done := _commit_titles(turns)):
        return clip_at_word(done[-1], MAX_TITLE_CHARS)
    answered = next((_first_prompt_title(turn) for turn in turns if turn.prompts), "")
    said = (summarize(reply, MAX_TITLE_CHARS) for turn in turns for reply in turn.replies)
    return best or answered or next(said, "") or _commands_title(turns) or "(nothing was said)"


def _commands_title(turns: Sequence[Turn]) -> str:
    """Of work without words: what was run, the most frequent programs first."""
    ran = list(_commands_run(turns))
    if not ran:
        return ""
    programs = Counter(words[0].rpartition("/")[2] for call in ran if (words := call.input.split()))
    number = "1 command" if len(ran) == 1 else f"{len(ran)} commands"
    by = " of a helper" if all(call.aside for call in ran) else ""
    return clip_at_word(
        f"{number}{by}: {', '.join(name for name, _ in programs.most_common(_MAX_PROGRAMS))}", MAX_TITLE_CHARS
    )


def _request_specificity(request: str) -> int:
    """How much a request tells: what was only pasted nothing, a word or two, which answer something, little."""
    told = headline(request, MAX_TITLE_CHARS)
    return (
        specificity(told) if len(told.split()) > _MAX_ANSWER_WORDS or not told.isascii() else min(specificity(told), 1)
    )


def turn_title(turn: Turn) -> str:
    """What a turn was about: the sentence of its request that tells most."""
    return (
        headline(turn.request, MAX_TITLE_CHARS)
        or summarize(turn.request, MAX_TITLE_CHARS)
        or opening_line(turn.request, MAX_TITLE_CHARS)
    )


def _is_request(turn: Turn) -> bool:
    """Whether it begins with words: a slash command by itself tells nothing, its arguments do."""
    if not turn.prompts or turn.prompts[0].how not in (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.COMMAND):
        return False
    return (
        turn.prompts[0].how is not PromptKind.COMMAND or specificity(turn.request.partition(" ")[2]) >= MIN_SPECIFICITY
    )


def _first_prompt_title(turn: Turn) -> str:
    """What began a turn that began with no request: a command, or the answer to a question."""
    first = turn.prompts[0]
    told = (
        f"{first.about} {first.text}"
        if first.how in (PromptKind.ANSWER, PromptKind.REJECTION) and first.about
        else first.text
    )
    return clip_at_word(opening_line(told, MAX_TITLE_CHARS), MAX_TITLE_CHARS)


def session_outcome(turns: Sequence[Turn]) -> str:
    """How a session ended. Empty where nothing was answered because nothing was asked."""
    worked = [turn for turn in turns if turn.steps or turn.interrupted or _has_request(turn)]
    while len(worked) > 1 and not worked[-1].steps and _is_thanks(worked[-1]):
        worked.pop()
    if not worked:
        return ""
    last = worked[-1]
    states = list(_unresolved_state(last, is_only=len(worked) == 1))
    facts = [*_commit_facts(worked), *_open_issues(worked)]
    before = ""
    if states:
        before = "Last said: " if len(worked) == 1 and not last.interrupted else "Before that: "
    room = MAX_OUTCOME_CHARS - len(before) - sum(len(part) + 1 for part in [*states, *facts])
    told = ""
    if room >= _MIN_STATEMENT_CHARS or not facts:
        told = _last_statement(
            worked, min(max(room, _MIN_STATEMENT_CHARS), _MAX_STATEMENT_CHARS), fallback=last.interrupted or not states
        )
    main = _main_result(worked, told) if room - len(told) >= _MIN_STATEMENT_CHARS else ""
    if main:
        result = _end_sentence(clip_at_word(main, min(_MAX_MAIN_RESULT_CHARS, room - len(told))))
        told = f"{result} {'Then: ' if told else ''}{told}".rstrip()
    parts = [*states, f"{before}{_end_sentence(told)}" if told else "", *facts]
    return clip_at_word(" ".join(part for part in parts if part), MAX_OUTCOME_CHARS)


def _main_result(turns: Sequence[Turn], told_last: str) -> str:
    """What came of the turn in which most was changed, unless that is what was told last."""
    changes = [sum(bool(call.files) for call in turn.calls) for turn in turns]
    most = max(range(len(turns)), key=lambda at: (changes[at], at))
    if changes[most] < _MIN_CHANGES:
        return ""
    told = next(
        (found for reply in reversed(turns[most].replies) if (found := result_sentence(reply, _MAX_MAIN_RESULT_CHARS))),
        "",
    )
    is_same = told[:_MIN_STATEMENT_CHARS] == told_last[:_MIN_STATEMENT_CHARS] or most == len(turns) - 1
    return "" if is_same else told


def turn_outcome(turn: Turn) -> str:
    """How one turn ended, or that it was stopped."""
    told = _last_statement([turn], _MAX_STATEMENT_CHARS, fallback=True)
    if turn.interrupted:
        return f"Interrupted. Before that: {told}" if told else "Interrupted."
    return told


def commit_subjects(turns: Sequence[Turn]) -> list[str]:
    """The subjects of commits that were made; an empty text where the command does not tell it."""
    ran = (call.input for call in _commands_run(turns) if call.outcome is ToolOutcome.SUCCEEDED)
    return [_message_subject(line, _COMMIT_MESSAGE) for line in ran if _GIT_COMMIT.search(line)]


def pull_request_titles(turns: Sequence[Turn]) -> list[str]:
    """The titles of pull requests that were opened."""
    found = (
        _message_subject(call.input, _PULL_REQUEST)
        for call in _commands_run(turns)
        if call.outcome is ToolOutcome.SUCCEEDED
    )
    return list(dict.fromkeys(filter(None, found)))


def has_failed_tests(turns: Sequence[Turn]) -> bool:
    """Whether the last run of tests failed: by its status, or by what it printed, where a pipe hides the status."""
    runs = [
        call
        for call in _commands_run(turns)
        if _TEST_COMMAND.search(call.input) and call.outcome is not ToolOutcome.REJECTED
    ]
    if not runs:
        return False
    last = runs[-1]
    return last.outcome is ToolOutcome.FAILED or ("|" in last.input and _TEST_FAILURE.search(last.result) is not None)


def _has_request(turn: Turn) -> bool:
    return bool(turn.prompts) and turn.prompts[0].how is not PromptKind.COMMAND


def _last_statement(turns: Sequence[Turn], limit: int, *, fallback: bool) -> str:
    """The last result that the agent told; where it told none, and `fallback` is set, its last words."""
    replies = [reply for turn in _without_thanks(turns) for reply in turn.replies]
    told = next((found for reply in reversed(replies) if (found := result_sentence(reply, limit))), "")
    if told or not replies or not fallback:
        return told
    return clip_at_word(summarize(replies[-1], _MAX_STATEMENT_CHARS), limit)


def _without_thanks(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Without turns at the end in which the person only said thanks, unless there is nothing else."""
    end = len(turns)
    while end and _is_thanks(turns[end - 1]):
        end -= 1
    return turns[:end] or turns


def _is_thanks(turn: Turn) -> bool:
    return _THANKS.match(turn.request) is not None and "?" not in turn.request


def _unresolved_state(last: Turn, *, is_only: bool) -> Iterator[str]:
    if last.interrupted:
        yield "Interrupted."
    elif _has_request(last) and not _is_answered(last):
        request = headline(last.request, _MAX_QUOTE_CHARS) or opening_line(last.request, _MAX_QUOTE_CHARS)
        yield f"{UNANSWERED}." if is_only else f"{UNANSWERED}: {_quote_sentence(request)}"
        files = {file for call in last.calls for file in call.files}
        if files:
            yield f"{len(files)} {'file was' if len(files) == 1 else 'files were'} changed."


def _is_answered(turn: Turn) -> bool:
    """Whether the agent said something when it was done: what it announces before it works is no answer."""
    replies = turn.replies
    if not replies:
        return False
    ends_with_words = isinstance(turn.steps[-1], ReplyGiven)
    return ends_with_words and (
        bool(result_sentence(replies[-1], _MAX_STATEMENT_CHARS)) or not is_announcement(last_sentence(replies[-1]))
    )


def _commit_facts(turns: Sequence[Turn]) -> Iterator[str]:
    if opened := pull_request_titles(turns):
        yield f"Pull request: {_quote_sentence(clip_at_word(opened[-1], _MAX_QUOTE_CHARS))}"
    elif made := list(dict.fromkeys(filter(None, commit_subjects(turns)))):
        more = f"{len(made)} commits, the last: " if len(made) > 1 else "Committed: "
        yield f"{more}{_quote_sentence(clip_at_word(made[-1], _MAX_QUOTE_CHARS))}"


def _open_issues(turns: Sequence[Turn]) -> Iterator[str]:
    """What is left to do: failing tests, a question without an answer."""
    last = turns[-1]
    if has_failed_tests(turns):
        yield "The tests failed when they were last run."
    elif last.steps and isinstance(step := last.steps[-1], ToolUsed) and step.outcome is ToolOutcome.FAILED:
        yield f"Failed last: {one_line(step.input, _MAX_QUOTE_CHARS)}"
    if last.replies and not last.interrupted:
        question = last_sentence(last.replies[-1])
        if question.endswith("?") and len(question) <= 2 * _MAX_QUOTE_CHARS:
            yield f"Left open: “{question}”"


def _commit_titles(turns: Sequence[Turn]) -> list[str]:
    return pull_request_titles(turns) or list(filter(None, commit_subjects(turns)))


def _commands_run(turns: Sequence[Turn]) -> Iterator[ToolUsed]:
    return (call for turn in turns for call in turn.calls if call.act is ToolAction.RAN)


def _message_subject(line: str, pattern: re.Pattern[str]) -> str:
    """The first line of a message in a command, without its closing quote and what follows."""
    found = pattern.search(line)
    return _CLOSING_QUOTE.sub("", found[1]).strip().strip("\"'") if found else ""


def _end_sentence(text: str) -> str:
    """A statement that ends like a sentence."""
    return text if text.endswith((".", "?", "!", "…", ":", "”")) else f"{text}."


def _quote_sentence(text: str) -> str:
    """A quotation that ends like a sentence."""
    return f"“{text}”" if text.endswith((".", "?", "!", "…")) else f"“{text}”."
