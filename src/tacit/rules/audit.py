"""`tacit audit`: findings in rule files, and how many tokens each host loads at session start.

Nothing is written and no home is needed. Statements are compared sentence by sentence, and only if both can apply to
the same files. Finding something that is right costs more trust than missing something, so doubt means no finding.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import combinations
from math import inf

from tacit.contradiction import oppose
from tacit.contradiction.profile import is_restatement, profile_statement, restatement_key
from tacit.contradiction.terms import share_enough, topics
from tacit.home.breaking_commits import confirmed
from tacit.home.conditions import look
from tacit.home.work_tree import WorkTree
from tacit.model.claim import GLOBAL
from tacit.model.condition_compiler import compile_line
from tacit.model.conditions import Condition, LookupResult, State
from tacit.model.conflict import RelationKind, are_opposed, parse_stance
from tacit.model.references import Reference, ReferenceKind
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.rules import LoadTime, RuleFile, RulePlace, RuleSet, find_rules, is_within
from tacit.rules.lines import (
    FoundSecret,
    LineKind,
    RuleLine,
    line_statements,
    loaded_text,
    plain_text,
    redact_lines,
    rule_lines,
)
from tacit.text.display import clip
from tacit.text.words import estimate_tokens, normalize_text

_MAX_TOPIC_STATEMENTS = 40  # a topic of more statements does not distinguish them
_MAX_STATEMENTS = 3000
_MAX_COMPARED_WORDS = 28  # longer sentences say several things
_MIN_DUPLICATE_WORDS = 4
_MIN_SHARED_TERMS = 0.6  # of the smaller statement, if one denies what the other affirms
_MAX_COMPARED = 20  # earlier statements that one is compared with as a duplicate
_MIN_COPIED_LINES = 3  # of one file in another: one finding for all
_MAX_QUOTE_CHARS = 120
_GONE_LABELS = {
    ReferenceKind.SCRIPT: "the script {} of package.json",
    ReferenceKind.MAKE_TARGET: "the target {} of the Makefile",
    ReferenceKind.JUST_RECIPE: "the recipe {} of the justfile",
}


class FindingKind(Enum):
    """What is wrong with a line, in the order in which findings are shown."""

    SECRET = "secret"
    CONTRADICTION = "contradiction"
    GONE = "gone"
    NEVER_LOADED = "never loaded"
    DUPLICATE = "duplicate"
    UNREADABLE = "unreadable"


class RuleFinding(Record):
    """Something wrong in a rule file. `other` is the line it contradicts or repeats, as `file:line`."""

    kind: FindingKind
    path: str
    line: int
    message: str
    quote: str = ""
    other: str = ""
    other_quote: str = ""


class HostTokens(Record):
    """How much a host loads at session start."""

    host: str
    tokens: int
    files: int


class AuditReport(Record):
    """The result of an audit. If not `is_complete`, the project was too large to be searched as a whole."""

    files: tuple[RuleFile, ...]
    findings: tuple[RuleFinding, ...]
    tokens: tuple[HostTokens, ...]
    is_complete: bool


class ReadRules(Record):
    """Rule files with their lines, and the secrets of each file by its path."""

    rules: RuleSet
    lines: tuple[RuleLine, ...]
    secrets: Mapping[str, Sequence[FoundSecret]]


def read_rules(place: RulePlace) -> ReadRules:
    """Read every rule file that concerns a place. The lines have no secrets."""
    rules = find_rules(place)
    lines: list[RuleLine] = []
    secrets: dict[str, list[FoundSecret]] = {}
    for file in rules.files:
        text, secrets[file.path] = redact_lines(file.text)
        if file.is_prose:
            lines += rule_lines(file, text)
    return ReadRules(rules, tuple(lines), secrets)


def audit(place: RulePlace) -> AuditReport:
    """Return the findings for a session in this place."""
    read = read_rules(place)
    files = read.rules.files
    statements = list(_statements(files, read.lines))
    findings = [
        *(RuleFinding(FindingKind.UNREADABLE, file.name, 1, file.problem) for file in files if file.problem),
        *(
            RuleFinding(
                FindingKind.SECRET, file.name, secret.line, f"{secret.kind}; every host that loads the file sends it"
            )
            for file in files
            for secret in dict.fromkeys(read.secrets[file.path])
        ),
        *_never_loaded(read.rules),
        *_gone(read, place.environment),
        *_contradictions(statements),
        *_duplicates(statements),
    ]
    order = {file.name: index for index, file in enumerate(files)}
    kinds = list(FindingKind)
    findings.sort(key=lambda finding: (order.get(finding.path, 0), finding.line, kinds.index(finding.kind)))
    return AuditReport(files, tuple(findings), tuple(_tokens(files)), read.rules.listing.is_complete)


def _never_loaded(rules: RuleSet) -> Iterator[RuleFinding]:
    for problem in rules.problems:
        yield RuleFinding(FindingKind.NEVER_LOADED, problem.name, problem.line, problem.text)
    # Files that no host loads: one finding for all files of a folder with the same reason.
    groups: dict[tuple[str, str], list[RuleFile]] = defaultdict(list)
    for file in rules.files:
        if file.loads and not file.is_ever_loaded:
            groups[os.path.dirname(file.name), file.loads[0].reason].append(file)
    for (folder, reason), members in groups.items():
        more = f" (and {len(members) - 1} more files in {folder or '.'})" if len(members) > 1 else ""
        yield RuleFinding(FindingKind.NEVER_LOADED, members[0].name, 1, reason + more)
    for file in rules.files:
        for load in file.loads:
            count = file.text.count("\n") + (not file.text.endswith("\n"))
            if load.last_line is not None and load.last_line < count:
                message = f"{load.reason}; {count - load.last_line} lines from here on are left out"
                yield RuleFinding(FindingKind.NEVER_LOADED, file.name, load.last_line + 1, message)
            elif load.when is LoadTime.NEVER and file.is_ever_loaded:
                yield RuleFinding(FindingKind.NEVER_LOADED, file.name, 1, load.reason)


class LookedUp(Record):
    """A condition of a line of a rule file, and what the work tree says of it."""

    line: RuleLine
    condition: Condition
    outcome: LookupResult


def look_up(read: ReadRules, environment: Mapping[str, str]) -> Iterator[LookedUp]:
    """Yield the conditions of the lines of the project's files, each once for a file, with what its work tree says."""
    listing = read.rules.listing
    if not listing.is_complete:
        return
    tree = WorkTree(listing.root, listing.root, {}, listing=listing, seconds=inf)
    seen: set[tuple[str, str]] = set()
    for line in read.lines:
        if not is_within(line.path, listing.root) or line.is_own or line.is_negated:
            continue
        folder = os.path.dirname(line.path)
        for condition in compile_line(line.text, is_code=line.kind is LineKind.CODE).conditions:
            is_path = isinstance(condition, Reference) and condition.kind is ReferenceKind.PATH
            # Paths of an example need not exist. What is no name holds for the folder of its file, which may be a part.
            is_of_part = not isinstance(condition, Reference) and folder != listing.root
            if (line.path, condition.text) not in seen and not (is_path and line.is_example) and not is_of_part:
                seen.add((line.path, condition.text))
                outcome = look(tree, condition, folder=folder)
                yield LookedUp(line, condition, confirmed(listing.root, environment, outcome))


