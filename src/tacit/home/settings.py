"""Settings as one frozen value: defaults, then the home's `tacit.toml`, restricted by the environment.

Settings never come from a repository. A repository, an agent or a tool such as direnv can set variables, so a variable
is not the person's consent: it may restrict a setting, and never grant more than the file does. Hooks read the settings
at every prompt, so what only `tacit config` needs is in `settings_file`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping

from tacit.errors import UsageError
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


NO_MODE = "(none)"  # the only entry of a list of modes that allows none: an empty list allows all


class VariableRule(Record):
    """What a variable may do to a setting. `description` says it to a person.

    `restrict(file_value, wanted)` returns the effective value, which never grants more than the file does.
    """

    name: str
    description: str
    restrict: Callable[[Any, Any], Any]


def _union(file_value: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    return (*file_value, *(entry for entry in wanted if entry not in file_value))


def _intersection(file_value: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the entries that both allow. An empty list allows everything."""
    if not file_value or not wanted:
        return file_value or wanted
    return tuple(entry for entry in file_value if entry in wanted) or (NO_MODE,)


ANY = VariableRule("any", "may say anything", lambda _value, wanted: wanted)  # only for how something is presented
ONLY_OFF = VariableRule("only off", "may only turn it off", lambda value, wanted: value and wanted)
ONLY_LOWER = VariableRule("only lower", "may only lower it", min)
ONLY_ADD = VariableRule("only add", "may only add to the list", _union)
ONLY_NARROW = VariableRule("only narrow", "may only leave some out", _intersection)
ONLY_EMPTY = VariableRule("only empty", "may only be empty, for none", lambda value, wanted: value if wanted else "")
NEVER = VariableRule("never", "may say nothing", lambda value, _wanted: value)


class Settings(Record):
    """The settings with their defaults. A name is `section_key` of the file."""

    recall_limit: int = 10
    brief_entries: int = 7
    brief_tokens: int = 1200
    limits_text: int = 2000
    pages_background: bool = True
    pages_entries: int = 5_000
    shell_capture: bool = True
    shell_notice: bool = True
    shell_ignore: tuple[str, ...] = ()
    shell_ignore_directories: tuple[str, ...] = ()
    shell_key: str = ""
    agents_notice: bool = True
    agents_ignore_directories: tuple[str, ...] = ()
    autocapture_enabled: bool = False
    autocapture_on_modes: tuple[str, ...] = ()
    autocapture_skip_tools: tuple[str, ...] = ()
    autocapture_max_turn_size: int = 10_000
    autocapture_max_tool_input: int = 200
    autocapture_max_tool_result: int = 500
    autocapture_summarize: bool = True
    autocapture_inject_on_start: bool = True
    autocapture_inject_on_prompt: bool = True
    autocapture_inject_on_tools: bool = True
    autocapture_max_recent_sessions: int = 1
    # Claude Code moves more than 10,000 characters to a file that nobody reads.
    inject_max_characters: int = 10_000
    check_programs: tuple[str, ...] = ()
    learn_accept: bool = False
    learn_agent: str = ""
    learn_when: str = ""
    model_name: str = ""
    model_tokens_per_day: int = 20_000
    model_timeout: int = 120


