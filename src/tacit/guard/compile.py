"""From the sentence of a memory to guard rules, or to nothing: a rule is never guessed.

A sentence is understood if it says nothing beyond the command or path, what to use instead, and "here". "Never push to
main" has a condition that no rule can check, so it is refused, and the person states the rule with options.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tacit.guard.rules import RuleKind, parse_pattern
from tacit.record import Record


class RuleText(Record):
    """What a rule says, without the memory that it comes from."""

    kind: RuleKind
    command: str = ""
    instead: str = ""
    before: str = ""
    paths: tuple[str, ...] = ()


IsProgram = Callable[[str], bool]

_NEVER: Final = r"(?:never|do not|don't|dont|must not|must never|should not|shouldn't|avoid|stop|no)"
_RUN: Final = r"(?:use|using|run|running|call|calling|execute|executing|type|typing|invoke|invoking)"
_INSTEAD_OF: Final = r"(?:instead of|rather than|over|not|never|and not|and never|but not|no|don't use|do not use)"
_BREAK: Final = r"(?:\s*[,;:.–—]|\s+-|\s+and|\s+but)\s+"
_EDIT: Final = r"(?:edit|editing|change|changing|modify|modifying|touch|touching|overwrite|overwriting|write to|delete)"
# Words around a statement that change nothing: the scope of a rule is that of its memory.
_LEADING = re.compile(
    r"^(?:please|always|also|you should|you must|we|i|remember:|rule:|"
    r"(?:here|in this (?:repo|repository|project|folder))(?: we)?)[,:]?\s+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"[,\s]+(?:here|in this (?:repo|repository|project|folder|directory|codebase)|in any project|any ?more|ever|please|"
    r"again|at all|directly|manually|by hand|yourself|instead)$",
    re.IGNORECASE,
)
_CAUSE = re.compile(r"[\s,(]+(?:because|since)\b.*$", re.IGNORECASE | re.DOTALL)
_ARTICLE = re.compile(r"^(?:the|a|an|plain|bare)\s+", re.IGNORECASE)
_BEFORE = (
    re.compile(rf"(?:{_RUN}\s+)?(?P<before>.+?)\s+before\s+(?P<command>.+)", re.IGNORECASE),
    re.compile(rf"before\s+(?P<command>.+?),?\s+(?:always\s+)?{_RUN}\s+(?P<before>.+)", re.IGNORECASE),
)
_PREFER = (
    re.compile(
        rf"(?:{_RUN}|prefer)\s+(?P<instead>.+?),?\s+{_INSTEAD_OF}\s+(?:to\s+)?(?:{_RUN}\s+)?(?P<command>.+)", re.I
    ),
    re.compile(rf"instead of\s+(?:{_RUN}\s+)?(?P<command>.+?),?\s+{_RUN}\s+(?P<instead>.+)", re.IGNORECASE),
    re.compile(
        rf"{_NEVER}\s+(?:{_RUN}\s+)?(?P<command>.+?){_BREAK}(?:always\s+)?(?:{_RUN}|prefer)\s+(?P<instead>.+)", re.I
    ),
    re.compile(r"(?P<instead>[^,]+),\s+(?:not|never)\s+(?P<command>.+)", re.IGNORECASE),
)
_FORBID = (re.compile(rf"{_NEVER}\s+(?:{_RUN}\s+)?(?P<command>.+)", re.IGNORECASE),)
_PROTECT = (
    re.compile(rf"{_NEVER}\s+{_EDIT}\s+(?:(?:files|anything|something)\s+(?:in|below|under)\s+)?(?P<path>.+)", re.I),
    re.compile(
        r"(?P<path>\S+) (?:is|are) (?:generated|read-only|protected)(?:, do(?:n't| not) edit (?:it|them))?", re.I
    ),
)
_PATH = re.compile(r"[\w.@+*?/-]+")
# What people call commands
_PHRASES = {
    "force push": "git push --force",
    "force-push": "git push --force",
    "commit": "git commit",
    "a commit": "git commit",
    "any commit": "git commit",
    "every commit": "git commit",
    "each commit": "git commit",
    "committing": "git commit",
    "you commit": "git commit",
    "push": "git push",
    "a push": "git push",
    "every push": "git push",
    "pushing": "git push",
    "you push": "git push",
    "merging": "git merge",
    "you merge": "git merge",
}
# Programs whose names are words of English: they count only between backticks, or where nothing but a command can be.
_ENGLISH = frozenset(
    "at cat cut file find fold head host install join kill last less link look man more nice open paste read set sort "
    "split stat sync tail test time touch type wait watch which who write yes".split()
)
_ENGLISH_VERB = re.compile(rf"{_NEVER}\s+(?:make|go)\b", re.IGNORECASE)
_MAX_WORDS = 4  # of a command that is not quoted
_WORD = re.compile(r"--?[A-Za-z0-9][\w=-]*|[a-z0-9][a-z0-9_.:@/+-]*")
# A word of prose behind a program states a condition that no rule can check.
_PROSE = frozenset(
    "a about after all an and any as at be before by directly during each every except for from hand here how i if in "
    "instead into is it its manually more my never no not of off on only or our over repeatedly so than that the their "
    "them there these this those to too twice until unless us using we when where which while with without you "
    "your".split()
)


def compile_sentence(sentence: str, is_program: IsProgram) -> tuple[RuleText, ...]:
    """Return the rules that a sentence states: one, or one for each command it names. None if it is not understood.

    `is_program` says whether a word that is not quoted with backticks is the name of a program.
    """
    text = _statement(sentence)
    if _ENGLISH_VERB.match(text):
        return ()
    for pattern in _PROTECT:
        if (match := pattern.fullmatch(text)) and (paths := _paths(match["path"])):
            return (RuleText(RuleKind.PROTECT, paths=paths),)
    for kind, patterns in ((RuleKind.REQUIRE, _BEFORE), (RuleKind.PREFER, _PREFER), (RuleKind.FORBID, _FORBID)):
        for pattern in patterns:
            if (match := pattern.fullmatch(text)) and (rules := _rules(kind, match.groupdict(), is_program)):
                return rules
    return ()


def _statement(sentence: str) -> str:
    """Return a sentence without what changes nothing: courtesy, scope, reasons and the full stop."""
    text = _CAUSE.sub("", " ".join(sentence.replace("’", "'").split())).rstrip(".!… )")
    while (shorter := _TRAILING.sub("", _LEADING.sub("", text)).rstrip(".!… ")) != text:
        text = shorter
    return text


def _rules(kind: RuleKind, parts: dict[str, str], is_program: IsProgram) -> tuple[RuleText, ...]:
    commands = _commands(parts["command"], is_program)
    instead = _commands(parts.get("instead", ""), lambda _: True)  # it is shown, and stops nothing
    before = _commands(parts.get("before", ""), is_program)
    if ("instead" in parts and len(instead) != 1) or ("before" in parts and len(before) != 1):
        return ()
    return tuple(RuleText(kind, command, "".join(instead), "".join(before)) for command in commands)


def _commands(text: str, is_program: IsProgram) -> tuple[str, ...]:
    """Return the commands that a text names: `npm or yarn` names two. None if any part of it is something else."""
    parts = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*/\s+", text) if text else []
    commands = tuple(_command(_TRAILING.sub("", part), is_program) for part in parts)
    return commands if all(commands) else ()


def _command(text: str, is_program: IsProgram) -> str:
    text = _ARTICLE.sub("", text.strip())
    if phrase := _PHRASES.get(text.lower()):
        return phrase
    if len(text) > 2 and text[0] == text[-1] == "`" and text.count("`") == 2:
        return text[1:-1].strip() if parse_pattern(text[1:-1]) else ""
    words = text.strip("\"'“”").split()
    is_command = (
        0 < len(words) <= _MAX_WORDS
        and all(map(_WORD.fullmatch, words))
        and not _PROSE.intersection(words[1:])
        and words[0] not in _ENGLISH
        and is_program(words[0])
    )
    return " ".join(words) if is_command and parse_pattern(" ".join(words)) else ""


def _paths(text: str) -> tuple[str, ...]:
    """Return the paths that a text names; none if any part of it is something else."""
    parts = re.split(r"\s*,\s*|\s+or\s+|\s+and\s+", _TRAILING.sub("", text))
    names = tuple(_ARTICLE.sub("", part).removesuffix(" files").removesuffix(" file").strip("`\"'") for part in parts)
    is_path = all(_PATH.fullmatch(name) and ("/" in name or "." in name) for name in names)
    return names if is_path else ()
