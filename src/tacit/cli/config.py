"""`tacit config` and `tacit autocapture`: show and change settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import echo, echo_json, echo_lines, warn
from tacit.errors import NotFoundError, UsageError
from tacit.home.home import Home
from tacit.home.settings import Settings, rule_of, settings_in_environment, variable_of
from tacit.home.settings_file import EffectiveSetting, SettingOrigin, SettingValue
from tacit.text.display import printable
from tacit.text.formats import toml_literal
from tacit.vault.configure import Configuration, SettingChange


@contextmanager
def _configuration(call: Invocation) -> Iterator[Configuration]:
    with Home(call.value("--home"), settings=Settings()) as home:  # a wrong value must not prevent its repair
        yield Configuration(home)


def show_settings(call: Invocation) -> None:
    with _configuration(call) as configuration:
        settings, strays = configuration.config(), configuration.strays()
    if call.shows_json(lambda: [setting._asdict() for setting in settings]):
        return
    key_width = max(len(setting.key) for setting in settings)
    value_width = min(max(len(_format_value(setting.value)) for setting in settings), 20)
    for setting in settings:
        where = printable(setting.where or SettingOrigin.DEFAULT.value)
        value = f"{_format_value(setting.value):<{value_width}}"
        echo(f"{setting.key:<{key_width}}  {value}  {where}  (variable: {setting.variable})")
    for setting in settings:
        _warn_ignored(setting)
    for stray in strays:
        warn(f"! {printable(stray.key)} in {printable(stray.where)} is no setting of this version")


def get_setting(call: Invocation, key: str) -> None:
    with _configuration(call) as configuration:
        setting = configuration.setting(key)
    if not call.shows_json(lambda: setting.value):
        echo(_format_value(setting.value))
    _warn_ignored(setting)


def set_setting(call: Invocation, key: str, *values: str) -> None:
    with _configuration(call) as configuration:
        _echo_change(configuration.configure(key, values[0] if len(values) == 1 else list(values)), "already, in")
        if key == "learn.when" and values[0] and not configuration.setting("learn.agent").value:
            echo("  it wants a client to ask: tacit config set learn.agent claude")


def unset_setting(call: Invocation, key: str) -> None:
    with _configuration(call) as configuration:
        _echo_change(configuration.unconfigure(key), "already, by default; nothing to change in")


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


def _format_value(value: SettingValue) -> str:
    return printable(toml_literal(value))


def _echo_change(change: SettingChange, already: str) -> None:
    where = "in" if change.changed else already
    echo(f"{change.key} = {_format_value(change.value)}, {where} {printable(change.path)}")
    _warn_overruled(change)


def _warn_overruled(change: SettingChange | None) -> None:
    if change and change.overruled_by:
        warn(f"! {change.overruled_by} is set in this shell and overrules it: unset {change.overruled_by}")


@command(
    "show | get KEY | set KEY VALUE | unset KEY",
    "tacit config set recall.limit 20",
    JSON_OPTION,
    subcommands=(
        Subcommand("show", show_settings, help="all settings"),
        Subcommand("get", get_setting, 1, "KEY", help="one setting"),
        Subcommand("set", set_setting, 2, "KEY VALUE", more=True, help="change one"),
        Subcommand("unset", unset_setting, 1, "KEY", help="its default"),
    ),
)
def run_config(call: Invocation) -> int | None:
    """The settings, where each value comes from, and what a variable of the environment may do to it. A value is
    its default, or what a line of tacit.toml in the home says; a variable may only restrict it, so nothing is
    captured, accepted or sent to a model because of one. Nothing is ever read from a repository. set and unset
    change one line and keep everything else in the file. A list is written with commas, as several words, or
    as ["one", "two"]. An agent may look, and only a person changes. See docs/guides/settings.md.
    """
    return call.run_subcommand("show")


# Sessions without memory

# Variables may only restrict, so these do what they say whatever the settings are.
_WITHOUT_MEMORY = {
    variable_of(name): "0"
    for name in (
        "autocapture_enabled",
        "autocapture_inject_on_start",
        "autocapture_inject_on_prompt",
        "autocapture_inject_on_tools",
    )
}


@command("[--] COMMAND…", "tacit without claude")
def run_without(call: Invocation) -> None:
    """Start an agent that is told nothing by Tacit, and whose session is not recorded, also when it goes on later.
    Other sessions go on as they were. Guards stay on: what you forbade is stopped here, too. An agent that has the
    MCP server may still ask it.
    Write -- before a command that has options of its own: tacit without -- claude --continue
    """
    if not call.args:
        raise call.usage_error()
    program = call.args[0]
    try:
        os.execvpe(program, call.args, {**os.environ, **_WITHOUT_MEMORY})
    except OSError as error:
        reason = error.strerror or "it cannot be run"
        raise NotFoundError(f"{program} was not started: {reason}", "tacit without claude") from None


# Capture of sessions


def turn_capture_on(call: Invocation) -> None:
    session = _chosen_session(call, "on")
    change = call.vault.configuration.autocapture(True, session)
    which = f"session {printable(session)}" if session else "your sessions with agents"
    stop = f"tacit autocapture off{' --session' if session else ''}"
    echo(f"Captured from now on, of {which}: what is said, commands and how they ended, names of changed files.")
    echo(f"Never: secrets, the agent's thinking, what files hold that it read. To stop: {stop}")
    _warn_overruled(change)


def turn_capture_off(call: Invocation) -> None:
    session = _chosen_session(call, "off")
    change = call.vault.configuration.autocapture(False, session)
    if session:
        echo(f"Nothing more of session {printable(session)} is captured; other sessions go on as they were.")
    else:
        echo("Sessions with agents are not captured any more; what was captured stays. On again: tacit autocapture on")
    _warn_overruled(change)


def _chosen_session(call: Invocation, action: str) -> str | None:
    """Return the session that --session means, None without it. Raise UsageError if there is none."""
    if not call.flag("--session"):
        return None
    if session := call.vault.configuration.session_here():
        return session
    nobody = "there is no session here: no agent runs this, and TACIT_SESSION is not set"
    raise UsageError(nobody, f"TACIT_SESSION=ID tacit autocapture {action} --session")


def show_capture(call: Invocation) -> None:
    """Print whether sessions are captured here, and what decides that, the strongest first."""
    try:
        folder = os.getcwd()
    except FileNotFoundError:  # it was deleted meanwhile
        folder = ""
    state = call.vault.configuration.autocapture_here(folder)
    enabled, reasons = state.enabled, []
    if state.left_out:
        reasons.append(f"this folder is in agents.ignore_directories: {state.left_out}")
    if state.session_choice is not None:
        reasons.append(f"session {state.session} was turned {'on' if state.session_choice else 'off'}")
    where = enabled.where if enabled.origin is not SettingOrigin.DEFAULT else "the default"
    reasons.append(f"autocapture.enabled is {'true' if enabled.value else 'false'}, from {where}")
    if enabled.ignored:
        reasons.append(ignored_variable_text(enabled))
    if state.modes:
        reasons.append(f"only in these modes of the agent (autocapture.on_modes): {', '.join(state.modes)}")
    if call.flag("--json"):
        fields = state._asdict()
        session, choice = fields.pop("session"), fields.pop("session_choice")
        echo_json({**fields, "name": session, "said": choice, "enabled": enabled._asdict(), "reasons": reasons})
        return
    echo(f"Sessions with agents are {'' if state.captures else 'not '}captured here:")
    echo_lines(f"  {printable(reason)}" for reason in reasons)


@command(
    "on | off | status",
    "tacit autocapture on",
    Option("--session", help="only for the session one is in"),
    JSON_OPTION,
    subcommands=(
        Subcommand("on", turn_capture_on, help="capture sessions"),
        Subcommand("off", turn_capture_off, help="stop capturing"),
        Subcommand("status", show_capture, help="what holds here, and why"),
    ),
)
def run_autocapture(call: Invocation) -> int | None:
    """Whether sessions with coding agents are captured: off until you turn it on, for all sessions or for the one
    you are in. It works with agents that tacit install set up. Whoever is in a session may turn it off for that
    session; only a person turns it on. status says what holds here, and why.
    """
    return call.run_subcommand("status")
