"""Whether sessions followed what their agents were told: each memory was followed, violated or not applicable.

Only tool calls after the injection count. A call that was rejected did not run, and a subagent was not told: what it
does can satisfy an expectation, but violates none. Where calls do not show it, the result is unknown.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import dropwhile

from tacit.commandline import patterns
from tacit.commandline.bash import SimpleCommand
from tacit.commandline.executions import leading_executions
from tacit.commandline.names import name_command
from tacit.commandline.patterns import CommandPattern, ForbidsCommand, RequiresBefore
from tacit.contradiction import relate
from tacit.index import adherence, reader, sessions
from tacit.index.sessions import SessionRow
from tacit.learn import SessionEvent
from tacit.log.codec import must_decode
from tacit.model import observation
from tacit.model.claim import Claim, Provenance, Scope, is_project_scope
from tacit.model.conflict import RelationKind
from tacit.model.event import Attribution, Draft, Event
from tacit.model.expectations import read_expectations
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import PromptKind, ToolAction, ToolOutcome, ToolUsed
from tacit.model.phrases import alternatives, is_known_program
from tacit.model.session import Adherence, combined
from tacit.model.statement import parse_statement, split_sentences, strip_introduction
from tacit.record import Record
from tacit.text.words import simple_stem, tokenize

_ATTRIBUTION = Attribution("learner:adherence", Provenance.TOOL_LOCAL)
_MAX_PROMPT_CHARS, _MAX_SENTENCES = 2000, 12  # a longer prompt describes a task and corrects nothing
_MAX_WISH_CHARS = 20_000  # of a prompt, in which the person may ask for what a rule forbids
_INTERJECTION = re.compile(
    r"\A(?:no|nope|stop|wait|hey|again|as i said|i said|i told you)\s*[,!.:–—-]+\s*", re.IGNORECASE
)
_FILTERS = frozenset("grep sed awk cat head tail sort".split())
_CORRECTING = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION)


class CheckedCall(Record):
    """A tool call: the commands it ran, what they printed, and the files it changed. `aside`: a subagent made it.
    `stopped`: a guard stopped it, so that it did not take place. `failed`: its commands ended with an error."""

    event_id: EventId
    commands: tuple[SimpleCommand, ...] = ()
    files: tuple[str, ...] = ()
    aside: bool = False
    stopped: bool = False
    failed: bool = False
    printed: str = ""
    prompts: str = ""  # of the person, up to here


class CheckResult(Record):
    """The result for one memory, with the call that shows it, if there is one."""

    result: Adherence
    call: EventId = EventId("")


def check_session(connection: sqlite3.Connection, row: SessionRow) -> list[Draft]:
    """Return the checks of a session that are new or came out differently, for each memory that its agent was told.

    A memory that cannot be checked and was not corrected has none.
    """
    injections: dict[ClaimId, Event] = {}  # the first one of each memory
    for event in reversed(sessions.injection_events(connection, must_decode, row.host_session_id)):
        if isinstance(event.body, observation.BriefInjected) and event.body.agent == row.agent:
            for claim_id in event.body.memories:
                injections.setdefault(ClaimId(claim_id), event)
    known = adherence.checks_of_session(connection, row.id)
    logged = [logged.event for logged in sessions.logged_events_of_session(connection, row, must_decode)]
    drafts = []
    for claim_id, injection in injections.items():
        memory = reader.load_memory(connection, claim_id, must_decode)
        if memory is None:
            continue
        claim = memory.claim
        events = conversation_since(logged, injection, claim.scope)
        check = check_claim(claim, calls_in(events) if read_expectations(claim.sentence) else ())
        correction = find_correction(claim, events)
        body = observation.MemoryChecked(claim_id, row.id, check.result.value, check.call, correction)
        before = known.get(claim_id)
        recorded = (before.result.value, before.call, before.correction) if before else ("", "", "")
        if (body.result, body.call, body.correction) != recorded:
            drafts.append(Draft(body, row.scope, _ATTRIBUTION))
    return drafts


def conversation_since(logged: Iterable[Event], injection: Event, scope: Scope) -> list[SessionEvent]:
    """Return what was said and done since an injection where a claim of this scope holds."""
    return [
        SessionEvent(event.id, event.body)
        for event in logged
        if event.at >= injection.at
        and (not is_project_scope(scope) or event.scope == scope)
        and isinstance(event.body, observation.CONVERSATION_TYPES)
    ]


# Tool calls against the expectations of a claim

_UNKNOWN = CheckResult(Adherence.UNKNOWN)
_NOT_APPLICABLE = CheckResult(Adherence.NOT_APPLICABLE)
_executions = lru_cache(maxsize=1024)(leading_executions)  # a session is checked against several memories


def calls_in(events: Iterable[SessionEvent]) -> list[CheckedCall]:
    """Return the tool calls that took place or were stopped by a guard, in order."""
    calls: list[CheckedCall] = []
    prompts = ""
    for event in events:
        body = event.body
        if isinstance(body, observation.PromptGiven):
            prompts += f"{body.text[:_MAX_WISH_CHARS].lower()}\n"
        if not isinstance(body, ToolUsed):
            continue
        stopped = body.outcome is ToolOutcome.STOPPED
        if not body.outcome.has_run and not stopped:
            continue
        if body.act is ToolAction.RAN:
            commands = tuple(command for command in _executions(body.input) if _is_inside(command, body.directory))
            failed = body.outcome is ToolOutcome.FAILED
            files = () if failed else tuple(file for file in body.files if _is_of_project(file, body.directory))
            calls.append(
                CheckedCall(event.event_id, commands, files, body.aside, stopped, failed, body.result, prompts)
            )
        elif body.act is ToolAction.CHANGED and (stopped or body.outcome is not ToolOutcome.FAILED):
            files = body.files or ((body.input,) if stopped else ())
            inside = tuple(file for file in files if _is_of_project(file, body.directory))
            calls.append(CheckedCall(event.event_id, (), inside, body.aside, stopped, prompts=prompts))
    return calls


def _is_inside(command: SimpleCommand, directory: str) -> bool:
    """Return whether a command runs where the call does: in its directory, below or above it.

    What holds in a project need not hold elsewhere.
    """
    if command.directory is None or not directory.startswith("/"):
        return command.directory is not None
    folder, target = (
        f"{posixpath.normpath(directory)}/",
        f"{posixpath.normpath(posixpath.join(directory, command.directory))}/",
    )
    if command.directory.startswith("~"):
        target = f"{posixpath.normpath(command.directory)}/"
    return folder.startswith(target) or target.startswith(folder)


_OWN_FOLDER = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)/\.[^/]+/|(?:/private)?/tmp/|/var/folders/")


def _is_of_project(file: str, directory: str) -> bool:
    """Return whether a changed file may be one of the project, not of a program's own folder or for a moment."""
    folder = _OWN_FOLDER.match(file)
    return folder is None or f"{directory}/".startswith(folder[0])


