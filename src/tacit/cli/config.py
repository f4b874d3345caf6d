"""`tacit config` and `tacit autocapture`: show and change settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from shlex import quote

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.output import echo, echo_json, warn
from tacit.errors import UsageError
from tacit.home.home import Home
from tacit.home.settings import Settings, rule_of, settings_in_environment
from tacit.home.settings_file import EffectiveSetting, SettingOrigin, SettingValue
from tacit.record import Record
from tacit.text.display import printable
from tacit.text.toml import toml_literal
from tacit.vault.configure import CaptureState, Configuration, SettingChange

# tacit config


class _ConfigSubcommand(Record):
    """A subcommand: its arguments, the fewest and the most of them, and the function that runs it."""

    usage: str
    min_args: int
    max_args: int
    run: Callable[[Invocation, Configuration, list[str]], int]


def run_config(call: Invocation) -> int:
    name, *args = call.args or ["show"]
    subcommand = _SUBCOMMANDS.get(name)
    if subcommand is None:
        raise UsageError(f"tacit config has no {name!r}", f"one of {', '.join(_SUBCOMMANDS)}")
    usage = subcommand.usage
    if not subcommand.min_args <= len(args) <= subcommand.max_args:
        raise UsageError(f"tacit config {name} wants {usage or 'no words'}", f"tacit config {name} {usage}")
    with Home(call.value("--home"), settings=Settings()) as home:  # a wrong value must not prevent its repair
        return subcommand.run(call, Configuration(home), args)


def _show(call: Invocation, configuration: Configuration, _args: list[str]) -> int:
    settings = configuration.config()
    if call.flag("--json"):
        echo_json([setting._asdict() for setting in settings])
        return 0
    for line in _settings_table(settings):
        echo(line)
    for setting in settings:
        _warn_ignored(setting)
    for stray in configuration.strays():
        warn(f"! {printable(stray.key)} in {printable(stray.where)} is no setting of this version")
    return 0


def _get(call: Invocation, configuration: Configuration, args: list[str]) -> int:
    setting = configuration.setting(args[0])
    if call.flag("--json"):
        echo_json(setting.value)
    else:
        echo(_format_value(setting.value))
    _warn_ignored(setting)
    return 0


def _warn_ignored(setting: EffectiveSetting) -> None:
    if setting.ignored:
        warn(f"! {printable(ignored_variable_text(setting))}")


def ignored_variable_text(setting: EffectiveSetting) -> str:
    """Return why an environment variable is ignored, and what to type instead."""
    name = setting.key.replace(".", "_", 1)
    variable, _, text = setting.ignored.partition("=")
    value = settings_in_environment({variable: text})[name]
    word = quote(value if isinstance(value, str) else toml_literal(value))
    return (
        f"{setting.ignored} is ignored: a variable {rule_of(name).description}. "
        f"If you want it, put it into the file: tacit config set {setting.key} {word}"
    )


def _settings_table(settings: list[EffectiveSetting]) -> Iterator[str]:
    key_width = max(len(setting.key) for setting in settings)
    value_width = min(max(len(_format_value(setting.value)) for setting in settings), 20)
    for setting in settings:
        where = setting.where if setting.where else SettingOrigin.DEFAULT.value
        value = f"{_format_value(setting.value):<{value_width}}"
        yield f"{setting.key:<{key_width}}  {value}  {printable(where)}  (variable: {setting.variable})"


def _format_value(value: SettingValue) -> str:
    return printable(toml_literal(value))


def _set(_call: Invocation, configuration: Configuration, args: list[str]) -> int:
    key, *values = args
    return _echo_change(configuration.configure(key, values[0] if len(values) == 1 else values), "already, in")


def _unset(_call: Invocation, configuration: Configuration, args: list[str]) -> int:
    return _echo_change(configuration.unconfigure(args[0]), "already, by default; nothing to change in")


def _echo_change(change: SettingChange, already: str) -> int:
    where = "in" if change.changed else already
    echo(f"{change.key} = {_format_value(change.value)}, {where} {printable(change.path)}")
    _warn_overruled(change)
    return 0


def _warn_overruled(change: SettingChange) -> None:
    if change.overruled_by:
        warn(f"! {change.overruled_by} is set in this shell and overrules it: unset {change.overruled_by}")


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


# tacit autocapture


def run_autocapture(call: Invocation) -> int:
    action = call.single_arg() if call.args else "status"
    if action not in ("on", "off", "status"):
        raise UsageError(f"tacit autocapture has no {action!r}", "one of on, off, status")
    if action == "status":
        return _echo_capture_status(call)
    return _set_for_session(call, action == "on") if call.flag("--session") else _set_for_home(call, action == "on")


def _set_for_home(call: Invocation, on: bool) -> int:
    change = call.vault.configuration.autocapture(on)
    if on:
        _echo_capture_scope()
    else:
        echo("Sessions with agents are not captured any more; what was captured stays. On again: tacit autocapture on")
    if change:
        _warn_overruled(change)
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
        _echo_capture_scope(session)
    else:
        echo(f"Nothing more of session {printable(session)} is captured; other sessions go on as they were.")
    return 0


def _echo_capture_scope(session: str = "") -> None:
    """Print what is captured from now on, of one session or of all."""
    which = f"session {printable(session)}" if session else "your sessions with agents"
    option = " --session" if session else ""
    echo(f"Captured from now on, of {which}: what is said, commands and how they ended, names of changed files.")
    echo(f"Never: secrets, the agent's thinking, what files hold that it read. To stop: tacit autocapture off{option}")


def _echo_capture_status(call: Invocation) -> int:
    try:
        folder = os.getcwd()
    except FileNotFoundError:  # it was deleted meanwhile
        folder = ""
    state = call.vault.configuration.autocapture_here(folder)
    reasons = list(_capture_reasons(state))
    if call.flag("--json"):
        fields = state._asdict()
        session, choice = fields.pop("session"), fields.pop("session_choice")
        echo_json({**fields, "name": session, "said": choice, "enabled": state.enabled._asdict(), "reasons": reasons})
        return 0
    echo(f"Sessions with agents are {'' if state.captures else 'not '}captured here:")
    for reason in reasons:
        echo(f"  {printable(reason)}")
    return 0


def _capture_reasons(state: CaptureState) -> Iterator[str]:
    """Yield what decides whether a session is captured, the strongest first."""
    where = state.enabled.where if state.enabled.origin is not SettingOrigin.DEFAULT else "the default"
    if state.left_out:
        yield f"this folder is in agents.ignore_directories: {state.left_out}"
    if state.session_choice is not None:
        yield f"session {state.session} was turned {'on' if state.session_choice else 'off'}"
    yield f"autocapture.enabled is {'true' if state.enabled.value else 'false'}, from {where}"
    if state.enabled.ignored:
        yield ignored_variable_text(state.enabled)
    if state.modes:
        yield f"only in these modes of the agent (autocapture.on_modes): {', '.join(state.modes)}"


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
