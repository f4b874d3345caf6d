"""The standing rules of a project for an agent whose hook is late: read from a file, without the index and any lock.

The files are written when the log changes (`home/rule_files.py`). This is imported on a machine that is too busy, so it
imports next to nothing, and reads what it needs of the host's JSON without a parser.
"""

from __future__ import annotations

import os
import time

_MAX_BYTES = 1 << 16  # of a file
_SESSION_FIELDS = (b"session_id", b"sessionId", b"conversation_id")
_CONTEXT_FIELDS = {"cursor": b"additional_context", "copilot": b"additionalContext", "opencode": b"context"}
_HOOK_FORM = b'{"hookSpecificOutput": {"hookEventName": "%b", "additionalContext": %b}}'
_SILENT_EVENTS = (("gemini", "SessionStart"),)
# A variable may only restrict what is told: with one of these, nothing is told rather than too much.
_RESTRICTING_VARIABLES = ("TACIT_AUTOCAPTURE_INJECT_ON_START", "TACIT_AGENTS_IGNORE_DIRECTORIES")
_NONCE_MARK = b"@" * 20
_MARKERS = (".git", ".jj", ".hg")
TOLD, MISSED = b"told", b"missed"


def answer(host: str, event: str, payload: bytes, home: str) -> bytes:
    """Return the rules in the form of the host, once a session, and note that they were told late, or missed."""
    if (host, event) in _SILENT_EVENTS or any(name in os.environ for name in _RESTRICTING_VARIABLES):
        return b""
    folder = os.path.join(os.path.expanduser(home), ".tacit")
    session = next(filter(None, (_string_in(payload, name) for name in _SESSION_FIELDS)), b"")
    noted = _read(os.path.join(folder, "late"))
    if not os.path.isdir(folder) or b" %b %b\n" % (session, TOLD) in noted:
        return b""
    cwd = os.fsdecode(_string_in(payload, b"cwd") or _string_in(payload, b"workspace_roots"))
    is_excluded, text = _rules_in(cwd, folder)
    if b"\t" in text:
        text = _text_for(host, session, text)
    if session and len(noted) < _MAX_BYTES and not is_excluded and not session.split()[1:]:
        words = (host.encode(), event.encode(), session, TOLD if text else MISSED)
        _note(os.path.join(folder, "late"), b"%d %b %b %b %b\n" % (time.time(), *words))
    if not text:
        return b""
    text = text.replace(_NONCE_MARK, os.urandom(10).hex().encode())
    field = _CONTEXT_FIELDS.get(host)
    return b'{"%b": %b}' % (field, text) if field else _HOOK_FORM % (event.encode(), text)


def _rules_in(cwd: str, folder: str) -> tuple[bool, bytes]:
    """Return whether nothing is to be told in a directory, and the JSON string with the rules that hold there.

    The file of the project counts, else that of what holds everywhere. One that was made for other settings is not
    used.
    """
    from _blake2 import blake2b

    real = os.path.realpath(cwd) if cwd else ""
    root = _project_root(real) if cwd else ""
    names = [blake2b(os.fsencode(root), digest_size=16).hexdigest()] if root else []
    files = (_read(os.path.join(folder, "rules", name)) for name in (*names, "global"))
    lines = next(filter(None, files), b"").split(b"\n")
    if len(lines) < 3 or lines[0] != _settings_signature(os.path.join(os.path.dirname(folder), "tacit.toml")):
        return False, b""
    if not cwd and lines[2:-1]:  # it may be one of the folders that the person excluded
        return True, b""
    places = [os.fsencode(place) + b"/" for place in (cwd, real) if place]
    if any(place.startswith(entry + b"/") for place in places for entry in lines[2:-1]):
        return True, b""
    return lines[-1] == b'""', b"" if lines[-1] == b'""' else lines[-1]


def _text_for(host: str, session: bytes, line: bytes) -> bytes:
    """Return the text for a session if some of the rules are on trial: there is one for each way the coins may fall."""
    from tacit.model.coin import is_treated

    seeds, *texts = line.split(b"\t")
    way = 0
    for seed in seeds.decode("ascii").split():
        way = 2 * way + is_treated(seed, host, session.decode("utf-8", "replace"))
    return b"" if texts[way] == b'""' else texts[way]


def _settings_signature(path: str) -> bytes:
    try:
        status = os.stat(path)
    except OSError:
        return b"0 0"
    return b"%d %d" % (status.st_mtime_ns, status.st_size)


def _project_root(folder: str) -> str:
    """Return the root of the repository around a folder; of a further work tree that of the main one; "" if none."""
    while folder != os.path.dirname(folder):
        marker = os.path.join(folder, ".git")
        if os.path.isfile(marker):
            main = os.fsdecode(_read(marker)).partition("gitdir:")[2].strip().partition("/.git/worktrees/")
            return main[0] if main[1] else folder
        if any(os.path.lexists(os.path.join(folder, name)) for name in _MARKERS):
            return folder
        folder = os.path.dirname(folder)
    return ""


def _string_in(payload: bytes, name: bytes) -> bytes:
    """Return the first string after a name in JSON; b"" if there is none, or if it has an escape."""
    _, found, rest = payload.partition(b'"%b"' % name)
    start = rest.lstrip(b" \t\n[:") if found else b""
    value = start[1:].partition(b'"')[0] if start.startswith(b'"') else b""
    return value if b"\\" not in value else b""


def _read(path: str) -> bytes:
    """Return the beginning of a plain file, b"" if there is none. No link is followed."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, _MAX_BYTES)
    except OSError:
        return b""
    finally:
        os.close(file)


def _note(path: str, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(path, flags, 0o600)
        os.write(file, line)
        os.close(file)
    except OSError:
        pass