def check_claim(claim: Claim, calls: Sequence[CheckedCall]) -> CheckResult:
    """Return whether the calls of a session follow a claim; unknown if it expects nothing that calls can show."""
    ran = [call for call in calls if not call.stopped]
    stopped = [call for call in calls if call.stopped]
    expectations = read_expectations(claim.sentence)
    results = [_check(expectation, ran) for expectation in expectations]
    results += [
        CheckResult(Adherence.STOPPED, call.event_id)
        for expectation in expectations
        for call in stopped
        if _would_violate(expectation, call)
    ]
    if not results:
        return _UNKNOWN
    result = combined(check.result for check in results)
    return next(check for check in results if check.result is result)


def _check(expectation: patterns.Expectation, calls: Sequence[CheckedCall]) -> CheckResult:
    match expectation:
        case ForbidsCommand():
            return _check_forbidden(expectation, calls)
        case RequiresBefore():
            return _check_order(expectation, calls)
        case patterns.AsksBefore(commands=commands, paths=paths):
            return _check_asked(commands, calls) if commands else _check_asked_files(paths, calls)
        case patterns.ProtectsFiles(paths=paths):
            return _check_protected(paths, calls)
        case patterns.TiesFiles():
            return _check_tied(expectation, calls)
        case patterns.RunsAfter():
            return _check_after(expectation, calls)


def _check_after(expectation: patterns.RunsAfter, calls: Sequence[CheckedCall]) -> CheckResult:
    """Return a violation if a change was committed without the command. Before a commit, the work may go on."""
    places = [place for place, call in enumerate(calls) if not call.aside and _changes(call, expectation.paths)]
    if not places:
        return _NOT_APPLICABLE
    later = [(call, command) for call in calls[places[-1] + 1 :] for command in call.commands]
    for call, command in later:
        if any(pattern.matches(command.words) for pattern in expectation.run):
            return _UNKNOWN if call.failed else CheckResult(Adherence.FOLLOWED, call.event_id)
    families = {_family(command) for _, command in later}
    may_have_run = any(map(_SCRIPT.match, families))
    is_done = "git commit" in families and not may_have_run
    return CheckResult(Adherence.VIOLATED, calls[places[-1]].event_id) if is_done else _UNKNOWN


