"""The decision about a tool call in which a needle of a rule occurs. Whatever fails, the call is allowed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress

from tacit import guard
from tacit.commandline.executions import executions
from tacit.commandline.words import ScanError
from tacit.disk.files import open_plain, sqlite_uri
from tacit.guard import Decision, GuardRule, RuleKind, RuleMatch
from tacit.hosts.tool_calls import STOP_PREFIX, WARN_PREFIX, ToolCall, format_decision, parse_tool_call
from tacit.text.display import clip, printable

_SEVERITY = (Decision.DENY, Decision.ASK, Decision.WARN)  # the strictest first
_MAX_SENTENCE_CHARS, _MAX_MATCH_CHARS = 300, 200
_INDEX_TIMEOUT_SECONDS = 0.02
_ACTIVE = "active"


def decide(host: str, payload: bytes, home: str) -> str:
    """Return what the hook prints, "" if the call is allowed."""
    with suppress(Exception):
        root = os.path.abspath(os.path.expanduser(home))
        call = parse_tool_call(json.loads(payload))
        if call and (rules := guard.load_rules(root)):
            return _decide_call(host, call, rules, root)
    return ""


def _decide_call(host: str, call: ToolCall, rules: Sequence[GuardRule], root: str) -> str:
    try:
        found = executions(call.command)
    except ScanError:
        found = []
    key = "\n".join((call.directory, call.command, *call.paths))
    scopes = guard.RuleScopes(call.directory, os.environ.get("HOME") or os.path.expanduser("~"))
    matches = guard.match_commands(rules, found, scopes.applies, lambda rule: guard.was_run(root, rule, call.session))
    matches += guard.match_paths(rules, call.paths, scopes.applies)
    answer = ""
    for match in sorted(matches, key=lambda match: _SEVERITY.index(match.rule.decision)):
        is_active, sentence = read_rule_memory(root, match.rule.id)
        if not is_active or guard.take_permission(root, match.rule, key):
            continue
        decision = match.rule.decision
        code = "" if decision is Decision.WARN else guard.stop_call(root, match.rule, key)
        answer = format_decision(host, decision.value, reason_text(match, sentence, code))
        if code:
            return answer
        break
    for rule in rules:  # the call is made
        if (fulfils := guard.fulfils_last(rule, found)) is not None:
            guard.mark_run(root, rule, call.session, ran=fulfils)
    return answer


def read_rule_memory(root: str, claim: str) -> tuple[bool, str]:
    """Return whether a memory is still active, and its sentence. An index that cannot be read changes nothing."""
    try:
        path = os.path.join(root, "index.sqlite")
        open_plain(path).close()
        with closing(sqlite3.connect(sqlite_uri(path, "ro"), uri=True, timeout=_INDEX_TIMEOUT_SECONDS)) as connection:
            query = "SELECT status, sentence, overruled_by_id FROM memories WHERE id = ?"
            row = connection.execute(query, (claim,)).fetchone()
    except (OSError, sqlite3.Error):
        return True, ""
    return (row[0] == _ACTIVE and row[2] is None, row[1]) if row else (False, "")


def reason_text(match: RuleMatch, sentence: str, code: str) -> str:
    """Return what the model and the person are told: the rule, who said it when, what to do instead, and the code."""
    rule = match.rule
    quoted = f": “{printable(clip(sentence, _MAX_SENTENCE_CHARS))}”" if sentence else ""
    origin = f" ({rule.origin})" if rule.origin else ""
    parts = [f"{STOP_PREFIX if code else WARN_PREFIX}{rule.id[:6]}]{quoted}{origin}."]
    matched = printable(clip(match.matched, _MAX_MATCH_CHARS))
    match rule.kind:
        case RuleKind.PROTECT:
            parts.append(f"It would change {matched}, which is protected: leave it as it is, or ask the person.")
        case RuleKind.REQUIRE:
            parts.append(f"Before {_named(rule.commands)}, run {_named(rule.before)}.")
        case _:
            parts.append(f"It runs `{matched}`.")
    if rule.instead:
        whole = _replacement(match.matched, rule.instead[0]) if len(rule.instead) == 1 else ""
        parts.append(f"Run {_named([whole] if whole else rule.instead)} instead.")
    if code:
        only = "Only the person can allow this call, once and within ten minutes, in a terminal of their own"
        parts.append(f"{only}: tacit guard allow {code}")
    return " ".join(parts)


# What the package managers of JavaScript call the same.
_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
_ADDING, _REMOVING = frozenset(("install", "i", "add")), frozenset(("uninstall", "remove", "rm", "un"))


def _replacement(command: str, instead: str) -> str:
    """Return a command as it is to be typed instead, with its arguments; "" if that is not sure.

    `uv run pytest -q` for `pytest -q`, and `pnpm add zod` for `npm i zod`.
    """
    program, *arguments = command.split()
    if instead.rsplit(maxsplit=1)[-1] == program:
        return " ".join((instead, *arguments))
    if not {program, instead} <= _MANAGERS:
        return ""
    verb, *rest = arguments or ["install"]
    if verb in _ADDING or verb == "ci":
        has_package = any(not word.startswith("-") for word in rest)
        return " ".join((instead, "add", *rest)) if has_package and verb != "ci" else f"{instead} install"
    return " ".join((instead, "remove" if verb in _REMOVING else verb, *rest))


def _named(commands: Sequence[str]) -> str:
    return guard.enumerate_names([f"`{printable(command)}`" for command in commands])
