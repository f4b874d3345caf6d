"""Commands and paths as people name them in a sentence: "the tests", "npm or `yarn add`", "files under migrations/".

A phrase is read only if all of it names commands, or paths. A word that is no known command or path leaves it unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from tacit.commandline.patterns import CommandPattern, known_programs, parse_patterns
from tacit.commandline.programs import program_tables
from tacit.model.conflict import alternatives_of

_VERSION = re.compile(r"[\d.]+$")
_VERSIONED = ("python", "pip")  # `python3.12`


def form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_TRAILING = form(
    r"[\s,]+(?:here|please|again|ever|at all|any ?more|directly|by hand|manually|yourself|first|instead|too|as well"
    r"|(?:for|to) (?:install|manage|add)(?:ing)? (?:packages|dependencies|deps)"
    r"|for (?:\w+ )?(?:packages|dependencies|deps|installs|everything|package management)"
    r"|every time|to clean up|for searching|for that|when (?:committing|pushing)"
    r"|in the same (?:commit|pr|change|pull request|go)|in the (?:shell|terminal)|use (?:your|the) edit(?:ing)? tools?"
    r"|, (?:add|stage) (?:files|them|things|each file) (?:by name|one by one|individually|explicitly|by path)"
    r"|in any project|for (?:this|the) (?:repo|repository|project)"
    r"|(?:in|on) (?:this|the) (?:repo|repository|project|codebase|folder|directory))$"
)


def is_known_program(word: str) -> bool:
    """Return whether a word is the name of a well-known program."""
    return word in known_programs() or _VERSION.sub("", word) in _VERSIONED


def alternatives(patterns: Sequence[CommandPattern]) -> tuple[CommandPattern, ...]:
    """Return the programs that people use in place of these; () if they are not known or a subcommand is named."""
    if any(pattern.words or pattern.required for pattern in patterns):
        return ()
    named = {pattern.program for pattern in patterns}
    others = {other for name in named for other in alternatives_of(name) if is_known_program(other)}
    return patterns_of(*sorted(others - named))


def strip_trailing(text: str) -> str:
    while match := _TRAILING.search(text):
        text = text[: match.start()]
    return text


# Commands

_ALTERNATIVE = form(
    r"\s*(?:(?<=\w)/(?=(?:head|tail|cat|less|sed|awk|grep|npx|yarn|pnpm)\b)"
    r"|,\s*(?:or|and|nor)\s|,\s|\s(?:or|and|nor)\s)\s*"
)
_DETERMINER = form(r"(?:the|a|an|any|every|each|all|you|we|to|making|creating|your|full|plain|raw|system|global)\s+")
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
_MEANS = form(r"\w+(?: \w+){0,2} (?:with|using|via) (?P<x>[^`]+)")
_FORCE = ("--force", "-f", "--force-with-lease")


def patterns_of(*commands: str) -> tuple[CommandPattern, ...]:
    return tuple(pattern for command in commands for pattern in parse_patterns(command))


_ADDITIONS = (
    "npm install;pnpm add;yarn add;bun add;pip install;uv add;poetry add;cargo add;go get;gem install;bundle add"
    ";composer require;dotnet add package"
)
_CODE = r"(?:code|changes|files)"
_PACKAGES = r"(?:dependenc(?:y|ies)|packages?|librar(?:y|ies))"
# What people call commands. Each form must cover the whole phrase.
_PHRASES = (
    (
        form(rf"commit(?:s|ting)?(?: (?:anything|(?:any )?(?:\w+ )?{_CODE})(?: (?:in|under) \S+)?)?"),
        "git commit",
    ),
    (form(r"amend(?:s|ed|ing)?(?: (?:any |the )?(?:last )?commits?)?"), "git commit --amend"),
    (form(r"(?:delet|remov)(?:e|ing)(?: (?:any|the|a))? (?:files?|folders?)"), "rm;git rm;unlink;rmdir"),
    (form(rf"(?:add|install)(?:ing)?(?: (?:any|a|new|another))* {_PACKAGES}(?: to .+)?"), _ADDITIONS),
    (form(r"push(?:es|ing)?(?: (?:anything|code|changes))?"), "git push"),
    (form(r"rebas(?:e|es|ing)"), "git rebase"),
    (form(r"merg(?:e|es|ing)(?: (?:anything|(?:any |a )?(?:branch(?:es)?|prs?)))?"), "git merge"),
    (form(r"switch(?:ing)? branch(?:es)?"), "git switch;git checkout"),
    (form(r"creat(?:e|ing)(?: (?:a|any|new|another))* branch(?:es)?"), "git checkout -b;git switch -c"),
    (form(r"(?:open(?:ing)? |creat(?:e|ing) )?(?:a )?(?:pr|pull request)s?"), "gh pr create"),
    (form(r"(?:unit |integration )?tests?(?: ?suite)?"), _TESTS),
    (form(r"lint(?:er|ers|ing)?"), _LINTERS),
    (form(r"formatters?|formatting"), _FORMATTERS),
    (form(r"type[- ]?check(?:er|s|ing)?"), _TYPE_CHECKERS),
)
_FORCE_PUSH = form(r"(?:git )?force[- ]push(?:ing|es)?")
_PUSH_TO = form(r"(?P<force>force[- ])?push(?:ing)?(?: directly| straight)? to (?P<branch>[\w./-]+)(?: branch)?")


def read_commands(phrase: str, *, verb: str | None, any_program: bool = False) -> tuple[CommandPattern, ...] | None:
    """Return the patterns that a phrase names, such as "npm or `yarn add`". None if a part of it is no command.

    With `any_program` the first word may be a program that is not known: what is to be run instead is only shown.
    """
    patterns: list[CommandPattern] = []
    for part in split_alternatives(phrase):
        read = _read_command(part, verb, any_program)
        if not read and verb and (means := _MEANS.fullmatch(strip_trailing(part))):
            # "install packages with npm" does not speak of all that npm does
            read = [one for one in _read_command(means["x"], verb, any_program) if one.words or one.required]
        if not read:
            return None
        patterns += read
    return tuple(patterns) or None


def split_alternatives(phrase: str) -> Iterator[str]:
    """Yield the parts of an enumeration. Backticks are not split."""
    pieces = re.split(r"(`[^`]*`)", phrase)
    joined = "".join(f"\0{at}\0" if at % 2 else piece for at, piece in enumerate(pieces))
    for part in _ALTERNATIVE.split(joined):
        yield re.sub(r"\0(\d+)\0", lambda mark: pieces[int(mark[1])], part).strip()


def _read_command(phrase: str, verb: str | None, any_program: bool) -> Sequence[CommandPattern]:
    text = strip_trailing(phrase.strip())
    while match := _DETERMINER.match(text):
        text = text[match.end() :]
    if code := re.fullmatch(r"(?:[^`]+ (?:with|using) )?`([^`]+)`(?: command)?|[\"“']([^\"”']+)[\"”']", text):
        return parse_patterns((code[1] or code[2]).strip())
    if _FORCE_PUSH.fullmatch(text):
        return [pattern._replace(required=(_FORCE,)) for pattern in patterns_of("git push --force")]
    if match := _PUSH_TO.fullmatch(text):
        branch = match["branch"]
        required = ((branch, f"HEAD:{branch}", f"+{branch}"), *((_FORCE,) if match["force"] else ()))
        return [
            pattern._replace(required=required, text=text, may_be_implied=True) for pattern in patterns_of("git push")
        ]
    for shape, commands in _PHRASES:
        if shape.fullmatch(text):
            return patterns_of(*commands.split(";")) if verb or ";" not in commands else ()
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
_PATH_WORDS = form(
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
_FILE_KIND = form(
    rf"(?:any |a |an |the |all )?(?P<kind>{'|'.join(_SUFFIXES)}|[._]\w[\w.]{{0,20}}) (?:source )?(?:code|files?)"
)


def read_paths(phrase: str) -> tuple[str, ...] | None:
    """Return the paths that a phrase names. None if a part of it is no path."""
    paths: list[str] = []
    for part in split_alternatives(strip_trailing(phrase)):
        if kind := _FILE_KIND.fullmatch(strip_trailing(part)):
            paths += [f"*{suffix}" for suffix in _SUFFIXES.get(kind["kind"].lower(), kind["kind"]).split()]
            continue
        match = _PATH_WORDS.fullmatch(strip_trailing(part))
        path = match["path"].strip("`\"'“”") if match else ""
        if not _PATH.fullmatch(path) or ".." in path:
            return None
        paths.append(path.removeprefix("./"))
    return tuple(paths) or None
