"""Whether one call is the mended form of another that failed, and how it was mended. Decides; keeps nothing."""

from __future__ import annotations

from enum import Enum

from tacit.learn.command_names import ParsedCommand
from tacit.learn.fixes.command_kinds import (
    asks_only,
    compares,
    enters,
    expects_failure,
    is_bypass,
    is_read_only,
    is_repair,
    shows_files,
    shows_first,
)
from tacit.learn.fixes.compare import (
    CommandAttempt,
    CommandPair,
    advised_flag,
    bare,
    blamed,
    is_slip,
    is_temporary,
    is_widened,
    only_drops,
    only_quotes_are_new,
    pair_of,
    parse_attempt,
    programs_of,
    same_but_quotes,
    same_text,
    score_pair,
    shared,
    words_of,
)
from tacit.learn.fixes.errors import (
    LASTING,
    NO_ERROR,
    ErrorClass,
    ParsedError,
    lines_of,
    parse_error,
    parse_error_among,
    parse_hidden_error,
)
from tacit.learn.fixes.quoting import Quoting, differ_in_text_only, escaped, quoting
from tacit.model.ids import EventId
from tacit.model.observation import ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record

NEAR = 2  # calls in between, where little else speaks for it
_SAME_INPUT = 0.4
_MAX_ERROR_LINES = 10  # lines
_LEARNABLE_ACTS = frozenset((ToolAction.RAN, ToolAction.DELEGATED, ToolAction.FETCHED, ToolAction.OTHER))
_UNLEARNABLE = frozenset((ErrorClass.NOTHING, ErrorClass.DECLINED, ErrorClass.MOMENT, ErrorClass.IDLE))


class FixKind(Enum):
    """How it was mended."""

    CHANGED = "changed"  # another form of the command
    QUOTED = "quoted"  # the same words, in quotes
    REPAIRED = "repaired"  # one other command, and then the same worked
    NAMED = "named"  # the error listed the right name
    ESCAPED = "escaped"  # without a sign that the shell escapes even in quotes
    WIDENED = "widened"  # on a folder instead of one file of it
    ADVISED = "advised"  # the error told the flag, and it worked without what needs it
    ASKED = "asked"  # another input for a tool that is no shell


class AttemptedCall(Record):
    """A call of a tool, and the event it stands in."""

    event_id: EventId
    used: ToolUsed

    @property
    def command(self) -> CommandAttempt:
        return parse_attempt(self.used.input if self.is_run else "")

    @property
    def is_run(self) -> bool:
        return self.used.act is ToolAction.RAN


class FoundFix(Record):
    """A success that mended a failure. `before` and `after` are the commands to show, `repair` the one in between.

    `program` is what failed, as a person would call it; `advised` a flag that the error names.
    """

    kind: FixKind
    error: ParsedError
    success: EventId
    before: str
    after: str
    score: float
    repair: str = ""
    repaired_by: EventId | None = None
    program: str = ""
    advised: str = ""
    quoting: Quoting | None = None


def error_in_call(call: AttemptedCall, noise: frozenset[str] = frozenset()) -> ParsedError:
    """What a call tells that went wrong, also where that was hidden."""
    used = call.used
    if used.outcome is ToolOutcome.FAILED and used.act in _LEARNABLE_ACTS:
        return _error_of_failure(call, noise)
    if used.outcome is ToolOutcome.SUCCEEDED and call.is_run and call.command.may_hide:
        hidden = parse_hidden_error(used.result, programs_of(call.command), shows_files=shows_first(call.command))
        return hidden if hidden.error_class in LASTING and hidden.line not in noise else NO_ERROR
    return NO_ERROR


def _error_of_failure(call: AttemptedCall, noise: frozenset[str]) -> ParsedError:
    """What a failure tells. What a command showed before it failed, or by failing (`diff`), is no error."""
    result, command = call.used.result, call.command
    if expects_failure(command.text):
        return NO_ERROR
    is_long = result.count("\n") > _MAX_ERROR_LINES and shows_files(command)
    if call.is_run and (is_long or compares(command)):
        return parse_error_among(result, programs_of(command), noise)
    return parse_error(result, noise)


def is_learnable(error: ParsedError, call: AttemptedCall) -> bool:
    """Whether it is worth waiting for what mends it."""
    return error.error_class not in _UNLEARNABLE and (call.is_run or error.error_class in LASTING)


