"""Errors that teach nothing by themselves: no failures, today's trouble, slips, faults of what is worked on."""

from __future__ import annotations

from tacit.learn.fixes.sorts import Row

DECLINED = (
    Row(r"\buser (?:doesn't want|declined|denied|rejected|cancel+ed|chose not)", "The user doesn't want to proceed"),
    Row(r"request interrupted|(?:interrupted|aborted) by (?:the )?user", "[Request interrupted by user]"),
    Row(r"sibling tool call|parallel tool call|^cancel+ed: ", "Sibling tool call errored"),
    Row(r"permission to use \S{1,60} .{0,60}denied|haven't granted", "Permission to use Bash has been denied."),
    Row(r"requires approval|blocked by (?:a )?(?:hook|policy)", "This command requires approval"),
)

MOMENT = (
    Row(
        r"\bmerge conflict|^conflict \(|fix conflicts|resolve all conflicts", "CONFLICT (content): Merge conflict in a"
    ),
    Row(r"could not apply [0-9a-f]{4,40}|needs merge$|edit all merge", "error: could not apply fb89908... fix: x"),
    Row(r"would be overwritten|(?:unstaged|uncommitted) changes", "error: cannot pull with rebase: unstaged changes."),
    Row(r"commit (?:your changes )?or stash|contains modified", "Please commit your changes or stash them."),
    Row(r"fetch first|non-fast-forward|updates were rejected", "! [rejected] main -> main (fetch first)"),
    Row(r"(?<![-\w])time(?:d |[- ])?out\b|deadline exceeded|etimedout", "Command timed out after 2m 0.0s"),
    Row(r"rate limit|too many requests|try again later|temporar(?:y|ily)", "API rate limit exceeded"),
    Row(r"connection (?:reset|closed|aborted|refused)|econnre(?:set|fused)", "read ECONNRESET"),
    Row(r"could not resolve host|getaddrinfo|network is unreachable", "curl: (6) Could not resolve host: example.org"),
    Row(r"service unavailable|bad gateway|internal server error", "HTTP 503: Service Unavailable"),
    Row(r"(?:http|status|error|code)[:/ ]{1,2}(?:1\.1 )?(?:404|5\d\d)\b", "gh: Not Found (HTTP 404)"),
    Row(r"failed to connect to \S{1,60} port", "curl: (7) Failed to connect to localhost port 3000"),
    Row(
        r"index\.lock|another (?:\w{1,20} )?process|(?:resource|text file) busy",
        "Another git process seems to be running",
    ),
    Row(r"database is locked|address already in use|eaddrinuse", "Error: listen EADDRINUSE: address already in use"),
    Row(r"port \d{1,5} is (?:already )?(?:in use|allocated)", "Port 3000 is already in use"),
    Row(r"\balready exists\b|\bfile exists\b|no space left|out of memory", "fatal: a branch named 'x' already exists"),
)

PATH = (
    Row(r"no such file|\benoent\b|can't open file|directory not found", "ls: x: No such file or directory"),
    Row(r"cannot (?:access|stat|open)|not a directory|is a directory", "ls: cannot access 'x'"),
    Row(
        r"does(?: not|n't) exist|(?:file|path|directory|folder)\b.{0,80}\b(?:not found|missing)",
        "error: file a.txt not found",
    ),
    Row(r"pathspec .{1,120} did not match", "fatal: pathspec 'src/a.ts' did not match any files"),
)

IDLE = (
    Row(r"nothing (?:added )?to commit|no changes added|working tree clean", "nothing to commit, working tree clean"),
    Row(r"already up.to.date|everything up.to.date|no local changes", "Everything up-to-date"),
    Row(r"no (?:stash entries|tests? (?:found|ran|collected|to run)|files were processed)", "No stash entries found."),
    Row(r"failed to push some refs", "error: failed to push some refs to 'origin'"),
    Row(r"\bis already (?:installed|running|enabled|merged|closed|active)\b", "node 20 is already installed"),
)

WORK = (
    Row(
        r"(?:^|[\s(│])[\w./@\[\]-]{1,160}\.[A-Za-z]\w{0,5}:\d{1,6}(?::\d{1,5})?(?:[:\s)]|$)",
        "cmd/a.go:14:2: undefined: x",
    ),
    Row(
        r"^[^\s:(]{1,160}\.\w{1,6}\(\d{1,6},\d{1,5}\)|\berror ?(?:ts|cs|\[e)\d{2,5}\b", "src/a.ts(3,1): error TS2304: x"
    ),
    Row(
        r"^\s{0,12}(?:---? )?(?-i:FAIL(?:ED)?)(?:[: \t]|$)|(?-i:\bFAILED)$|^\s{0,8}[✗✘✕×●] ", "--- FAIL: TestX (0.00s)"
    ),
    Row(
        r"\b\d{1,6} (?:tests? )?fail(?:ed|ing|ures?)\b|\btests? failed|test(?:s|ing)? fail",
        "2 failed, 10 passed in 1.2s",
    ),
    Row(
        r"\bfound \d{1,6} (?:errors?|problems?|issues?)|\b[1-9]\d{0,5} (?:errors?|problems?|issues?)\b(?:[:,.( ]|$)",
        "Found 2 errors.",
    ),
    Row(
        r"assertion ?error|assertion failed|traceback \(most recent|would reformat|stack ?trace",
        "Traceback (most recent call last):",
    ),
    Row(
        r"^\s{0,8}(?:\w{1,20}\.)?(?:type|reference|name|attribute|key|value|index|syntax|runtime|range)error\b",
        "TypeError: x is not a function",
    ),
    Row(
        r"\bpanic: |segmentation fault|unhandled (?:rejection|exception)|^\s{1,8}at \S{1,80} \(", "panic: runtime error"
    ),
    Row(
        r"\bpre-(?:commit|push)\b|commit-msg|\bhook: |\blint(?:er|ing)?\b.{0,30}\b(?:errors?|fail(?:ed|ure)?)\b",
        "Pre-commit validation failed:",
    ),
    Row(
        r"task failed|(?:build|compilation|compile) failed|could not compile|type ?check.{0,30}(?:fail|error)",
        "[lint] ERROR task failed",
    ),
    Row(
        r"\bunused \w|is not checked|declared and not used|imported and not used|\bundefined: \w|cannot find name",
        "Unused devDependencies (1)",
    ),
)
