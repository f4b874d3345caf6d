"""The guard's files in a home: the compiled rules, calls that wait for the person's permission, and required commands.

Only a person's command writes the rules. Nothing else names a rule file: no repository, no variable and no option of a
hook. The sentence of a memory is not stored here; it is read from the index, so that a purge leaves no copy.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from tacit.commandline.patterns import CommandPattern, ForbidsCommand, ProtectsFiles, RequiresBefore
from tacit.disk.files import PRIVATE_FILE, OsDisk, list_folder, make_folder, open_plain, replace_file
from tacit.guard.rules import Decision, Enforceable, GuardRule, RuleKind, needles
from tacit.record import Record

RULE_FILE = os.path.join(".tacit", "guard.json")
CALL_FOLDER = os.path.join(".tacit", "guard")
ALLOW_SECONDS = 600  # a code and a permission are valid for so long
_RUN_SECONDS = 24 * 3600  # a required command counts for so long
_MAX_FILE_BYTES = 1 << 20
_OTHERS_MAY_WRITE = 0o022
_ALLOWED_SUFFIX = ".allowed"
_RUN_PREFIX = "run-"
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters that look alike
_CODE_LENGTH = 6


class StoppedCall(Record):
    """A call that a rule stopped. `digest` identifies the call, `at` is seconds since 1970."""

    code: str
    rule: str
    digest: str
    at: float


# Rules


def encode_rules(rules: Sequence[GuardRule]) -> bytes:
    """Return the content of the rule file. Its first line has the needles, which hooks read without parsing JSON."""
    rows = ",\n".join(json.dumps(_encode_rule(rule)) for rule in rules)
    return f'{{"needles": {json.dumps(needles(rules))},\n"rules": [\n{rows}\n]}}\n'.encode()


def _encode_rule(rule: GuardRule) -> dict[str, object]:
    expects = rule.expects._asdict()
    for name in _PATTERN_FIELDS.intersection(expects):
        expects[name] = [_without_defaults(pattern) for pattern in expects[name]]
    fields = {name: value for name, value in _without_defaults(rule).items() if name != "expects"}
    return {**fields, "kind": rule.kind.value, **expects}


def _without_defaults(record: Record) -> dict[str, object]:
    return {name: value for name, value in record._asdict().items() if value}


def decode_rules(content: bytes) -> list[GuardRule]:
    """Return the rules of a file. Raise ValueError, KeyError or TypeError if it is not one."""
    return [_decode_rule(row) for row in json.loads(content)["rules"]]


def _decode_rule(row: dict[str, Any]) -> GuardRule:
    fields = {name: row.pop(name) for name in ("id", "decision", "scope", "origin") if name in row}
    fields["decision"] = Decision(fields["decision"])
    make = _EXPECTATIONS[RuleKind(row.pop("kind"))]
    for name in _PATTERN_FIELDS.intersection(row):
        row[name] = tuple(CommandPattern(**{key: _tuples(value) for key, value in one.items()}) for one in row[name])
    return GuardRule(expects=make(**{name: _tuples(value) for name, value in row.items()}), **fields)


def _tuples(value: object) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_PATTERN_FIELDS = frozenset(("forbidden", "instead", "first", "then"))
_EXPECTATIONS: dict[RuleKind, Callable[..., Enforceable]] = {
    RuleKind.FORBID: ForbidsCommand,
    RuleKind.PREFER: ForbidsCommand,
    RuleKind.REQUIRE: RequiresBefore,
    RuleKind.PROTECT: ProtectsFiles,
}


def load_rules(home: str) -> list[GuardRule]:
    """Return the rules of a home; none if there is no file. Raise OSError for a file that others can write."""
    try:
        file = open_plain(os.path.join(home, RULE_FILE))
    except FileNotFoundError:
        return []
    with file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_MAY_WRITE:
            raise PermissionError(1, "others can write it", os.path.join(home, RULE_FILE))
        return decode_rules(file.read(_MAX_FILE_BYTES))


def save_rules(home: str, rules: Sequence[GuardRule]) -> None:
    """Write the rules of a home. Without rules the file is removed."""
    disk, path = OsDisk(home), os.path.join(home, RULE_FILE)
    if rules:
        replace_file(disk, path, encode_rules(rules), PRIVATE_FILE)
    else:
        with suppress(FileNotFoundError):
            disk.remove(path)


# Calls that wait for a permission


def stop_call(home: str, rule: GuardRule, call: str) -> str:
    """Record that a rule stopped a call. Return the code by which the person can allow it once."""
    digest = _digest(rule.id, call)
    number = int(digest[:12], 16)
    code = ""
    for _ in range(_CODE_LENGTH):
        number, letter = divmod(number, len(_CODE_LETTERS))
        code += _CODE_LETTERS[letter]
    stopped = StoppedCall(code, rule.id, digest, time.time())
    _write(home, code, json.dumps(stopped._asdict()))
    return code


def find_stopped(home: str, code: str) -> StoppedCall | None:
    """Return the call that a code stands for; None if there is none, or if it is too old."""
    if not code or not set(code) <= set(_CODE_LETTERS):
        return None
    try:
        with open_plain(os.path.join(home, CALL_FOLDER, code)) as file:
            stopped = StoppedCall(**json.loads(file.read(4096)))
    except (OSError, ValueError, TypeError):
        return None
    return stopped if _is_recent(stopped.at, ALLOW_SECONDS) else None


def allow_call(home: str, stopped: StoppedCall) -> None:
    """Allow a stopped call once."""
    _write(home, stopped.digest + _ALLOWED_SUFFIX, "")
    with suppress(OSError):
        OsDisk(home).remove(os.path.join(home, CALL_FOLDER, stopped.code))


def take_permission(home: str, rule: GuardRule, call: str) -> bool:
    """Return whether the person allowed this call. The permission is used up: of two equal calls one gets it."""
    path = os.path.join(home, CALL_FOLDER, _digest(rule.id, call) + _ALLOWED_SUFFIX)
    try:
        status = os.lstat(path)
        os.unlink(path)
    except OSError:
        return False
    return _is_recent(status.st_mtime, ALLOW_SECONDS) and status.st_uid == os.geteuid()


# Required commands


def mark_run(home: str, rule: GuardRule, session: str, *, ran: bool) -> None:
    """Record that the command that a rule requires was run in a session, or that it is required again."""
    name = _RUN_PREFIX + _digest(rule.id, session)
    if ran:
        _write(home, name, "")
    else:
        with suppress(OSError):
            OsDisk(home).remove(os.path.join(home, CALL_FOLDER, name))


def was_run(home: str, rule: GuardRule, session: str) -> bool:
    """Return whether the command that a rule requires was run in a session since it was last required."""
    try:
        status = os.lstat(os.path.join(home, CALL_FOLDER, _RUN_PREFIX + _digest(rule.id, session)))
    except OSError:
        return False
    return _is_recent(status.st_mtime, _RUN_SECONDS)


def _digest(*parts: str) -> str:
    from hashlib import blake2s

    return blake2s("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _is_recent(at: float, seconds: int) -> bool:
    return -seconds < time.time() - at < seconds


def _write(home: str, name: str, text: str) -> None:
    """Write a small file, and remove old ones."""
    folder = os.path.join(home, CALL_FOLDER)
    make_folder(folder, below=home)
    disk = OsDisk(home)
    for other in list_folder(folder):
        path = os.path.join(folder, other)
        limit = _RUN_SECONDS if other.startswith(_RUN_PREFIX) else ALLOW_SECONDS
        with suppress(OSError):
            if not _is_recent(os.lstat(path).st_mtime, limit):
                disk.remove(path)
    fd = disk.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    try:
        disk.write(fd, text.encode())
        os.utime(fd)
    finally:
        disk.close(fd)