def find_fix(
    failure: AttemptedCall,
    doing: tuple[AttemptedCall, ...],
    success: AttemptedCall,
    *,
    age: int,
    recurs: bool = False,
    asked: str = "",
) -> FoundFix | None:
    """How a later call mended a failure, if it did.

    `doing` are the calls in between that changed something; `asked` is what the person said in between.
    """
    if failure.used.act is not success.used.act or error_in_call(success).error_class in LASTING:
        return None
    error = error_in_call(failure, frozenset(lines_of(success.used.result)))
    if not is_learnable(error, failure) or not error.line:
        return None
    if not failure.is_run:
        return _fix_by_input(failure, success, error, age)
    if same_text(failure.command, success.command):
        mended = _repaired(failure, doing, success, error)
    elif error.error_class in LASTING or (recurs and error.error_class is ErrorClass.PATH):
        mended = _fix_by_change(failure, success, error, age)
    else:
        mended = _in_one_line(failure, success, error) or _widened(failure, success, error)
    # What is about one object, process or temporary file waits until it comes again.
    if mended is None or recurs or not (is_temporary(error.line) or is_temporary(mended.repair)):
        return mended
    return mended if _was_suggested(mended.repair, asked) else None


def _was_suggested(repair: str, asked: str) -> bool:
    """Whether the person said which command repairs it: then they know it from other times."""
    words = [word for part in parse_attempt(repair).commands for word in part.words]
    if "-C" in words[:-1]:
        at = words.index("-C")
        del words[at : at + 2]
    return len(words) > 1 and " ".join(words) in " ".join(asked.split())


# --- one other command in between ----------------------------------------------------------------------------------


def _repaired(
    failure: AttemptedCall, doing: tuple[AttemptedCall, ...], success: AttemptedCall, error: ParsedError
) -> FoundFix | None:
    others = [call for call in doing if not same_text(call.command, failure.command)]
    if len(others) != 1 or not _may_repair(failure.command, others[0].command, error):
        return None
    text, repair, by = bare(failure.command.text), bare(others[0].command.text), others[0].event_id
    part = next((part for part in failure.command.commands if not enters(part)), None)
    name = called(part) if part else text
    return FoundFix(FixKind.REPAIRED, error, success.event_id, text, text, 1.5, repair, by, name)


def called(part: ParsedCommand) -> str:
    """A command without its options and operands, in words that were typed."""
    return part.family if part.family in " ".join(part.words) else " ".join(part.words[:1])


def _may_repair(failed: CommandAttempt, repair: CommandAttempt, error: ParsedError) -> bool:
    """What has a fault, or is not there, is only mended by what mends such things; an unknown error also by another
    command of the same program."""
    if is_bypass(failed, repair.text):
        return False
    if error.error_class in LASTING or is_repair(bare(repair.text)):
        return True
    return error.error_class is ErrorClass.OTHER and bool(programs_of(failed) & programs_of(repair))


def _in_one_line(failure: AttemptedCall, success: AttemptedCall, error: ParsedError) -> FoundFix | None:
    """`install && test` where `test` had failed."""
    before, after = failure.command, success.command
    tasks = [part for part in after.commands if not is_read_only(part)]
    wanted = [words_of(part) for part in before.commands]
    more = [part for part in tasks if words_of(part) not in wanted]
    repeated = [part for part in tasks if words_of(part) in wanted]
    if len(more) != 1 or not repeated or is_bypass(before, after.text):
        return None
    if error.error_class not in LASTING and not is_repair(bare(more[0].text)):
        return None
    again = bare(repeated[0].text)
    return FoundFix(
        FixKind.REPAIRED, error, success.event_id, again, again, 1.4, bare(more[0].text), program=called(repeated[0])
    )


# --- another form of the command -----------------------------------------------------------------------------------


def _fix_by_change(failure: AttemptedCall, success: AttemptedCall, error: ParsedError, age: int) -> FoundFix | None:
    before, after = failure.command, success.command
    pair = pair_of(before, after)
    if (
        pair is None
        or is_bypass(before, after.text)
        or (error.error_class is ErrorClass.MISSING and not _stands_in(pair))
    ):
        return None
    if words_of(pair.before) == words_of(pair.after) and not same_but_quotes(before, after):
        return _fix_by_location(failure, success, error, pair)
    weight = 2.0 if same_but_quotes(before, after) else score_pair(pair, error, age)
    return _changed_fix(failure, error, success, pair, weight - age * 0.03) if weight is not None else None


