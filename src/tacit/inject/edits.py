"""What an agent is told when it edits a file for the first time in a session: why it was last changed, in one line.

A file that was never changed in a recorded session, and that no memory names, is worth no word. What is told is the
request that the last change was made for, what the person turned down there, and a memory that names the file or its
folder and was not told yet.
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
from tacit.inject.brief import RenderedInjection, ago
from tacit.log.codec import must_decode
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.observation import PromptKind, ToolUsed
from tacit.model.recap import work_title
from tacit.model.session import Session, Turn
from tacit.record import Record
from tacit.text.display import clip, fenced, harmless_text
from tacit.text.summarize import clip_at_word
from tacit.text.words import estimate_tokens, tokenize

MAX_EDIT_TOKENS = 60  # with the fence
_MAX_SESSIONS_READ = 4  # of those that changed the file, the latest
_MIN_LINE_CHARS = 12  # of a line that is recognised in another text
_MIN_PART_CHARS = 24  # a part with less room is not worth showing
_MAX_NAME_CHARS = 40
_MAX_REFUSAL_CHARS = 300  # of a prompt that says no; longer ones ask for something else
# How a prompt begins that says no to what was just done.
_REFUSAL = re.compile(
    r"\W{0,3}(?:no\b(?! (?:worries|problem|need))|nope\b|don'?t\b|do not\b|never\b|revert\b|undo\b|wrong\b"
    r"|(?:that|this)(?: is|'s| was)(?: not|n't| wrong)|not (?:what|like|so|that)\b"
    r"|i (?:don'?t|didn'?t|do not) (?:want|ask|like)\b)",
    re.IGNORECASE,
)
_EDGES = "\"'`()[]{}<>,;:!?"
_WHITESPACE = re.compile(r"\s+")


class LastChange(Record):
    """The last change of a file in a recorded session: what it was for, and what was turned down there.

    `added` is an excerpt of what it inserted.
    """

    session: ClaimId
    ended_at: str
    title: str
    turned_down: str
    added: str


class EditedFile(Record):
    """A file that an agent edits: its path below the root of the project, and the text that is replaced."""

    root: str
    path: str
    replaced: str = ""

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)

    @property
    def words(self) -> list[str]:
        """The words with which a memory may name the file or its folders."""
        return list(dict.fromkeys(tokenize(self.path.replace("/", " "))))


def edited_file(path: str, directory: str, root: str, replaced: str = "") -> EditedFile | None:
    """Return the file, None if it is not in the project."""
    whole = os.path.normpath(os.path.join(directory, path))
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    below = next((file for file in (whole, real) if file.startswith(root.rstrip("/") + "/")), "")
    return EditedFile(root, os.path.relpath(below, root), replaced) if below else None


def last_change(connection: sqlite3.Connection, rows: Iterable[SessionRow], file: EditedFile) -> LastChange | None:
    """Return the last change of a file in these sessions, which are the latest first."""
    read = 0
    for row in rows:
        if not any(_may_be(name, file) for name in row.files):
            continue
        session = load_session(connection, row, must_decode)
        if found := _change_in(session, file):
            return found
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
        refusal = _refusal(session, index, file)
        return LastChange(session.id, timestamp(turn.ended_at), work_title(session.turns, index), refusal, added)
    return None


def _refusal(session: Session, index: int, file: EditedFile) -> str:
    """Return what the person said when they turned down a change of the file, the latest; "" if they did not."""
    for turn in reversed(session.turns):
        for prompt in turn.prompts:
            if prompt.how is PromptKind.REJECTION and file.name in prompt.about:
                return prompt.text
    turn, later = session.turns[index], session.turns[index + 1 : index + 2]
    if later and _is_last_work(turn, session, file) and len(later[0].request) <= _MAX_REFUSAL_CHARS:
        return later[0].request if _REFUSAL.match(later[0].request) else ""
    return ""


def _is_last_work(turn: Turn, session: Session, file: EditedFile) -> bool:
    """Whether nothing but this file was changed in the turn: then what is said next is about it."""
    changed = [(call, path) for call in turn.calls for path in call.files]
    return all(_is_same(path, session, call, file) for call, path in changed)


def _added_text(change: str) -> str:
    """Return what an excerpt of an edit says was inserted."""
    edits = change.split(" · ")
    parts = (edit[2:] if edit.startswith("+ ") else edit.partition(" → ")[2] for edit in edits)
    return " · ".join(filter(None, parts))


def is_rewritten(replaced: str, change: LastChange) -> bool:
    """Whether a line that is to be replaced was inserted by that change."""
    added = _WHITESPACE.sub(" ", change.added)
    lines = (_WHITESPACE.sub(" ", line).strip() for line in replaced.split("\n"))
    return any(len(line) >= _MIN_LINE_CHARS and any(map(str.isalpha, line)) and line in added for line in lines)


def naming_memory(memories: Iterable[MemoryRow], path: str) -> MemoryRow | None:
    """Return the first memory that names a file or a folder that it is in, None if none does."""
    return next((memory for memory in memories if names_file(memory.sentence, path)), None)


def names_file(sentence: str, path: str) -> bool:
    """Whether a sentence names a file, or a folder that it is in."""
    words = {word.strip(_EDGES).rstrip(".") for word in sentence.split()}
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
    name = harmless_text(clip(file.name, _MAX_NAME_CHARS))
    when = f", last changed {ago(change.ended_at, now)} in session {session_name(change.session)}" if change else ""
    parts = list(_parts(change, memory))
    text = ""
    for room in range(4 * MAX_EDIT_TOKENS, 0, -8):
        text = fenced([f"For reference: {name}{when}{_fitted(parts, room)}"], nonce, "file")
        if estimate_tokens(text) <= MAX_EDIT_TOKENS:
            break
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