_DEFAULTS = Settings._field_defaults
_DEFAULT_RANGE = (1, 10**9)
# A setting that is not listed has the rule NEVER.
VARIABLE_RULES = {
    name: rule
    for rule, names in (
        (ANY, "recall_limit autocapture_summarize"),
        (ONLY_LOWER, "brief_entries brief_tokens limits_text autocapture_max_turn_size autocapture_max_tool_input"),
        (ONLY_LOWER, "autocapture_max_tool_result autocapture_max_recent_sessions inject_max_characters"),
        (ONLY_LOWER, "model_tokens_per_day model_timeout"),
        (ONLY_OFF, "pages_background shell_capture shell_notice agents_notice autocapture_enabled learn_accept"),
        (ONLY_OFF, "autocapture_inject_on_start autocapture_inject_on_prompt autocapture_inject_on_tools"),
        (ONLY_ADD, "shell_ignore shell_ignore_directories agents_ignore_directories autocapture_skip_tools"),
        (ONLY_NARROW, "autocapture_on_modes"),
        (ONLY_EMPTY, "learn_agent learn_when model_name shell_key"),
        (NEVER, "pages_entries check_programs"),
    )
    for name in names.split()
}
# Numbers with another range than the default.
_RANGES = {
    "pages_entries": (100, 1_000_000),
    "autocapture_max_turn_size": (1_000, 1_000_000),
    "autocapture_max_tool_input": (20, 10_000),
    "autocapture_max_tool_result": (20, 100_000),
    "autocapture_max_recent_sessions": (1, 10),
    "inject_max_characters": (500, 10_000),
    "model_timeout": (1, 600),
}
# Texts that are one of a few words, or empty.
_CHOICES = {"learn_when": ("daily",)}
# Not those by which a terminal ends, stops or deletes: Ctrl with C, D, H, I (Tab), J and M (Enter), Q, S and Z.
_CTRL_KEYS, _ALT_KEYS = "abefgklnoprtuvwxy]", "abcdefghijklmnopqrstuvwxyz"
_MAX_TEXT_CHARS = 200
_MAX_FILE_BYTES = 1 << 20
_VARIABLE_PREFIX = "TACIT_"
_BOOLEAN_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def read_settings(path: str, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a home, restricted by the environment. Raise UsageError if one is invalid."""
    text = settings_text(path)
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        settings = Settings()  # the parser is not imported for a file of comments
    else:
        settings = Settings(**settings_in_file(text, path))
    return restricted(settings, environment or {})


def settings_or_defaults(path: str, environment: Mapping[str, str]) -> Settings:
    """Return the settings for a hook, which must not fail: if one is invalid, nothing is captured or injected."""
    try:
        return read_settings(path, environment)
    except Exception:
        return Settings(
            shell_capture=False,
            agents_notice=False,
            autocapture_enabled=False,
            autocapture_inject_on_start=False,
            autocapture_inject_on_prompt=False,
            autocapture_inject_on_tools=False,
        )


def settings_text(path: str) -> str:
    """Return the text of the file; "" if there is none. Raise UsageError if it is no plain file or no UTF-8."""
    try:
        return _read_plain_file(path).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError:
        raise invalid_toml_error(path, "it is no UTF-8") from None


def _read_plain_file(path: str) -> bytes:
    """Read a plain file. Links are followed. A named pipe would block, and a device may never end."""
    if stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)) as file:
            if (
                stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                and len(data := file.read(_MAX_FILE_BYTES + 1)) <= _MAX_FILE_BYTES
            ):
                return data
    raise UsageError(f"{path} is no plain file of at most {_MAX_FILE_BYTES >> 20} MiB", f"look at it: ls -lL {path}")


def key_of(name: str) -> str:
    """Return the key that people use for a setting: `section.key`."""
    return name.replace("_", ".", 1)


def variable_of(name: str) -> str:
    """Return the name of the variable that may restrict a setting."""
    return _VARIABLE_PREFIX + name.upper()


def rule_of(name: str) -> VariableRule:
    """Return what the variable of a setting may do."""
    return VARIABLE_RULES.get(name, NEVER)


def parse_value(name: str, text: str) -> object:
    """Parse a text by the type of a setting: a boolean, a number, a list with commas, else the text itself."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        return _BOOLEAN_WORDS.get(text.strip().lower(), text)
    if isinstance(default, tuple):
        return [entry.strip() for entry in text.split(",") if entry.strip()]
    if isinstance(default, str):
        return text.strip()
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text


def validate_value(name: str, value: object, where: str, hint: str) -> Any:
    """Return the value as `Settings` holds it. Raise UsageError if its type or range is wrong.

    `where` names the source of the value in the message, `hint` is what to type.
    """
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise UsageError(f"{where} must be true or false", hint)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(entry, str) and entry for entry in value):
            return tuple(value)
        raise UsageError(f'{where} must be a list of texts, such as ["one", "two"]', hint)
    if isinstance(default, str) and value and value not in _CHOICES.get(name, (value,)):
        raise UsageError(f"{where} must be {' or '.join(_CHOICES[name])}, or empty", hint)
    if name == "shell_key" and not is_key(value):
        raise UsageError(f'{where} must be a key such as "alt-i", "ctrl-o" or "ctrl-]", or empty for none', hint)
    if isinstance(default, str):
        if isinstance(value, str) and len(value) <= _MAX_TEXT_CHARS and value.isprintable():
            return value
        raise UsageError(f"{where} must be a text of one line, with up to {_MAX_TEXT_CHARS} characters", hint)
    minimum, maximum = _RANGES.get(name, _DEFAULT_RANGE)
    if isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= maximum:
        return value
    raise UsageError(f"{where} must be a whole number from {minimum:,} to {maximum:,}", hint)


def is_key(value: object) -> bool:
    """Return whether this is "", or a key that a shell can be given: `alt-` or `ctrl-` and a letter."""
    modifier, _, key = value.partition("-") if isinstance(value, str) else ("?", "", "")
    chars = {"alt": _ALT_KEYS, "ctrl": _CTRL_KEYS}.get(modifier, "")
    return value == "" or (len(key) == 1 and key in chars)


def invalid_toml_error(path: str, reason: str) -> UsageError:
    return UsageError(f"{path} is not valid TOML: {reason}", f"mend it, or start again: rm {path} && tacit init")


def settings_in_file(text: str, path: str) -> dict[str, Any]:
    """Return the values in the file by the name of the setting. Raise UsageError if one is invalid."""
    import tomllib

    try:
        sections = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for huge numbers and deep nesting
        raise invalid_toml_error(path, str(error)) from None
    settings = {}
    for section, values in sections.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            name = f"{section}_{key}"
            if name in _DEFAULTS and key_of(name) == f"{section}.{key}":  # else a newer Tacit may know it
                settings[name] = validate_value(
                    name, value, f"{path}: {section}.{key}", f"tacit config unset {section}.{key}"
                )
    return settings


def settings_in_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the values in the environment by the name of the setting, whether or not a variable may set them.

    An empty variable is ignored unless the setting is a text. Raise UsageError if a value is invalid.
    """
    settings = {}
    for variable, text in environment.items():
        if not variable.startswith(_VARIABLE_PREFIX):
            continue
        name = variable[len(_VARIABLE_PREFIX) :].lower()
        if name not in _DEFAULTS or variable != variable_of(name):
            continue
        if text.strip() or isinstance(_DEFAULTS[name], str):
            settings[name] = validate_value(name, parse_value(name, text), variable, f"unset {variable}")
    return settings


def restricted(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """Return the settings, restricted by the environment. What a variable may not do is ignored silently."""
    wanted = settings_in_environment(environment)
    if not wanted:
        return settings
    return settings._replace(**{name: rule_of(name).restrict(getattr(settings, name), wanted[name]) for name in wanted})