def _stands_in(pair: CommandPair) -> bool:
    """Whether one command may stand in for another whose program is missing: no question, and not what installs it."""
    return not asks_only(pair.before) and (is_repair(pair.before.text) or not is_repair(pair.after.text))


def _changed_fix(
    failure: AttemptedCall, error: ParsedError, success: AttemptedCall, pair: CommandPair, score: float
) -> FoundFix | None:
    """By what the shell did to the words, by what the error advises, or by the two commands."""
    before, after = bare(pair.before.text), bare(pair.after.text)
    same = FoundFix(FixKind.CHANGED, error, success.event_id, before, after, score, program=called(pair.before))
    if (signs := quoting(before, after, error)) and only_quotes_are_new(pair):
        return same._replace(kind=FixKind.QUOTED, quoting=signs)
    if escaped(before, after, error):
        return same._replace(kind=FixKind.ESCAPED)
    if differ_in_text_only(before, after):  # another question
        flag = advised_flag(pair, error)
        is_fine = flag and not is_bypass(parse_attempt(before), f"{before} {flag}")
        return same._replace(kind=FixKind.ADVISED, advised=flag) if is_fine else None
    if only_drops(pair, error) or is_slip(pair):
        return None
    return same._replace(after=" && ".join([*_lead(failure.command, success.command, pair.after), after]))


def _lead(failed: CommandAttempt, command: CommandAttempt, part: ParsedCommand) -> list[str]:
    """The place or the variables that were set for a command in the same line, and were not for the one that failed."""
    known = [words_of(before) for before in failed.commands]
    ahead = command.commands[: command.commands.index(part)]
    return [before.text for before in ahead if enters(before) and words_of(before) not in known]


def _fix_by_location(
    failure: AttemptedCall, success: AttemptedCall, error: ParsedError, pair: CommandPair
) -> FoundFix | None:
    """The same command in another place or with something set for it."""
    known = [words_of(part) for part in failure.command.commands]
    if any(enters(part) and words_of(part) not in known for part in success.command.commands):
        return _changed_fix(failure, error, success, pair, 1.4)
    return _in_one_line(failure, success, error)


def _widened(failure: AttemptedCall, success: AttemptedCall, error: ParsedError) -> FoundFix | None:
    """The same on a folder: a compiler that is shown one file does not know the names of the others."""
    pair = pair_of(failure.command, success.command)
    if pair is None or error.error_class is not ErrorClass.WORK or not is_widened(pair, error):
        return None
    texts = bare(pair.before.text), bare(pair.after.text)
    name = " ".join(word for word in called(pair.before).split() if word in words_of(pair.after))
    return FoundFix(FixKind.WIDENED, error, success.event_id, *texts, 1.2, program=name)


# --- tools that are no shell ---------------------------------------------------------------------------------------


def _fix_by_input(failure: AttemptedCall, success: AttemptedCall, error: ParsedError, age: int) -> FoundFix | None:
    """The error lists what there is, or the input was put differently."""
    if failure.used.tool != success.used.tool or age > NEAR:
        return None
    tool, asked, given = failure.used.tool, failure.used.input, success.used.input
    alike = shared(tuple(asked.split()), tuple(given.split()))
    if (right := _listed(error)) and alike >= _SAME_INPUT:
        return FoundFix(FixKind.NAMED, error, success.event_id, tool, right, 1.5)
    if error.error_class is ErrorClass.USAGE and asked != given and (alike >= _SAME_INPUT or asked in given):
        wrong = blamed(error, tuple(asked.split())) or {asked}
        dropped = asked in given or any(word not in given for word in wrong)
        return (
            FoundFix(FixKind.ASKED, error, success.event_id, f"{tool}: {asked}", f"{tool}: {given}", 1.0)
            if dropped
            else None
        )
    return None


def _listed(error: ParsedError) -> str:
    """The one name of those listed that has in it the name that was not found."""
    _, _, listed = error.line.partition(": ")
    names = [name.strip(" .`'\"") for name in listed.split(",")]
    for asked in sorted(error.named):
        like = [name for name in names if asked in name and name != asked]
        if len(like) == 1 and len(names) > 1:
            return like[0]
    return ""
