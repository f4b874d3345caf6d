"""What is done at an agent's hooks: something is given to the model, or a transcript is captured."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from tacit.core.errors import StoreUnwell
from tacit.settings import Settings, settings_or_defaults
from tacit.surfaces.hooks.hosts.host import Host, Moment, Told
from tacit.surfaces.hooks.hosts.hosts import host
from tacit.vault.autocapturing import captures
from tacit.vault.conversations.pending import REINDEX, Note, any_wait, drain, leave
from tacit.vault.conversations.unfinished import goes_on, grown, has_ended
from tacit.vault.home import Home, locate

_DEADLINE = 9  # seconds; then the system ends a process that captures. What it had not read yet still waits.
_SESSIONS = 10  # learned from at once
_ENCODING = 4.0  # seconds of that for vectors of meaning
_BEFORE_CHECKPOINT = 0.8  # seconds to wait for what this session did until now


def inject(name: str, event: str, given: bytes, home: str | None) -> str:
    """What is printed; nothing where there is nothing to say, or where anything is wrong."""
    with suppress(Exception):
        told_by = host(name)
        told = _told(told_by, event, given)
        if told_by and told:
            return told_by.say(event, _text(told_by, told, home))
    return ""


def _text(told_by: Host, told: Told, home: str | None) -> str:
    place = locate(home, dict(os.environ))
    settings = settings_or_defaults(place.settings, os.environ)
    if not os.path.isdir(place.root):
        return ""
    if told.moment is Moment.START:
        _look_after_others(place, settings)
    if told.source in ("compact", "resume"):
        _note(place, told_by.name, told)
        drain_now(place, _BEFORE_CHECKPOINT)
    try:
        return _given(told_by, told, place, settings)
    except StoreUnwell:
        leave(place, REINDEX)  # whoever takes up notes makes the index, too
        raise


def _given(told_by: Host, told: Told, place: Home, settings: Settings) -> str:
    from tacit.vault.conversations.giving import Asker, Giving

    asker = Asker(told_by.name, told.session, told.source, told_by.replaces and told.source == "resume")
    with Giving(place.root, cwd=told.directory or None, settings=settings) as giving:
        start = told.moment is Moment.START or (not _says_at_start(told_by) and giving.is_first(asker))
        return giving.give(asker, start=start, prompt=told.prompt)


def _look_after_others(place: Home, settings: Settings) -> None:
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


def _learn(place: Home) -> None:
    """Suggest what sessions that are over said; the person decides. Nobody waits for it."""
    from tacit.vault.conversations.concluding import Concluding

    with Concluding(place.root, cwd="/") as vault:
        for row in vault.unlearned()[:_SESSIONS]:
            vault.learn_from_session(row)


def _encode(place: Home) -> None:
    """Make vectors of what was said, where the extra for meaning lies beside us. Nobody waits for it."""
    from tacit.vault.meanings import Meanings

    with Meanings(place.root, cwd="/") as vault:
        vault.encode(_ENCODING)


def anything_waits(home: str | None) -> bool:
    return any_wait(locate(home, dict(os.environ)))


def drain_now(place: Home, patience: float = 0.0) -> None:
    from tacit.vault.conversations.noted import NotedTranscripts

    with NotedTranscripts(place.root, cwd="/") as vault:
        if drain(place, vault.capture_noted, patience):  # else whoever captures files, too, and is not to wait for us
            vault.file()


def _note(place: Home, agent: str, told: Told) -> Note | None:
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
