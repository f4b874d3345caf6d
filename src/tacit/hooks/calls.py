"""What an agent is told about a tool call: why a file was last changed that it edits, or a fix for what has failed.

The host waits for it at every edit and at every failed command, so what needs no answer ends early: a file that the
session has edited before is found in a small file of digests, without the index.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice

from tacit.disk.files import OsDisk, list_folder, make_folder, open_fd, read_file
from tacit.home.paths import HomePaths, find_home
from tacit.hosts import HOSTS, Host
from tacit.hosts.tool_calls import ToolCall, failed_output, parse_tool_call
from tacit.model.ids import blake2b

_MAX_TEXTS, _MAX_TEXT_CHARS = 50, 20_000  # of the arguments of an edit
_DIGEST_BYTES = 8
_MAX_MARKED_FILES = 2000  # of one session
_MAX_MARKERS = 200  # sessions; then those that nobody has added to for two days go
_MAX_MARKER_SECONDS = 2 * 86_400


def answer(name: str, event: str, payload: bytes, home: str | None) -> str:
    """Return what a hook prints; "" if there is nothing to say or if anything fails."""
    with suppress(Exception):
        fields, host = json.loads(payload), HOSTS.get(name)
        call = parse_tool_call(fields) if host and isinstance(fields, dict) else None
        paths = find_home(home, dict(os.environ))
        if host and call and call.session and os.path.isdir(paths.root):
            return host.format_output(event, _text(host, event, call, fields, paths))
    return ""


def _text(host: Host, event: str, call: ToolCall, fields: Mapping[str, object], paths: HomePaths) -> str:
    output = failed_output(fields) if call.command and not event.lower().startswith("pre") else ""
    marker = _Marker(paths, host.name, call.session)
    files = marker.unseen(call) if call.paths else ()
    if not (output or files):
        return ""
    from tacit.home.home import Home
    from tacit.home.settings import settings_or_defaults
    from tacit.inject import AgentSession, Injector

    settings = settings_or_defaults(paths.settings, os.environ)
    if not settings.autocapture_inject_on_tools:
        return ""
    session = AgentSession(host.name, call.session)
    with Home(paths.root, cwd=call.directory or None, settings=settings) as opened:
        injector = Injector(opened)
        if output:
            return injector.at_failure(session, call.command, output)
        text = injector.at_edit(session, files, "\n".join(_texts(fields.get("tool_input", fields.get("toolArgs")))))
        marker.add(files)
    return text


def _texts(arguments: object) -> Iterator[str]:
    """Yield the texts in the arguments of a call, each up to a limit: what it replaces and inserts, and no paths."""
    if isinstance(arguments, str):
        yield arguments[:_MAX_TEXT_CHARS]
    elif isinstance(arguments, dict):
        yield from _texts([value for name, value in arguments.items() if not str(name).lower().endswith("path")])
    elif isinstance(arguments, list):
        for value in islice(arguments, _MAX_TEXTS):
            yield from _texts(value)


class _Marker:
    """The file that says which files a session has edited. It has no name, only digests that begin with the session."""

    def __init__(self, paths: HomePaths, agent: str, session: str) -> None:
        self._paths = paths
        self._key = blake2b(f"{agent}\n{session}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._file = os.path.join(paths.edit_markers, self._key.hex())

    def unseen(self, call: ToolCall) -> tuple[str, ...]:
        """Return the files of a call, whole, that the session has not edited before."""
        content = read_file(self._file) or b""
        seen = {content[at : at + _DIGEST_BYTES] for at in range(0, len(content), _DIGEST_BYTES)}
        if len(seen) >= _MAX_MARKED_FILES:
            return ()
        whole = (os.path.normpath(os.path.join(call.directory, path)) for path in call.paths)
        return tuple(path for path in dict.fromkeys(whole) if self._digest(path) not in seen)

    def add(self, files: tuple[str, ...]) -> None:
        disk = OsDisk(self._paths.root)
        if not os.path.lexists(self._file):
            make_folder(self._paths.edit_markers, below=self._paths.root)
            self._prune(disk)
        with open_fd(disk, self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as fd:
            disk.write(fd, b"".join(map(self._digest, files)))

    def _digest(self, path: str) -> bytes:
        return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES, key=self._key).digest()

    def _prune(self, disk: OsDisk) -> None:
        names = list_folder(self._paths.edit_markers)
        for name in names if len(names) >= _MAX_MARKERS else ():
            path = os.path.join(self._paths.edit_markers, name)
            if os.lstat(path).st_mtime < time.time() - _MAX_MARKER_SECONDS:
                disk.remove(path)
