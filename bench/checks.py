"""Conditions of rule files: how many sentences compile, what checkouts say of them, and each red one to be read by eye.

    python -m bench.checks REPOSITORY … [--past] [--list] [--json]

The rule files of a checkout (CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor and Copilot) are compiled by what
`tacit audit` uses, and looked up in the files that are checked out. With `--past` also what earlier versions of them
said, each line once: a memory is as old as the sentence it was learned from. `--list` prints each red one with its
place, the condition, what the work tree has and the commit since which. Repositories are only read.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench.figures import Figure, print_figures
from tacit.disk.read import run_git
from tacit.home.breaking_commits import history_of
from tacit.home.work_tree import WorkTree
from tacit.model.conditions import Condition, State
from tacit.model.references import Reference
from tacit.rules import rule_place
from tacit.rules.audit import LookedUp, ReadRules, look_up, read_rules
from tacit.rules.lines import LineKind, RuleLine, line_statements, plain_text, redact_lines, rule_lines

_MAX_VERSIONS = 40  # of a rule file, spread over its history
_MAX_QUOTE_CHARS = 300
_HOOK_SENTENCES = 20


def kind_of(condition: Condition) -> str:
    return condition.kind.value if isinstance(condition, Reference) else type(condition).__name__


def hook_seconds(repository: Path, found: list[LookedUp]) -> float:
    """Return the CPU time of what a hook looks up for the first sentences: names, without a list of all files."""
    names = [one.condition for one in found if isinstance(one.condition, Reference)][:_HOOK_SENTENCES]
    start = time.process_time()
    tree = WorkTree(str(repository), str(repository), os.environ)
    for name in names:
        tree.look(name)
    return time.process_time() - start


def measure(repositories: list[Path], past: bool, listed: bool) -> Iterator[Figure]:
    states: dict[str, Counter[str]] = {}
    lines = statements = compiled = 0
    hooks: list[float] = []
    for repository in repositories:
        start = time.process_time()
        read = _read(repository, past)
        own = [line for line in read.lines if line.path.startswith(str(repository) + os.sep)]
        found = list(look_up(read, os.environ))
        seconds = time.process_time() - start
        hooks.append(hook_seconds(repository, found))
        lines += len(own)
        statements += sum(len(line_statements(line)) for line in own if line.kind is LineKind.PROSE)
        compiled += len({(one.line.path, one.line.line, one.line.text) for one in found})
        for one in found:
            states.setdefault(kind_of(one.condition), Counter())[one.outcome.state.value] += 1
        counts = Counter(one.outcome.state.value for one in found)
        note = f"{len(own)} lines, {counts['green']} green, {counts['unknown']} unknown, CPU {seconds:.2f} s"
        yield Figure(f"red in {repository.name}", f"{counts['red']} ({note})")
        for one in found if listed else ():
            if one.outcome.state is State.RED:
                print("\n".join(_red_lines(repository, one)))
    yield Figure(f"CPU of looking up {_HOOK_SENTENCES} names at a hook", f"{max(hooks) * 1000:.1f} ms (the most)")
    yield Figure("lines of rule files", f"{lines:,} ({statements:,} rules or facts in prose)")
    yield Figure("lines with a condition", f"{compiled:,}")
    for kind, count in sorted(states.items(), key=lambda item: -item[1].total()):
        yield Figure(f"conditions: {kind}", f"{count.total()} ({', '.join(f'{count[s]} {s}' for s in State)})")
    total: Counter[str] = sum(states.values(), Counter())
    yield Figure("conditions in all", f"{total.total()} ({', '.join(f'{total[s]} {s}' for s in State)})")


def _read(repository: Path, past: bool) -> ReadRules:
    environment = {"HOME": os.devnull, "PATH": os.environ.get("PATH", "")}
    read = read_rules(rule_place(str(repository), environment))
    return read._replace(lines=(*read.lines, *_past_lines(read, repository))) if past else read


def _past_lines(read: ReadRules, repository: Path) -> Iterator[RuleLine]:
    """Yield lines that earlier versions of the rule files had; their names tell the commit."""
    for file in read.rules.files:
        if not file.is_prose or not file.path.startswith(str(repository) + os.sep):
            continue
        seen = {line.text for line in read.lines if line.path == file.path}
        name = os.path.relpath(file.path, repository)
        log = run_git(str(repository), os.environ, "log", "--format=%h", "--", f":(top,literal){name}")
        commits = log.stdout.split() if log else []
        for commit in islice(commits, 1, None, max(len(commits) // _MAX_VERSIONS, 1)):
            shown = run_git(str(repository), os.environ, "cat-file", "blob", f"{commit}:{name}")
            if shown is None or shown.returncode != 0:
                continue
            text, _ = redact_lines(shown.stdout.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
            for line in rule_lines(file, text):
                if line.text not in seen:
                    seen.add(line.text)
                    yield line._replace(name=f"{line.name}@{commit}")


def _red_lines(repository: Path, found: LookedUp) -> Iterator[str]:
    line, commit = found.line, history_of(str(repository), os.environ, found.outcome.trace).commit
    since = f", since {commit.commit} of {commit.day} “{commit.subject}”" if commit else ""
    yield f"{repository.name}/{line.name}:{line.line} [{kind_of(found.condition)}] {found.condition.text}"
    yield f"    “{plain_text(line.text)[:_MAX_QUOTE_CHARS]}”"
    yield f"    {found.outcome.why}{since}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.checks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("repositories", nargs="+", type=Path, help="checkouts; they are only read")
    parser.add_argument("--past", action="store_true", help="also what earlier versions of the rule files said")
    parser.add_argument("--list", action="store_true", help="print each red one, to be read by eye")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    figures = measure([path.resolve() for path in given.repositories], given.past, given.list)
    return print_figures(figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
