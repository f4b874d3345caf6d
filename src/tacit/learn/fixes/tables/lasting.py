"""Errors whose mending may hold on."""

from __future__ import annotations

from tacit.learn.fixes.sorts import Row

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
    Row(r"command not found|not found in \$?path|no such program", "zsh: command not found: tree"),
    Row(r"is not recogni[sz]ed as (?:an?|the) |executable file not found", 'exec: "tree": executable file not found'),
    Row(r"^(?:[\w./-]{1,40}: )?(?:line )?\d{0,4}:? ?[\w.+-]{1,40}: not found$", "sh: 1: tree: not found"),
    Row(r"\bspawn [\w./-]{1,60} enoent|no such command\b", "Error: spawn tree ENOENT"),
    Row(
        r"no module named|cannot find (?:module|package)\b|modulenotfound",
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    Row(
        rf"{_CANNOT} (?:find|resolve|determine|locate) (?:an? )?(?:module|package|executable|binary|program)\b",
        "npm error could not determine executable to run",
    ),
    Row(r"no required module provides|(?:is|are|was) not (?:been )?installed\b", "Package 'foo' is not installed"),
)

PLACE = (
    Row(r"not a git repository|not a (?:\w{1,20} )?(?:repository|workspace|checkout)\b", "fatal: not a git repository"),
    Row(
        r"not (?:inside|in|within) (?:a|the|any) (?:\w{1,20} )?"
        r"(?:repository|repo|project|workspace|work ?tree|module)\b",
        "error: not inside a workspace",
    ),
    Row(
        rf"{_CANNOT} (?:find|read|locate|open|load)\b.{{0,120}}{_MANIFEST}",
        "error: could not find `Cargo.toml` in `/x`",
    ),
    Row(rf"{_MANIFEST}\b.{{0,60}}(?:not found|no such file)", "go: go.mod file not found in current directory"),
    Row(
        rf"(?:enoent|no such file).{{0,120}}{_MANIFEST}",
        "npm error enoent no such file or directory, '/x/package.json'",
    ),
    Row(rf"\bno [`'\"]?{_MANIFEST}[`'\"]? (?:was )?found", "error: No `pyproject.toml` found in current directory"),
    Row(
        r"no makefile found|no (?:configuration|config|compose) file",
        "make: *** No targets specified and no makefile found.",
    ),
    Row(
        r"\bmust be run from|outside (?:of )?(?:the |a )?(?:repository|module|workspace)",
        "This must be run from the root",
    ),
)

STATE = (
    Row(
        r"no upstream|no tracking information|no configured push dest",
        "fatal: The current branch x has no upstream branch.",
    ),
    Row(r"ignored by one of your \.?gitignore", "The following paths are ignored by one of your .gitignore files:"),
    Row(
        r"already (?:used by worktree|checked out)|dubious ownership",
        "fatal: 'main' is already used by worktree at '/a'",
    ),
    Row(r"must be run in a work ?tree|(?:bare|shallow) repository", "fatal: this operation must be run in a work tree"),
    Row(
        r"divergent branches|unrelated histories|how to reconcile",
        "fatal: Need to specify how to reconcile divergent branches.",
    ),
    Row(r"not possible to fast-forward|\brefusing to\b", "fatal: Not possible to fast-forward, aborting."),
    Row(r"unknown revision|bad revision|ambiguous argument", "fatal: ambiguous argument 'master': unknown revision"),
    Row(r"not a valid (?:object|ref|commit|branch)|find remote ref", "fatal: couldn't find remote ref master"),
    Row(
        r"pathspec '[^'/.]{1,40}' did not match|invalid reference", "error: pathspec 'master' did not match any file(s)"
    ),
    Row(r"\bsrc refspec .{1,80} does not match", "error: src refspec master does not match any"),
    Row(r"no such remote|does not appear to be a git repo", "fatal: 'upstream' does not appear to be a git repository"),
)

