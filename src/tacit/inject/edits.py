"""What an agent is told when it edits a file for the first time in a session: why it was last changed, in one line.

Most edits have nothing to do with the last change of their file. It is told if both name the same thing, or if the
person turned a change of the file down: what was asked, and what was turned down. So is a memory that names the file or
its folder (ADR 90).
"""

from __future__ import annotations

import os
import posixpath
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow, load_session
from tacit.inject.rendering import RenderedInjection, ago
from tacit.log.codec import must_decode
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.observation import PromptKind, ToolUsed
from tacit.model.recap import REFUSAL, work_title
from tacit.model.session import Session, Turn
from tacit.record import Record
from tacit.text.display import clip, clip_at_word, fenced, harmless_text
from tacit.text.words import estimate_tokens, tokenize

MAX_EDIT_TOKENS = 60  # with the fence
_MAX_SESSIONS_READ = 4  # of those that changed the file, the latest
_MIN_PART_CHARS = 24  # a part with less room is not worth showing
_MAX_NAME_CHARS, _MAX_ODD_NAME_CHARS = 40, 12  # in a script of which each character may cost a token
_ROOMS = range(4 * MAX_EDIT_TOKENS, 0, -8)  # characters for what is told
_MAX_REFUSAL_CHARS = 300  # of a prompt that says no; longer ones ask for something else
_EDGES = "\"'`()[]{}<>,;:!?"
_CODE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{5,60}")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]")


class LastChange(Record):
    """The last change of a file in a recorded session: what it was for, and what was turned down there.

    `added` is an excerpt of what it inserted. `is_refused` says that a call that would change the file was turned down,
    `is_latest` that no session has changed the file since.
    """

    session: ClaimId
    ended_at: str
    title: str
    turned_down: str
    is_refused: bool
    added: str
    is_latest: bool = True


class EditedFile(Record):
    """A file that an agent edits: its path below the root of the project, and what is replaced and inserted."""

    root: str
    path: str
    text: str

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)

    @property
    def words(self) -> list[str]:
        """The words with which a memory may name the file or its folders."""
        return list(dict.fromkeys(tokenize(self.path.replace("/", " "))))


def edited_file(path: str, directory: str, root: str, text: str) -> EditedFile | None:
    """Return the file, None if it is not in the project."""
    whole = os.path.normpath(os.path.join(directory, path))
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    below = next((file for file in (whole, real) if file.startswith(root.rstrip("/") + "/")), "")
    return EditedFile(root, os.path.relpath(below, root), text) if below else None


def related_change(connection: sqlite3.Connection, rows: Iterable[SessionRow], file: EditedFile) -> LastChange | None:
    """Return the last change of a file that an edit has to do with, in these sessions, which are the latest first."""
    read = 0
    for row in rows:
        if not any(_may_be(name, file) for name in row.files):
            continue
        session = load_session(connection, row, must_decode)
        found = _change_in(session, file)
        if found and _concerns(found, file):
            return found._replace(is_latest=read == 0)
        read += 1
        if read == _MAX_SESSIONS_READ:
            break
    return None


def _may_be(name: str, file: EditedFile) -> bool:
    """Whether a file of a session, named from where the session began or whole, may be this one."""
    return name == file.path or name.endswith("/" + file.path) or file.path.endswith("/" + name)


def _is_same(path: str, session: Session, call: ToolUsed, file: EditedFile) -> bool:
    """Whether a path in a call is the file, in this work tree or another one of the project."""
    whole = posixpath.normpath(posixpath.join(call.directory or session.directory, path))
    if whole == posixpath.join(file.root, file.path):
        return True
    root = whole.removesuffix("/" + file.path)
    is_inside = root.startswith(file.root.rstrip("/") + "/")
    return root != whole and not is_inside and (session.directory + "/").startswith(root + "/")


def _change_in(session: Session, file: EditedFile) -> LastChange | None:
    for index in reversed(range(len(session.turns))):
        turn = session.turns[index]
        calls = [call for call in turn.calls if any(_is_same(path, session, call, file) for path in call.files)]
        if not calls:
            continue
        added = " · ".join(filter(None, map(_added_text, (call.change for call in calls))))
        title, refused = work_title(session.turns, index), _refused(session, file)
        refusal = refused or _said_against(session, index, file)
        return LastChange(session.id, timestamp(turn.ended_at), title, refusal, bool(refused), added)
    return None


def _refused(session: Session, file: EditedFile) -> str:
    """Return the reason that the person gave when they turned down a call about the file, the last; "" if none."""
    prompts = (prompt for turn in reversed(session.turns) for prompt in reversed(turn.prompts))
    refusals = (prompt for prompt in prompts if prompt.how is PromptKind.REJECTION and _is_about(prompt.about, file))
    return next((prompt.text for prompt in refusals), "")


