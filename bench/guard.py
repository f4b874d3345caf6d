"""The guard: false stops over commands that agents ran, planted violations behind wrappers, and what a call costs.

    python -m bench.guard MATERIAL/shell/claude_bash_commands_entireio_cli.jsonl

Fifty sentences, as people type them, are compiled to rules, and every rule meets every command. Whether a command
breaks a rule is decided by a second reading of its own: the tree of tree-sitter-bash, and the words of its command
nodes. (For protected paths it uses the guard's own list of changed files.) What the guard stops and that reading
does not is a false stop. `--hits` prints every stop, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import tree_sitter
import tree_sitter_bash

from bench.figures import Figure, against_target, print_figures, quantile
from bench.processes import busy_cores, hook_command, run
from bench.startup import against_bare
from tacit.commandline.executions import changed_by, executions
from tacit.commandline.patterns import CommandPattern, ForbidsCommand, RequiresBefore, matches_path
from tacit.commandline.words import ScanError
from tacit.guard import GuardRule, RuleKind, match_commands, save_rules
from tacit.vault.guard import enforceable

SENTENCES = """
never run npm here, use pnpm
use uv, not pip
never force push
never use git commit --no-verify
do not run git reset --hard
never run git add -A
prefer rg over grep
use fd instead of `find`
never run rm -rf
never use sudo
don't run docker-compose, use docker compose
never run terraform apply
do not use kubectl delete
never run go test directly, use mise run test
use gofumpt instead of gofmt
never run golangci-lint directly, use mise run lint
never use git stash
avoid git rebase
do not run git checkout
use git switch instead of git checkout
never run git commit --amend
never run `git push`
don't run gh pr merge
never run gh pr create
never use python, use python3
use uv run python instead of python3
never run `cat`
use `jq` instead of `yq`
never use sed
never use awk
never run make
never run yarn or bun
never use curl
never run git clean
do not use `head` here
never run `git branch -D`
never run `chmod`
use `trash` instead of `rm`
never use go mod tidy
do not run go build
never run mise run test:ci
use podman, never docker
never run brew install
never use `eval`
never run cargo publish
never run npm publish
never run git merge
run mise run lint before committing
run go test before pushing
never edit go.sum or .github/workflows/
""".strip().split("\n")
WRAPPINGS = {
    "plain": "{}",
    "chain": "cd . && {} ; echo done",
    "pipe": "echo y | {} | cat",
    "sudo": "sudo -u root {}",
    "env": "env -i CI=1 {}",
    "assignment": "CI=1 FORCE=yes {}",
    "time": "time {}",
    "timeout": "timeout -k 5 60 nohup nice -n 5 {}",
    "xargs": "echo x | xargs -n 1 -I% {}",
    "bash -c": "bash -lc 'set -e; {}'",
    "substitution": 'out="$({} 2>&1)" && echo "$out"',
    "loop": "for f in a b; do {}; done",
    "find -exec": "find . -name x -exec {} \\;",
}
_ROUNDS, _WARM_UP, _LOADED = 61, 5, 200
_BARE = (sys.executable, "-I", "-S", "-c", "pass")
_CALL = {"session_id": "bench", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls -la src"}}
_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def rules() -> list[GuardRule]:
    """The rules of all sentences. A sentence that is not understood would be a mistake of this bench."""
    found = []
    for number, sentence in enumerate(SENTENCES):
        expectations = enforceable(sentence)
        assert expectations, sentence
        found += [GuardRule(f"{number:012}", expectation) for expectation in expectations]
    return found


def measure(path: Path, hits: bool) -> Iterator[Figure]:
    every = rules()
    commands = list(dict.fromkeys(_commands(path)))
    stops = false = missed = unparsed = 0
    for command in commands:
        try:
            found = executions(command)
        except ScanError:
            unparsed, found = unparsed + 1, []
        matched = {match.rule for match in match_commands(every, found, lambda _r, _d: True, lambda _r: False)}
        nodes = list(_command_nodes(command))
        for rule in every:
            breaks = _breaks(rule, nodes, command)
            stops += rule in matched
            false += rule in matched and not breaks
            missed += breaks and rule not in matched
            if hits and (rule in matched or breaks):
                mark = "stop " if rule in matched and breaks else "FALSE" if rule in matched else "miss "
                print(
                    mark,
                    SENTENCES[int(rule.id)],
                    "|",
                    rule.commands or rule.paths,
                    "|",
                    command[:200].replace("\n", "⏎"),
                )
    note = f"{len(commands):,} different commands × {len(every)} rules, {stops:,} stops; {unparsed} not parsed"
    yield against_target("False stops", false, note=note)
    yield against_target("Violations that the second reading finds and the guard does not", missed)
    planted, caught = _planted(every)
    note = f"{planted} behind {len(WRAPPINGS)} wrappings"
    yield against_target("Planted violations not found", planted - caught, note=note)
    yield from _cost(every)


def _commands(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["cmd"]


# The second reading


def _command_nodes(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of every command node and its position, with those of wrappers taken off one by one."""
    source = bytes(byte if byte < 0x80 else 0x78 for byte in text.encode())
    stack = [_PARSER.parse(source).root_node]
    while stack:
        node = stack.pop()
        if node.type == "command":
            words = [
                text.encode()[child.start_byte : child.end_byte].decode("utf-8", "replace").strip("'\"")
                for child in node.children
                if child.type not in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
            ]
            yield from ((node.start_byte, words[start:]) for start in range(len(words)) if _may_run(words[:start]))
            if "-c" in words[:-1] and any(shell in words for shell in ("bash", "sh", "zsh")):
                script = words[words.index("-c") + 1]
                yield from ((node.start_byte, inner) for _, inner in _command_nodes(script))
        stack += node.children