SYNTAX = (
    Row(r"syntax error|pars(?:e|ing) error|error parsing", "bash: syntax error near unexpected token `('"),
    Row(rf"{_CANNOT} (?:be )?parse|invalid_character", "error: could not parse '1d' as a date"),
    Row(
        r"unexpected (?:token|eof|end of|character|identifier|operator|string|symbol|`)", "unexpected EOF while looking"
    ),
    Row(r"no matches found:|: no match\b|event not found", "zsh: no matches found: src/(x)/a.ts"),
    Row(r"bad (?:substitution|pattern|flag in|math|interpolat\w{1,6}|fd number)", "bash: ${x^^}: bad substitution"),
    Row(r"unknown (?:file attribute|sort specifier)|not a valid identifier", "zsh: unknown file attribute: h"),
    Row(r"unmatched|unterminated|unclosed|unbalanced|looking for matching", 'zsh: unmatched "'),
    Row(r"missing (?:closing|terminat\w{1,6}|delimiter)|unescaped|undefined label", "awk: missing closing brace"),
    Row(
        r"\b(?:in|as) an? regex|regex(?:p|ular expression)?\b.{0,20}\b(?:error|invalid)",
        'the literal "\\n" is not allowed in a regex',
    ),
    Row(
        r"(?:invalid|bad|malformed) (?:\w{1,20} )?(?:regex|regular|pattern|expression|escape|back ?reference|range|"
        r"content|preceding|date|time|json|glob|syntax|number|query|filter|url|character)",
        "grep: Invalid regular expression",
    ),
    Row(r"invalid command code|extra characters at the end|command expects", 'sed: 1: "a.txt": invalid command code a'),
    Row(
        r"illegal byte sequence|repetition-operator|argument list too long|unknown command: `",
        "tr: Illegal byte sequence",
    ),
)

USAGE = (
    Row(rf"\b{_UNKNOWN} (?:[\w-]{{1,20}} ){{0,3}}{_THING}\b", "unknown flag: --oops"),
    Row(
        rf"\b{_THING}:? (?:\S{{1,60}} )?(?:(?:is|was|are) )?(?:not (?:recogni[sz]ed|supported|allowed|defined|"
        r"known|valid|found|available)|unknown|unrecogni[sz]ed|unsupported)\b",
        "option '--oops' is not supported",
    ),
    Row(
        r"(?:option|flag|argument|command|task|script)\b.{0,40}\bdoes(?: not|n't) exist",
        'The "--oops" option does not exist.',
    ),
    Row(
        r"\bmust be (?:specified|provided|given)\b|\brequired when\b",
        "--merge or --squash required when not interactive",
    ),
    Row(r"provided but not defined|unknown shorthand|unknown predicate", "flag provided but not defined: -oops"),
    Row(
        r"no such (?:option|flag|argument|column|table|target|task|service|sub-?command|script)\b",
        "Error: No such option: --oops",
    ),
    Row(
        r"\b(?:accepts|takes|expects?|expected|requires?|needs|wants) "
        r"(?:at (?:most|least) |exactly |between |up to |only )?(?:\d{1,3}|one|two|an?|no|more|the)\b"
        r".{0,24}\b(?:args?|arguments?|parameters?|operands?|values?)\b",
        "accepts at most 1 arg(s), received 2",
    ),
    Row(r"too (?:many|few) (?:\w{1,20} )?(?:arguments|args|parameters|operands)", "error: too many arguments"),
    Row(r"(?:wrong|incorrect) number of arg|extra (?:operand|argument)", "wrong number of arguments (given 1)"),
    Row(
        r"missing (?:required |positional )?(?:[\w-]{1,20} )?(?:argument|operand|option|flag|parameter|script|value)",
        'npm error Missing script: "tset"',
    ),
    Row(
        r"(?:arguments?|options?|flags?|parameters?) (?:\S{1,60} )?(?:are|is|was|were) "
        r"(?:required|not provided|missing)",
        "error: the following arguments are required: name",
    ),
    Row(
        r"required (?:flag|option|argument|parameter)|must (?:specify|provide|supply|pass)\b",
        'required flag(s) "name" not set',
    ),
    Row(
        r"is not an? (?:[\w.-]{1,30} )?(?:command|sub-?command|option|task|script|valid \w{1,20})\b",
        "git: 'chekout' is not a git command. See 'git --help'.",
    ),
    Row(
        r"invalid (?:choice|value|selection)|not a (?:known|recogni[sz]ed|supported)\b",
        "invalid choice: 'x' (choose from 'y')",
    ),
    Row(
        r"mutually exclusive|(?:cannot|can't|can not|may not|must not) be (?:used|combined|specified|mixed)\b",
        "fatal: options '-a' and '-b' cannot be used together",
    ),
    Row(
        r"incompatible with|not allowed with|only (?:valid|allowed|works|supported) (?:with|when|for|in)",
        "-o is not allowed with -c",
    ),
    Row(r"no rule to make target|did you mean|perhaps you meant", "make: *** No rule to make target 'tset'.  Stop."),
    Row(
        r"\bis deprecated|(?:has been|was|were) (?:removed|renamed|replaced)|no longer (?:supported|available)",
        "`x get` has been removed",
    ),
    Row(
        r"(?:relation|column) \S{1,60} does not exist|has no (?:field|column|option|flag) ",
        'ERROR:  column "nme" does not exist',
    ),
)

