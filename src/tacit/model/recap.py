"""Title and outcome of a session: what it was about and how it ended, in one line each, without a model.

The title is the name that the person gave the session in its host, else the one its host gave it, else the first
request that says what the work was about, else the subject of a commit, else the commands that ran. The outcome has the
result that the agent reported for the turn with most of the work, and the last result it reported. It adds a commit, a
pull request, a failed last test run, an open question, or a request without an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tacit.model.observation import PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.session import Turn
from tacit.text import summarize
from tacit.text.display import clip_at_word, one_line
from tacit.text.summarize import headline, last_sentence, opening_line, result_sentence, specificity

MAX_TITLE_CHARS, MAX_OUTCOME_CHARS = 100, 320
_MAX_QUOTE_CHARS, _MAX_STATEMENT_CHARS, _MIN_STATEMENT_CHARS = 70, 200, 60
_MAX_MAIN_RESULT_CHARS = 130  # of the turn with most of the work, if another result was reported last
_MIN_CHANGES = 2  # changes of files that make a turn one with work
_MAX_PROGRAMS = 4
_MAX_ANSWER_WORDS = 2
UNANSWERED = "The last request has no recorded answer"
_GIT_COMMIT = re.compile(r"(?:^|[\s;&|(])git\s(?:-[cC]\s\S{1,300}\s|-\S{1,60}\s){0,4}commit\b")
_COMMIT_MESSAGE = re.compile(
    _GIT_COMMIT.pattern + r"[^\n]{0,120}?\s(?:-[a-z]{0,3}m|--message)[= ]\s?"
    r"(?:\"\$\(cat <<-?\s?['\"]?\w+['\"]?\s*|\\?[\"']\s*)?([^\n]{1,200})"
)
_PULL_REQUEST = re.compile(r"\bgh pr create\b.{0,300}?--title[= ]\s?[\"']([^\n]{3,200})", re.DOTALL)
# Words of requests that only say to go on, in whatever it is about.
_ASSENT_WORDS = frozenset(
    "a agreed again ahead all alright and approved awesome b c carry continue cool correct do excellent fine first go"
    " going good great it keep let let's lgtm looks next nice now of ok okay on one option perfect plan please pls"
    " proceed resume retry right s second ship so sounds step steps sure thank thanks that the then this try with y"
    " yeah yep yes you yup ja weiter mach bitte danke oui merci continuez vas sí si sigue continúa adelante sim"
    " 继续 请继续 好 好的 是 是的 可以 はい 続けて 네 계속".split()
)
_ASSENT_WORD = re.compile(r"[^\W\d_]+(?:'\w)?")
_CLAUSE_END = re.compile(r"[;—]|\s-\s|:\s|\s\(|,\s(?:and|so|which|while|because|but)\b")
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
# How a prompt begins that says no to what was just done, also in other languages in which rules are heard.
REFUSAL_LEAD = (
    r"\W{0,3}(?:(?:wait|hm+|ugh|oh|ah|ok|okay|please|pls|actually|sorry|hey|u+m+|erm|but|and|so)\b\W{0,4}){0,3}"
)
REFUSAL = re.compile(
    rf"{REFUSAL_LEAD}(?:no\b(?! (?:worries|problem|need))|nope\b|don'?t\b|do not\b|never\b|let'?s not\b|revert\b|undo\b"
    r"|wrong\b|incorrect\b|(?:that|this|it)(?: is|'s| was)(?: still| just| completely)? (?:wrong|incorrect)\b"
    r"|(?:that|this|it|you|\w+(?: \w+)?)(?: is|'s| was|'re| are)(?: not|n'?t) (?:right|correct|what|how|the way|good)\b"
    r"|not (?:what|like|so|that|as|in|the)\b|i (?:don'?t|didn'?t|do not|did not) (?:want|ask|like)\b"
    r"|nein\b|falsch\b|non\b|arrête|нет\b|не надо|неправильно|不对|不要|不是|違う)",
    re.IGNORECASE,
)
_TEST_FAILURE = re.compile(r"\b(?:FAIL|FAILED|[1-9]\d{0,5} (?:failed|failures?|failing))\b")


def session_title(host_title: str, turns: Sequence[Turn]) -> str:
    """Return the title of a session. `host_title` is the one it has in its host, or ""."""
    if host_title:
        return clip_at_word(" ".join(host_title.split()), MAX_TITLE_CHARS)
    requests = [turn for turn in turns if _is_request(turn) and _request_title(turn)]
    weights = [_request_specificity(turn.request) for turn in requests]
    best = summarize.most_specific(weights) if requests else 0
    if not requests or weights[best] < summarize.MIN_SPECIFICITY:
        says_nothing = all(_is_assent(turn.request) for turn in requests)
        if work := _committed_work(turns) or (_reported_work(turns) if says_nothing else ""):
            return clip_at_word(work, MAX_TITLE_CHARS)
    if requests:
        return _request_title(requests[best])
    first_prompt = next((_first_prompt_title(turn) for turn in turns if turn.prompts), "")
    replies = (summarize.summarize(reply, MAX_TITLE_CHARS) for turn in turns for reply in turn.replies)
    return first_prompt or next(replies, "") or _commands_title(turns) or "(nothing was said)"


def _committed_work(turns: Sequence[Turn]) -> str:
    """Return the title of the last pull request, else the subject of the last commit that says something."""
    subjects = pull_request_titles(turns) or list(filter(None, commit_subjects(turns)))
    telling = [subject for subject in subjects if specificity(subject) >= summarize.MIN_SPECIFICITY]
    return next(reversed(telling or subjects), "")


def _is_assent(request: str) -> bool:
    """Return whether a request only says to go on."""
    return _ASSENT_WORDS.issuperset(_ASSENT_WORD.findall(request[:MAX_TITLE_CHARS].lower().replace("’", "'")))


def _reported_work(turns: Sequence[Turn]) -> str:
    """Return the last result that the agent reported: its first clause, or all of it if that alone tells little."""
    result = _last_result([reply for turn in turns for reply in turn.replies], _MAX_STATEMENT_CHARS)
    clause = _CLAUSE_END.split(result, maxsplit=1)[0]
    is_telling = len(clause.split()) > _MAX_ANSWER_WORDS and specificity(clause) >= summarize.MIN_SPECIFICITY
    return (clause if is_telling else result).rstrip(".:")


def _commands_title(turns: Sequence[Turn]) -> str:
    """Return the title of a session without words: the programs that ran, the most frequent first."""
    commands = list(_commands_run(turns))
    if not commands:
        return ""
    programs = Counter(words[0].rpartition("/")[2] for call in commands if (words := call.input.split()))
    count = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
    by = " of a helper" if all(call.aside for call in commands) else ""
    names = ", ".join(name for name, _ in programs.most_common(_MAX_PROGRAMS))
    return clip_at_word(f"{count}{by}: {names}", MAX_TITLE_CHARS)


def _request_specificity(request: str) -> int:
    """Return how much a request says: 0 if it was only pasted, at most 1 for an answer of a word or two."""
    title = headline(request, MAX_TITLE_CHARS)
    is_answer = len(title.split()) <= _MAX_ANSWER_WORDS and title.isascii()
    return min(specificity(title), 1) if is_answer else specificity(title)


def turn_title(turn: Turn) -> str:
    """Return what a turn was about: the most specific sentence of its request."""
    return _request_title(turn) or "(nothing was asked)"


def work_title(turns: Sequence[Turn], index: int) -> str:
    """Return what the work in a turn was for; "" if the session does not say it.

    "Yes, go on" says nothing: then it is the latest request before it that says what the work is about, else the
    subject of the commit that followed.
    """
    for turn in reversed(turns[: index + 1]):
        if _is_request(turn) and _request_specificity(turn.request) >= summarize.MIN_SPECIFICITY:
            return _request_title(turn)
    commits = filter(None, commit_subjects(turns[index:]))
    return clip_at_word(next(commits, ""), MAX_TITLE_CHARS)


def _request_title(turn: Turn) -> str:
    return (
        headline(turn.request, MAX_TITLE_CHARS)
        or summarize.summarize(turn.request, MAX_TITLE_CHARS)
        or opening_line(turn.request, MAX_TITLE_CHARS)
    )


def _is_request(turn: Turn) -> bool:
    """Return whether the turn begins with a request in words. A slash command needs arguments that say something."""
    kind = turn.prompts[0].how if turn.prompts else None
    if kind is PromptKind.COMMAND:
        return specificity(turn.request.partition(" ")[2]) >= summarize.MIN_SPECIFICITY
    return kind in (PromptKind.TYPED, PromptKind.QUEUED)


def _first_prompt_title(turn: Turn) -> str:
    """Return a title from the first prompt of a turn without a request: a command, or the answer to a question."""
    prompt = turn.prompts[0]
    is_answer = prompt.how in (PromptKind.ANSWER, PromptKind.REJECTION) and prompt.about
    text = f"{prompt.about} {prompt.text}" if is_answer else prompt.text
    return clip_at_word(opening_line(text, MAX_TITLE_CHARS), MAX_TITLE_CHARS)


def session_outcome(turns: Sequence[Turn]) -> str:
    """Return how a session ended, "" if nothing was asked and nothing was done."""
    worked = [turn for turn in turns if turn.steps or turn.interrupted or _has_request(turn)]
    while len(worked) > 1 and not worked[-1].steps and _is_thanks(worked[-1]):
        worked.pop()
    if not worked:
        return ""
    last = worked[-1]
    states = list(_unresolved_state(last, is_only=len(worked) == 1))
    facts = [*_facts(worked)]
    label = ""
    if states:
        label = "Last said: " if len(worked) == 1 and not last.interrupted else "Before that: "
    room = MAX_OUTCOME_CHARS - len(label) - sum(len(part) + 1 for part in [*states, *facts])
    statement = ""
    if room >= _MIN_STATEMENT_CHARS or not facts:
        limit = min(max(room, _MIN_STATEMENT_CHARS), _MAX_STATEMENT_CHARS)
        statement = _last_statement(worked, limit, fallback=last.interrupted or not states)
    room -= len(statement)
    main = _main_result(worked, statement) if room >= _MIN_STATEMENT_CHARS else ""
    if main:
        result = _end_sentence(clip_at_word(main, min(_MAX_MAIN_RESULT_CHARS, room)))
        statement = f"{result} {'Then: ' if statement else ''}{statement}".rstrip()
    parts = [*states, f"{label}{_end_sentence(statement)}" if statement else "", *facts]
    return clip_at_word(" ".join(part for part in parts if part), MAX_OUTCOME_CHARS)


def _main_result(turns: Sequence[Turn], last_statement: str) -> str:
    """Return the result of the turn with most changes, "" if that is the last statement."""
    changes = [sum(bool(call.files) for call in turn.calls) for turn in turns]
    main = max(range(len(turns)), key=lambda index: (changes[index], index))
    if changes[main] < _MIN_CHANGES or main == len(turns) - 1:
        return ""
    result = _last_result(turns[main].replies, _MAX_MAIN_RESULT_CHARS)
    return "" if result[:_MIN_STATEMENT_CHARS] == last_statement[:_MIN_STATEMENT_CHARS] else result


def turn_outcome(turn: Turn) -> str:
    """Return how one turn ended, or that it was stopped."""
    statement = _last_statement([turn], _MAX_STATEMENT_CHARS, fallback=True)
    if turn.interrupted:
        return f"Interrupted. Before that: {statement}" if statement else "Interrupted."
    return statement


def commit_subjects(turns: Sequence[Turn]) -> list[str]:
    """Return the subjects of commits that were made, "" where the command does not show it."""
    lines = (call.input for call in _commands_run(turns) if call.outcome is ToolOutcome.SUCCEEDED)
    return [_message_subject(line, _COMMIT_MESSAGE) for line in lines if _GIT_COMMIT.search(line)]


def pull_request_titles(turns: Sequence[Turn]) -> list[str]:
    """Return the titles of pull requests that were opened, each once."""
    lines = (call.input for call in _commands_run(turns) if call.outcome is ToolOutcome.SUCCEEDED)
    return list(dict.fromkeys(filter(None, (_message_subject(line, _PULL_REQUEST) for line in lines))))


def has_failed_tests(turns: Sequence[Turn]) -> bool:
    """Return whether the last test run failed: by its status, or by its output if a pipe hides the status."""
    ran = (call for call in _commands_run(turns) if call.outcome.has_run)
    last = next((call for call in reversed([*ran]) if _TEST_COMMAND.search(call.input)), None)
    if last is None or last.outcome is ToolOutcome.FAILED:
        return last is not None
    return "|" in last.input and _TEST_FAILURE.search(last.result) is not None


def _has_request(turn: Turn) -> bool:
    return bool(turn.prompts) and turn.prompts[0].how is not PromptKind.COMMAND


def _last_statement(turns: Sequence[Turn], limit: int, *, fallback: bool) -> str:
    """Return the last result that the agent reported. If there is none and `fallback` is set, its last reply.

    Turns at the end in which the person only said thanks are skipped, unless there is nothing else.
    """
    end = len(turns)
    while end and _is_thanks(turns[end - 1]):
        end -= 1
    replies = [reply for turn in turns[:end] or turns for reply in turn.replies]
    result = _last_result(replies, limit)
    if result or not replies or not fallback:
        return result
    return clip_at_word(summarize.summarize(replies[-1], _MAX_STATEMENT_CHARS), limit)


def _last_result(replies: Sequence[str], limit: int) -> str:
    return next((result for reply in reversed(replies) if (result := result_sentence(reply, limit))), "")


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
    """Return whether the agent replied when it was done. An announcement before it works is no answer."""
    if not turn.steps or not isinstance(reply := turn.steps[-1], ReplyGiven):
        return False
    has_result = bool(result_sentence(reply.text, _MAX_STATEMENT_CHARS))
    return has_result or not summarize.is_announcement(last_sentence(reply.text))


def _facts(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield what was committed, and what is left to do: failing tests, a failed last call, an open question."""
    if titles := pull_request_titles(turns):
        yield f"Pull request: {_quote_sentence(clip_at_word(titles[-1], _MAX_QUOTE_CHARS))}"
    elif subjects := list(dict.fromkeys(filter(None, commit_subjects(turns)))):
        label = f"{len(subjects)} commits, the last: " if len(subjects) > 1 else "Committed: "
        yield f"{label}{_quote_sentence(clip_at_word(subjects[-1], _MAX_QUOTE_CHARS))}"
    last = turns[-1]
    if has_failed_tests(turns):
        yield "The tests failed when they were last run."
    elif last.steps and isinstance(step := last.steps[-1], ToolUsed) and step.outcome is ToolOutcome.FAILED:
        yield f"Failed last: {one_line(step.input, _MAX_QUOTE_CHARS)}"
    if last.replies and not last.interrupted:
        question = last_sentence(last.replies[-1])
        if question.endswith("?") and len(question) <= 2 * _MAX_QUOTE_CHARS:
            yield f"Left open: “{question}”"


def _commands_run(turns: Sequence[Turn]) -> Iterator[ToolUsed]:
    return (call for turn in turns for call in turn.calls if call.act is ToolAction.RAN)


def _message_subject(line: str, pattern: re.Pattern[str]) -> str:
    """Return the first line of a message in a command, without its closing quote and what follows."""
    match = pattern.search(line)
    return _CLOSING_QUOTE.sub("", match[1]).strip().strip("\"'") if match else ""


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!", "…", ":", "”")) else f"{text}."


def _quote_sentence(text: str) -> str:
    return f"“{text}”" if text.endswith((".", "?", "!", "…")) else f"“{text}”."
