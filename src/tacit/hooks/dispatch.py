"""What is done at an agent's hooks: something is given to the model, the person is told that suggestions wait, or a
transcript is captured.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit.errors import StoreUnwell
from tacit.home.capture_policy import captures, left_out
from tacit.home.home import Home
from tacit.home.paths import HomePaths, locate
from tacit.home.settings import Settings, settings_or_defaults
from tacit.hosts import host
from tacit.hosts.protocol import Host, Moment, Told
from tacit.hosts.queue import REINDEX, Note, any_wait, drain, goes_on, grown, has_ended, leave
from tacit.index import reader
from tacit.model.claim import Kind

if TYPE_CHECKING:
    from tacit.inject.injector import Injector

_DEADLINE = 9  # seconds; then the system ends a process that captures. What it had not read yet still waits.
_SESSIONS = 10  # learned from at once
_ENCODING = 4.0  # seconds of that for vectors of meaning
_BEFORE_CHECKPOINT = 0.8  # seconds to wait for what this session did until now
_BEGINS = ("startup", "")  # a session that is resumed, cleared or compacted had its notice when it began


def inject(name: str, event: str, given: bytes, home: str | None) -> str:
    """What is printed; nothing where there is nothing to say, or where anything is wrong."""
    with suppress(Exception):
        told_by = host(name)
        told = _told(told_by, event, given)
        if told_by and told:
            return _answer(told_by, event, told, home)
    return ""


def _answer(told_by: Host, event: str, told: Told, home: str | None) -> str:
    """A text for the model and a line for the person, as the host takes them."""
    place = locate(home, dict(os.environ))
    settings = settings_or_defaults(place.settings, os.environ)
    if not os.path.isdir(place.root):
        return ""
    if told.moment is Moment.START:
        _look_after_others(place, settings)
    from tacit.inject.injector import Injector

    with Home(place.root, cwd=told.directory or None, settings=settings) as opened:
        injector = Injector(opened)
        answer = told_by.say(event, _text(told_by, told, place, injector))
        begins = told.moment is Moment.START and told.source in _BEGINS
        if begins and told_by.notify and settings.agents_notice:
            with suppress(Exception):  # the text for the model counts more
                notice = _notice(_suggestions(opened), opened.untrusted())
                answer = told_by.notify(answer, notice) if notice else answer
    return answer


def _suggestions(home: Home) -> int:
    """How many suggestions wait for the person, in all projects; none for a folder that is left out."""
    if left_out(home.settings, home.user_folder, home.cwd):
        return 0

    def ask(connection: sqlite3.Connection) -> int:
        pending = reader.count_pending(connection)
        waiting = sum(pending.values())
        if Kind.WORKFLOW_PATTERN.label in pending:  # a pattern that a longer one contains waits, but no list shows it
            from tacit.learn.habits.counts import scopes
            from tacit.learn.habits.learn import count_hidden

            waiting -= count_hidden(connection, scopes(connection, home.user_folder))
        return waiting

    return home.store.read(ask)


def _notice(suggestions: int, untrusted: int) -> str:
    """A line for the person, or "" when nothing waits; no text of any memory is in it."""
    waiting, commands = [], []
    if suggestions:
        waiting.append("1 suggestion" if suggestions == 1 else f"{suggestions} suggestions")
        commands.append("tacit review")
    if untrusted:
        waiting.append("1 fact of this repository" if untrusted == 1 else f"{untrusted} facts of this repository")
        commands.append("tacit trust")
    if not waiting:
        return ""
    verb = "waits" if suggestions + untrusted == 1 else "wait"
    return f"Tacit: {' and '.join(waiting)} {verb} for you. In a terminal of your own, type: {', '.join(commands)}"


def _text(told_by: Host, told: Told, place: HomePaths, injector: Injector) -> str:
    """What the model is told; nothing at a start that its host ignores."""
    if told.moment is Moment.START and not _says_at_start(told_by):
        return ""
    from tacit.inject.injector import Asker

    asker = Asker(told_by.name, told.session, told.source, told_by.replaces and told.source == "resume")
    if told.source in ("compact", "resume"):
        _note(place, told_by.name, told)
        drain_now(place, _BEFORE_CHECKPOINT)
    try:
        start = told.moment is Moment.START or (not _says_at_start(told_by) and injector.is_first(asker))
        return injector.give(asker, start=start, prompt=told.prompt)
    except StoreUnwell:
        leave(place, REINDEX)  # whoever takes up notes makes the index, too
        raise


def _look_after_others(place: HomePaths, settings: Settings) -> None:
    """Note sessions that were captured and went on without telling; whoever takes up notes reads them."""
    anyhow = settings._replace(autocapture_on_modes=())
    for note in grown(place):
        if captures(anyhow, place, note.session, ""):
            leave(place, note)


def _says_at_start(told_by: Host) -> bool:
    """Whether the model hears what is said at the start of a session; else the first prompt has to do."""
    return any(hook.moment is Moment.START and told_by.say(hook.event, "x") for hook in told_by.hooks)


def capture(name: str, event: str, given: bytes, home: str | None) -> None:
    """Note that there is something new, and read it unless somebody is at it."""
    _end_in_time()
    told = _told(host(name), event, given)
    place = locate(home, dict(os.environ))
    if told and (note := _note(place, name, told)):
        (has_ended if told.moment is Moment.END else goes_on)(place, note)
        drain_now(place)
        if told.moment is Moment.END:
            _learn(place)
            _encode(place)


def _end_in_time() -> None:
    """The kernel ends this process at its deadline. What a host ignores is inherited, so that has to be undone."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE)


def sweep(home: str | None) -> None:
    """Read what others had to leave."""
    _end_in_time()
    place = locate(home, dict(os.environ))
    drain_now(place)
    _learn(place)
    _encode(place)


def _learn(place: HomePaths) -> None:
    """Suggest what sessions that are over said; the person decides. Nobody waits for it."""
    from tacit.learn.sessions import SessionLearning

    with Home(place.root, cwd="/") as home:
        learning = SessionLearning(home)
        for row in learning.unlearned()[:_SESSIONS]:
            learning.learn_from_session(row)


def _encode(place: HomePaths) -> None:
    """Make vectors of what was said, where the extra for meaning lies beside us. Nobody waits for it."""
    from tacit.vault.embeddings import Embeddings

    with Home(place.root, cwd="/") as home:
        Embeddings(home).encode(_ENCODING)


def anything_waits(home: str | None) -> bool:
    return any_wait(locate(home, dict(os.environ)))


def drain_now(place: HomePaths, patience: float = 0.0) -> None:
    from tacit.hosts.capture import QueuedCapture

    with Home(place.root, cwd="/") as home:
        queued = QueuedCapture(home)
        if drain(place, queued.capture_noted, patience):  # else whoever captures files, too, and is not to wait for us
            queued.file()


def _note(place: HomePaths, agent: str, told: Told) -> Note | None:
    """Write down that a session has something new, if it is captured at all."""
    settings = settings_or_defaults(place.settings, os.environ)
    if not captures(settings, place, told.session, told.mode):
        return None
    note = Note(agent, told.session, told.transcript)
    leave(place, note)
    return note


def _told(told_by: Host | None, event: str, given: bytes) -> Told | None:
    payload = json.loads(given) if told_by else None
    return told_by.read(event, payload) if told_by and isinstance(payload, dict) else None