SETTING = (
    Row(r"\b(?:is|are) not allowed (?:on|in|for|by)\b", "Merge commits are not allowed on this repository."),
    Row(r"\brole .{1,60} does not exist|password authentication", 'FATAL:  role "me" does not exist'),
    Row(
        r"\bversion (?:is|was) .{1,40} (?:but|while) .{1,60}(?:specif|requir|expect|need)",
        "Your Ruby version is 2.6.10, but your Gemfile specified 3.2.2",
    ),
    Row(r"permission denied|operation not permitted|\beacces\b|\beperm\b", "bash: ./run.sh: Permission denied"),
    Row(r"access (?:is )?denied|read-only file system|not writable", "mkdir: /x: Read-only file system"),
    Row(r"requires? (?:root|sudo|superuser|elevated)|must be (?:run as )?root", "this command must be run as root"),
    Row(
        r"(?:environment variable|env(?:ironment)? var|variable|(?-i:[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40}))\b.{0,60}"
        r"\b(?:not set|unset|required|missing|must be set|is empty|not defined|not found)",
        "DATABASE_URL is not set",
    ),
    Row(
        r"(?:missing|required|set the|unset) (?:environment |env )(?:variable|var)|unbound variable",
        "bash: FOO: unbound variable",
    ),
    Row(
        r"not logged in|not authenticated|unauthori[sz]ed|authentication (?:required|failed)",
        "You are not logged into any GitHub hosts.",
    ),
    Row(
        r"not logged into|(?:log ?in|sign in) (?:first|required|again)|no api key|no credentials", "Please log in first"
    ),
    Row(
        r"\bis the .{1,30} running\?|(?:connect to|reach) the .{1,30} (?:daemon|server|socket)",
        "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?",
    ),
    Row(
        r"(?:requires?|needs?|expected) (?:a )?(?:newer |at least )?"
        r"(?:python|node|go|ruby|java|rust|version|npm|pnpm|yarn|bash)\b",
        "ERROR: this package requires Python >=3.11",
    ),
    Row(
        r"(?:unsupported|incompatible|wrong) (?:engine|version|architecture|platform)|version mismatch",
        "Unsupported engine",
    ),
    Row(r"externally[- ]managed|not compatible with|host key verification", "error: externally-managed-environment"),
    Row(r"not (?:been )?(?:configured|initiali[sz]ed)\b|not a (?:tty|terminal)\b", "the input device is not a TTY"),
    Row(
        r"missing (?:config|configuration|credential)|no default \w{1,20} (?:set|configured)",
        "no default remote configured",
    ),
)

ADVICE = (
    Row(
        r"^(?:hint|tip|help|suggestion): .{0,80}\b(?:use|run|try|add|pass)\b",
        "hint: Use -f if you really want to add them.",
    ),
    Row(
        r"\b(?:use|run|try|pass|add|specify|need|consider|with|supply|set|via|retry)\b.{0,40}[\s`'\"(]--?[a-z][\w-]{0,40}(?![\w-]).{0,40}"
        r"\b(?:to|for|if|flag|option|instead|or)\b",
        "Consider enabling multiline mode with the --multiline flag",
    ),
    Row(
        r"\b(?:run(?:ning)?|use|using|try(?:ing)?|execut(?:e|ing))[: ]{1,3}[`'\"][^`'\"]{2,80}[`'\"]",
        "Code is not formatted. Run 'mix format' to fix.",
    ),
    Row(r"\b(?:use|run) .{1,60} instead\b|\binstead,? (?:use|run)\b", "Please use pnpm for this repository instead"),
    Row(
        r"\bplease (?:run|use|install|specify|set|provide)\b|"
        r"\byou (?:must|need to|should) (?:first )?(?:run|use|install|set)\b",
        "You must first run the migration",
    ),
)
