"""What went wrong, read from the output of a failed call: tables of errors and their classes."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from tacit.record import Record

# The sorts of errors, and the shape of a row in their tables.


class ErrorClass(Enum):
    """What an error says about the command."""

    DECLINED = "declined"  # the person, or the host, did not let it run
    MOMENT = "moment"  # true today only: conflicts, time-outs, races
    MISSING = "missing"  # a program, package or module that is not there
    PLACE = "place"  # the wrong directory
    STATE = "state"  # how the repository is set up: no upstream, ignored, a branch that is checked out elsewhere
    SYNTAX = "syntax"  # quoting, globs, patterns, expressions
    USAGE = "usage"  # a flag, field, argument or command that the program does not have
    SETTING = "setting"  # permissions, variables, logins, versions, services
    PATH = "path"  # a file that is not there: an everyday slip
    IDLE = "idle"  # there was nothing to do
    ADVICE = "advice"  # the program says what to do
    WORK = "work"  # what was worked on has a fault: compilers, linters, tests, hooks
    OTHER = "other"
    NOTHING = "nothing"  # no error was told


# Sorts whose mending may hold on.
LASTING = frozenset(
    (
        ErrorClass.USAGE,
        ErrorClass.SYNTAX,
        ErrorClass.MISSING,
        ErrorClass.STATE,
        ErrorClass.PLACE,
        ErrorClass.SETTING,
        ErrorClass.ADVICE,
    )
)


class PatternRow(Record):
    """A phrase that errors of one sort share, whatever the program, and a line that it is found in."""

    pattern_text: str
    example: str


# Errors whose mending may hold on.

_THING = (
    r"(?:flags?|options?|arguments?|args?|switch|parameters?|params?|fields?|sub-?commands?|commands?|property|"
    r"properties|keys?|columns?|targets?|tasks?|scripts?|actions?|verbs?|modifiers?|predicates?|primary|operators?|"
    r"attributes?|functions?|formats?|types?|skills?|agents?|tools?|remotes?|profiles?|contexts?|services?|modes?|labels?)"
)
_UNKNOWN = r"(?:unknown|unrecogni[sz]ed|invalid|illegal|unsupported|unexpected|undefined|ambiguous|bad)"
_MANIFEST = (
    r"(?:package\.json|go\.mod|cargo\.toml|pyproject\.toml|setup\.py|makefile|gemfile|mix\.exs|pom\.xml|composer\.json|"
    r"main module|manifest|tsconfig\.json|workspace|dockerfile|(?:docker-)?compose\.ya?ml)"
)
_CANNOT = r"(?:could not|couldn't|cannot|can't|can not|unable to|failed to|did not)"

MISSING = (
    PatternRow(r"command not found|not found in \$?path|no such program", "zsh: command not found: tree"),
    PatternRow(
        r"is not recogni[sz]ed as (?:an?|the) |executable file not found", 'exec: "tree": executable file not found'
    ),
    PatternRow(r"^(?:[\w./-]{1,40}: )?(?:line )?\d{0,4}:? ?[\w.+-]{1,40}: not found$", "sh: 1: tree: not found"),
    PatternRow(r"\bspawn [\w./-]{1,60} enoent|no such command\b", "Error: spawn tree ENOENT"),
    PatternRow(
        r"no module named|cannot find (?:module|package)\b|modulenotfound",
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    PatternRow(
        rf"{_CANNOT} (?:find|resolve|determine|locate) (?:an? )?(?:module|package|executable|binary|program)\b",
        "npm error could not determine executable to run",
    ),
    PatternRow(
        r"no required module provides|(?:is|are|was) not (?:been )?installed\b", "Package 'foo' is not installed"
    ),
)

PLACE = (
    PatternRow(
        r"not a git repository|not a (?:\w{1,20} )?(?:repository|workspace|checkout)\b", "fatal: not a git repository"
    ),
    PatternRow(
        r"not (?:inside|in|within) (?:a|the|any) (?:\w{1,20} )?"
        r"(?:repository|repo|project|workspace|work ?tree|module)\b",
        "error: not inside a workspace",
    ),
    PatternRow(
        rf"{_CANNOT} (?:find|read|locate|open|load)\b.{{0,120}}{_MANIFEST}",
        "error: could not find `Cargo.toml` in `/x`",
    ),
    PatternRow(rf"{_MANIFEST}\b.{{0,60}}(?:not found|no such file)", "go: go.mod file not found in current directory"),
    PatternRow(
        rf"(?:enoent|no such file).{{0,120}}{_MANIFEST}",
        "npm error enoent no such file or directory, '/x/package.json'",
    ),
    PatternRow(
        rf"\bno [`'\"]?{_MANIFEST}[`'\"]? (?:was )?found", "error: No `pyproject.toml` found in current directory"
    ),
    PatternRow(
        r"no makefile found|no (?:configuration|config|compose) file",
        "make: *** No targets specified and no makefile found.",
    ),
    PatternRow(
        r"\bmust be run from|outside (?:of )?(?:the |a )?(?:repository|module|workspace)",
        "This must be run from the root",
    ),
)

STATE = (
    PatternRow(
        r"no upstream|no tracking information|no configured push dest",
        "fatal: The current branch x has no upstream branch.",
    ),
    PatternRow(
        r"ignored by one of your \.?gitignore", "The following paths are ignored by one of your .gitignore files:"
    ),
    PatternRow(
        r"already (?:used by worktree|checked out)|dubious ownership",
        "fatal: 'main' is already used by worktree at '/a'",
    ),
    PatternRow(
        r"must be run in a work ?tree|(?:bare|shallow) repository", "fatal: this operation must be run in a work tree"
    ),
    PatternRow(
        r"divergent branches|unrelated histories|how to reconcile",
        "fatal: Need to specify how to reconcile divergent branches.",
    ),
    PatternRow(r"not possible to fast-forward|\brefusing to\b", "fatal: Not possible to fast-forward, aborting."),
    PatternRow(
        r"unknown revision|bad revision|ambiguous argument", "fatal: ambiguous argument 'master': unknown revision"
    ),
    PatternRow(r"not a valid (?:object|ref|commit|branch)|find remote ref", "fatal: couldn't find remote ref master"),
    PatternRow(
        r"pathspec '[^'/.]{1,40}' did not match|invalid reference", "error: pathspec 'master' did not match any file(s)"
    ),
    PatternRow(r"\bsrc refspec .{1,80} does not match", "error: src refspec master does not match any"),
    PatternRow(
        r"no such remote|does not appear to be a git repo", "fatal: 'upstream' does not appear to be a git repository"
    ),
)

SYNTAX = (
    PatternRow(r"syntax error|pars(?:e|ing) error|error parsing", "bash: syntax error near unexpected token `('"),
    PatternRow(rf"{_CANNOT} (?:be )?parse|invalid_character", "error: could not parse '1d' as a date"),
    PatternRow(
        r"unexpected (?:token|eof|end of|character|identifier|operator|string|symbol|`)", "unexpected EOF while looking"
    ),
    PatternRow(r"no matches found:|: no match\b|event not found", "zsh: no matches found: src/(x)/a.ts"),
    PatternRow(
        r"bad (?:substitution|pattern|flag in|math|interpolat\w{1,6}|fd number)", "bash: ${x^^}: bad substitution"
    ),
    PatternRow(r"unknown (?:file attribute|sort specifier)|not a valid identifier", "zsh: unknown file attribute: h"),
    PatternRow(r"unmatched|unterminated|unclosed|unbalanced|looking for matching", 'zsh: unmatched "'),
    PatternRow(
        r"missing (?:closing|terminat\w{1,6}|delimiter)|unescaped|undefined label", "awk: missing closing brace"
    ),
    PatternRow(
        r"\b(?:in|as) an? regex|regex(?:p|ular expression)?\b.{0,20}\b(?:error|invalid)",
        'the literal "\\n" is not allowed in a regex',
    ),
    PatternRow(
        r"(?:invalid|bad|malformed) (?:\w{1,20} )?(?:regex|regular|pattern|expression|escape|back ?reference|range|"
        r"content|preceding|date|time|json|glob|syntax|number|query|filter|url|character)",
        "grep: Invalid regular expression",
    ),
    PatternRow(
        r"invalid command code|extra characters at the end|command expects", 'sed: 1: "a.txt": invalid command code a'
    ),
    PatternRow(
        r"illegal byte sequence|repetition-operator|argument list too long|unknown command: `",
        "tr: Illegal byte sequence",
    ),
)

USAGE = (
    PatternRow(rf"\b{_UNKNOWN} (?:[\w-]{{1,20}} ){{0,3}}{_THING}\b", "unknown flag: --oops"),
    PatternRow(
        rf"\b{_THING}:? (?:\S{{1,60}} )?(?:(?:is|was|are) )?(?:not (?:recogni[sz]ed|supported|allowed|defined|"
        r"known|valid|found|available)|unknown|unrecogni[sz]ed|unsupported)\b",
        "option '--oops' is not supported",
    ),
    PatternRow(
        r"(?:option|flag|argument|command|task|script)\b.{0,40}\bdoes(?: not|n't) exist",
        'The "--oops" option does not exist.',
    ),
    PatternRow(
        r"\bmust be (?:specified|provided|given)\b|\brequired when\b",
        "--merge or --squash required when not interactive",
    ),
    PatternRow(r"provided but not defined|unknown shorthand|unknown predicate", "flag provided but not defined: -oops"),
    PatternRow(
        r"no such (?:option|flag|argument|column|table|target|task|service|sub-?command|script)\b",
        "Error: No such option: --oops",
    ),
    PatternRow(
        r"\b(?:accepts|takes|expects?|expected|requires?|needs|wants) "
        r"(?:at (?:most|least) |exactly |between |up to |only )?(?:\d{1,3}|one|two|an?|no|more|the)\b"
        r".{0,24}\b(?:args?|arguments?|parameters?|operands?|values?)\b",
        "accepts at most 1 arg(s), received 2",
    ),
    PatternRow(r"too (?:many|few) (?:\w{1,20} )?(?:arguments|args|parameters|operands)", "error: too many arguments"),
    PatternRow(r"(?:wrong|incorrect) number of arg|extra (?:operand|argument)", "wrong number of arguments (given 1)"),
    PatternRow(
        r"missing (?:required |positional )?(?:[\w-]{1,20} )?(?:argument|operand|option|flag|parameter|script|value)",
        'npm error Missing script: "tset"',
    ),
    PatternRow(
        r"(?:arguments?|options?|flags?|parameters?) (?:\S{1,60} )?(?:are|is|was|were) "
        r"(?:required|not provided|missing)",
        "error: the following arguments are required: name",
    ),
    PatternRow(
        r"required (?:flag|option|argument|parameter)|must (?:specify|provide|supply|pass)\b",
        'required flag(s) "name" not set',
    ),
    PatternRow(
        r"is not an? (?:[\w.-]{1,30} )?(?:command|sub-?command|option|task|script|valid \w{1,20})\b",
        "git: 'chekout' is not a git command. See 'git --help'.",
    ),
    PatternRow(
        r"invalid (?:choice|value|selection)|not a (?:known|recogni[sz]ed|supported)\b",
        "invalid choice: 'x' (choose from 'y')",
    ),
    PatternRow(
        r"mutually exclusive|(?:cannot|can't|can not|may not|must not) be (?:used|combined|specified|mixed)\b",
        "fatal: options '-a' and '-b' cannot be used together",
    ),
    PatternRow(
        r"incompatible with|not allowed with|only (?:valid|allowed|works|supported) (?:with|when|for|in)",
        "-o is not allowed with -c",
    ),
    PatternRow(
        r"no rule to make target|did you mean|perhaps you meant", "make: *** No rule to make target 'tset'.  Stop."
    ),
    PatternRow(
        r"\bis deprecated|(?:has been|was|were) (?:removed|renamed|replaced)|no longer (?:supported|available)",
        "`x get` has been removed",
    ),
    PatternRow(
        r"(?:relation|column) \S{1,60} does not exist|has no (?:field|column|option|flag) ",
        'ERROR:  column "nme" does not exist',
    ),
)

SETTING = (
    PatternRow(r"\b(?:is|are) not allowed (?:on|in|for|by)\b", "Merge commits are not allowed on this repository."),
    PatternRow(r"\brole .{1,60} does not exist|password authentication", 'FATAL:  role "me" does not exist'),
    PatternRow(
        r"\bversion (?:is|was) .{1,40} (?:but|while) .{1,60}(?:specif|requir|expect|need)",
        "Your Ruby version is 2.6.10, but your Gemfile specified 3.2.2",
    ),
    PatternRow(r"permission denied|operation not permitted|\beacces\b|\beperm\b", "bash: ./run.sh: Permission denied"),
    PatternRow(r"access (?:is )?denied|read-only file system|not writable", "mkdir: /x: Read-only file system"),
    PatternRow(
        r"requires? (?:root|sudo|superuser|elevated)|must be (?:run as )?root", "this command must be run as root"
    ),
    PatternRow(
        r"(?:environment variable|env(?:ironment)? var|variable|(?-i:[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40}))\b.{0,60}"
        r"\b(?:not set|unset|required|missing|must be set|is empty|not defined|not found)",
        "DATABASE_URL is not set",
    ),
    PatternRow(
        r"(?:missing|required|set the|unset) (?:environment |env )(?:variable|var)|unbound variable",
        "bash: FOO: unbound variable",
    ),
    PatternRow(
        r"not logged in|not authenticated|unauthori[sz]ed|authentication (?:required|failed)",
        "You are not logged into any GitHub hosts.",
    ),
    PatternRow(
        r"not logged into|(?:log ?in|sign in) (?:first|required|again)|no api key|no credentials", "Please log in first"
    ),
    PatternRow(
        r"\bis the .{1,30} running\?|(?:connect to|reach) the .{1,30} (?:daemon|server|socket)",
        "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?",
    ),
    PatternRow(
        r"(?:requires?|needs?|expected) (?:a )?(?:newer |at least )?"
        r"(?:python|node|go|ruby|java|rust|version|npm|pnpm|yarn|bash)\b",
        "ERROR: this package requires Python >=3.11",
    ),
    PatternRow(
        r"(?:unsupported|incompatible|wrong) (?:engine|version|architecture|platform)|version mismatch",
        "Unsupported engine",
    ),
    PatternRow(
        r"externally[- ]managed|not compatible with|host key verification", "error: externally-managed-environment"
    ),
    PatternRow(
        r"not (?:been )?(?:configured|initiali[sz]ed)\b|not a (?:tty|terminal)\b", "the input device is not a TTY"
    ),
    PatternRow(
        r"missing (?:config|configuration|credential)|no default \w{1,20} (?:set|configured)",
        "no default remote configured",
    ),
)

ADVICE = (
    PatternRow(
        r"^(?:hint|tip|help|suggestion): .{0,80}\b(?:use|run|try|add|pass)\b",
        "hint: Use -f if you really want to add them.",
    ),
    PatternRow(
        r"\b(?:use|run|try|pass|add|specify|need|consider|with|supply|set|via|retry)\b.{0,40}[\s`'\"(]--?[a-z][\w-]{0,40}(?![\w-]).{0,40}"
        r"\b(?:to|for|if|flag|option|instead|or)\b",
        "Consider enabling multiline mode with the --multiline flag",
    ),
    PatternRow(
        r"\b(?:run(?:ning)?|use|using|try(?:ing)?|execut(?:e|ing))[: ]{1,3}[`'\"][^`'\"]{2,80}[`'\"]",
        "Code is not formatted. Run 'mix format' to fix.",
    ),
    PatternRow(
        r"\b(?:use|run) .{1,60} instead\b|\binstead,? (?:use|run)\b", "Please use pnpm for this repository instead"
    ),
    PatternRow(
        r"\bplease (?:run|use|install|specify|set|provide)\b|"
        r"\byou (?:must|need to|should) (?:first )?(?:run|use|install|set)\b",
        "You must first run the migration",
    ),
)


# Errors that teach nothing by themselves: no failures, today's trouble, slips, faults of what is worked on.

DECLINED = (
    PatternRow(
        r"\buser (?:doesn't want|declined|denied|rejected|cancel+ed|chose not)", "The user doesn't want to proceed"
    ),
    PatternRow(r"request interrupted|(?:interrupted|aborted) by (?:the )?user", "[Request interrupted by user]"),
    PatternRow(r"sibling tool call|parallel tool call|^cancel+ed: ", "Sibling tool call errored"),
    PatternRow(r"permission to use \S{1,60} .{0,60}denied|haven't granted", "Permission to use Bash has been denied."),
    PatternRow(r"requires approval|blocked by (?:a )?(?:hook|policy)", "This command requires approval"),
)

MOMENT = (
    PatternRow(
        r"\bmerge conflict|^conflict \(|fix conflicts|resolve all conflicts", "CONFLICT (content): Merge conflict in a"
    ),
    PatternRow(
        r"could not apply [0-9a-f]{4,40}|needs merge$|edit all merge", "error: could not apply fb89908... fix: x"
    ),
    PatternRow(
        r"would be overwritten|(?:unstaged|uncommitted) changes", "error: cannot pull with rebase: unstaged changes."
    ),
    PatternRow(r"commit (?:your changes )?or stash|contains modified", "Please commit your changes or stash them."),
    PatternRow(r"fetch first|non-fast-forward|updates were rejected", "! [rejected] main -> main (fetch first)"),
    PatternRow(r"(?<![-\w])time(?:d |[- ])?out\b|deadline exceeded|etimedout", "Command timed out after 2m 0.0s"),
    PatternRow(r"rate limit|too many requests|try again later|temporar(?:y|ily)", "API rate limit exceeded"),
    PatternRow(r"connection (?:reset|closed|aborted|refused)|econnre(?:set|fused)", "read ECONNRESET"),
    PatternRow(
        r"could not resolve host|getaddrinfo|network is unreachable", "curl: (6) Could not resolve host: example.org"
    ),
    PatternRow(r"service unavailable|bad gateway|internal server error", "HTTP 503: Service Unavailable"),
    PatternRow(r"(?:http|status|error|code)[:/ ]{1,2}(?:1\.1 )?(?:404|5\d\d)\b", "gh: Not Found (HTTP 404)"),
    PatternRow(r"failed to connect to \S{1,60} port", "curl: (7) Failed to connect to localhost port 3000"),
    PatternRow(
        r"index\.lock|another (?:\w{1,20} )?process|(?:resource|text file) busy",
        "Another git process seems to be running",
    ),
    PatternRow(
        r"database is locked|address already in use|eaddrinuse", "Error: listen EADDRINUSE: address already in use"
    ),
    PatternRow(r"port \d{1,5} is (?:already )?(?:in use|allocated)", "Port 3000 is already in use"),
    PatternRow(
        r"\balready exists\b|\bfile exists\b|no space left|out of memory", "fatal: a branch named 'x' already exists"
    ),
)

PATH = (
    PatternRow(r"no such file|\benoent\b|can't open file|directory not found", "ls: x: No such file or directory"),
    PatternRow(r"cannot (?:access|stat|open)|not a directory|is a directory", "ls: cannot access 'x'"),
    PatternRow(
        r"does(?: not|n't) exist|(?:file|path|directory|folder)\b.{0,80}\b(?:not found|missing)",
        "error: file a.txt not found",
    ),
    PatternRow(r"pathspec .{1,120} did not match", "fatal: pathspec 'src/a.ts' did not match any files"),
)

IDLE = (
    PatternRow(
        r"nothing (?:added )?to commit|no changes added|working tree clean", "nothing to commit, working tree clean"
    ),
    PatternRow(r"already up.to.date|everything up.to.date|no local changes", "Everything up-to-date"),
    PatternRow(
        r"no (?:stash entries|tests? (?:found|ran|collected|to run)|files were processed)", "No stash entries found."
    ),
    PatternRow(r"failed to push some refs", "error: failed to push some refs to 'origin'"),
    PatternRow(r"\bis already (?:installed|running|enabled|merged|closed|active)\b", "node 20 is already installed"),
)

WORK = (
    PatternRow(
        r"(?:^|[\s(│])[\w./@\[\]-]{1,160}\.[A-Za-z]\w{0,5}:\d{1,6}(?::\d{1,5})?(?:[:\s)]|$)",
        "cmd/a.go:14:2: undefined: x",
    ),
    PatternRow(
        r"^[^\s:(]{1,160}\.\w{1,6}\(\d{1,6},\d{1,5}\)|\berror ?(?:ts|cs|\[e)\d{2,5}\b", "src/a.ts(3,1): error TS2304: x"
    ),
    PatternRow(
        r"^\s{0,12}(?:---? )?(?-i:FAIL(?:ED)?)(?:[: \t]|$)|(?-i:\bFAILED)$|^\s{0,8}[✗✘✕×●] ", "--- FAIL: TestX (0.00s)"
    ),
    PatternRow(
        r"\b\d{1,6} (?:tests? )?fail(?:ed|ing|ures?)\b|\btests? failed|test(?:s|ing)? fail",
        "2 failed, 10 passed in 1.2s",
    ),
    PatternRow(
        r"\bfound \d{1,6} (?:errors?|problems?|issues?)|\b[1-9]\d{0,5} (?:errors?|problems?|issues?)\b(?:[:,.( ]|$)",
        "Found 2 errors.",
    ),
    PatternRow(
        r"assertion ?error|assertion failed|traceback \(most recent|would reformat|stack ?trace",
        "Traceback (most recent call last):",
    ),
    PatternRow(
        r"^\s{0,8}(?:\w{1,20}\.)?(?:type|reference|name|attribute|key|value|index|syntax|runtime|range)error\b",
        "TypeError: x is not a function",
    ),
    PatternRow(
        r"\bpanic: |segmentation fault|unhandled (?:rejection|exception)|^\s{1,8}at \S{1,80} \(", "panic: runtime error"
    ),
    PatternRow(
        r"\bpre-(?:commit|push)\b|commit-msg|\bhook: |\blint(?:er|ing)?\b.{0,30}\b(?:errors?|fail(?:ed|ure)?)\b",
        "Pre-commit validation failed:",
    ),
    PatternRow(
        r"task failed|(?:build|compilation|compile) failed|could not compile|type ?check.{0,30}(?:fail|error)",
        "[lint] ERROR task failed",
    ),
    PatternRow(
        r"\bunused \w|is not checked|declared and not used|imported and not used|\bundefined: \w|cannot find name",
        "Unused devDependencies (1)",
    ),
)


# The tables of errors, ready to be asked.


class ErrorPattern(Record):
    """A row of the tables with its sort."""

    error_class: ErrorClass
    pattern: re.Pattern[str]
    example: str


def _compile_patterns(sort: ErrorClass, rows: tuple[PatternRow, ...]) -> tuple[ErrorPattern, ...]:
    return tuple(ErrorPattern(sort, re.compile(row.pattern_text, re.IGNORECASE), row.example) for row in rows)


# The first that is found in a line wins.
ERROR_PATTERNS = (
    *_compile_patterns(ErrorClass.DECLINED, DECLINED),
    *_compile_patterns(ErrorClass.MISSING, MISSING),
    *_compile_patterns(ErrorClass.MOMENT, MOMENT),
    *_compile_patterns(ErrorClass.PLACE, PLACE),
    *_compile_patterns(ErrorClass.STATE, STATE),
    *_compile_patterns(ErrorClass.SYNTAX, SYNTAX),
    *_compile_patterns(ErrorClass.USAGE, USAGE),
    *_compile_patterns(ErrorClass.SETTING, SETTING),
    *_compile_patterns(ErrorClass.PATH, PATH),
    *_compile_patterns(ErrorClass.IDLE, IDLE),
    *_compile_patterns(ErrorClass.ADVICE, ADVICE),
)
WORK_PATTERNS = _compile_patterns(ErrorClass.WORK, WORK)


# What went wrong, read from the result of a call: the line that tells it, its sort, and what it names.

_MAX_LINES = 60
_MAX_CACHED_LINES = 1024  # lines: a failure is read again at every call that may have mended it
_MAX_LINE_CHARS = 400  # characters of a line that are looked at
# Where a result was cut, two lines meet; a few letters behind the cut tell nothing.
_BREAK = re.compile(r"\n| \[…[\d,]{1,12} characters left out…\] (?:[^\n]{0,20}(?:\n|$))?")
_FRAME = re.compile(r"^(?:Exit code:? \d{1,3}|.{0,200}?\bstderr: |Wall time: .{0,40}|Output:)", re.IGNORECASE)
_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_USAGE = re.compile(r"^\s{0,4}usage:", re.IGNORECASE)
_NAMED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s][^`'\"‘’“”\n]{0,60})[`'\"’”]|(?<![\w-])(--?[A-Za-z][\w-]{0,40})")
_SHORT = re.compile(r"\boption -- ['\"`]?(\w)\b")
_ERROR = re.compile(r"\b(?:error|fatal|failed|cannot|unable)\b", re.IGNORECASE)
# A shell or a program that tells of itself what went wrong; all else in a result that counts as well is its content.
_SHELL = re.compile(r"^(?:\(eval\):\d{1,5}:|(?:/bin/)?(?:ba|z|da|k)?sh: )")
_PROGRAM = re.compile(
    r"^(?:error|fatal|usage|npm err!|npm error|unknown|unrecogni[sz]ed|invalid|illegal|flag provided)\b", re.IGNORECASE
)
_OWN_NAME = re.compile(r"^([A-Za-z][\w.+-]{0,30}): ")
_HEAD = 3  # lines of a result in which a failure that was hidden is looked for


class ParsedError(Record):
    """`line` is an exact part of the result; `named` are the words and flags in quotes there; `text` is all of it."""

    error_class: ErrorClass
    line: str = ""
    named: frozenset[str] = frozenset()
    text: str = ""


NO_ERROR = ParsedError(ErrorClass.NOTHING)


def lines_of(result: str) -> list[str]:
    """The lines of a result, without what a host puts in front of them."""
    lines = (_FRAME.sub("", line[:_MAX_LINE_CHARS], count=1).strip() for line in _BREAK.split(result)[:_MAX_LINES])
    return [line for line in lines if line]


def parse_error(result: str, noise: frozenset[str] = frozenset()) -> ParsedError:
    """What a failure tells. Lines that a success has as well (`noise`) are not what went wrong."""
    lines = [line for line in lines_of(result) if line not in noise]
    told = [(classify_line(line), line) for line in lines]
    sort, line = _choose_line(told, [line for line in lines if is_work_error(line)])
    return ParsedError(sort, line, named_in(line), "\n".join(lines))


def parse_error_among(result: str, programs: frozenset[str], noise: frozenset[str] = frozenset()) -> ParsedError:
    """What a failure tells among much that is only content: lines in which a program speaks of itself."""
    telling = [line for line in lines_of(result) if _is_own_message(line, programs, shows_files=False)]
    return parse_error("\n".join(telling), noise)


def parse_hidden_error(result: str, programs: frozenset[str], *, shows_files: bool) -> ParsedError:
    """What went wrong in a call that counts as well, where a pipe or `|| true` hid it.

    Of a command that shows files no line of them is believed: only what the shell says, or a program by its name.
    """
    lines = lines_of(result)[:_HEAD]
    telling = [line for line in lines if _is_own_message(line, programs, shows_files=shows_files)]
    return parse_error("\n".join(telling)) if telling and not any(map(is_work_error, lines)) else NO_ERROR


def _is_own_message(line: str, programs: frozenset[str], *, shows_files: bool) -> bool:
    own = _OWN_NAME.match(line)
    is_own = own is not None and own[1] in programs
    return is_own or _SHELL.match(line) is not None or (not shows_files and _PROGRAM.match(line) is not None)


@lru_cache(maxsize=_MAX_CACHED_LINES)
def classify_line(line: str) -> ErrorClass:
    plain = _STYLE.sub("", line)
    found = next((phrase.error_class for phrase in ERROR_PATTERNS if phrase.pattern.search(plain)), ErrorClass.OTHER)
    return ErrorClass.USAGE if found is ErrorClass.OTHER and _USAGE.match(plain) else found


@lru_cache(maxsize=_MAX_CACHED_LINES)
def is_work_error(line: str) -> bool:
    plain = _STYLE.sub("", line)
    return any(phrase.pattern.search(plain) for phrase in WORK_PATTERNS)


def named_in(line: str) -> frozenset[str]:
    """What stands in quotes, and flags; `illegal option -- d` names `-d`."""
    short = {f"-{found[1]}" for found in _SHORT.finditer(line)}
    return frozenset(found[1] or found[2] for found in _NAMED.finditer(line)) | short


# Which of several lines tells it: what must not be learnt first, the plain reason before the advice.
_NEVER = (ErrorClass.DECLINED, ErrorClass.MOMENT)
_EVEN_AT_WORK = (ErrorClass.MISSING, ErrorClass.PLACE)
_PLAINLY = tuple(sort for sort in ErrorClass if sort in LASTING and sort is not ErrorClass.ADVICE)
_MARKED = re.compile(r"(?:fatal|error)\b", re.IGNORECASE)


def _choose_line(told: list[tuple[ErrorClass, str]], at_work: list[str]) -> tuple[ErrorClass, str]:
    if not told:
        return ErrorClass.NOTHING, ""
    if found := _first_of_classes(told, _NEVER):
        return found
    if at_work:
        return _first_of_classes(told, _EVEN_AT_WORK) or (ErrorClass.WORK, at_work[-1])
    plain = next((line for _, line in told if _ERROR.search(line)), "")
    found = _first_of_classes(told, _PLAINLY) or _first_of_classes(told, (ErrorClass.PATH, ErrorClass.IDLE))
    if found is None and (advice := _first_of_classes(told, (ErrorClass.ADVICE,))):
        found = ErrorClass.ADVICE, plain or advice[1]
    return found or (ErrorClass.OTHER, plain or told[0][1])


def _first_of_classes(
    told: list[tuple[ErrorClass, str]], sorts: tuple[ErrorClass, ...]
) -> tuple[ErrorClass, str] | None:
    """The first line of these sorts; one that says it is the error before others."""
    those = [one for one in told if one[0] in sorts]
    return next((one for one in those if _MARKED.match(one[1])), those[0] if those else None)