def _gone(read: ReadRules, environment: Mapping[str, str]) -> Iterator[RuleFinding]:
    """Yield what lines of the project's files say that its work tree contradicts."""
    for found in look_up(read, environment):
        if found.outcome.state is State.RED:
            quote = clip(plain_text(found.line.text), _MAX_QUOTE_CHARS)
            yield RuleFinding(FindingKind.GONE, found.line.name, found.line.line, _gone_text(found), quote)


def _gone_text(found: LookedUp) -> str:
    match found.condition:
        case Reference(kind=kind, name=name, text=text):
            return f"{_GONE_LABELS.get(kind, text).format(name)} does not exist"
        case condition:
            return f"it says {condition.text}, but {found.outcome.why}"


def _tokens(files: Iterable[RuleFile]) -> Iterator[HostTokens]:
    totals: dict[str, list[int]] = defaultdict(list)
    for file in files:
        for load in file.loads:
            if load.when is LoadTime.START and file.text:
                text = "\n".join(file.text.split("\n")[: load.last_line])
                totals[load.host].append(estimate_tokens(loaded_text(text, load.host)))
    for host, counts in sorted(totals.items(), key=lambda item: (-sum(item[1]), item[0])):
        yield HostTokens(host, sum(counts), len(counts))


# Comparing statements


class _Statement(Record):
    file: RuleFile
    line: RuleLine
    text: str

    @property
    def place(self) -> str:
        return f"{self.line.name}:{self.line.line}"


def _statements(files: Sequence[RuleFile], lines: Iterable[RuleLine]) -> Iterator[_Statement]:
    """Yield the statements that can be compared: loaded, not below a heading that negates them, and short enough."""
    by_path = {file.path: file for file in files}
    count = 0
    for line in lines:
        if not line.is_loaded or line.is_own or line.is_negated:
            continue
        for text in line_statements(line):
            count += 1
            if count > _MAX_STATEMENTS:
                return
            if len(text.split()) <= _MAX_COMPARED_WORDS:
                yield _Statement(by_path[line.path], line, text)