def _check_tied(expectation: patterns.TiesFiles, calls: Sequence[CheckedCall]) -> CheckResult:
    changed, companions = expectation.changed, expectation.companions
    edit = next((call for call in calls if not call.aside and _changes(call, changed)), None)
    if edit is None:
        reverse = patterns.TiesFiles(companions, changed)
        return _check_tied(reverse, calls) if expectation.is_mutual else _NOT_APPLICABLE
    both = next((call for call in calls if _changes(call, companions)), None)
    if both is not None:
        return CheckResult(Adherence.FOLLOWED, both.event_id)
    # A command that ran after the edit may have changed the other file.
    later = dropwhile(lambda call: call.event_id != edit.event_id, calls)
    may_write = any(_family(command) not in _READING for call in later for command in call.commands)
    return _UNKNOWN if may_write else CheckResult(Adherence.VIOLATED, edit.event_id)


def _would_violate(expectation: patterns.Expectation, call: CheckedCall) -> bool:
    """Return whether a call that was stopped is one that the expectation is about."""
    match expectation:
        case ForbidsCommand():
            return any(map(expectation.is_violated_by, call.commands))
        case RequiresBefore(then=then):
            return any(pattern.matches(command.words) for command in call.commands for pattern in then)
        case patterns.ProtectsFiles(paths=paths) | patterns.AsksBefore(commands=(), paths=paths):
            words = (word.text for command in call.commands for word in command.words)
            named = any(patterns.matches_path(path, word) for word in words for path in paths)
            return named or _changes(call, paths)
        case patterns.AsksBefore(commands=commands):
            return any(pattern.matches(command.words) for command in call.commands for pattern in commands)
        case patterns.TiesFiles() | patterns.RunsAfter():
            return False


def _family(command: SimpleCommand) -> str:
    words = tuple(word.text for word in command.words)
    return name_command(words).family if words else ""


# Families of commands that change no file of a work tree.
_READING = frozenset(
    (
        *"cd ls pwd cat head tail grep rg find fd wc diff echo tree stat file which pytest mypy".split(),
        *(f"git {name}" for name in "status diff log show add commit push branch fetch".split()),
        *(f"{name} test" for name in "npm pnpm yarn make cargo go".split()),
    )
)


def _check_forbidden(expectation: ForbidsCommand, calls: Sequence[CheckedCall]) -> CheckResult:
    followed = None
    instead = expectation.instead or alternatives(expectation.forbidden)
    for call in calls:
        if call.aside:
            continue
        # To filter what another command writes is another job than a filter does alone.
        own = [command for command in call.commands if not (command.is_piped and command.program in _FILTERS)]
        broken = next(filter(expectation.is_violated_by, own), None)
        if broken is not None:
            # Of a chain that failed it is not known how far it came; and the person may have asked for this one.
            is_doubtful = call.failed and broken is not call.commands[0]
            is_doubtful = is_doubtful or _is_wanted(expectation, broken, call.prompts)
            return _UNKNOWN if is_doubtful else CheckResult(Adherence.VIOLATED, call.event_id)
        if followed is None and any(_follows(command, expectation, instead) for command in call.commands):
            followed = CheckResult(Adherence.FOLLOWED, call.event_id)
    # Code that may be no command at all, such as the name of a function, is never run in any case.
    is_known = all(is_known_program(pattern.program) for pattern in expectation.forbidden)
    return followed or (_NOT_APPLICABLE if is_known else _UNKNOWN)


def _follows(command: SimpleCommand, expectation: ForbidsCommand, instead: Sequence[CommandPattern]) -> bool:
    """Return whether a command does in the right way what a forbidden one would do."""
    if any(pattern.matches(command.words) for pattern in instead):
        return True
    # `git push` is what `git push --force` would do, but `sed` without `-i` does something else.
    return command.is_complete and any(
        all(spellings[0].startswith("-") for spellings in pattern.required)
        and pattern.required
        and pattern.words
        and pattern.is_program_of(command.words)
        for pattern in expectation.forbidden
    )


# What may run any other program under a name of its own: task runners, and scripts of the project.
_SCRIPT = re.compile(
    r"(?:make|just|task|mise|rake|npm|pnpm|yarn|bun|deno|python|node|bash|sh|docker|podman|invoke|nix|bazel|gradle|tox"
    r"|nox|hatch|pre-commit|uv run|poetry run)\b|\.{0,2}/|\w+/"
)


