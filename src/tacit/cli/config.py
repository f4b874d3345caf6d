"""`tacit config` and `tacit autocapture`: showing and changing settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from shlex import quote

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.output import say, say_json, warn
from tacit.errors import WrongUse
from tacit.home.home import Home
from tacit.home.settings import Settings, of_environment, rule_of
from tacit.home.settings_file import Held, Origin, Value, literal
from tacit.record import Record
from tacit.text.display import show
from tacit.vault.configure import Configuration, Configured, Standing

# tacit config.


class _Part(Record):
    """One thing to do with settings: its words, the fewest and the most of them, and what it does."""

    words: str
    fewest: int
    most: int
    run: Callable[[Call, Configuration, list[str]], int]


def run_config(call: Call) -> int:
    name, *words = call.words or ["show"]
    part = _PARTS.get(name)
    if part is None:
        raise WrongUse(f"tacit config has no {name!r}", f"one of {', '.join(_PARTS)}")
    if not part.fewest <= len(words) <= part.most:
        raise WrongUse(f"tacit config {name} wants {part.words or 'no words'}", f"tacit config {name} {part.words}")
    with Home(call.value("--home"), settings=Settings()) as home:  # a wrong value must not keep one from mending
        return part.run(call, Configuration(home), words)


# Looking


def _show(call: Call, settings: Configuration, _words: list[str]) -> int:
    found = settings.config()
    if call.flag("--json"):
        say_json([one._asdict() for one in found])
        return 0
    for line in _table(found):
        say(line)
    for one in found:
        _warn_of_ignored(one)
    for stray in settings.strays():
        warn(f"! {show(stray.key)} in {show(stray.where)} is no setting of this version")
    return 0


def _get(call: Call, settings: Configuration, words: list[str]) -> int:
    found = settings.setting(words[0])
    if call.flag("--json"):
        say_json(found.value)
    else:
        say(_written(found.value))
    _warn_of_ignored(found)
    return 0


def _warn_of_ignored(one: Held) -> None:
    if one.ignored:
        warn(f"! {show(ignored_variable(one))}")


def ignored_variable(one: Held) -> str:
    """Why a variable does not hold, and what to type instead."""
    name = one.key.replace(".", "_", 1)
    variable, _, text = one.ignored.partition("=")
    wanted = of_environment({variable: text})[name]
    word = quote(wanted if isinstance(wanted, str) else literal(wanted))
    return (
        f"{one.ignored} is ignored: a variable {rule_of(name).may}. "
        f"If you want it, put it into the file: tacit config set {one.key} {word}"
    )


def _table(found: list[Held]) -> Iterator[str]:
    keys = max(len(one.key) for one in found)
    values = max(len(_written(one.value)) for one in found)
    for one in found:
        where = one.where if one.where else Origin.DEFAULT.value
        yield f"{one.key:<{keys}}  {_written(one.value):<{min(values, 20)}}  {show(where)}  (variable: {one.variable})"


def _written(value: Value) -> str:
    return show(literal(value))


# Changing


def _set(_call: Call, settings: Configuration, words: list[str]) -> int:
    key, *values = words
    return _told(settings.configure(key, values[0] if len(values) == 1 else values), "already, in")


def _unset(_call: Call, settings: Configuration, words: list[str]) -> int:
    return _told(settings.unconfigure(words[0]), "already, by default; nothing to change in")


def _told(done: Configured, already: str) -> int:
    how = "in" if done.changed else already
    say(f"{done.key} = {_written(done.value)}, {how} {show(done.path)}")
    if done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


_PARTS = {
    "show": _Part("", 0, 0, _show),
    "get": _Part("KEY", 1, 1, _get),
    "set": _Part("KEY VALUE", 2, 1_000, _set),
    "unset": _Part("KEY", 1, 1, _unset),
}

CONFIG = Command(
    name="config",
    words="show | get KEY | set KEY VALUE | unset KEY",
    help=(
        "The settings, where each value comes from, and what a variable of the environment may do to it. A value is\n"
        "its default, or what a line of tacit.toml in the home says; a variable may only restrict it, so nothing is\n"
        "captured, accepted or sent to a model because of one. Nothing is ever read from a repository. set and unset\n"
        "change one line and keep everything else in the file. A list is written with commas, as several words, or\n"
        'as ["one", "two"]. An agent may look, and only a person changes. See docs/guides/settings.md.'
    ),
    example="tacit config set recall.limit 20",
    run=run_config,
    options=(JSON,),
)


# tacit autocapture.


def run_autocapture(call: Call) -> int:
    word = call.one_word() if call.words else "status"
    if word not in ("on", "off", "status"):
        raise WrongUse(f"tacit autocapture has no {word!r}", "one of on, off, status")
    if word == "status":
        return _status(call)
    return _session(call, word == "on") if call.flag("--session") else _home(call, word == "on")


def _home(call: Call, on: bool) -> int:
    done = call.vault.configuration.autocapture(on)
    if on:
        _say_what()
    else:
        say("Sessions with agents are not captured any more; what was captured stays. On again: tacit autocapture on")
    if done and done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


def _session(call: Call, on: bool) -> int:
    session = call.vault.configuration.session_here()
    if not session:
        raise WrongUse(
            "there is no session here: no agent runs this, and TACIT_SESSION is not set",
            f"TACIT_SESSION=ID tacit autocapture {'on' if on else 'off'} --session",
        )
    call.vault.configuration.autocapture(on, session)
    if on:
        _say_what(f"session {show(session)}")
    else:
        say(f"Nothing more of session {show(session)} is captured; other sessions go on as they were.")
    return 0


def _say_what(which: str = "your sessions with agents") -> None:
    again = " --session" if which.startswith("session") else ""
    say(f"Captured from now on, of {which}: what is said, commands and how they ended, names of changed files.")
    say(f"Never: secrets, the agent's thinking, what files hold that it read. To stop: tacit autocapture off{again}")


def _status(call: Call) -> int:
    found = call.vault.configuration.autocapture_here(_folder())
    if call.flag("--json"):
        told = found._asdict()
        reasons, name = list(_reasons(found)), told.pop("session")
        say_json({**told, "name": name, "enabled": found.enabled._asdict(), "reasons": reasons})
        return 0
    say(f"Sessions with agents are {'' if found.captures else 'not '}captured here:")
    for reason in _reasons(found):
        say(f"  {show(reason)}")
    return 0


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted under us
        return ""


def _reasons(found: Standing) -> Iterator[str]:
    """What decides, the strongest first."""
    where = found.enabled.where if found.enabled.origin is not Origin.DEFAULT else "the default"
    if found.left_out:
        yield f"this folder is in agents.ignore_directories: {found.left_out}"
    if found.said is not None:
        yield f"session {found.session} was turned {'on' if found.said else 'off'}"
    yield f"autocapture.enabled is {'true' if found.enabled.value else 'false'}, from {where}"
    if found.enabled.ignored:
        yield ignored_variable(found.enabled)
    if found.modes:
        yield f"only in these modes of the agent (autocapture.on_modes): {', '.join(found.modes)}"


AUTOCAPTURE = Command(
    name="autocapture",
    words="on | off | status",
    help=(
        "Whether sessions with coding agents are captured: off until you turn it on, for all sessions or for the one\n"
        "you are in. It works with agents that tacit install set up. Whoever is in a session may turn it off for that\n"
        "session; only a person turns it on. status says what holds here, and why."
    ),
    example="tacit autocapture on",
    run=run_autocapture,
    options=(Option("--session", help="only for the session one is in"), JSON),
)
