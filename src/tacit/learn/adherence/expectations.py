"""What a memory expects of tool calls: commands it forbids, an order of commands, files it protects or ties together.

A sentence is read only if one of a few forms covers all of it. A condition, an exception or a word that is no known
command or path leaves it unread: such a memory cannot be checked. Reasons ("because …") and words that change nothing
("here", "please") are dropped first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from tacit.learn.adherence.invocations import CommandRun
from tacit.learn.command_names import MAX_FAMILY_WORDS, name_command, program_tables
from tacit.model.claim import Claim
from tacit.model.conflict import alternatives_of
from tacit.model.statement import split_sentences, strip_introduction
from tacit.record import Record

_MAX_SENTENCE_CHARS = 400


class CommandPattern(Record):
    """Command lines of one family, with a word of each group of `required`.

    `absence_is_known` says that a command without the required words is another command. It is false for the branch of
    `git push`, which need not be named. `is_known` is false for code that may be no command at all, such as the name of
    a function: nothing follows if it is never run.
    """

    family: str
    required: tuple[frozenset[str], ...] = ()
    absence_is_known: bool = True
    is_known: bool = True

    def is_family_of(self, invocation: CommandRun) -> bool:
        return _is_within(invocation.family, self.family)

    def matches(self, invocation: CommandRun) -> bool:
        return self.is_family_of(invocation) and all(_has_word(invocation, group) for group in self.required)


_FILTERS = frozenset("grep sed awk cat head tail sort".split())  # behind a pipe they do another job than alone


class ForbidsCommand(Record):
    """A command that must not be run, and those that may be run in its place."""

    forbidden: tuple[CommandPattern, ...]
    instead: tuple[CommandPattern, ...] = ()

    def is_violated_by(self, invocation: CommandRun) -> bool:
        """Return whether a command is forbidden. What one of `instead` runs is not: `uv run pytest` runs `pytest`."""
        if invocation.is_piped and invocation.words[0] in _FILTERS:
            return False
        is_run_by_other = any(
            _is_within(prefix, pattern.family) for prefix in invocation.prefixes for pattern in self.instead
        )
        is_other = any(pattern.matches(invocation) for pattern in self.instead)
        return not is_run_by_other and not is_other and any(pattern.matches(invocation) for pattern in self.forbidden)

    def is_followed_by(self, invocation: CommandRun) -> bool:
        """Return whether a command does in the right way what a forbidden one would do."""
        if any(pattern.matches(invocation) for pattern in self.instead):
            return True
        return invocation.is_complete and any(
            pattern.required
            and pattern.absence_is_known
            and pattern.is_family_of(invocation)
            and not pattern.matches(invocation)
            for pattern in self.forbidden
        )


class RequiresBefore(Record):
    """A command that must be run before another. `is_vague`: a script of the project may be the first one, too."""

    first: tuple[CommandPattern, ...]
    then: tuple[CommandPattern, ...]
    is_vague: bool = False


class ProtectsFiles(Record):
    """Files that must not be edited: paths, folders or globs."""

    paths: tuple[str, ...]


class TiesFiles(Record):
    """Whoever changes a file of `changed` has to change one of `companions`, too."""

    changed: tuple[str, ...]
    companions: tuple[str, ...]


Expectation = ForbidsCommand | RequiresBefore | ProtectsFiles | TiesFiles


def expectations_of(claim: Claim) -> tuple[Expectation, ...]:
    """Return what a claim expects of tool calls; () if that cannot be told with certainty."""
    sentence = claim.sentence
    if len(sentence) > _MAX_SENTENCE_CHARS or "\n" in sentence:
        return ()
    expectations: list[Expectation] = []
    for part in split_sentences(strip_introduction(sentence)):
        read = _read_part(part)
        if read is None and (not expectations or _LIMIT.search(part)):
            return ()  # the rule comes first; a later sentence may explain it, but not limit it
        expectations += [read] if read else []
    return tuple(expectations)


def _is_within(family: str, pattern: str) -> bool:
    return family == pattern or family.startswith((f"{pattern} ", f"{pattern}:"))


def _has_word(invocation: CommandRun, group: frozenset[str]) -> bool:
    return any(_is_word(word, wanted) for word in invocation.words[1:] for wanted in group)


def _is_word(word: str, wanted: str) -> bool:
    if word.partition("=")[0] == wanted:
        return True
    is_short_option = len(wanted) == 2 and wanted[0] == "-" != wanted[1]
    return is_short_option and re.fullmatch(r"-[A-Za-z]+", word) is not None and wanted[1] in word[1:]


# Sentences

_REASON = re.compile(
    r"\s*(?:[,;]?\s(?:because|since|as it|so that|otherwise)\s.*|\s[-–—]+\s.*|\([^()]*\)\s*|[,;]?\s(?:it|they)\s.*)$",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:unless|except|excluding|only|but|if|when|whenever|until|while|during|sometimes|usually|mostly|except|apart"
    r"|though|although|instead)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:please|always|here|in this (?:repo|repository|project|codebase)|you|we|i|agents?|must|should|have to|need to"
    r"|make sure (?:to|you)|be sure to|remember to|let[’']?s|this (?:project|repo|repository))\b[,:]?\s+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"[\s,]+(?:here|please|again|ever|at all|any ?more|directly|by hand|manually|yourself|first|instead|too|as well"
    r"|for (?:this|the) (?:repo|repository|project)|(?:in|on) (?:this|the) (?:repo|repository|project|codebase))$",
    re.IGNORECASE,
)
_NEVER = r"(?:never(?: ever)?|do not|don[’']?t|must not|mustn[’']t|should not|shouldn[’']t|avoid|stop|no)"
_RUN = r"(?:run|use|call|invoke|execute|type|running|using|calling|invoking|executing)"
_EDIT = r"(?:edit|change|modify|touch|rewrite|hand-edit|write to|editing|changing|modifying|touching|update)"
_TIE = r"(?:change|edit|touch|modify|update|regenerate|bump|adjust|sync)"
_INSTEAD_OF = r"(?:,? instead of|,? rather than| over|,? (?:and )?not|,? (?:and )?never)"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_RunGroups = Callable[[re.Match[str]], Expectation | None]


def _read_part(part: str) -> Expectation | None:
    """Return what one sentence expects. None if no form covers it, or a word in it cannot be read."""
    text = part.strip().rstrip(".!; ")
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


def _strip_trailing(text: str) -> str:
    while match := _TRAILING.search(text):
        text = text[: match.start()]
    return text


def _read_forbidden(match: re.Match[str]) -> Expectation | None:
    groups = match.groupdict()
    forbidden = _commands(groups["x"], verb=groups["verb"])
    instead = _commands(groups["y"], verb="use") if groups.get("y") else ()
    if forbidden is None or instead is None:
        return None
    return ForbidsCommand(forbidden, instead or _alternatives(forbidden))


def _read_preferred(match: re.Match[str]) -> Expectation | None:
    forbidden, instead = _commands(match["x"], verb="use"), _commands(match["y"], verb="use")
    return ForbidsCommand(forbidden, instead) if forbidden and instead else None


def _read_chosen(match: re.Match[str]) -> Expectation | None:
    """Read "use pnpm": a program of which there are alternatives forbids those."""
    instead = _commands(match["y"], verb="use")
    others = _alternatives(instead) if instead else ()
    return ForbidsCommand(others, instead) if instead and others else None


_MAX_NAMED = 5  # commands that a sentence names; more come from a word like "tests"


def _read_order(match: re.Match[str]) -> Expectation | None:
    first, then = _commands(match["y"], verb="run"), _commands(match["x"], verb="run")
    return RequiresBefore(first, then, is_vague=len(first) > _MAX_NAMED) if first and then else None


def _read_protected(match: re.Match[str]) -> Expectation | None:
    paths = _paths(match["x"])
    return ProtectsFiles(paths) if paths else None


def _read_tied(match: re.Match[str]) -> Expectation | None:
    changed, companions = _paths(match["x"]), _paths(match["y"])
    return TiesFiles(changed, companions) if changed and companions else None


_FORMS: tuple[tuple[re.Pattern[str], _RunGroups], ...] = (
    (_form(rf"{_NEVER} (?P<x>.+?) (?:without|before) (?:first )?(?:{_RUN} )?(?P<y>.+)"), _read_order),
    (_form(rf"(?:{_RUN} )?(?P<y>.+?) before (?P<x>.+)"), _read_order),
    (_form(rf"before (?P<x>[^,]+?),? (?:always |first )?{_RUN} (?P<y>.+)"), _read_order),
    (_form(rf"(?P<x>.+?) only after (?:{_RUN} )?(?P<y>.+)"), _read_order),
    (_form(rf"{_NEVER} {_EDIT} (?P<x>.+)"), _read_protected),
    (
        _form(rf"(?:when|whenever|if|every time|each time) (?:you |we )?{_TIE} (?P<x>[^,]+?),? "
              rf"(?:(?:you |we )?(?:also|always|then|must|should) )*{_TIE} (?P<y>.+)"),
        _read_tied,
    ),
    (
        _form(rf"(?:also )?{_TIE} (?P<y>.+?) (?:when|whenever|every time|each time) (?:you |we )?{_TIE} (?P<x>.+)"),
        _read_tied,
    ),
    (
        _form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+?)(?:, (?:but )?(?:always )?|; |: )"
              r"(?:use|run|prefer|only) (?P<y>.+)"),
        _read_forbidden,
    ),
    (_form(rf"(?:uses?|prefer|run|would rather use) (?P<y>.+?){_INSTEAD_OF} (?:{_RUN} )?(?P<x>.+)"), _read_preferred),
    (_form(rf"{_NEVER} (?:(?P<verb>{_RUN}) )?(?P<x>.+)"), _read_forbidden),
    (_form(r"(?:uses?|prefer)(?: only)? (?P<y>[^,]+)"), _read_chosen),
)  # fmt: skip


# Commands

_ALTERNATIVE = re.compile(r"\s*(?:,\s*(?:or|and|nor)\s|,\s|\s(?:or|and|nor)\s)\s*", re.IGNORECASE)
_DETERMINER = re.compile(r"(?:the|a|an|any|every|each|all|you|we|to|making|creating|your|full)\s+", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_./:@=+-]+")
_PROGRAM = re.compile(r"\.{0,2}/?[A-Za-z0-9][\w./+-]*")
# English words that are programs, too: they stand for the program only in backticks, or alone behind a verb.
_AMBIGUOUS = frozenset(
    "make just find test at cut sort join split open file time watch which more less head last free say start stop go"
    " touch sync mount kill code view ed last look host print type read set install link tag service help info screen"
    " format build task node top w id who date cal dir more most yes convert magick passwd groups script bundle rails"
    " mix play deploy strings comm paste expand fold nice wait history source export env command".split()
)
_TARGET_PROGRAMS = frozenset("make just go task".split())
_TESTS = tuple(
    "pytest;tox;nox;jest;vitest;mocha;rspec;phpunit;ctest;python -m unittest;npm test;npm run test;pnpm test"
    ";pnpm run test;yarn test;bun test;bun run test;deno test;make test;make tests;make check;just test;just check"
    ";task test;rake test;rake spec;rails test;mix test;cargo test;cargo nextest;go test;gradle test;./gradlew test"
    ";gradlew test;mvn test;mvn verify;./mvnw test;dotnet test;swift test;bazel test;composer test;flutter test"
    ";php artisan test;npx jest;npx vitest;./run_tests.sh;./test.sh;hatch test;mise run test"
    ";python manage.py test".split(";")
)  # fmt: skip
_LINTERS = tuple(
    "ruff;ruff check;flake8;pylint;eslint;npx eslint;biome;npx biome;make lint;make check;just lint;task lint"
    ";npm run lint;pnpm lint;pnpm run lint;yarn lint;bun lint;bun run lint;cargo clippy;golangci-lint;go vet;rubocop"
    ";shellcheck;pre-commit run;mix credo;rake lint;mise run lint".split(";")
)
_FORMATTERS = tuple(
    "ruff format;black;prettier;npx prettier;cargo fmt;gofmt;go fmt;make format;make fmt;just format;just fmt"
    ";npm run format;pnpm format;yarn format;bun run format;mix format;rustfmt;pre-commit run".split(";")
)
_TYPE_CHECKERS = tuple(
    "mypy;pyright;tsc;npx tsc;make types;make typecheck;npm run typecheck;pnpm typecheck;yarn typecheck"
    ";npm run type-check;pnpm type-check;just typecheck;dmypy;ty check".split(";")
)
_FORCE = frozenset(("-f", "--force", "--force-with-lease"))


def _families(*names: str) -> tuple[CommandPattern, ...]:
    return tuple(CommandPattern(name) for name in names)


# What people call commands. Each form must cover the whole phrase.
_PHRASES: tuple[tuple[re.Pattern[str], tuple[CommandPattern, ...]], ...] = (
    (_form(r"(?:git )?force[- ]push(?:ing|es)?"), (CommandPattern("git push", (_FORCE,)),)),
    (_form(r"commit(?:s|ting)?(?: (?:anything|code|changes))?"), _families("git commit")),
    (_form(r"amend(?:s|ing)?(?: commits?)?"), (CommandPattern("git commit", (frozenset(("--amend",)),)),)),
    (_form(r"push(?:es|ing)?(?: (?:anything|code|changes))?"), _families("git push")),
    (_form(r"rebas(?:e|es|ing)"), _families("git rebase")),
    (_form(r"(?:opening |creating )?(?:a )?(?:pr|pull request)s?"), _families("gh pr create")),
    (_form(r"(?:unit |integration )?tests?(?: ?suite)?"), _families(*_TESTS)),
    (_form(r"lint(?:er|ers|ing)?"), _families(*_LINTERS)),
    (_form(r"formatters?|formatting"), _families(*_FORMATTERS)),
    (_form(r"type[- ]?check(?:er|s|ing)?"), _families(*_TYPE_CHECKERS)),
)
_PUSH_TO = _form(r"(?P<force>force[- ])?push(?:ing)?(?: directly| straight)? to (?P<branch>[\w./-]+)(?: branch)?")


def _commands(phrase: str, *, verb: str | None) -> tuple[CommandPattern, ...] | None:
    """Return the patterns that a phrase names, such as "npm or `yarn add`". None if a part of it is no command."""
    patterns: list[CommandPattern] = []
    for part in _split_alternatives(phrase):
        read = _read_command(part, verb)
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


def _read_command(phrase: str, verb: str | None) -> Sequence[CommandPattern]:
    text = _strip_trailing(phrase.strip())
    while match := _DETERMINER.match(text):
        text = text[match.end() :]
    if code := re.fullmatch(r"`([^`]+)`(?: command)?|[\"“']([^\"”']+)[\"”']", text):
        return _pattern_of((code[1] or code[2]).split(), is_code=True)
    if match := _PUSH_TO.fullmatch(text):
        branch = match["branch"]
        groups = (frozenset((branch, f"HEAD:{branch}", f"+{branch}")), *((_FORCE,) if match["force"] else ()))
        return (CommandPattern("git push", groups, absence_is_known=False),)
    for form, patterns in _PHRASES:
        if form.fullmatch(text):
            return patterns if verb or len(patterns) == 1 else ()
    words = text.replace("`", "").split()
    if words and words[0] in _AMBIGUOUS:
        is_target = words[0] in _TARGET_PROGRAMS and len(words) == 2 and _is_subcommand(words[1])
        if not verb or not (len(words) == 1 or is_target):
            return ()
    return _pattern_of(words, is_code=False) if all(map(_WORD.fullmatch, words)) else ()


def _pattern_of(words: Sequence[str], *, is_code: bool) -> Sequence[CommandPattern]:
    """Return the pattern of a command line; () if its first word is no program that is known or quoted as code."""
    if not words or len(words) > MAX_FAMILY_WORDS + 2 or not _PROGRAM.fullmatch(words[0]):
        return ()
    if not is_code and words[0] not in _known_programs():
        return ()
    if words[0].startswith("-"):
        return ()
    plain = [word for word in words if not word.startswith("-")]
    if not is_code and not all(map(_is_subcommand, plain[1:])):
        return ()
    family = name_command(tuple(plain)).family
    if words == ["yarn"] or (len(plain) == 1 and family.startswith(f"{plain[0]} ")):
        family = plain[0]  # a bare program stands for all that it does
    in_family = set(family.split())
    rest = [word for word in words[1:] if word not in in_family and not _is_alias_of(word, words[0], family)]
    required = tuple(group for word in rest for group in _required_groups(words[0], word))
    return (CommandPattern(family, required, is_known=words[0] in _known_programs()),)


def _is_alias_of(word: str, program: str, family: str) -> bool:
    """Return whether a subcommand has another name in the family: `npm i` is `npm install`."""
    return (
        not word.startswith("-")
        and name_command((program, word)).family in (family, f"{program} {word}")
        and (family != program)
    )


_BUNDLING = frozenset("git rm cp".split())  # programs whose short options are written together: `rm -rf`
_LONG_OPTIONS = {"-f": frozenset(("-f", "--force")), "-r": frozenset(("-r", "-R", "--recursive"))}


def _required_groups(program: str, word: str) -> list[frozenset[str]]:
    """Return the spellings of an option or word that a command must have, one group for each option."""
    bundled = program in _BUNDLING and re.fullmatch(r"-[A-Za-z]+", word)
    options = [f"-{letter}" for letter in word[1:]] if bundled else [word.partition("=")[0]]
    if program not in _BUNDLING:
        return [frozenset((option,)) for option in options]
    short = {"--force": "-f", "--recursive": "-r"}
    return [_LONG_OPTIONS.get(short.get(option, option), frozenset((option,))) for option in options]


def _is_subcommand(word: str) -> bool:
    tables = program_tables()
    managers = tables.package_managers.values()
    return (
        word in tables.common_subcommands
        or word in _GIT_SUBCOMMANDS
        or any(word in manager.commands or word in manager.aliases for manager in managers)
    )


_GIT_SUBCOMMANDS = frozenset(
    "add am bisect blame branch cherry-pick clean clone commit fetch gc grep log merge mv pull push rebase reflog reset"
    " restore revert rm show stash status switch tag worktree compose up down ci".split()
)


@cache
def _known_programs() -> frozenset[str]:
    tables = program_tables()
    names = (tables.package_managers, tables.subcommands, tables.task_runners, tables.interpreters, tables.aliases)
    listed = {name for table in names for name in table if " " not in name}
    return frozenset({*listed, *tables.no_subcommands, *tables.python_modules, *tables.shells, "npx", "pip", "uvx"})


def _alternatives(patterns: Sequence[CommandPattern]) -> tuple[CommandPattern, ...]:
    """Return the programs that people use in place of these; () if they are not known or a subcommand is named."""
    if any(" " in pattern.family or pattern.required for pattern in patterns):
        return ()
    named = {pattern.family for pattern in patterns}
    others = {other for name in named for other in alternatives_of(name) if other in _known_programs()}
    return _families(*sorted(others - named))


# Paths

_PATH = re.compile(r"(?=.*[./*])[\w.*@+/{},-]+|[A-Z][A-Za-z]*file|README|CHANGELOG|LICENSE|CONTRIBUTING")
_PATH_WORDS = re.compile(
    r"(?:the |any |all )?(?:(?:files?|anything|everything|something|code|folder|directory|migrations) )?"
    r"(?:(?:in|under|inside|below|of) )?(?:the )?(?:(?:file|folder|directory) )?(?P<path>\S+)"
    r"(?: (?:file|folder|directory))?",
    re.IGNORECASE,
)


def _paths(phrase: str) -> tuple[str, ...] | None:
    """Return the paths that a phrase names. None if a part of it is no path."""
    paths: list[str] = []
    for part in _split_alternatives(_strip_trailing(phrase)):
        match = _PATH_WORDS.fullmatch(_strip_trailing(part))
        path = match["path"].strip("`\"'“”") if match else ""
        if not _PATH.fullmatch(path) or ".." in path:
            return None
        paths.append(path.removeprefix("./"))
    return tuple(paths) or None
