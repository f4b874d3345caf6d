"""Settings as one frozen value, and what variables of the environment may restrict."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from typing import Any

from tacit.errors import UsageError
from tacit.record import Record

# What a variable of the environment may do to a setting: restrict it, and never grant more than the file does.
#
# A repository, an agent or a tool such as direnv can set variables, so a variable is not the person's consent.

NO_MODE = "(none)"  # the only entry of a list of modes that allows none: an empty list allows all


class VariableRule(Record):
    """`hold(said, wanted)` is the value that holds where the file says one thing and a variable wants another. It
    never grants more than what the file says. `may` tells a person what a variable may do."""

    name: str
    description: str
    restrict: Callable[[Any, Any], Any]


def _union(said: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    return (*said, *(one for one in wanted if one not in said))


def _intersection(said: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Entries that both allow, where an empty list allows everything."""
    if not said or not wanted:
        return said or wanted
    return tuple(one for one in said if one in wanted) or (NO_MODE,)


ANY = VariableRule("any", "may say anything", lambda _said, wanted: wanted)  # only for how something is presented
ONLY_OFF = VariableRule("only off", "may only turn it off", lambda said, wanted: said and wanted)
ONLY_LOWER = VariableRule("only lower", "may only lower it", min)
ONLY_ADD = VariableRule("only add", "may only add to the list", _union)
ONLY_NARROW = VariableRule("only narrow", "may only leave some out", _intersection)
ONLY_EMPTY = VariableRule("only empty", "may only be empty, for none", lambda said, wanted: said if wanted else "")
NEVER = VariableRule("never", "may say nothing", lambda said, _wanted: said)


# Settings: one frozen value from defaults and the home's `tacit.toml`, never from a repository. Variables of the
# environment may only restrict it, as the table says for each setting.
#
# Hooks read them at every prompt, so what only `tacit config` needs is in the files beside this one.

SETTINGS_TEMPLATE = """\
# Settings of Tacit. Every line is a default; take away the # to change it, or type: tacit config set KEY VALUE

# [recall]
# limit = 10          # answers a question gets

# [brief]
# entries = 7         # memories in a brief, from 1 to 7
# tokens = 1200       # what a brief may cost

# [limits]
# text = 2000         # characters of one memory

# [shell]
# capture = true              # record the commands of shells that load `tacit hook`
# notice = true               # one quiet line at the prompt when there is a new suggestion
# ignore = []                 # command lines that are not recorded: ["*vpn*", "pass *"]
# ignore_directories = []     # nor what is run in these folders and below: ["~/private"]

# [agents]
# notice = true               # one line for you when a session starts and suggestions wait; the model is not told
# ignore_directories = []     # sessions in these folders and below are not captured and get nothing: ["~/private"]

# [autocapture]
# enabled = false             # capture what you and agents do together: tacit autocapture on
# on_modes = []               # only in these modes of the agent: ["default", "plan"]; empty: in all
# skip_tools = []             # further tools whose results are not kept: ["WebFetch"]
# max_turn_size = 10000       # characters of a reply, and of a turn on its page; your own words are kept whole
# max_tool_input = 200        # characters of what a tool is given, and of what an edit changed
# max_tool_result = 500       # characters of what a tool answers
# summarize = true            # sum up longer turns on the pages of sessions
# inject_on_start = true      # give a new session the brief and the last sessions
# inject_on_prompt = true     # give a prompt the memories and the session that bear on it
# max_recent_sessions = 3     # sessions told at the start, from 1 to 10

# [inject]
# max_characters = 10000      # what an agent is given at once, from 500 to 10000

# [learn]
# accept = false              # what you said clearly to an agent, in your own words, needs no review

# [model]
# name = ""                   # a model of the `llm` library that helps to learn; empty: none is asked
# tokens_per_day = 20000      # what it may cost
# timeout = 30                # seconds it may take, from 1 to 600
"""


class Settings(Record):
    """The settings with their defaults. Names are `section_key` of the file."""

    recall_limit: int = 10
    brief_entries: int = 7
    brief_tokens: int = 1200
    limits_text: int = 2000
    shell_capture: bool = True
    shell_notice: bool = True
    shell_ignore: tuple[str, ...] = ()
    shell_ignore_directories: tuple[str, ...] = ()
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
    autocapture_max_recent_sessions: int = 3
    # Claude Code puts more than 10,000 characters into a file that nobody reads.
    inject_max_characters: int = 10_000
    learn_accept: bool = False
    model_name: str = ""
    model_tokens_per_day: int = 20_000
    model_timeout: int = 30


