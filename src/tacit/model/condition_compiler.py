"""From a sentence to its conditions, without looking at anything else (see `conditions.py`).

A sentence that fits none of a few forms, or that speaks of plans, cases, examples or other repositories, has no
condition: to call something outdated that is right costs more trust than to miss something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.commandline.patterns import ForbidsCommand
from tacit.model.conditions import BannedText, ChosenTool, Condition, HelpOption
from tacit.model.doubts import doubt
from tacit.model.expectations import read_expectations
from tacit.model.references import marked_references, named_references, prose_of
from tacit.model.statement import split_sentences
from tacit.model.versions import read_versions
from tacit.record import Record

_MAX_CHARS = 2000
_MAX_CONDITIONS = 12
NAMES_NOTHING = "it names nothing that a work tree could show"


class Compiled(Record):
    """The conditions of a sentence; if there are none, `reason` says why it cannot be checked."""

    conditions: tuple[Condition, ...]
    reason: str = ""


def compile_sentence(sentence: str) -> Compiled:
    """Return the conditions of a memory, in which names need not be marked as code."""
    sentence = sentence[:_MAX_CHARS]
    return _compiled(sentence, [*named_references(sentence), *_others(sentence)])


def compile_line(line: str, *, is_code: bool = False) -> Compiled:
    """Return the conditions of a line of Markdown, in which only code and links name something.

    A line of a code block (`is_code`) names what its commands run.
    """
    line = line[:_MAX_CHARS]
    return _compiled(line, [*marked_references(line, is_code=is_code), *(() if is_code else _others(line))])


def _compiled(sentence: str, found: Iterable[Condition]) -> Compiled:
    conditions = tuple(dict.fromkeys(found))[:_MAX_CONDITIONS]
    return Compiled(conditions, "" if conditions else doubt(prose_of(sentence)) or NAMES_NOTHING)


def _others(text: str) -> Iterator[Condition]:
    for sentence in split_sentences(text):
        if not doubt(prose_of(sentence)):
            yield from read_versions(sentence)
            yield from _chosen_tools(sentence)
            yield from _banned_texts(sentence)
        yield from _help_options(sentence)


# Tools

# Tools that do the same work in a project, so that a command of one shows that another is not what is used. Other
# programs run each other: `make test` may well run `pytest`.
_EXCHANGEABLE = (
    ("npm", "pnpm", "yarn", "bun"),
    ("pip", "uv", "poetry", "pipenv", "pdm"),
    ("docker-compose", "docker compose"),
)
_MANAGER = re.compile(
    r"(?:[-*\s]*)(?:\*{0,2}package manager\*{0,2}(?: is)?:?\*{0,2}"
    r"|(?:this (?:project|repo(?:sitory)?|monorepo)|we) uses?"
    r"|(?:all )?(?:dependencies|packages) are (?:managed|installed) with) `?(?P<tool>[A-Za-z]+)`?"
    r"(?: (?:as|for|to)(?: (?:its|our|the|a|manage|managing|package|dependenc(?:y|ies)|packages?|manage(?:ment|r)))+"
    r"| workspaces)?(?: \([^()]*\))?[.!]?",
    re.IGNORECASE,
)


def _chosen_tools(sentence: str) -> Iterator[ChosenTool]:
    if match := _MANAGER.fullmatch(sentence.strip()):
        tool = match["tool"].lower()
        if managers := next((family for family in _EXCHANGEABLE[:2] if tool in family), None):
            yield ChosenTool(tool, tuple(other for other in managers if other != tool), tool)
            return
    for expectation in read_expectations(sentence):
        if not isinstance(expectation, ForbidsCommand):
            continue
        wanted, *others = dict.fromkeys(pattern.text.strip("`").lower() for pattern in expectation.instead) or [""]
        wanted = wanted.removesuffix(" run").removesuffix(" install").removesuffix(" add")
        family = next((family for family in _EXCHANGEABLE if wanted in family), ())
        forbidden = {" ".join(pattern.text.split()[:1]).lower() for pattern in expectation.forbidden}
        if family and not others and forbidden.issubset(family):
            instead_of = tuple(tool for tool in family if tool in forbidden)
            yield ChosenTool(wanted, instead_of, f"{wanted}, not {', '.join(instead_of)}")


# Texts below a folder

_CODE_TEXT = r"`(?P<text>[^`\n]{2,60})`"
_FOLDER = r"(?:the )?`?(?P<folder>[\w.@-]+/[\w.@/-]*|(?<=`)[\w.@-]+(?=`))`?(?: (?:folder|directory))?"
_NOT = r"(?:no|never|do not|don[’']t|must not|avoid)"
_USE = r"(?:use |using |call |calling |write |add |have )?"
_IN = r"(?:in|inside|under|below|within)"
_BANS = (
    (False, rf"{_NOT} {_USE}{_CODE_TEXT}(?: (?:calls?|statements?))? (?:anywhere )?{_IN} {_FOLDER}"),
    (False, rf"{_CODE_TEXT} (?:must|may|should|can)(?: not|not) be (?:used|called) {_IN} {_FOLDER}"),
    (True, rf"{_NOT} import(?:ing|s)? (?:from )?{_CODE_TEXT} (?:{_IN}|from) {_FOLDER}"),
    (True, rf"{_FOLDER} (?:must|may|should|can)(?: not| never|not) import (?:from )?{_CODE_TEXT}"),
)
_CALL = re.compile(r"([\w.$]+)\(\)")
_MODULE = re.compile(r"@?[A-Za-z][\w./@-]*")
_MIN_NEEDLE_CHARS = 4


def _banned_texts(sentence: str) -> Iterator[BannedText]:
    plain = re.sub(r"\*\*", "", sentence).strip().rstrip(".!").lstrip("-* ")
    for is_import, pattern in _BANS:
        if not (match := re.fullmatch(pattern, plain, re.IGNORECASE)):
            continue
        needle, folder = match["text"].strip(), match["folder"].strip("/")
        if is_import and not _MODULE.fullmatch(needle):
            continue
        # A short word of a language is everywhere in other senses: only a call, a chain of names or two words count.
        if call := _CALL.fullmatch(needle):
            needle = f"{call[1]}("
        is_telling = is_import or (not needle.isalnum() and len(needle) >= _MIN_NEEDLE_CHARS)
        if is_telling and ".." not in folder and "*" not in needle + folder:
            subject = f"import of {needle}" if is_import else needle
            yield BannedText(needle, folder, is_import, f"no {subject} in {folder}")


# Options of programs

_OPTION = r"`(?P<option>--[a-z][\w-]{1,40})(?:[ =][^`]*)?`"
_COMMAND = r"`(?P<command>[a-z][\w.-]*(?: [a-z][\w:-]*){0,3})`"
_FLAG = r"(?: (?:flag|option))?"
_LACKS = r"(?:has no|does not (?:have|support|know)|doesn[’']t (?:have|support|know)|lacks)(?: (?:a|an|the|any))?"
_HELP = (
    (True, rf"(?:always |please )?(?:pass|add|give) (?:the )?{_OPTION}{_FLAG} to (?:every |each )?{_COMMAND}"),
    (True, rf"(?:always )?use (?:the )?{_OPTION} (?:flag|option) (?:of|with|for|to) {_COMMAND}"),
    (False, rf"{_COMMAND} {_LACKS} {_OPTION}{_FLAG}"),
    (False, rf"there is no {_OPTION}{_FLAG} (?:of|in|for) {_COMMAND}"),
)


def _help_options(sentence: str) -> Iterator[HelpOption]:
    plain = sentence.strip().rstrip(".!").lstrip("-* ")
    for is_wanted, pattern in _HELP:
        if match := re.fullmatch(pattern, plain, re.IGNORECASE):
            command, option = match["command"], match["option"]
            text = f"{command} {option}" if is_wanted else f"no {option} in {command}"
            yield HelpOption(tuple(command.split()), option, is_wanted, text)