def _is_about(call: str, file: EditedFile) -> bool:
    """Whether a call, as a prompt names it, is an edit of the file: "Edit: /shop/src/cart.py"."""
    path = call.partition(": ")[2]
    return path == file.path or path.endswith("/" + file.path)


def _said_against(session: Session, index: int, file: EditedFile) -> str:
    """Return what was said right after the change, if it begins with a no and nothing but this file was changed."""
    later = session.turns[index + 1 : index + 2]
    if not later or len(later[0].request) > _MAX_REFUSAL_CHARS or not REFUSAL.match(later[0].request):
        return ""
    return later[0].request if _is_last_work(session.turns[index], session, file) else ""


def _is_last_work(turn: Turn, session: Session, file: EditedFile) -> bool:
    """Whether nothing but this file was changed in the turn: then what is said next is about it."""
    changed = [(call, path) for call in turn.calls for path in call.files]
    return all(_is_same(path, session, call, file) for call, path in changed)


def _added_text(change: str) -> str:
    """Return what an excerpt of an edit says was inserted."""
    edits = change.split(" · ")
    parts = (edit[2:] if edit.startswith("+ ") else edit.partition(" → ")[2] for edit in edits)
    return " · ".join(filter(None, parts))


def _concerns(change: LastChange, file: EditedFile) -> bool:
    """Whether the edit has to do with the change: the person refused it, or both name the same thing."""
    if change.is_refused:
        return True
    ours = {name for name in _CODE_NAME.findall(file.text) if _is_code_name(name)}
    theirs = _CODE_NAME.findall(f"{change.title} {change.added}")
    return any(name not in file.path for name in ours.intersection(theirs))


def _is_code_name(name: str) -> bool:
    return "_" in name.strip("_") or _INNER_CAPITAL.search(name) is not None


def naming_memory(memories: Iterable[MemoryRow], path: str) -> MemoryRow | None:
    """Return the first memory that names a file or a folder that it is in, None if none does."""
    return next((memory for memory in memories if names_file(memory.sentence, path)), None)


def names_file(sentence: str, path: str) -> bool:
    """Whether a sentence names a file, or a folder that it is in."""
    words = {word.lstrip(_EDGES).rstrip(_EDGES + ".") for word in sentence.split()}
    folders = "/" + posixpath.dirname(path) + "/"
    for word in words:
        name = word.removeprefix("./").strip("/")
        is_name = "/" in word.strip(".") or "." in name.strip(".")
        if is_name and name and (path == name or path.endswith("/" + name) or f"/{name}/" in folders):
            return True
    return False


def render_edit(
    file: EditedFile,
    change: LastChange | None,
    memory: MemoryRow | None,
    session_name: Callable[[ClaimId], str],
    now: datetime,
    nonce: str,
) -> RenderedInjection:
    """Render one line of at most `MAX_EDIT_TOKENS`: what was turned down, a memory, what the last change was for."""
    changed = "last changed" if change and change.is_latest else "changed"
    when = f", {changed} {ago(change.ended_at, now)} in session {session_name(change.session)}" if change else ""
    parts = list(_parts(change, memory))
    names = (clip(harmless_text(file.name), length) for length in (_MAX_NAME_CHARS, _MAX_ODD_NAME_CHARS))
    lines = (f"For reference: {name}{when}{_fitted(parts, room)}" for name in names for room in _ROOMS)
    texts = (fenced([line], nonce, "file") for line in lines)
    text = next((text for text in texts if estimate_tokens(text) <= MAX_EDIT_TOKENS), "")
    if not text:
        return RenderedInjection()
    memories = (memory.id,) if memory and memory.id in text else ()
    sessions = (change.session,) if change else ()
    reasons = (*("it names the file" for _ in memories), *("it changed the file last" for _ in sessions))
    return RenderedInjection(text, memories, reasons, sessions)


def _parts(change: LastChange | None, memory: MemoryRow | None) -> Iterator[tuple[str, str]]:
    """Yield labels and texts, the most important first."""
    if change and change.turned_down:
        yield "; the person turned down: ", change.turned_down
    if memory:
        yield f"; noted ({memory.id}): ", memory.sentence
    if change and change.title:
        yield "; it was for: ", change.title


def _fitted(parts: Iterable[tuple[str, str]], room: int) -> str:
    """Return the parts that have room in so many characters; the last one is cut."""
    line = ""
    for label, text in parts:
        left = room - len(line) - len(label) - 2
        if left < _MIN_PART_CHARS:
            break
        plain = harmless_text(text).replace('"', "'")
        line += f'{label}"{clip_at_word(plain, left)}"'
    return line