_DEFAULTS = Settings._field_defaults
_DEFAULT_RANGE = (1, 10**9)
# What a variable may do to each setting; nothing to one that is not listed.
VARIABLE_RULES = {
    "recall_limit": ANY,
    "brief_entries": ONLY_LOWER,
    "brief_tokens": ONLY_LOWER,
    "limits_text": ONLY_LOWER,
    "shell_capture": ONLY_OFF,
    "shell_notice": ONLY_OFF,
    "shell_ignore": ONLY_ADD,
    "shell_ignore_directories": ONLY_ADD,
    "agents_notice": ONLY_OFF,
    "agents_ignore_directories": ONLY_ADD,
    "autocapture_enabled": ONLY_OFF,
    "autocapture_on_modes": ONLY_NARROW,
    "autocapture_skip_tools": ONLY_ADD,
    "autocapture_max_turn_size": ONLY_LOWER,
    "autocapture_max_tool_input": ONLY_LOWER,
    "autocapture_max_tool_result": ONLY_LOWER,
    "autocapture_summarize": ANY,
    "autocapture_inject_on_start": ONLY_OFF,
    "autocapture_inject_on_prompt": ONLY_OFF,
    "autocapture_max_recent_sessions": ONLY_LOWER,
    "inject_max_characters": ONLY_LOWER,
    "learn_accept": ONLY_OFF,
    "model_name": ONLY_EMPTY,
    "model_tokens_per_day": ONLY_LOWER,
    "model_timeout": ONLY_LOWER,
}
# The least and the greatest value of numbers that have special ones.
_RANGES = {
    "autocapture_max_turn_size": (1_000, 1_000_000),
    "autocapture_max_tool_input": (20, 10_000),
    "autocapture_max_tool_result": (20, 100_000),
    "autocapture_max_recent_sessions": (1, 10),
    "inject_max_characters": (500, 10_000),
    "model_timeout": (1, 600),
}
_MAX_TEXT_CHARS = 200  # of a text
_MAX_FILE_BYTES = 1 << 20  # bytes of the file
_VARIABLE_PREFIX = "TACIT_"
_BOOLEAN_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def read_settings(path: str, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of a home, restricted by the environment; a file of comments costs no parser."""
    return restricted(_settings_from_text(settings_text(path), path), environment or {})


def settings_or_defaults(path: str, environment: Mapping[str, str]) -> Settings:
    """For hooks. What cannot be read breaks no prompt: then nothing is captured and nothing is given."""
    try:
        return read_settings(path, environment)
    except Exception:
        return Settings(
            shell_capture=False,
            agents_notice=False,
            autocapture_enabled=False,
            autocapture_inject_on_start=False,
            autocapture_inject_on_prompt=False,
        )


def settings_text(path: str) -> str:
    """The text of the file as it is; nothing where there is none."""
    try:
        return _read_plain_file(path).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError:
        raise invalid_toml_error(path, "it is no UTF-8") from None


def _read_plain_file(path: str) -> bytes:
    """A plain file, links followed. A named pipe would keep us waiting, and a device may never end."""
    if stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)) as file:
            if (
                stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                and len(data := file.read(_MAX_FILE_BYTES + 1)) <= _MAX_FILE_BYTES
            ):
                return data
    raise UsageError(f"{path} is no plain file of at most {_MAX_FILE_BYTES >> 20} MiB", f"look at it: ls -lL {path}")


def key_of(name: str) -> str:
    """How a person calls a setting: `section.key`."""
    return name.replace("_", ".", 1)


def variable_of(name: str) -> str:
    """The variable of the environment that may restrict what the file says."""
    return _VARIABLE_PREFIX + name.upper()


def rule_of(name: str) -> VariableRule:
    """What that variable may do."""
    return VARIABLE_RULES.get(name, NEVER)


def parse_value(name: str, text: str) -> object:
    """What a text says for a setting: a number, a truth, a list with commas, else the text itself."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        return _BOOLEAN_WORDS.get(text.strip().lower(), text)
    if isinstance(default, tuple):
        return [one.strip() for one in text.split(",") if one.strip()]
    if isinstance(default, str):
        return text.strip()
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text


def validate_value(name: str, value: object, where: str, hint: str) -> Any:
    """The value as `Settings` holds it, if it is of the kind and in the range that are allowed."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise UsageError(f"{where} must be true or false", hint)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        raise UsageError(f'{where} must be a list of texts, such as ["one", "two"]', hint)
    if isinstance(default, str):
        if isinstance(value, str) and len(value) <= _MAX_TEXT_CHARS and value.isprintable():
            return value
        raise UsageError(f"{where} must be a text of one line, with up to {_MAX_TEXT_CHARS} characters", hint)
    least, most = _RANGES.get(name, _DEFAULT_RANGE)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise UsageError(f"{where} must be a whole number from {least:,} to {most:,}", hint)


def invalid_toml_error(path: str, why: str) -> UsageError:
    return UsageError(f"{path} is not valid TOML: {why}", f"mend it, or start again: rm {path} && tacit init")


def settings_in_file(text: str, path: str) -> dict[str, Any]:
    """What the file says, by name of the setting."""
    import tomllib

    try:
        sections = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and nestings without end
        raise invalid_toml_error(path, str(error)) from None
    said = {}
    for section, values in sections.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            name = f"{section}_{key}"
            if name in _DEFAULTS and key_of(name) == f"{section}.{key}":  # else a newer Tacit may know it
                said[name] = validate_value(
                    name, value, f"{path}: {section}.{key}", f"tacit config unset {section}.{key}"
                )
    return said


def settings_in_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment asks for, by name of the setting, whether or not it may. An empty variable asks for
    nothing, unless the setting is a text: then for an empty one."""
    said = {}
    for variable, text in environment.items():
        if not variable.startswith(_VARIABLE_PREFIX):
            continue
        name = variable[len(_VARIABLE_PREFIX) :].lower()
        if name not in _DEFAULTS or variable != variable_of(name):
            continue
        if text.strip() or isinstance(_DEFAULTS[name], str):
            said[name] = validate_value(name, parse_value(name, text), variable, f"unset {variable}")
    return said


def _settings_from_text(text: str, path: str) -> Settings:
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return Settings()
    return Settings(**settings_in_file(text, path))


def restricted(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """The settings as far as the environment lets them hold. What a variable may not do is left out, silently."""
    wanted = settings_in_environment(environment)
    if not wanted:
        return settings
    return settings._replace(**{name: rule_of(name).restrict(getattr(settings, name), wanted[name]) for name in wanted})
