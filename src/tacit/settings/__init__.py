"""Settings: one frozen value from defaults, the home's `tacit.toml` and the environment. Never from a repository.

Hooks read them at every prompt, so what only `tacit config` needs is in the files beside this one.
"""

import os
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

from tacit.core.errors import WrongUse

TEMPLATE = """\
# Settings of Tacit. Every line is a default; take away the # to change it, or type: tacit config set KEY VALUE

# [recall]
# limit = 10          # answers a question gets

# [brief]
# entries = 7         # memories in a brief, from 3 to 7
# tokens = 1200       # what a brief may cost

# [limits]
# text = 2000         # characters of one memory

# [shell]
# capture = true              # record the commands of shells that load `tacit hook`
# notice = true               # one quiet line at the prompt when there is a new suggestion
# ignore = []                 # command lines that are not recorded: ["*vpn*", "pass *"]
# ignore_directories = []     # nor what is run in these folders and below: ["~/private"]

# [agents]
# ignore_directories = []     # sessions in these folders and below are not captured and get nothing: ["~/private"]

# [autocapture]
# enabled = false             # capture what you and agents do together: tacit autocapture on
# on_modes = []               # only in these modes of the agent: ["default", "plan"]; empty: in all
# skip_tools = []             # further tools whose results are not kept: ["WebFetch"]
# max_turn_size = 10000       # characters of one turn; longer ones are shortened
# max_tool_input = 200        # characters of what a tool is given
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


class Settings(NamedTuple):
    """Names are `section_key` of the file."""

    recall_limit: int = 10
    brief_entries: int = 7
    brief_tokens: int = 1200
    limits_text: int = 2000
    shell_capture: bool = True
    shell_notice: bool = True
    shell_ignore: tuple[str, ...] = ()
    shell_ignore_directories: tuple[str, ...] = ()
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
    inject_max_characters: int = 10_000
    learn_accept: bool = False
    model_name: str = ""
    model_tokens_per_day: int = 20_000
    model_timeout: int = 30


_DEFAULTS = Settings._field_defaults
_ANY = (1, 10**9)
_RANGES = {
    "autocapture_max_turn_size": (1_000, 1_000_000),
    "autocapture_max_tool_input": (20, 10_000),
    "autocapture_max_tool_result": (20, 100_000),
    "autocapture_max_recent_sessions": (1, 10),
    "inject_max_characters": (500, 10_000),  # Claude Code puts more than 10,000 into a file that nobody reads
    "model_timeout": (1, 600),
}
_LONGEST = 200  # of a text
_MOST = 1 << 20  # bytes of the file
_VARIABLE = "TACIT_"
_TRUTH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def read_settings(path: str, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of a home, and over them those of the environment; a file of comments costs no parser."""
    return _over(_of_text(settings_text(path), path), environment or {})


def settings_or_defaults(path: str, environment: Mapping[str, str]) -> Settings:
    """For hooks. What cannot be read breaks no prompt: then nothing is captured and nothing is given."""
    try:
        return read_settings(path, environment)
    except Exception:
        return Settings(
            shell_capture=False,
            autocapture_enabled=False,
            autocapture_inject_on_start=False,
            autocapture_inject_on_prompt=False,
        )


def settings_text(path: str) -> str:
    """The text of the file as it is; nothing where there is none."""
    try:
        return _bytes_of(path).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError:
        raise not_toml(path, "it is no UTF-8") from None


def _bytes_of(path: str) -> bytes:
    """A plain file, links followed. A named pipe would keep us waiting, and a device may never end."""
    if stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and len(data := file.read(_MOST + 1)) <= _MOST:
                return data
    raise WrongUse(f"{path} is no plain file of at most {_MOST >> 20} MiB", f"look at it: ls -lL {path}")


def key_of(name: str) -> str:
    """How a person calls a setting: `section.key`."""
    return name.replace("_", ".", 1)


def variable_of(name: str) -> str:
    """The variable of the environment that overrules the file."""
    return _VARIABLE + name.upper()


def value_in(name: str, text: str) -> object:
    """What a text says for a setting: a number, a truth, a list with commas, else the text itself."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        return _TRUTH.get(text.strip().lower(), text)
    if isinstance(default, tuple):
        return [one.strip() for one in text.split(",") if one.strip()]
    if isinstance(default, str):
        return text.strip()
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text


def fit(name: str, value: object, where: str, hint: str) -> Any:
    """The value as `Settings` holds it, if it is of the kind and in the range that are allowed."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise WrongUse(f"{where} must be true or false", hint)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        raise WrongUse(f'{where} must be a list of texts, such as ["one", "two"]', hint)
    if isinstance(default, str):
        if isinstance(value, str) and len(value) <= _LONGEST and value.isprintable():
            return value
        raise WrongUse(f"{where} must be a text of one line, with up to {_LONGEST} characters", hint)
    least, most = _RANGES.get(name, _ANY)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise WrongUse(f"{where} must be a whole number from {least:,} to {most:,}", hint)


def not_toml(path: str, why: str) -> WrongUse:
    return WrongUse(f"{path} is not valid TOML: {why}", f"mend it, or start again: rm {path} && tacit init")


def of_file(text: str, path: str) -> dict[str, Any]:
    """What the file says, by name of the setting."""
    import tomllib

    try:
        sections = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and nestings without end
        raise not_toml(path, str(error)) from None
    said = {}
    for section, values in sections.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            name = f"{section}_{key}"
            if name in _DEFAULTS and key_of(name) == f"{section}.{key}":  # else a newer Tacit may know it
                said[name] = fit(name, value, f"{path}: {section}.{key}", f"tacit config unset {section}.{key}")
    return said


def of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment says, by name of the setting. An empty variable says nothing."""
    said = {}
    for variable, text in environment.items():
        if not variable.startswith(_VARIABLE) or not text.strip():
            continue
        name = variable[len(_VARIABLE) :].lower()
        if name in _DEFAULTS and variable == variable_of(name):
            said[name] = fit(name, value_in(name, text), variable, f"unset {variable}")
    return said


def _of_text(text: str, path: str) -> Settings:
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return Settings()
    return Settings(**of_file(text, path))


def _over(settings: Settings, environment: Mapping[str, str]) -> Settings:
    said = of_environment(environment)
    return settings._replace(**said) if said else settings
