"""Settings as a person sees and changes them: `tacit config` and `tacit autocapture`. An agent only looks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tacit.core.errors import Refused, StoreUnwell, WrongUse
from tacit.disk.lock import FileLock, read_only, refuses_writes
from tacit.disk.ops import OsDisk, make_folder
from tacit.disk.replace import replace_file
from tacit.record import Record
from tacit.settings import (
    TEMPLATE,
    Settings,
    fit,
    key_of,
    of_environment,
    of_file,
    rule_of,
    settings_text,
    value_in,
    variable_of,
)
from tacit.settings.document import find, said_by, statements
from tacit.settings.editing import Value, with_setting, without_setting
from tacit.settings.origins import Held, Stray, held, strays
from tacit.vault.agents import find_agent
from tacit.vault.autocapturing import captures, left_out, place_of, said_of, say_of
from tacit.vault.making import make_home
from tacit.vault.opened import Part

Change = Callable[[str], str | None]
_LOCK_SECONDS = 30.0


class Configured(Record):
    """What a change came to. `overruled_by` is a variable that restricts the new value."""

    key: str
    value: Value
    path: str
    changed: bool
    overruled_by: str = ""


class Standing(Record):
    """Whether sessions are captured here, and all that this depends on."""

    captures: bool
    enabled: Held
    session: str
    said: bool | None  # what was said of this session
    modes: tuple[str, ...]
    left_out: str  # the entry of agents.ignore_directories that this folder is in


class Configuration(Part):
    """The settings of one home."""

    def config(self) -> list[Held]:
        """Every setting with its value and where that comes from."""
        return held(*self._sayings())

    def setting(self, key: str) -> Held:
        """One of them."""
        _known(key)
        (found,) = (one for one in self.config() if one.key == key)
        return found

    def strays(self) -> list[Stray]:
        """What is written like a setting and is none."""
        return list(strays(*self._sayings()))

    def configure(self, key: str, value: str | Sequence[str]) -> Configured:
        """Write a value into the home's file; a sequence is a list of texts, taken as they are."""
        name = _known(key)
        wanted = fit(name, _given(name, value), key, f"tacit config get {key}")
        self._store.speaker.must_be_person("changes settings", f"tacit config set {key} …")
        section, inner = key.split(".", 1)
        changed = self._rewrite(key, lambda text: with_setting(text, section, inner, wanted))
        return Configured(key, wanted, self._store.home.settings, changed, self._overruling(name, wanted))

    def unconfigure(self, key: str) -> Configured:
        """Let the default hold again."""
        name = _known(key)
        default: Value = Settings._field_defaults[name]
        self._store.speaker.must_be_person("changes settings", f"tacit config unset {key}")
        section, inner = key.split(".", 1)
        changed = self._rewrite(key, lambda text: without_setting(text, section, inner, default), new=False)
        return Configured(key, default, self._store.home.settings, changed, self._overruling(name, default))

    def autocapture(self, on: bool, session: str | None = None) -> Configured | None:
        """Capture sessions or not; with a session, only that one. Anybody in a session may have less of it kept."""
        if session is None:
            return self.configure("autocapture.enabled", "on" if on else "off")
        if on:
            self._store.speaker.must_be_person(
                "lets a session be captured", f"TACIT_SESSION={session} tacit autocapture on --session"
            )
        place = place_of(self._store.home, session)
        with self._alone():
            make_folder(os.path.dirname(place), below=self._store.home.root)
            replace_file(OsDisk(self._store.home.root), place, say_of(on))
        return None

    def session_here(self) -> str:
        """The agent's session that one is in, else the one that is named."""
        agent = find_agent(self._home.environment)
        return (agent.session if agent else "") or self._home.environment.get("TACIT_SESSION", "")

    def autocapture_here(self, directory: str) -> Standing:
        """What holds in this session and folder, and why."""
        session, ignored = self.session_here(), left_out(self._home.settings, self._home.user_folder, directory)
        enabled = self.setting("autocapture.enabled")
        modes = self._home.settings.autocapture_on_modes
        holds = captures(self._home.settings, self._store.home, session, modes[0] if modes else "")
        return Standing(holds and not ignored, enabled, session, said_of(self._store.home, session), modes, ignored)

    def _sayings(self) -> tuple[str, str, dict[str, str]]:
        path = self._store.home.settings
        return settings_text(path), path, self._home.environment

    def _overruling(self, name: str, value: Value) -> str:
        variable = variable_of(name)
        try:
            wanted = of_environment({variable: self._home.environment[variable]})[name]
        except KeyError:
            return ""
        except WrongUse:  # every other command will say so
            return variable
        return variable if rule_of(name).hold(value, wanted) != value else ""

    def _rewrite(self, key: str, change: Change, *, new: bool = True) -> bool:
        """Read, change and write under the lock; says whether anything had to be written."""
        path = self._store.home.settings
        if not new and not os.path.exists(path):
            return False
        with self._alone():
            _must_be_file(path)
            before = settings_text(path) if os.path.exists(path) else TEMPLATE
            if said_by(before) is None:
                of_file(before, path)  # tells the line
            after = change(before)
            if after is None:
                raise _by_hand(before, path, key)
            if after == before:
                return False
            if os.path.islink(path):
                raise _behind_link(path, key)
            replace_file(OsDisk(self._store.home.root), path, after.encode())
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        home = self._store.home
        is_new = not os.path.isdir(home.root)
        make_home(home)
        if is_new:
            self._store.record(lambda _connection: [])  # draws the views, as every home has them
        try:
            with FileLock(home.write_lock, _LOCK_SECONDS).held():
                yield
        except OSError as error:
            if refuses_writes(error):
                raise read_only(home.root) from error
            raise


def _known(key: str) -> str:
    """The name of a setting from what a person calls it."""
    names = {key_of(name): name for name in Settings._fields}
    if key in names:
        return names[key]
    from difflib import get_close_matches

    near = get_close_matches(key, names, n=1)
    raise WrongUse(f"no such setting: {key!r}", f"did you mean {near[0]}?" if near else "tacit config show")


def _given(name: str, value: str | Sequence[str]) -> object:
    """What was given for a setting; a list may also be written as TOML writes it."""
    if any("\ud800" <= sign <= "\udfff" for sign in "".join(value)):
        raise WrongUse(f"what was given for {key_of(name)} is no UTF-8")
    if not isinstance(value, str):
        return list(value)
    is_list = isinstance(Settings._field_defaults[name], tuple)
    written = said_by(f"value = {value}") if is_list and value.startswith("[") else None
    return written["value"] if written else value_in(name, value)


def _must_be_file(path: str) -> None:
    if os.path.lexists(path) and not os.path.isfile(path):
        raise StoreUnwell(f"{path} is not a plain file", f"move it away: mv {path} {path}.old")


def _behind_link(path: str, key: str) -> Refused:
    """Settings may be kept elsewhere, behind a link, and are read from there; such a file is the person's to write."""
    section, inner = key.split(".", 1)
    return Refused(
        f"{path} is a symbolic link; Tacit reads through it, and does not write through it",
        f"write it by hand in {os.path.realpath(path)}, below a line [{section}]: {inner} = …",
    )


def _by_hand(text: str, path: str, key: str) -> Refused:
    """Where the file is written so that no line can be changed by itself."""
    section, inner = key.split(".", 1)
    found = find(list(statements(text)), section, inner)
    line = f":{found.first + 1}" if found else ""
    return Refused(
        f"{path}{line} is written so that {key} cannot be changed without changing more",
        f"write it there by hand, below a line [{section}]: {inner} = …",
    )
