"""What a memory expects of tool calls: commands it forbids, an order of commands, files it protects or ties together.

A sentence is read only if one of a few forms covers all of it. A condition, an exception or a word that is no known
command or path leaves it unread: such a memory can be neither checked nor enforced. Reasons ("because …") and words
that change nothing ("here", "please") are dropped first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from tacit.commandline.patterns import (
    AsksBefore,
    CommandPattern,
    Expectation,
    ForbidsCommand,
    ProtectsFiles,
    RequiresBefore,
    RunsAfter,
    TiesFiles,
    forbids,
    known_programs,
    parse_patterns,
)
from tacit.commandline.programs import program_tables
from tacit.model.conflict import alternatives_of
from tacit.model.statement import split_sentences, strip_introduction

_MAX_SENTENCE_CHARS = 400
_VERSION = re.compile(r"[\d.]+$")
_VERSIONED = ("python", "pip")  # `python3.12`


def is_known_program(word: str) -> bool:
    """Return whether a word is the name of a well-known program."""
    return word in known_programs() or _VERSION.sub("", word) in _VERSIONED


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


def alternatives(patterns: Sequence[CommandPattern]) -> tuple[CommandPattern, ...]:
    """Return the programs that people use in place of these; () if they are not known or a subcommand is named."""
    if any(pattern.words or pattern.required for pattern in patterns):
        return ()
    named = {pattern.program for pattern in patterns}
    others = {other for name in named for other in alternatives_of(name) if is_known_program(other)}
    return _patterns(*sorted(others - named))


# Sentences


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_TWO_SENTENCES = _form(r"\. (?=use [^.]+ instead\b)")  # "Don't run npm. Use pnpm instead."
_ADD_ALL = _form(r"(?<!`)\b(git (?:add|stage|checkout|restore)) \.(?=[\s,;]|$)")  # its dot ends no sentence
_REASON = _form(
    r"\s*(?:[,;]?\s(?:because|since|as it|so that|otherwise|so I|so we|so you|to make sure)\s.*"
    r"|[,;]\s(?:I'd|I|I'm|I've|we|our|the|my|they're)\s.*|\s[-–—]+\s.*|\([^()]*\)\s*"
    r"|[,;]?\s(?:it|they)\s.*)$"
)
_LIMIT = _form(
    r"\b(?:unless|except|excluding|only|but|if|when|whenever|until|while|during|sometimes|usually|mostly|apart"
    r"|though|although|instead)\b"
)
# What makes an exception of what the sentence before it says. "If a hook fails, fix it" does not.
_EXCEPTION = _form(
    r"\b(?:unless|except|excluding|only|but|sometimes|usually|mostly|apart|though|although|fine|okay?|allowed"
    r"|acceptable|you (?:may|can|could)|feel free|until (?:i|we)|when (?:i|we) (?:say|ask|tell|want))\b"
)
_EXPLANATION = _form(r"(?:it|they|this|that|these|those|he|she|ci|the)\b")
_EXPLAINED_EXCEPTION = _form(r"\b(?:unless|except|fine|okay?|allowed|acceptable)\b")
_ALLOWANCE = _form(r".+ (?:is|are) (?:fine|ok|okay|allowed)")  # of something else
_LIMIT_OR_NO = _form(rf"{_EXCEPTION.pattern}|{_LIMIT.pattern}|\b(?:never|not|no|don't|avoid|stop)\b")
_REPORT = _form(r"\b(?:says?|said|claims?|claimed|told|wrote|thinks?|thought)\b(?!.*\bbefore\b)")
_CLAUSE_BREAK = _form(r"(?:;|,|:|\s[-–—]+)\s+|!+\s*")
_MAX_CLAUSES = 4
_END = _form(r"(?<=[^\s.])[.!…; ]+$")  # not the dot of `git add .`
_LEADING = _form(
    r"(?:please|pls|but|always|also|here|it'?s|it is|for the \w+ time"
    r"|in this (?:repo|repository|project|codebase|folder)|you|we|i|agents?|must|should"
    r"|have to|need to|make sure (?:to|you)|be sure to|remember to|let'?s|this (?:project|repo|repository))\b[,:]?\s+"
)
_TRAILING = _form(
    r"[\s,]+(?:here|please|again|ever|at all|any ?more|directly|by hand|manually|yourself|first|instead|too|as well"
    r"|(?:for|to) (?:install|manage|add)(?:ing)? (?:packages|dependencies|deps)"
    r"|for (?:\w+ )?(?:packages|dependencies|deps|installs|everything|package management)"
    r"|every time|to clean up|for searching|for that|when (?:committing|pushing)"
    r"|in the same (?:commit|pr|change|pull request|go)|in the (?:shell|terminal)|use (?:your|the) edit(?:ing)? tools?"
    r"|, (?:add|stage) (?:files|them|things|each file) (?:by name|one by one|individually|explicitly|by path)"
    r"|in any project|for (?:this|the) (?:repo|repository|project)"
    r"|(?:in|on) (?:this|the) (?:repo|repository|project|codebase|folder|directory))$"
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
_ALWAYS_WITH = _form(rf"(?:always|you must|must) (?:{_RUN} )?(?P<x>\S+(?: \S+){{0,3}}) with (?:the )?{_FLAG}")
_CHANGES_TO = r"(?:every |any )?changes? (?:to|in)"
_CHANGES = r"(?:change[sd]?|modified|edited|touched)"
_NOTHING = rf"(?:{_NEVER}|stage nothing with|commit nothing with|nothing with)"
_EDITS = _form(rf"{_EDIT} (?P<x>.+)")
_ASK_FIRST = _form(r"[,;.!]+ (?:but |and |just )?(?:always )?(?:please )?ask (?:me|us)(?: first| before)?[.! ]*$")
_BEFORE_THAT = _form(r"before\b")
_STATED = _form(r"^[\w-]+(?<!ing) \w+s\b")  # "npm breaks it" wants nothing
_QUESTION = _form(
    r"(?:should|would|could|can|may|might|do|did|does|why|what|how|is|are|was) (?:we|you|i|it|they|the)\b"
)
_DO_IT = _form(r"\b(?:use|run|do) it\b")
_NEGATED = _form(rf"\b{_NEVER}\b[^,;.]*")
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
    text = _strip_trailing(text)
    for form, read in _FORMS:
        if (match := form.fullmatch(text)) and (expectation := read(match)) is not None:
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
    forbidden = _commands(groups["x"], verb=groups.get("verb", "use"))
    instead = _commands(groups["y"], verb="use", any_program=True) if groups.get("y") else ()
    return None if forbidden is None else forbids(forbidden, instead or ())


def _read_chosen(match: re.Match[str]) -> Expectation | None:
    """Read "use pnpm": a program of which there are alternatives forbids those."""
    instead = _commands(match["y"], verb="use")
    others = alternatives(instead) if instead else ()
    return ForbidsCommand(others, instead) if instead and others else None


def _read_order(match: re.Match[str]) -> Expectation | None:
    first, then = _commands(match["y"], verb="run"), _commands(match["x"], verb="run")
    if not first or not then:
        return None
    return RequiresBefore(first, then)


def _read_protected(match: re.Match[str]) -> Expectation | None:
    paths = _paths(match["x"])
    return ProtectsFiles(paths) if paths else None


def _read_asked(match: re.Match[str]) -> Expectation | None:
    if commands := _commands(match["x"], verb="run"):
        return AsksBefore(commands)
    edited = _EDITS.fullmatch(match["x"])
    paths = _paths(edited["x"]) if edited else None
    return AsksBefore(paths=paths) if paths else None


def _read_means(match: re.Match[str]) -> Expectation | None:
    """Read a command by what it is for; of a program that can do other things, too, it has to be named exactly."""
    commands = _commands(match["x"], verb="use")
    return forbids(commands, ()) if commands and all(one.words or one.required for one in commands) else None


def _read_flag(match: re.Match[str]) -> Expectation | None:
    """Read a flag that is known to belong to few commands."""
    commands = _FLAGS.get(match["x"].strip("`").lower())
    return ForbidsCommand(_patterns(*commands)) if commands else None


def _read_in_sync(match: re.Match[str]) -> Expectation | None:
    one, other = _paths(match["x"]), _paths(match["y"])
    return TiesFiles(one, other, is_mutual=True) if one and other else None


def _read_hooks(_match: re.Match[str]) -> Expectation | None:
    return ForbidsCommand(_patterns(*_NO_VERIFY))


def _read_edit_tool(match: re.Match[str]) -> Expectation | None:
    tools = [_EDITING_TOOLS.get(part.replace("`", "")) for part in _split_alternatives(match["x"])]
    commands = [command for tool in tools for command in tool or ()]
    return ForbidsCommand(_patterns(*commands)) if commands and all(tools) else None


def _read_generated(_match: re.Match[str]) -> Expectation | None:
    return ProtectsFiles(_GENERATED)


def _read_tied(match: re.Match[str]) -> Expectation | None:
    changed, companions = _paths(match["x"]), _paths(match["y"])
    return TiesFiles(changed, companions) if changed and companions else None


def _read_after(match: re.Match[str]) -> Expectation | None:
    paths, commands = _paths(match["x"]), _commands(match["y"], verb="run")
    return RunsAfter(paths, commands) if paths and commands else None


def _read_left(match: re.Match[str]) -> Expectation | None:
    return _read_off_limits(match["x"] or match["z"])


def _read_theirs(match: re.Match[str]) -> Expectation | None:
    return _read_off_limits(match["x"])


def _read_off_limits(phrase: str) -> Expectation | None:
    if paths := _paths(phrase):
        return ProtectsFiles(paths)
    commands = _commands(phrase, verb="run")
    return ForbidsCommand(commands) if commands else None


def _read_forbidden_flag(match: re.Match[str]) -> Expectation | None:
    commands = _commands(f"`{match['x'].strip('`')} {match['flag'].strip('`')}`", verb="run")
    return ForbidsCommand(commands) if commands and all(is_known_program(one.program) for one in commands) else None


def _read_wanted_flag(match: re.Match[str]) -> Expectation | None:
    """Read a flag that a command must have: without it, the command is forbidden."""
    flagged = _commands(f"`{match['x'].strip('`')} {match['flag'].strip('`')}`", verb="run")
    if not flagged or not all(one.required and is_known_program(one.program) for one in flagged):
        return None
    return ForbidsCommand(tuple(one._replace(required=(), lacking=one.required) for one in flagged), flagged)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Expectation | None]], ...] = (
    (_form(rf"{_ASK} (?:me |us )?(?:first )?before (?:{_WE})?(?:{_RUN} )?(?P<x>.+)"), _read_asked),
    (
        _form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) without (?:first )?(?:asking|checking with|my|our|explicit)\b.*"),
        _read_asked,
    ),
    (_form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) (?:unless|until) (?:I|we)(?: have|'ve)? {_CONSENT}\b.*"), _read_asked),
    (
        _form(rf"{_NEVER} {_DEED} (?:(?:anything|everything|files?|changes|them) )?(?:with|using|via|by) (?P<x>.+)"),
        _read_means,
    ),
    (_form(rf"{_NEVER} {_BESIDE_FLAG}(?P<x>`?--[\w-]+`?)(?: flag| option)?"), _read_flag),
    (_form(rf"{_NEVER} {_SKIP} {_HOOKS}(?: (?:with|using|via) .+)?"), _read_hooks),
    (_form(rf"{_NEVER} {_EDIT} (?:the |any )?(?:auto-?)?generated {_FILES}"), _read_generated),
    (_form(rf"(?P<x>.+?) (?:is|are) {_OFF_LIMITS}"), _read_protected),
    (_form(rf"(?P<x>\S+) (?:is|are) {_MADE} by (?!hand\b|me\b|us\b).+"), _read_protected),
    (
        _form(r"leave (?P<x>.+?) alone|(?:(?:keep (?:your )?)?hands off|(?:stay|keep) (?:out of|away from)) (?P<z>.+)"),
        _read_left,
    ),
    (_form(rf"(?P<x>\S+) (?:must|may|should|shall) (?:not|never) be {_EDIT}e?d?"), _read_protected),
    (_form(rf"{_NEVER} (?:pass|use|add|set) (?:the )?{_FLAG} (?:to|on|with|for|in) (?P<x>.+)"), _read_forbidden_flag),
    (_form(rf"(?:skip|omit|leave out|drop) (?:the )?{_FLAG} (?:to|on|with|for|in) (?P<x>.+)"), _read_forbidden_flag),
    (_form(rf"(?:pass|add|give) {_FLAG} to (?:every |each |all )?(?P<x>.+)"), _read_wanted_flag),
    (_form(rf"{_NEVER} (?:{_RUN} )?(?P<x>\S+(?: \S+){{0,3}}) without (?:the )?{_FLAG}"), _read_wanted_flag),
    (_form(rf"give (?:every |each |all )?(?P<x>\S+(?: \S+){{0,3}}) (?:a |the |an )?{_FLAG}"), _read_wanted_flag),
    (_form(rf"nothing (?:in|under|below|inside) (?P<x>.+?) (?:may|should|must|is to) be {_EDIT}e?d?"), _read_protected),
    (_form(rf"(?:when|if|whenever) (?P<x>\S+) (?:is )?{_CHANGES}, (?P<y>\S+) {_MUST} (?:be )?{_EDIT}e?d?"), _read_tied),
    (_form(rf"{_CHANGES_TO} (?P<x>.+?) (?:need|require|want)s? (?:a )?changes? (?:to|in) (?P<y>.+)"), _read_tied),
    (_form(rf"{_CHANGES_TO} (?P<x>.+?) must (?:also )?go into (?P<y>.+)"), _read_tied),
    (_form(r"\w+ (?:only )?with (?P<y>[^,]+), (?:not|never) with (?P<x>.+)"), _read_forbidden),
    (_form(rf"before (?P<x>[^,]+),? (?:always |please |first )?{_ASK}(?: me| us)?(?: first)?"), _read_asked),
    (_form(r"(?P<x>.+) (?:is|are) mine(?: to (?:run|do|make))?"), _read_theirs),
    (_form(r"(?P<x>\w+ing) is (?:my|our) (?:job|call|task|responsibility|decision)"), _read_theirs),
    (_form(rf"(?P<y>.+?) {_MUST} (?:happen|run|be run|pass|be green) {_BEFORE} (?P<x>.+)"), _read_order),
    (_form(rf"{_NEVER} {_EDIT} (?:any |the )?files? (?:with|using|via|by) (?P<x>.+)"), _read_edit_tool),
    (_form(rf"{_NEVER} (?:{_RUN} )?(?P<x>.+?) {_TO_EDIT}(?: (?:(?:any|the|source) )*{_FILES})?"), _read_edit_tool),
    (_form(r"keep (?P<x>.+?) and (?P<y>.+?) (?:in sync|in step|consistent)"), _read_in_sync),
    (_form(r"keep (?P<x>.+?) (?:in sync|up to date|in step|consistent) with (?P<y>.+)"), _read_in_sync),
    (_form(rf"{_TIE} (?P<x>.+?) (?:together|along|in step) with (?P<y>.+)"), _read_in_sync),
    (_form(rf"{_TIE} (?P<x>.+?) and (?P<y>.+?) together"), _read_in_sync),
    (_form(rf"(?P<x>.+?) and (?P<y>.+?) {_MUST} (?:be )?(?:change|edit|update)e?d? together"), _read_in_sync),
    (_form(rf"{_NEVER} (?P<x>.+?) (?:without|before) (?:first )?(?:{_RUN} )?(?P<y>.+)"), _read_order),
    (_form(rf"(?:(?:{_RUN}|look at|read) )?(?P<y>.+?) before (?:{_WE}{_RUN} )?(?P<x>.+)"), _read_order),
    (_form(rf"before {_WE}(?:{_RUN} )?(?P<x>[^,]+),? (?:always |first )?(?:{_RUN}|look at) (?P<y>.+)"), _read_order),
    (_form(r"before (?P<x>[^,]+), (?P<y>\w+ (?:\w+ ){0,3}(?:with|using) .+)"), _read_order),
    (
        _form(rf"{_NOTHING} (?P<x>.+?) (?:until|unless|before) (?P<y>.+?) (?:has|have) (?:been )?(?:run|passed)"),
        _read_order,
    ),
    (_form(rf"(?P<x>.+?) only after (?:{_RUN} )?(?P<y>.+)"), _read_order),
    (_form(rf"{_NEVER} (?:(?:read|open|print|reading|opening) (?:or|and|nor) )?{_EDIT} (?P<x>.+)"), _read_protected),
    (_form(rf"(?:any|every) (?:change|edit) (?:to|in|of) (?P<x>.+?) {_NEEDS} (?P<y>.+)"), _read_tied),
    (_form(rf"(?P<x>\S+) (?:is|are) {_PROTECTED}(?:, do(?:n't| not) edit (?:it|them))?"), _read_protected),
    (
        _form(rf"(?:after|once|{_WHEN}) {_EDITING} (?P<x>[^,]+?),? {_RUN} (?P<y>.+?)(?: afterwards| again)?"),
        _read_after,
    ),
    (_form(rf"{_RUN} (?P<y>.+?) (?:after|once|{_WHEN}) {_EDITING} (?P<x>.+)"), _read_after),
    (_form(rf"(?:if|{_WHEN}) {_WE}{_TIE} (?P<x>[^,]+), {_WE}{_ALSO}{_TIE} (?P<y>.+)"), _read_tied),
    (_form(rf"(?:also )?{_TIE} (?P<y>.+?) {_WHEN} {_WE}{_TIE} (?P<x>.+)"), _read_tied),
    (_form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+?){_BREAK}(?:use|run|prefer|only) (?P<y>.+)"), _read_forbidden),
    (_form(rf"{_CHOOSE} (?P<y>.+?){_INSTEAD_OF} (?:to )?(?:{_RUN} )?(?P<x>.+)"), _read_forbidden),
    (_form(r"prefer (?P<y>[^,]+?) to (?P<x>.+)"), _read_forbidden),
    (_form(rf"instead of (?:{_RUN} )?(?P<x>[^,]+),? (?:{_RUN}|prefer) (?P<y>.+)"), _read_forbidden),
    (_form(r"(?P<y>[^,]+), (?:not|never) (?P<x>.+)"), _read_forbidden),
    (_form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+)"), _read_forbidden),
    (_form(r"(?:uses?|prefer)(?: only)? (?P<y>[^,]+)"), _read_chosen),
    (
        _form(
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


def _strip_trailing(text: str) -> str:
    while match := _TRAILING.search(text):
        text = text[: match.start()]
    return text


# Commands

_ALTERNATIVE = _form(
    r"\s*(?:(?<=\w)/(?=(?:head|tail|cat|less|sed|awk|grep|npx|yarn|pnpm)\b)"
    r"|,\s*(?:or|and|nor)\s|,\s|\s(?:or|and|nor)\s)\s*"
)
_DETERMINER = _form(r"(?:the|a|an|any|every|each|all|you|we|to|making|creating|your|full|plain|raw|system|global)\s+")
_WORD = re.compile(r"[A-Za-z0-9_./:@=+-]+")
_EVERYTHING = re.compile(r"\./\.\.\.")  # all packages: `go vet ./...`
_MAX_WORDS = 6
# English words that are programs, too: they stand for the program only in backticks, or alone behind a verb.
_AMBIGUOUS = frozenset(
    "make just find test at cut sort join split open file time watch which more less head last free say start stop go"
    " touch sync mount kill code view ed look host print type read set install link tag service help info screen"
    " format build task node top w id who date cal dir most yes convert magick passwd groups script bundle rails"
    " mix play deploy strings comm paste expand fold nice wait history source export env command".split()
)
_NEVER_ALONE = frozenset("go start stop wait look say read type mix play export set".split())
_TARGET_PROGRAMS = frozenset("make just go task mix".split())
_SPOKEN = {"ripgrep": "rg"}  # programs that people call otherwise than their command
_TESTS = (
    "pytest;tox;nox;jest;vitest;mocha;rspec;phpunit;ctest;python -m unittest;npm test;pnpm test;yarn test;bun test"
    ";bun run test;deno test;make test;make tests;make check;just test;just check;task test;rake test;rake spec"
    ";rails test;mix test;cargo test;cargo nextest;go test;gradle test;gradlew test;mvn test;mvn verify;mvnw test"
    ";dotnet test;swift test;bazel test;composer test;flutter test;php artisan test;run_tests.sh;test.sh;hatch test"
    ";mise run test;python manage.py test"
)
_LINTERS = (
    "ruff;flake8;pylint;eslint;biome;make lint;make check;just lint;task lint;npm run lint;pnpm lint;yarn lint;bun lint"
    ";cargo clippy;golangci-lint;go vet;rubocop;shellcheck;pre-commit run;mix credo;rake lint;mise run lint"
)
_FORMATTERS = (
    "ruff format;black;prettier;cargo fmt;gofmt;go fmt;make format;make fmt;just format;just fmt;npm run format"
    ";pnpm format;yarn format;bun run format;mix format;rustfmt;pre-commit run"
)
_TYPE_CHECKERS = (
    "mypy;pyright;tsc;make types;make typecheck;npm run typecheck;pnpm typecheck;yarn typecheck;npm run type-check"
    ";pnpm type-check;just typecheck;dmypy;ty check;mix dialyzer"
)
_MEANS = _form(r"\w+(?: \w+){0,2} (?:with|using|via) (?P<x>[^`]+)")
_FORCE = ("--force", "-f", "--force-with-lease")


def _patterns(*commands: str) -> tuple[CommandPattern, ...]:
    return tuple(pattern for command in commands for pattern in parse_patterns(command))


_ADDITIONS = (
    "npm install;pnpm add;yarn add;bun add;pip install;uv add;poetry add;cargo add;go get;gem install;bundle add"
    ";composer require;dotnet add package"
)
_CODE = r"(?:code|changes|files)"
_PACKAGES = r"(?:dependenc(?:y|ies)|packages?|librar(?:y|ies))"
# What people call commands. Each form must cover the whole phrase.
_PHRASES = (
    (_form(rf"commit(?:s|ting)?(?: (?:anything|(?:any )?(?:\w+ )?{_CODE})(?: (?:in|under) \S+)?)?"), "git commit"),
    (_form(r"amend(?:s|ed|ing)?(?: (?:any |the )?(?:last )?commits?)?"), "git commit --amend"),
    (_form(r"(?:delet|remov)(?:e|ing)(?: (?:any|the|a))? (?:files?|folders?)"), "rm;git rm;unlink;rmdir"),
    (_form(rf"(?:add|install)(?:ing)?(?: (?:any|a|new|another))* {_PACKAGES}(?: to .+)?"), _ADDITIONS),
    (_form(r"push(?:es|ing)?(?: (?:anything|code|changes))?"), "git push"),
    (_form(r"rebas(?:e|es|ing)"), "git rebase"),
    (_form(r"merg(?:e|es|ing)(?: (?:anything|(?:any |a )?(?:branch(?:es)?|prs?)))?"), "git merge"),
    (_form(r"switch(?:ing)? branch(?:es)?"), "git switch;git checkout"),
    (_form(r"creat(?:e|ing)(?: (?:a|any|new|another))* branch(?:es)?"), "git checkout -b;git switch -c"),
    (_form(r"(?:open(?:ing)? |creat(?:e|ing) )?(?:a )?(?:pr|pull request)s?"), "gh pr create"),
    (_form(r"(?:unit |integration )?tests?(?: ?suite)?"), _TESTS),
    (_form(r"lint(?:er|ers|ing)?"), _LINTERS),
    (_form(r"formatters?|formatting"), _FORMATTERS),
    (_form(r"type[- ]?check(?:er|s|ing)?"), _TYPE_CHECKERS),
)
_FORCE_PUSH = _form(r"(?:git )?force[- ]push(?:ing|es)?")
_PUSH_TO = _form(r"(?P<force>force[- ])?push(?:ing)?(?: directly| straight)? to (?P<branch>[\w./-]+)(?: branch)?")


def _commands(phrase: str, *, verb: str | None, any_program: bool = False) -> tuple[CommandPattern, ...] | None:
    """Return the patterns that a phrase names, such as "npm or `yarn add`". None if a part of it is no command.

    With `any_program` the first word may be a program that is not known: what is to be run instead is only shown.
    """
    patterns: list[CommandPattern] = []
    for part in _split_alternatives(phrase):
        read = _read_command(part, verb, any_program)
        if not read and verb and (means := _MEANS.fullmatch(_strip_trailing(part))):
            # "install packages with npm" does not speak of all that npm does
            read = [one for one in _read_command(means["x"], verb, any_program) if one.words or one.required]
        if not read:
            return None
        patterns += read
    return tuple(patterns) or None


def _split_alternatives(phrase: str) -> Iterator[str]:
    """Yield the parts of an enumeration. Backticks are not split."""
    pieces = re.split(r"(`[^`]*`)", phrase)
    joined = "".join(f"\0{at}\0" if at % 2 else piece for at, piece in enumerate(pieces))
    for part in _ALTERNATIVE.split(joined):
        yield re.sub(r"\0(\d+)\0", lambda mark: pieces[int(mark[1])], part).strip()


def _read_command(phrase: str, verb: str | None, any_program: bool) -> Sequence[CommandPattern]:
    text = _strip_trailing(phrase.strip())
    while match := _DETERMINER.match(text):
        text = text[match.end() :]
    if code := re.fullmatch(r"(?:[^`]+ (?:with|using) )?`([^`]+)`(?: command)?|[\"“']([^\"”']+)[\"”']", text):
        return parse_patterns((code[1] or code[2]).strip())
    if _FORCE_PUSH.fullmatch(text):
        return [pattern._replace(required=(_FORCE,)) for pattern in _patterns("git push --force")]
    if match := _PUSH_TO.fullmatch(text):
        branch = match["branch"]
        required = ((branch, f"HEAD:{branch}", f"+{branch}"), *((_FORCE,) if match["force"] else ()))
        return [
            pattern._replace(required=required, text=text, may_be_implied=True) for pattern in _patterns("git push")
        ]
    for form, commands in _PHRASES:
        if form.fullmatch(text):
            return _patterns(*commands.split(";")) if verb or ";" not in commands else ()
    words = text.replace("`", "").split()
    if words and words[0] in _AMBIGUOUS:
        second = words[1] if len(words) > 1 and words[0] in _TARGET_PROGRAMS else ""
        is_alone = len(words) == 1 and words[0] not in _NEVER_ALONE
        if not verb or not (is_alone or second in _subcommands() or second in _groups(words[0])):
            return ()
    return _read_words(words, any_program)


def _read_words(words: list[str], any_program: bool) -> Sequence[CommandPattern]:
    """Return the patterns of a command that is not quoted as code. A word of prose states what nobody can check."""
    if not 0 < len(words) <= _MAX_WORDS or not all(map(_WORD.fullmatch, words)):
        return ()
    if not any_program and not is_known_program(words[0]):
        return ()
    words = [_SPOKEN.get(word, word) for word in words if not _EVERYTHING.fullmatch(word)]
    plain = [word for word in words[1:] if not word.startswith("-")]
    groups = _groups(words[0])
    for before, word in pairwise(["", *plain]):
        # `gh pr merge`, `mise run lint`: what follows a group of commands is one of them
        if not (word in _subcommands() or is_known_program(word) or word in groups or before in groups):
            return ()
    return parse_patterns(" ".join(words))


def _groups(program: str) -> frozenset[str]:
    tables = program_tables()
    row = tables.subcommands.get(program) or tables.package_managers.get(program)
    return row.groups | {"run"} if row else frozenset()


@cache
def _subcommands() -> frozenset[str]:
    tables = program_tables()
    managers = tables.package_managers.values()
    return _GIT_SUBCOMMANDS.union(
        tables.common_subcommands,
        *(manager.commands for manager in managers),
        *(manager.aliases for manager in managers),
    )


_GIT_SUBCOMMANDS = frozenset(
    "add am bisect blame branch cherry-pick clean clone commit fetch gc grep log merge mv pull push rebase reflog reset"
    " restore revert rm show stash status switch tag worktree compose up down ci fmt clippy vet nextest apply destroy"
    " plan delete scale rollout drain exec dev serve deploy sync lock publish audit migrate generate"
    " credo dialyzer".split()
)


# Paths

_PATH = re.compile(r"(?=.*[./*])[\w.*@+/{},-]+|[A-Z][A-Za-z]*file|README|CHANGELOG|LICENSE|CONTRIBUTING")
_PATH_WORDS = _form(
    r"(?:the |any |all )?(?:(?:files?|anything|everything|something|code|folder|directory|migrations) )?"
    r"(?:(?:in|under|inside|below|of) )?(?:the )?(?:generated )?(?:(?:file|folder|directory) )?(?P<path>\S+)"
    r"(?: (?:files?|folder|directory))?"
)


# Files that are called by their language or by the end of their name: "Go code", "a _test.go file"
_SUFFIXES = {
    **{"go": ".go", "python": ".py", "rust": ".rs", "typescript": ".ts .tsx", "javascript": ".js .jsx"},
    **{
        "ruby": ".rb",
        "elixir": ".ex .exs",
        "java": ".java",
        "css": ".css",
        "sql": ".sql",
        "markdown": ".md",
        "proto": ".proto",
    },
}
_FILE_KIND = _form(
    rf"(?:any |a |an |the |all )?(?P<kind>{'|'.join(_SUFFIXES)}|[._]\w[\w.]{{0,20}}) (?:source )?(?:code|files?)"
)


def _paths(phrase: str) -> tuple[str, ...] | None:
    """Return the paths that a phrase names. None if a part of it is no path."""
    paths: list[str] = []
    for part in _split_alternatives(_strip_trailing(phrase)):
        if kind := _FILE_KIND.fullmatch(_strip_trailing(part)):
            paths += [f"*{suffix}" for suffix in _SUFFIXES.get(kind["kind"].lower(), kind["kind"]).split()]
            continue
        match = _PATH_WORDS.fullmatch(_strip_trailing(part))
        path = match["path"].strip("`\"'“”") if match else ""
        if not _PATH.fullmatch(path) or ".." in path:
            return None
        paths.append(path.removeprefix("./"))
    return tuple(paths) or None
