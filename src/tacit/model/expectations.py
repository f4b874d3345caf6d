"""What a memory expects of tool calls: commands it forbids, an order of commands, files it protects or ties together.

A sentence is read only if one of a few forms covers all of it. A condition, an exception or a word that is no known
command or path leaves it unread: such a memory can be neither checked nor enforced. Reasons ("because …") and words
that change nothing ("here", "please") are dropped first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tacit.commandline.patterns import (
    AsksBefore,
    Expectation,
    ForbidsCommand,
    ProtectsFiles,
    RequiresBefore,
    RunsAfter,
    TiesFiles,
    forbids,
)
from tacit.model.phrases import (
    alternatives,
    form,
    is_known_program,
    patterns_of,
    read_commands,
    read_paths,
    split_alternatives,
    strip_trailing,
)
from tacit.model.statement import split_sentences, strip_introduction

_MAX_SENTENCE_CHARS = 400


def read_expectations(sentence: str) -> tuple[Expectation, ...]:
    """Return what a sentence expects of tool calls; () if that cannot be told with certainty.

    A second sentence may explain the first one, but not limit it.
    """
    if len(sentence) > _MAX_SENTENCE_CHARS or "\n" in sentence:
        return ()
    if _QUESTION.match(sentence.lstrip()):
        return ()
    text = _TWO_SENTENCES.sub(", ", strip_introduction(sentence.replace("’", "'")))
    text = _ADD_ALL.sub(r"`\1 .`", text)
    if asked := not _BEFORE_THAT.match(text) and _ASK_FIRST.search(text):
        text = text[: asked.start()]
    expectations: list[Expectation] = []
    for at, part in enumerate(split_sentences(text)):
        if both := _read_both(part):
            expectations += both
        elif expectation := _read_sentence(part) or _read_clause(part):
            expectations.append(expectation)
        else:
            limit = _EXPLAINED_EXCEPTION if _EXPLANATION.match(part) else _EXCEPTION if at else _LIMIT
            if limit.search(part) or _takes_back(part, expectations):
                return ()
    return _to_be_asked(expectations) if asked else tuple(expectations)


def _takes_back(sentence: str, expectations: Sequence[Expectation]) -> bool:
    """Return whether a sentence wants, in some case, what one before it forbids."""
    forbidden = (one.forbidden for one in expectations if isinstance(one, ForbidsCommand))
    patterns = [pattern for commands in forbidden for pattern in commands]
    plain = [pattern for pattern in patterns if not pattern.required]  # to use it otherwise is no exception
    names = {pattern.program for pattern in plain}.union(*(words for pattern in plain for words in pattern.words))
    positive = _NEGATED.sub("", _STATED.sub("", sentence.lower()))
    words = re.findall(r"\w[\w-]*", positive)
    return any(word.startswith(name) for word in words for name in names) or bool(_DO_IT.search(positive))


def _to_be_asked(expectations: Sequence[Expectation]) -> tuple[Expectation, ...]:
    """Return what "ask me first" makes of what is forbidden before it; () if that cannot be checked."""
    if not all(isinstance(one, ForbidsCommand) for one in expectations):
        return ()
    return tuple(AsksBefore(one.forbidden) for one in expectations if isinstance(one, ForbidsCommand))


# Sentences


_TWO_SENTENCES = form(r"\. (?=use [^.]+ instead\b)")  # "Don't run npm. Use pnpm instead."
_ADD_ALL = form(r"(?<!`)\b(git (?:add|stage|checkout|restore)) \.(?=[\s,;]|$)")  # its dot ends no sentence
_REASON = form(
    r"\s*(?:[,;]?\s(?:because|since|as it|so that|otherwise|so I|so we|so you|to make sure)\s.*"
    r"|[,;]\s(?:I'd|I|I'm|I've|we|our|the|my|they're)\s.*|\s[-–—]+\s.*|\([^()]*\)\s*"
    r"|[,;]?\s(?:it|they)\s.*)$"
)
_LIMIT = form(
    r"\b(?:unless|except|excluding|only|but|if|when|whenever|until|while|during|sometimes|usually|mostly|apart"
    r"|though|although|instead)\b"
)
# What makes an exception of what the sentence before it says. "If a hook fails, fix it" does not.
_EXCEPTION = form(
    r"\b(?:unless|except|excluding|only|but|sometimes|usually|mostly|apart|though|although|fine|okay?|allowed"
    r"|acceptable|you (?:may|can|could)|feel free|until (?:i|we)|when (?:i|we) (?:say|ask|tell|want))\b"
)
_EXPLANATION = form(r"(?:it|they|this|that|these|those|he|she|ci|the)\b")
_EXPLAINED_EXCEPTION = form(r"\b(?:unless|except|fine|okay?|allowed|acceptable)\b")
_ALLOWANCE = form(r".+ (?:is|are) (?:fine|ok|okay|allowed)")  # of something else
_LIMIT_OR_NO = form(rf"{_EXCEPTION.pattern}|{_LIMIT.pattern}|\b(?:never|not|no|don't|avoid|stop)\b")
_REPORT = form(r"\b(?:says?|said|claims?|claimed|told|wrote|thinks?|thought)\b(?!.*\bbefore\b)")
_CLAUSE_BREAK = form(r"(?:;|,|:|\s[-–—]+)\s+|!+\s*")
_MAX_CLAUSES = 4
_END = form(r"(?<=[^\s.])[.!…; ]+$")  # not the dot of `git add .`
_LEADING = form(
    r"(?:please|pls|but|always|also|here|it'?s|it is|for the \w+ time"
    r"|in this (?:repo|repository|project|codebase|folder)|you|we|i|agents?|must|should"
    r"|have to|need to|make sure (?:to|you)|be sure to|remember to|let'?s|this (?:project|repo|repository))\b[,:]?\s+"
)
_NEVER = (
    r"(?:never(?: ever)?|(?:do not|don'?t) want(?: you to| to see)?|do not(?: ever)?|don'?t(?: ever)?|must not|mustn't"
    r"|should not|shouldn't|avoid|stop|quit|no more|hate|no)"
)
_RUN = r"(?:run|start|check|do|doing|use|call|invoke|execute|type|running|using|calling|invoking|executing)"
_EDIT = r"(?:edit|change|modify|touch|rewrite|hand-edit|overwrite|write to|editing|changing|modifying|touching|update)"
_NEEDS = r"(?:needs|requires|must have|gets|comes with|goes with)"
_MUST = r"(?:has to|have to|must|needs? to|should)"
_BEFORE = r"(?:before|prior to|ahead of)"
_WHEN, _WE = r"(?:when|whenever|every time|each time)", r"(?:you |we )?"
_ALSO = r"(?:also |always |then |must |should )?"
_PROTECTED = r"(?:generated|read-only|protected)"
_CHOOSE = r"(?:uses?|prefer|run|would rather use)"
_TIE = r"(?:change|edit|touch|modify|update|regenerate|bump|adjust|sync|add|include|create|extend)"
_OFF_LIMITS = r"(?:off[- ]limits|untouchable|hands[- ]off|read-only|not to be (?:edited|touched|changed|modified))"
_MADE = r"(?:auto-?)?(?:generated|produced|built|created|overwritten|managed)"
_FILES = r"(?:folders?|files?|code|directories)"
_TO_EDIT = r"(?:to edit|for edits|for editing|to change|to modify|to patch|to rewrite)"
_ASK = (
    r"(?:ask|check with|confirm with"
    r"|(?:get|wait for) my (?:ok|okay|approval|permission|go-ahead|go ahead|consent|blessing))"
)
_CONSENT = r"(?:explicitly |specifically )?(?:ask|say|said|tell|told|approve|agree|confirm)(?:e?d)?"
_BESIDE_FLAG = r"(?:(?:run|use|using|pass|add|commit|push|commit or push) )?(?:with |using |via )?(?:the )?"
_DEED = r"(?:stage|delete|remove|clean up|wipe|commit|publish)"
_SKIP = r"(?:skip|bypass|disable|ignore|skipping|bypassing|disabling)"
_HOOKS = r"(?:(?:the|any|git|our|pre-?commit|commit|pre-?push) )*hooks?"
_INSTEAD_OF = r"(?:,? instead of|,? in place of|,? rather than| over|,? (?:and |but )?not|,? (?:and |but )?never)"
_FLAG = r"(?P<flag>`?--?[A-Za-z]\S{0,60})(?: flag| option| filter)?"
_EDITING = rf"(?:you |we )?(?:have |are done |every )?{_EDIT}(?:e?d)?(?: to)?"
_ALWAYS_WITH = form(rf"(?:always|you must|must) (?:{_RUN} )?(?P<x>\S+(?: \S+){{0,3}}) with (?:the )?{_FLAG}")
_CHANGES_TO = r"(?:every |any )?changes? (?:to|in)"
_CHANGES = r"(?:change[sd]?|modified|edited|touched)"
_NOTHING = rf"(?:{_NEVER}|stage nothing with|commit nothing with|nothing with)"
_EDITS = form(rf"{_EDIT} (?P<x>.+)")
_ASK_FIRST = form(r"[,;.!]+ (?:but |and |just )?(?:always )?(?:please )?ask (?:me|us)(?: first| before)?[.! ]*$")
_BEFORE_THAT = form(r"before\b")
_STATED = form(r"^[\w-]+(?<!ing) \w+s\b")  # "npm breaks it" wants nothing
_QUESTION = form(r"(?:should|would|could|can|may|might|do|did|does|why|what|how|is|are|was) (?:we|you|i|it|they|the)\b")
_DO_IT = form(r"\b(?:use|run|do) it\b")
_NEGATED = form(rf"\b{_NEVER}\b[^,;.]*")
_DO = (
    r"(?:use|run|prefer|choose|pick|take|go with|reach for|call|invoke|write|build|install|add|commit|search|stick|rely"
    r"|work|format|lint|test|manage|edit|open|start|stage|push|merge|deploy|create|make|switch)"
)
_BREAK = r"(?:, (?:but )?(?:always )?|; |: |\. | and | but )"


def _read_sentence(sentence: str) -> Expectation | None:
    """Return what one sentence expects. None if no form covers it, or a word in it cannot be read."""
    text = _END.sub("", sentence.strip())
    if match := _ALWAYS_WITH.fullmatch(text):
        return _read_wanted_flag(match)
    if reason := _REASON.search(text):
        if _LIMIT.search(reason[0]):
            return None
        text = text[: reason.start()].rstrip(",; ")
    while match := _LEADING.match(text):
        text = text[match.end() :]
    text = strip_trailing(text)
    for shape, read in _FORMS:
        if (match := shape.fullmatch(text)) and (expectation := read(match)) is not None:
            return expectation
    return None


def _read_both(sentence: str) -> list[Expectation]:
    """Return what a sentence expects that wants two commands before another, such as "lint and format before it"."""
    text = _END.sub("", sentence.strip())
    first, conjunction, rest = text.partition(" and ")
    second, before, then = rest.partition(" before ")
    if before:
        each = [f"{first}{before}{then}", f"run {second}{before}{then}"]
    elif _BEFORE_THAT.match(text) or " without " in first:
        head, comma, _ = first.rpartition(", ")
        each = [first, f"{head}{comma}run {rest}" if comma else f"{first.partition(' without ')[0]} without {rest}"]
    else:
        return []
    both = [_read_sentence(one) for one in each] if conjunction else []
    return [one for one in both if one] if both and all(isinstance(one, RequiresBefore) for one in both) else []


def _read_clause(sentence: str) -> Expectation | None:
    """Return what one clause of a sentence expects, if the others neither limit it nor say no to something else."""
    clauses = [clause for clause in _CLAUSE_BREAK.split(sentence.rstrip("!. ")) if clause]
    if any(clause.count("`") % 2 for clause in clauses) or any(map(_REPORT.search, clauses)):
        return None
    read = {clause: expectation for clause in clauses if (expectation := _read_sentence(clause))}
    others = [clause for clause in clauses if clause not in read]
    if len(read) != 1 or len(clauses) > _MAX_CLAUSES or any(_takes_back(clause, [*read.values()]) for clause in others):
        return None
    if any(_LIMIT_OR_NO.search(clause) for clause in others if not _ALLOWANCE.fullmatch(clause)):
        return None
    return next(iter(read.values()))


def _read_forbidden(match: re.Match[str]) -> Expectation | None:
    groups = match.groupdict()
    forbidden = read_commands(groups["x"], verb=groups.get("verb", "use"))
    instead = read_commands(groups["y"], verb="use", any_program=True) if groups.get("y") else ()
    return None if forbidden is None else forbids(forbidden, instead or ())


def _read_chosen(match: re.Match[str]) -> Expectation | None:
    """Read "use pnpm": a program of which there are alternatives forbids those."""
    instead = read_commands(match["y"], verb="use")
    others = alternatives(instead) if instead else ()
    return ForbidsCommand(others, instead) if instead and others else None


def _read_order(match: re.Match[str]) -> Expectation | None:
    first, then = read_commands(match["y"], verb="run"), read_commands(match["x"], verb="run")
    if not first or not then:
        return None
    return RequiresBefore(first, then)


def _read_protected(match: re.Match[str]) -> Expectation | None:
    paths = read_paths(match["x"])
    return ProtectsFiles(paths) if paths else None


def _read_asked(match: re.Match[str]) -> Expectation | None:
    if commands := read_commands(match["x"], verb="run"):
        return AsksBefore(commands)
    edited = _EDITS.fullmatch(match["x"])
    paths = read_paths(edited["x"]) if edited else None
    return AsksBefore(paths=paths) if paths else None


def _read_means(match: re.Match[str]) -> Expectation | None:
    """Read a command by what it is for; of a program that can do other things, too, it has to be named exactly."""
    commands = read_commands(match["x"], verb="use")
    return forbids(commands, ()) if commands and all(one.words or one.required for one in commands) else None


def _read_flag(match: re.Match[str]) -> Expectation | None:
    """Read a flag that is known to belong to few commands."""
    commands = _FLAGS.get(match["x"].strip("`").lower())
    return ForbidsCommand(patterns_of(*commands)) if commands else None


def _read_in_sync(match: re.Match[str]) -> Expectation | None:
    one, other = read_paths(match["x"]), read_paths(match["y"])
    return TiesFiles(one, other, is_mutual=True) if one and other else None


def _read_hooks(_match: re.Match[str]) -> Expectation | None:
    return ForbidsCommand(patterns_of(*_NO_VERIFY))


def _read_edit_tool(match: re.Match[str]) -> Expectation | None:
    tools = [_EDITING_TOOLS.get(part.replace("`", "")) for part in split_alternatives(match["x"])]
    commands = [command for tool in tools for command in tool or ()]
    return ForbidsCommand(patterns_of(*commands)) if commands and all(tools) else None


def _read_generated(_match: re.Match[str]) -> Expectation | None:
    return ProtectsFiles(_GENERATED)


def _read_tied(match: re.Match[str]) -> Expectation | None:
    changed, companions = read_paths(match["x"]), read_paths(match["y"])
    return TiesFiles(changed, companions) if changed and companions else None


def _read_after(match: re.Match[str]) -> Expectation | None:
    paths, commands = read_paths(match["x"]), read_commands(match["y"], verb="run")
    return RunsAfter(paths, commands) if paths and commands else None


def _read_left(match: re.Match[str]) -> Expectation | None:
    return _read_off_limits(match["x"] or match["z"])


def _read_theirs(match: re.Match[str]) -> Expectation | None:
    return _read_off_limits(match["x"])


def _read_off_limits(phrase: str) -> Expectation | None:
    if paths := read_paths(phrase):
        return ProtectsFiles(paths)
    commands = read_commands(phrase, verb="run")
    return ForbidsCommand(commands) if commands else None


def _read_forbidden_flag(match: re.Match[str]) -> Expectation | None:
    commands = read_commands(f"`{match['x'].strip('`')} {match['flag'].strip('`')}`", verb="run")
    return ForbidsCommand(commands) if commands and all(is_known_program(one.program) for one in commands) else None


def _read_wanted_flag(match: re.Match[str]) -> Expectation | None:
    """Read a flag that a command must have: without it, the command is forbidden."""
    flagged = read_commands(f"`{match['x'].strip('`')} {match['flag'].strip('`')}`", verb="run")
    if not flagged or not all(one.required and is_known_program(one.program) for one in flagged):
        return None
    return ForbidsCommand(tuple(one._replace(required=(), lacking=one.required) for one in flagged), flagged)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Expectation | None]], ...] = (
    (form(rf"{_ASK} (?:me |us )?(?:first )?before (?:{_WE})?(?:{_RUN} )?(?P<x>.+)"), _read_asked),
    (
        form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) without (?:first )?(?:asking|checking with|my|our|explicit)\b.*"),
        _read_asked,
    ),
    (
        form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) (?:unless|until) (?:I|we)(?: have|'ve)? {_CONSENT}\b.*"),
        _read_asked,
    ),
    (
        form(rf"{_NEVER} {_DEED} (?:(?:anything|everything|files?|changes|them) )?(?:with|using|via|by) (?P<x>.+)"),
        _read_means,
    ),
    (form(rf"{_NEVER} {_BESIDE_FLAG}(?P<x>`?--[\w-]+`?)(?: flag| option)?"), _read_flag),
    (form(rf"{_NEVER} {_SKIP} {_HOOKS}(?: (?:with|using|via) .+)?"), _read_hooks),
    (form(rf"{_NEVER} {_EDIT} (?:the |any )?(?:auto-?)?generated {_FILES}"), _read_generated),
    (form(rf"(?P<x>.+?) (?:is|are) {_OFF_LIMITS}"), _read_protected),
    (form(rf"(?P<x>\S+) (?:is|are) {_MADE} by (?!hand\b|me\b|us\b).+"), _read_protected),
    (
        form(r"leave (?P<x>.+?) alone|(?:(?:keep (?:your )?)?hands off|(?:stay|keep) (?:out of|away from)) (?P<z>.+)"),
        _read_left,
    ),
    (form(rf"(?P<x>\S+) (?:must|may|should|shall) (?:not|never) be {_EDIT}e?d?"), _read_protected),
    (
        form(rf"{_NEVER} (?:pass|use|add|set) (?:the )?{_FLAG} (?:to|on|with|for|in) (?P<x>.+)"),
        _read_forbidden_flag,
    ),
    (
        form(rf"(?:skip|omit|leave out|drop) (?:the )?{_FLAG} (?:to|on|with|for|in) (?P<x>.+)"),
        _read_forbidden_flag,
    ),
    (form(rf"(?:pass|add|give) {_FLAG} to (?:every |each |all )?(?P<x>.+)"), _read_wanted_flag),
    (form(rf"{_NEVER} (?:{_RUN} )?(?P<x>\S+(?: \S+){{0,3}}) without (?:the )?{_FLAG}"), _read_wanted_flag),
    (form(rf"give (?:every |each |all )?(?P<x>\S+(?: \S+){{0,3}}) (?:a |the |an )?{_FLAG}"), _read_wanted_flag),
    (
        form(rf"nothing (?:in|under|below|inside) (?P<x>.+?) (?:may|should|must|is to) be {_EDIT}e?d?"),
        _read_protected,
    ),
    (
        form(rf"(?:when|if|whenever) (?P<x>\S+) (?:is )?{_CHANGES}, (?P<y>\S+) {_MUST} (?:be )?{_EDIT}e?d?"),
        _read_tied,
    ),
    (
        form(rf"{_CHANGES_TO} (?P<x>.+?) (?:need|require|want)s? (?:a )?changes? (?:to|in) (?P<y>.+)"),
        _read_tied,
    ),
    (form(rf"{_CHANGES_TO} (?P<x>.+?) must (?:also )?go into (?P<y>.+)"), _read_tied),
    (form(r"\w+ (?:only )?with (?P<y>[^,]+), (?:not|never) with (?P<x>.+)"), _read_forbidden),
    (form(rf"before (?P<x>[^,]+),? (?:always |please |first )?{_ASK}(?: me| us)?(?: first)?"), _read_asked),
    (form(r"(?P<x>.+) (?:is|are) mine(?: to (?:run|do|make))?"), _read_theirs),
    (form(r"(?P<x>\w+ing) is (?:my|our) (?:job|call|task|responsibility|decision)"), _read_theirs),
    (form(rf"(?P<y>.+?) {_MUST} (?:happen|run|be run|pass|be green) {_BEFORE} (?P<x>.+)"), _read_order),
    (form(rf"{_NEVER} {_EDIT} (?:any |the )?files? (?:with|using|via|by) (?P<x>.+)"), _read_edit_tool),
    (
        form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) {_TO_EDIT}(?: (?:(?:any|the|source) )*{_FILES})?"),
        _read_edit_tool,
    ),
    (form(r"keep (?P<x>.+?) and (?P<y>.+?) (?:in sync|in step|consistent)"), _read_in_sync),
    (form(r"keep (?P<x>.+?) (?:in sync|up to date|in step|consistent) with (?P<y>.+)"), _read_in_sync),
    (form(rf"{_TIE} (?P<x>.+?) (?:together|along|in step) with (?P<y>.+)"), _read_in_sync),
    (form(rf"{_TIE} (?P<x>.+?) and (?P<y>.+?) together"), _read_in_sync),
    (form(rf"(?P<x>.+?) and (?P<y>.+?) {_MUST} (?:be )?(?:change|edit|update)e?d? together"), _read_in_sync),
    (form(rf"{_NEVER} (?P<x>.+?) (?:without|before) (?:first )?(?:{_RUN} )?(?P<y>.+)"), _read_order),
    (form(rf"(?:(?:{_RUN}|look at|read) )?(?P<y>.+?) before (?:{_WE}{_RUN} )?(?P<x>.+)"), _read_order),
    (
        form(rf"before {_WE}(?:{_RUN} )?(?P<x>[^,]+),? (?:always |first )?(?:{_RUN}|look at) (?P<y>.+)"),
        _read_order,
    ),
    (form(r"before (?P<x>[^,]+), (?P<y>\w+ (?:\w+ ){0,3}(?:with|using) .+)"), _read_order),
    (
        form(rf"{_NOTHING} (?P<x>.+?) (?:until|unless|before) (?P<y>.+?) (?:has|have) (?:been )?(?:run|passed)"),
        _read_order,
    ),
    (form(rf"(?P<x>.+?) only after (?:{_RUN} )?(?P<y>.+)"), _read_order),
    (
        form(rf"{_NEVER} (?:(?:read|open|print|reading|opening) (?:or|and|nor) )?{_EDIT} (?P<x>.+)"),
        _read_protected,
    ),
    (form(rf"(?:any|every) (?:change|edit) (?:to|in|of) (?P<x>.+?) {_NEEDS} (?P<y>.+)"), _read_tied),
    (form(rf"(?P<x>\S+) (?:is|are) {_PROTECTED}(?:, do(?:n't| not) edit (?:it|them))?"), _read_protected),
    (
        form(rf"(?:after|once|{_WHEN}) {_EDITING} (?P<x>[^,]+?),? {_RUN} (?P<y>.+?)(?: afterwards| again)?"),
        _read_after,
    ),
    (form(rf"{_RUN} (?P<y>.+?) (?:after|once|{_WHEN}) {_EDITING} (?P<x>.+)"), _read_after),
    (form(rf"(?:if|{_WHEN}) {_WE}{_TIE} (?P<x>[^,]+), {_WE}{_ALSO}{_TIE} (?P<y>.+)"), _read_tied),
    (form(rf"(?:also )?{_TIE} (?P<y>.+?) {_WHEN} {_WE}{_TIE} (?P<x>.+)"), _read_tied),
    (
        form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+?){_BREAK}(?:use|run|prefer|only) (?P<y>.+)"),
        _read_forbidden,
    ),
    (form(rf"{_CHOOSE} (?P<y>.+?){_INSTEAD_OF} (?:to )?(?:{_RUN} )?(?P<x>.+)"), _read_forbidden),
    (form(r"prefer (?P<y>[^,]+?) to (?P<x>.+)"), _read_forbidden),
    (form(rf"instead of (?:{_RUN} )?(?P<x>[^,]+),? (?:{_RUN}|prefer) (?P<y>.+)"), _read_forbidden),
    (form(r"(?P<y>[^,]+), (?:not|never) (?P<x>.+)"), _read_forbidden),
    (form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+)"), _read_forbidden),
    (form(r"(?:uses?|prefer)(?: only)? (?P<y>[^,]+)"), _read_chosen),
    (
        form(
            rf"(?:{_DO}\b.*?|\S+|`[^`]+`)(?:,? instead of|,? in place of|,? rather than) (?:to )?(?:{_RUN} )?(?P<x>.+)"
        ),
        _read_forbidden,
    ),
)


# Flags that are named without their command, what skipping hooks is, and what generated files are called
_NO_VERIFY = ("git commit --no-verify", "git commit -n", "git push --no-verify")
_FLAGS = {
    "--no-verify": _NO_VERIFY,
    "--force": ("git push --force",),
    "--force-with-lease": ("git push --force-with-lease",),
    "--amend": ("git commit --amend",),
    "--no-gpg-sign": ("git commit --no-gpg-sign",),
}
_GENERATED = (
    *("generated/", "__generated__/", "gen/", "dist/", "node_modules/"),
    *("*.generated.*", "*.pb.go", "*_pb2.py", "*_pb2_grpc.py", "*.g.dart"),
)
# Tools that edit files in place, as people name them, and the flags with which they do
_EDITING_TOOLS = {
    "sed": ("sed -i", "sed --in-place"),
    "sed -i": ("sed -i", "sed --in-place"),
    "perl": ("perl -i", "perl -pi"),
    "awk": ("awk -i", "gawk -i"),
}