def _contradictions(statements: Sequence[_Statement]) -> Iterator[RuleFinding]:
    seen: set[frozenset[str]] = set()
    for first, second in _comparable_pairs(statements):
        # A rule for a part of the project is an exception from the others.
        if first.file.folder != second.file.folder or first.file.patterns != second.file.patterns:
            continue
        reason = contradiction_reason(first.text, second.text)
        pair = frozenset((normalize_text(first.text), normalize_text(second.text)))
        if reason and pair not in seen:
            seen.add(pair)
            yield _pair_finding(FindingKind.CONTRADICTION, reason, first, second)


def _comparable_pairs(statements: Sequence[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    """Yield the pairs that share enough topics, the earlier statement first."""
    by_topic: dict[str, list[int]] = defaultdict(list)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for index, statement in enumerate(statements):
        for topic in topics(statement.text):
            by_topic[topic].append(index)
    for members in by_topic.values():
        if len(members) <= _MAX_TOPIC_STATEMENTS:
            for pair in combinations(members, 2):
                shared[pair] += 1
    for (left, right), count in sorted(shared.items()):
        first, second = statements[left], statements[right]
        fewest = min(len(topics(first.text)), len(topics(second.text)))
        if share_enough(count, fewest, first.text, second.text):
            yield first, second


def contradiction_reason(first: str, second: str) -> str:
    """Return in what two sentences of rule files contradict each other; "" if they do not, or it is not certain."""
    stances = [parse_stance(claim_from(text, GLOBAL)) for text in (first, second)]
    if are_opposed(*stances):
        return "they answer the same question differently"
    profiles = (profile_statement(first), profile_statement(second))
    relation = oppose(first, second)
    if not relation.is_noticed or relation.kind is RelationKind.OVERRULES:
        return relation.reason
    words = [{term.word for term in profile.terms} for profile in profiles]
    smaller = min(map(len, words))
    share = len(words[0] & words[1]) / smaller if smaller else 0.0
    if relation.reason.startswith("another value"):
        is_path = "/" in relation.reason  # two files can both have a place
        return relation.reason if share >= _MIN_SHARED_TERMS and not is_path else ""
    # One denies what the other affirms: two sentences that both forbid something do not contradict each other.
    denies = [bool(profile.denied) for profile in profiles]
    return relation.reason if denies[0] != denies[1] and share >= _MIN_SHARED_TERMS else ""


def _duplicates(statements: Sequence[_Statement]) -> Iterator[RuleFinding]:
    """Yield statements that a host loads twice. Many from one file in another are one finding."""
    earlier: dict[object, list[_Statement]] = defaultdict(list)  # by exact words, and by what restatements share
    pairs: dict[tuple[str, str], list[tuple[_Statement, _Statement]]] = defaultdict(list)
    for statement in statements:
        if len(statement.text.split()) < _MIN_DUPLICATE_WORDS or not statement.line.hosts:
            continue
        words = normalize_text(statement.text)
        exact, similar = earlier[words], earlier[restatement_key(statement.text)]
        others = [
            other
            for other in (*exact[:_MAX_COMPARED], *similar[:_MAX_COMPARED])
            if other.place != statement.place and not set(other.line.hosts).isdisjoint(statement.line.hosts)
        ]
        restated = (
            other
            for other in others
            if normalize_text(other.text) == words or is_restatement(other.text, statement.text)
        )
        original = next(restated, None)
        exact.append(statement)
        similar.append(statement)
        if original is not None:
            pairs[original.line.name, statement.line.name].append((original, statement))
    for (first_name, second_name), repeated in pairs.items():
        if first_name != second_name and len(repeated) >= _MIN_COPIED_LINES:
            yield _pair_finding(FindingKind.DUPLICATE, f"{len(repeated)} rules are in {first_name} too", *repeated[0])
        else:
            yield from (_pair_finding(FindingKind.DUPLICATE, "repeats a rule", *pair) for pair in repeated)


def _pair_finding(kind: FindingKind, message: str, first: _Statement, second: _Statement) -> RuleFinding:
    """Return what the second of two statements does to the first."""
    quote, other_quote = (clip(statement.text, _MAX_QUOTE_CHARS) for statement in (second, first))
    return RuleFinding(kind, second.line.name, second.line.line, message, quote, first.place, other_quote)