def _check_order(expectation: RequiresBefore, calls: Sequence[CheckedCall]) -> CheckResult:
    """Return a violation if the second command ran without the first since its last run, or since a change after it.

    It is not known where a task runner, a script or, as the output tells, a hook may have run the first; nor where the
    first had failed, or something was changed after it. A second command that failed did nothing.
    """
    result = _NOT_APPLICABLE
    has_run, has_changed, may_have_run, ran_earlier = False, True, False, False
    looks_at_files = not any(map(_is_about_no_file, expectation.first))
    for call in calls:
        if call.files and looks_at_files:
            # A change after a run may be one to what the run had looked at, or to a text beside it.
            has_run, has_changed, may_have_run, ran_earlier = False, True, False, has_run or ran_earlier
        for command in call.commands:
            if any(pattern.matches(command.words) for pattern in expectation.first):
                has_run, may_have_run = not call.failed, True
            elif not call.aside and any(pattern.matches(command.words) for pattern in expectation.then):
                if call.failed and not _MAY_CONFLICT.intersection(word.text for word in command.words[1:2]):
                    continue
                if not has_run and has_changed:
                    if may_have_run or ran_earlier or _is_named(expectation.first, call.printed):
                        return _UNKNOWN
                    return CheckResult(Adherence.VIOLATED, call.event_id)
                if result is _NOT_APPLICABLE:
                    result = CheckResult(Adherence.FOLLOWED, call.event_id)
                has_run, has_changed, may_have_run, ran_earlier = False, False, False, False
            elif _SCRIPT.match(_family(command)):
                may_have_run = True
    return result


def _is_about_no_file(pattern: CommandPattern) -> bool:
    """Return whether what a command shows or does is as good after an edit as before it: `git fetch`, `gh pr view`."""
    word = pattern.words[0][0] if pattern.words else ""
    return word in _ABOUT_NO_FILE


_ABOUT_NO_FILE = frozenset("show list log view fetch pull branch login up start ready install".split())
_MAY_CONFLICT = frozenset("merge rebase cherry-pick revert pull am".split())  # these fail after they have begun


def _is_named(commands: Iterable[CommandPattern], printed: str) -> bool:
    """Return whether an output names one of these programs, or what they start: biome of `npx biome`."""
    names = {
        name for pattern in commands for name in (pattern.program, *(word for words in pattern.words for word in words))
    }
    return not (names - _COMMON_WORDS).isdisjoint(_NAME.findall(printed))


_NAME = re.compile(r"\w[\w-]*")
# Words that say nothing about which program printed them.
_COMMON_WORDS = frozenset("run test tests check lint format fmt types ci exec install add".split())


# Words with which people agree to what an agent proposes, or ask for more than one step at once.
_CONSENT = re.compile(
    r"\b(?:yes|yep|yeah|ok|okay|sure|go ahead|do it|do that|proceed|continue|go on|please do|lgtm|sounds good|ship"
    r"|release|publish|deploy|merge|prs?|pull request|commit|push|finish|wrap up|approved?)\b|(?:^|\s)/\w"
)
_REFUSAL = re.compile(r"\b(?:don't|don’t|do not|never|not|no|without|until|unless|before)\b[^.!?\n]{0,60}")


_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ted", "ting")
_MAX_ANSWER_CHARS = 40  # of a prompt that only agrees
# Words that are in many prompts, and in the names of commands
_COMMON_VERBS = frozenset("add get install run remove create up start stop apply delete update build find test".split())


def _check_asked(commands: Sequence[CommandPattern], calls: Sequence[CheckedCall]) -> CheckResult:
    """Return whether the person had spoken of a command before each time it ran. Another consent may have meant it."""
    result = _NOT_APPLICABLE
    used: dict[str, int] = {}  # what the person had said when a command ran last counted for that run
    for call in calls:
        for command in call.commands if not call.aside else ():
            pattern = next((one for one in commands if one.matches(command.words)), None)
            if pattern is None:
                continue
            name = pattern.words[0][0] if pattern.words else pattern.program
            if _is_spoken_of(name, command, _REFUSAL.sub("", call.prompts[used.get(name, 0) :])):
                result = result if result is _UNKNOWN else CheckResult(Adherence.FOLLOWED, call.event_id)
            elif not call.prompts or name in used or _CONSENT.search(_REFUSAL.sub("", call.prompts)):
                result = _UNKNOWN
            else:
                return CheckResult(Adherence.VIOLATED, call.event_id)
            used[name] = len(call.prompts)
    return result


