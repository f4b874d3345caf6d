"""Clients that can judge sessions, and what a home knows of its daily judge: when it was asked last, how that ended,
and where the person agreed to it.

A hook only asks whether the judge is due, which costs one `stat`. The rest is for the process that hooks start once a
day (`learn/judge/daily.py`), and for a person who asks for the state. All of it is about this machine, so it is in
files of the home and not in the log. If they are deleted, the judge waits until the person agrees again.

A repository can set variables for the agent that works in it. One of them may name another server, to which a judge
would send what was typed in all projects. So the judge gets those variables alone that have the values they had when
the person agreed. Of each value a keyed hash is kept.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.home.paths import HomePaths
from tacit.home.settings import Settings, variable_of
from tacit.model.ids import blake2b
from tacit.record import Record

CLIENT_NAMES = ("claude", "codex", "gemini", "copilot", "opencode")
DAILY = "daily"  # the value of `learn.when`
INTERVAL_SECONDS, RETRY_SECONDS = 20 * 3600, 3600
MAX_FAILURES = 3  # in a row, then nobody is asked until the person agrees again
_KEY_BYTES, _DIGEST_BYTES = 16, 4  # so few bytes of a hash that the value of a key cannot be found by trying
_ASSUMED_NAMES = ("PATH",)  # stored as it is: agents put folders of their own before it


class DailyReceipt(Record):
    """What a judge did in one run. `problem` says why there is no answer, "" if there is one."""

    judge: str = ""
    at: str = ""
    sessions: int = 0
    suggestions: int = 0
    tokens: int = 0
    problem: str = ""

    @property
    def text(self) -> str:
        """What a person is told of it."""
        if self.problem:
            return f"{self.judge} could not be asked what is worth remembering: {self.problem}"
        sessions = f"{self.sessions} session{'s' * (self.sessions != 1)}"
        suggestions = f"{self.suggestions or 'no'} suggestion{'s' * (self.suggestions != 1)}"
        return f"{self.judge} judged {sessions}: {suggestions}, {self.tokens:,} tokens"


class DailyState(Record):
    """How the daily judge stands. `is_asking` while one is asked; if that process was killed, it stays so."""

    failures: int = 0
    is_asking: bool = False
    is_told: bool = True  # whether the person was shown the receipt
    receipt: DailyReceipt = DailyReceipt()

    @property
    def has_stopped(self) -> bool:
        return self.failures >= MAX_FAILURES


def client_program(name: str, environment: Mapping[str, str]) -> str:
    """Return the absolute path of a client's program, "" if it is not on PATH."""
    import shutil  # takes longer to import than all that a hook needs of this module

    found = shutil.which(name, path=environment.get("PATH", ""))
    return found if found and os.path.isabs(found) else ""


def preferred_client(settings: Settings, environment: Mapping[str, str]) -> str:
    """Return the client that the person chose, else the first one that is on PATH; "" if there is none."""
    names = dict.fromkeys((settings.learn_agent, *CLIENT_NAMES))
    return next((name for name in names if name and client_program(name, environment)), "")


def is_chosen(settings: Settings) -> bool:
    """Return whether the person lets a client judge their sessions once a day."""
    return settings.learn_when == DAILY and bool(settings.learn_agent)


def is_due(paths: HomePaths) -> bool:
    """Return whether the judge has not been asked for most of a day. A clock that was set back makes it due."""
    try:
        passed = time.time() - os.stat(paths.daily_state).st_mtime
    except OSError:  # the person has not agreed on this machine
        return False
    return passed > INTERVAL_SECONDS or passed < -INTERVAL_SECONDS


def read_state(paths: HomePaths) -> DailyState:
    """Return the state in the home, a new one if there is none or it is not valid."""
    try:
        values = json.loads(read_file(paths.daily_state) or b"{}")
        receipt = DailyReceipt(**values.pop("receipt", {}))
        state = DailyState(**values, receipt=receipt)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return DailyState()
    is_valid = _has_types_of(state, DailyState()) and _has_types_of(receipt, DailyReceipt())
    return state if is_valid else DailyState()


def _has_types_of(record: Record, example: Record) -> bool:
    return all(type(value) is type(default) for value, default in zip(record, example, strict=True))


def write_state(paths: HomePaths, state: DailyState, *, seconds_until_due: float | None = None) -> None:
    """Store the state. With `seconds_until_due` the judge is due then, otherwise when it was due before."""
    old = None
    with suppress(OSError):
        old = os.stat(paths.daily_state).st_mtime
    values = {**state._asdict(), "receipt": state.receipt._asdict()}
    make_folder(os.path.dirname(paths.daily_state), below=paths.root)
    replace_file(OsDisk(paths.root), paths.daily_state, json.dumps(values).encode("ascii") + b"\n")
    if seconds_until_due is not None:
        old = time.time() - INTERVAL_SECONDS + seconds_until_due
    if old is not None:
        os.utime(paths.daily_state, (old, old), follow_symlinks=False)


# Where the person agreed


def agree(paths: HomePaths, environment: Mapping[str, str]) -> None:
    """Remember the environment in which the person agreed to a daily judge, and begin anew after failures."""
    key = os.urandom(_KEY_BYTES)
    digests = {name: _digest(key, value) for name, value in environment.items()}
    kept = {name: environment[name] for name in _ASSUMED_NAMES if name in environment}
    content = json.dumps({"key": key.hex(), "kept": kept, "digests": digests}).encode("ascii") + b"\n"
    make_folder(os.path.dirname(paths.daily_environment), below=paths.root)
    replace_file(OsDisk(paths.root), paths.daily_environment, content)
    receipt = read_state(paths).receipt
    write_state(paths, DailyState(receipt=receipt), seconds_until_due=0)


def agreed_environment(paths: HomePaths, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are as they were when the person agreed; {} if they have not, or in another account.

    What may only restrict a setting is kept, too.
    """
    try:
        match json.loads(read_file(paths.daily_environment) or b"{}"):
            case {"key": str(key), "kept": dict(kept), "digests": dict(digests)}:
                key_bytes = bytes.fromhex(key)
            case _:
                return {}
    except (OSError, ValueError, RecursionError):
        return {}
    same = {name: value for name, value in environment.items() if digests.get(name) == _digest(key_bytes, value)}
    same |= {name: value for name, value in kept.items() if isinstance(value, str) and name in _ASSUMED_NAMES}
    restricting = map(variable_of, Settings._fields)
    same |= {name: environment[name] for name in restricting if name in environment}
    return same if "HOME" in same else {}


def _digest(key: bytes, value: str) -> str:
    return str(blake2b(value.encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES, key=key).hexdigest())