def _may_run(before: list[str]) -> bool:
    """Whether a command may follow these words of its line."""
    if not before:
        return True
    runners = ("sudo", "env", "time", "xargs", "nohup", "exec", "command", "timeout", "uv", "mise", "npx", "python3")
    is_string = before[0] in ("bash", "sh", "zsh") and "-c" in before[1:]
    return before[0] in runners or is_string or "-exec" in before


def _breaks(rule: GuardRule, nodes: list[tuple[int, list[str]]], command: str) -> bool:
    if rule.kind is RuleKind.PROTECT:
        return _changes_path(rule, command)
    return any(_runs(rule, stated, nodes) for stated in _stated(rule))


def _stated(rule: GuardRule) -> list[str]:
    """The commands that a rule stops, as they are stated."""
    match rule.expects:
        case ForbidsCommand(forbidden=patterns) | RequiresBefore(then=patterns):
            return _texts(patterns)
    return []


def _texts(patterns: tuple[CommandPattern, ...]) -> list[str]:
    return list(dict.fromkeys(pattern.text for pattern in patterns))


def _runs(rule: GuardRule, stated: str, nodes: list[tuple[int, list[str]]]) -> bool:
    program, *rest = stated.split()
    runs = [(at, words) for at, words in nodes if words[0].rpartition("/")[2] == program]
    wanted = " ".join(rule.instead).split()
    for at, words in runs:
        is_wanted = bool(wanted) and any(other[: len(wanted)] == wanted for where, other in nodes if where == at)
        is_question = not rest and words[1:] in (["--version"], ["-v"], ["--help"], ["-h"], ["version"])
        if _has_all(rest, words[1:]) and not is_wanted and not is_question and not _ran_before(rule, nodes, at):
            return True
    return False


def _ran_before(rule: GuardRule, nodes: list[tuple[int, list[str]]], position: int) -> bool:
    required = [
        text.split() for text in (_texts(rule.expects.first) if isinstance(rule.expects, RequiresBefore) else [])
    ]
    return any(words[: len(first)] == first and at < position for at, words in nodes for first in required)


def _has_all(wanted: list[str], given: list[str]) -> bool:
    same = {"-n": "--no-verify", "--recursive": "-r", "-R": "-r", "-f": "--force"}
    letters = {f"-{letter}" for word in given if word[:1] == "-" != word[1:2] for letter in word[1:]}
    names = {same.get(word, word) for word in (*given, *letters)}
    plain = [word for word in wanted if not word.startswith("-")]
    positional, skip = [], False
    for word in given:
        if not skip and not word.startswith("-"):
            positional.append(word)
        skip = word in ("-C", "-c")
    flags = [part for word in wanted if word.startswith("-") for part in _flag_parts(word)]
    return positional[: len(plain)] == plain and all(same.get(flag, flag) in names for flag in flags)


def _flag_parts(word: str) -> list[str]:
    return [word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]]


def _changes_path(rule: GuardRule, command: str) -> bool:
    """Whether a protected path is a word of the command at all; the stops themselves are read by eye."""
    try:
        changed = [path for execution in executions(command) for path in changed_by(execution)]
    except ScanError:
        return False
    return any(matches_path(pattern, path) for pattern in rule.paths for path in changed)


def _planted(every: list[GuardRule]) -> tuple[int, int]:
    planted = caught = 0
    for rule in every:
        if rule.kind is RuleKind.PROTECT:
            continue
        for (name, wrapping), stated in product(WRAPPINGS.items(), _stated(rule)):
            line = wrapping.format(f"{stated} target" if "make" not in stated else stated)
            matches = match_commands([rule], executions(line), lambda _r, _d: True, lambda _r: False)
            planted += 1
            caught += bool(matches)
            if not matches:
                print("not found:", name, stated, "|", line, file=sys.stderr)
    return planted, caught


# What a call costs


def _cost(every: list[GuardRule]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".tacit"))
        save_rules(folder, every)
        hook = partial(run, hook_command("guard", "PreToolUse", home=Path(folder)), given=json.dumps(_CALL).encode())
        rounds = [(run(_BARE).cpu, hook().cpu) for _ in range(_ROUNDS + _WARM_UP)]
        yield against_bare("A call that no rule names, against bare Python", rounds[_WARM_UP:])
        with busy_cores():
            pairs = [(hook().wall, run(_BARE).wall) for _ in range(_LOADED)]
    wait, alone = (quantile(times, 0.99) * 1000 for times in zip(*pairs, strict=True))
    yield against_target("The same on loaded cores, p99", wait, "ms", f"bare Python {alone:.0f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", type=Path)
    parser.add_argument("--hits", action="store_true", help="print every stop")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    options = parser.parse_args()
    return print_figures(measure(options.commands, options.hits), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