def _is_wanted(expectation: ForbidsCommand, command: SimpleCommand, prompts: str) -> bool:
    """Return whether the person may have wanted a forbidden command: they spoke of it, or just agreed to something."""
    pattern = next(one for one in expectation.forbidden if one.matches(command.words))
    flags = [spelling.strip("-") for spellings in pattern.required for spelling in spellings if len(spelling) > 3]
    names = flags or [words[0] for words in pattern.words[:1]] or [pattern.program]
    positive = _REFUSAL.sub("", prompts)
    others = {one.program for one in expectation.instead}
    if others - {pattern.program} and pattern.program not in _NAME.findall(positive):
        return False  # to want tests is not to want `go test` instead of `make test`
    return _just_agreed(prompts) or any(_is_spoken_of(name, command, positive) for name in names)


def _just_agreed(prompts: str) -> bool:
    last = prompts.rstrip("\n").rpartition("\n")[2]
    return len(last) <= _MAX_ANSWER_CHARS and _CONSENT.search(_REFUSAL.sub("", last)) is not None


def _check_protected(paths: Sequence[str], calls: Sequence[CheckedCall]) -> CheckResult:
    edit = next((call for call in calls if not call.aside and _changes(call, paths)), None)
    if edit is None:
        return _NOT_APPLICABLE
    is_doubtful = _just_agreed(edit.prompts) or _names_changed(edit, paths) or _speaks_of(edit.prompts, paths)
    return _UNKNOWN if is_doubtful else CheckResult(Adherence.VIOLATED, edit.event_id)


def _check_asked_files(paths: Sequence[str], calls: Sequence[CheckedCall]) -> CheckResult:
    """Return whether the person had spoken of a file before it was edited. Another consent may have meant it."""
    result = _NOT_APPLICABLE
    for call in calls:
        if call.aside or not _changes(call, paths):
            continue
        if not _names_changed(call, paths):
            if call.prompts and not _CONSENT.search(_REFUSAL.sub("", call.prompts)):
                return CheckResult(Adherence.VIOLATED, call.event_id)
            result = _UNKNOWN
        elif result is _NOT_APPLICABLE:
            result = CheckResult(Adherence.FOLLOWED, call.event_id)
    return result


def _speaks_of(prompts: str, paths: Iterable[str]) -> bool:
    """Return whether a prompt has a word of these paths: who wants a test wants `*_test.go` changed."""
    stems = {simple_stem(word) for word in tokenize(_REFUSAL.sub("", prompts))}
    parts = (part for path in paths for part in re.findall(r"[a-z]{4,}", path.lower()))
    return any(simple_stem(part) in stems for part in parts)


def _names_changed(call: CheckedCall, paths: Iterable[str]) -> bool:
    """Return whether the person has named one of these files that a call changes, or the path that protects it."""
    positive = _REFUSAL.sub("", call.prompts)
    changed = (posixpath.basename(file) for file in call.files)
    return any(name.lower() in positive for name in (*changed, *(path.strip("/*") for path in paths)) if len(name) > 2)


def _is_spoken_of(name: str, command: SimpleCommand, prompts: str) -> bool:
    """Return whether prompts have the name of a command; if many have it, also one of what the command is about."""
    words_of_prompts = set(_NAME.findall(prompts))
    is_named = any(f"{name}{ending}" in words_of_prompts for ending in _ENDINGS)
    if not is_named or name not in _COMMON_VERBS:
        return is_named
    words = (word.text.lower() for word in command.words[1:] if word.is_literal)
    return any(word != name and not word.startswith("-") and word in prompts for word in words)


def _changes(call: CheckedCall, paths: Iterable[str]) -> bool:
    return any(patterns.matches_path(path, posixpath.normpath(file)) for file in call.files for path in paths)


# Corrections


def find_correction(claim: Claim, events: Iterable[SessionEvent]) -> EventId:
    """Return the prompt in which the person repeats or contradicts a claim; "" if there is none.

    The agent must have answered or done something before: the prompt that a memory was injected into is no correction.
    """
    has_worked = False
    for event in events:
        body = event.body
        has_worked = has_worked or isinstance(body, observation.ReplyGiven | ToolUsed)
        if not has_worked or not isinstance(body, observation.PromptGiven) or body.how not in _CORRECTING:
            continue
        for sentence in split_sentences(body.text)[:_MAX_SENTENCES] if len(body.text) <= _MAX_PROMPT_CHARS else ():
            rule = strip_introduction(_INTERJECTION.sub("", sentence, count=1))
            is_rule = not rule.endswith("?") and parse_statement(rule.rstrip(".! ")).triple.subject != "note"
            if is_rule and relate(rule, claim.sentence).kind in (RelationKind.SAME, RelationKind.OVERRULES):
                return event.event_id
    return EventId("")
