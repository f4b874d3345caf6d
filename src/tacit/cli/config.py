"""`tacit config` and `tacit autocapture`: showing and changing settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from shlex import quote

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.output import echo, echo_json, warn
from tacit.errors import UsageError
from tacit.home.home import Home
from tacit.home.settings import Settings, rule_of, settings_in_environment
from tacit.home.settings_file import EffectiveSetting, SettingOrigin, SettingValue, toml_literal
from tacit.record import Record
from tacit.text.display import printable
from tacit.vault.configure import CaptureState, Configuration, SettingChange

# tacit config.


class _ConfigSubcommand(Record):
    """One thing to do with settings: its words, the fewest and the most of them, and what it does."""

    usage: str
    min_args: int
    max_args: int
    run: Callable[[Invocation, Configuration, list[str]], int]


def run_config(call: Invocation) -> int:
    name, *words = call.args or ["show"]
    part = _SUBCOMMANDS.get(name)
    if part is None:
        raise UsageError(f"tacit config has no {name!r}", f"one of {', '.join(_SUBCOMMANDS)}")
    if not part.min_args <= len(words) <= part.max_args:
        raise UsageError(f"tacit config {name} wants {part.usage or 'no words'}", f"tacit config {name} {part.usage}")
    with Home(call.value("--home"), settings=Settings()) as home:  # a wrong value must not keep one from mending
        return part.run(call, Configuration(home), words)


# Looking


def _show(call: Invocation, settings: Configuration, _words: list[str]) -> int:
    found = settings.config()
    if call.flag("--json"):
        echo_json([one._asdict() for one in found])
        return 0
    for line in _settings_table(found):
        echo(line)
    for one in found:
        _warn_ignored(one)
    for stray in settings.strays():
        warn(f"! {printable(stray.key)} in {printable(stray.where)} is no setting of this version")
    return 0


def _get(call: Invocation, settings: Configuration, words: list[str]) -> int:
    found = settings.setting(words[0])
    if call.flag("--json"):
        echo_json(found.value)
    else:
        echo(_format_value(found.value))
    _warn_ignored(found)
    return 0


def _warn_ignored(one: EffectiveSetting) -> None:
    if one.ignored:
        warn(f"! {printable(ignored_variable_text(one))}")


def ignored_variable_text(one: EffectiveSetting) -> str:
    """Why a variable does not hold, and what to type instead."""
    name = one.key.replace(".", "_", 1)
    variable, _, text = one.ignored.partition("=")
    wanted = settings_in_environment({variable: text})[name]
    word = quote(wanted if isinstance(wanted, str) else toml_literal(wanted))
    return (
        f"{one.ignored} is ignored: a variable {rule_of(name).description}. "
        f"If you want it, put it into the file: tacit config set {one.key} {word}"
    )


def _settings_table(found: list[EffectiveSetting]) -> Iterator[str]:
    keys = max(len(one.key) for one in found)
    values = max(len(_format_value(one.value)) for one in found)
    for one in found:
        where = one.where if one.where else SettingOrigin.DEFAULT.value
        value = f"{_format_value(one.value):<{min(values, 20)}}"
        yield f"{one.key:<{keys}}  {value}  {printable(where)}  (variable: {one.variable})"


def _format_value(value: SettingValue) -> str:
    return printable(toml_literal(value))


# Changing


def _set(_call: Invocation, settings: Configuration, words: list[str]) -> int:
    key, *values = words
    return _echo_change(settings.configure(key, values[0] if len(values) == 1 else values), "already, in")


def _unset(_call: Invocation, settings: Configuration, words: list[str]) -> int:
    return _echo_change(settings.unconfigure(words[0]), "already, by default; nothing to change in")


def _echo_change(done: SettingChange, already: str) -> int:
    how = "in" if done.changed else already
    echo(f"{done.key} = {_format_value(done.value)}, {how} {printable(done.path)}")
    if done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


_SUBCOMMANDS = {
    "show": _ConfigSubcommand("", 0, 0, _show),
    "get": _ConfigSubcommand("KEY", 1, 1, _get),
    "set": _ConfigSubcommand("KEY VALUE", 2, 1_000, _set),
    "unset": _ConfigSubcommand("KEY", 1, 1, _unset),
}

CONFIG = Command(
    name="config",
    usage="show | get KEY | set KEY VALUE | unset KEY",
    help=(
        "The settings, where each value comes from, and what a variable of the environment may do to it. A value is\n"
        "its default, or what a line of tacit.toml in the home says; a variable may only restrict it, so nothing is\n"
        "captured, accepted or sent to a model because of one. Nothing is ever read from a repository. set and unset\n"
        "change one line and keep everything else in the file. A list is written with commas, as several words, or\n"
        'as ["one", "two"]. An agent may look, and only a person changes. See docs/guides/settings.md.'
    ),
    example="tacit config set recall.limit 20",
    run=run_config,
    options=(JSON_OPTION,),
)


# tacit autocapture.


def run_autocapture(call: Invocation) -> int:
    word = call.single_arg() if call.args else "status"
    if word not in ("on", "off", "status"):
        raise UsageError(f"tacit autocapture has no {word!r}", "one of on, off, status")
    if word == "status":
        return _echo_capture_status(call)
    return _set_for_session(call, word == "on") if call.flag("--session") else _set_for_home(call, word == "on")


def _set_for_home(call: Invocation, on: bool) -> int:
    done = call.vault.configuration.autocapture(on)
    if on:
        _echo_capture_scope()
    else:
        echo("Sessions with agents are not captured any more; what was captured stays. On again: tacit autocapture on")
    if done and done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


def _set_for_session(call: Invocation, on: bool) -> int:
    session = call.vault.configuration.session_here()
    if not session:
        raise UsageError(
            "there is no session here: no agent runs this, and TACIT_SESSION is not set",
            f"TACIT_SESSION=ID tacit autocapture {'on' if on else 'off'} --session",
        )
    call.vault.configuration.autocapture(on, session)
    if on:
        _echo_capture_scope(f"session {printable(session)}")
    else:
        echo(f"Nothing more of session {printable(session)} is captured; other sessions go on as they were.")
    return 0


def _echo_capture_scope(which: str = "your sessions with agents") -> None:
    again = " --session" if which.startswith("session") else ""
    echo(f"Captured from now on, of {which}: what is said, commands and how they ended, names of changed files.")
    echo(f"Never: secrets, the agent's thinking, what files hold that it read. To stop: tacit autocapture off{again}")


def _echo_capture_status(call: Invocation) -> int:
    found = call.vault.configuration.autocapture_here(_current_folder())
    if call.flag("--json"):
        told = found._asdict()
        reasons, name = list(_capture_reasons(found)), told.pop("session")
        echo_json({**told, "name": name, "enabled": found.enabled._asdict(), "reasons": reasons})
        return 0
    echo(f"Sessions with agents are {'' if found.captures else 'not '}captured here:")
    for reason in _capture_reasons(found):
        echo(f"  {printable(reason)}")
    return 0


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted under us
        return ""


def _capture_reasons(found: CaptureState) -> Iterator[str]:
    """What decides, the strongest first."""
    where = found.enabled.where if found.enabled.origin is not SettingOrigin.DEFAULT else "the default"
    if found.left_out:
        yield f"this folder is in agents.ignore_directories: {found.left_out}"
    if found.said is not None:
        yield f"session {found.session} was turned {'on' if found.said else 'off'}"
    yield f"autocapture.enabled is {'true' if found.enabled.value else 'false'}, from {where}"
    if found.enabled.ignored:
        yield ignored_variable_text(found.enabled)
    if found.modes:
        yield f"only in these modes of the agent (autocapture.on_modes): {', '.join(found.modes)}"


AUTOCAPTURE = Command(
    name="autocapture",
    usage="on | off | status",
    help=(
        "Whether sessions with coding agents are captured: off until you turn it on, for all sessions or for the one\n"
        "you are in. It works with agents that tacit install set up. Whoever is in a session may turn it off for that\n"
        "session; only a person turns it on. status says what holds here, and why."
    ),
    example="tacit autocapture on",
    run=run_autocapture,
    options=(Option("--session", help="only for the session one is in"), JSON_OPTION),
)
