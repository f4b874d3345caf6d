"""Settings: one frozen value from defaults and the home's `tacit.toml`. Never anything from a repository."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from tacit.core.errors import WrongUse

TEMPLATE = """\
# Settings of Tacit. Every line is a default; take away the # to change it.

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


_MOST = 10**9


def read_settings(path: str) -> Settings:
    """The settings of a home; a file of comments costs no parser."""
    try:
        with open(path, encoding="utf-8", opener=_without_waiting) as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except UnicodeDecodeError:
        raise _not_toml(path, "it is no UTF-8") from None
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return Settings()
    return _parsed(text, path)


def _parsed(text: str, path: str) -> Settings:
    import tomllib

    try:
        sections = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and nestings without end
        raise _not_toml(path, str(error)) from None
    known = Settings()._asdict()
    settings = Settings()
    for section, values in sections.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            name = f"{section}_{key}"
            if name not in known:
                continue  # a newer Tacit may know it
            settings = settings._replace(**{name: _fit(value, known[name], f"{path}: {section}.{key}")})
    return settings


def _fit(value: object, default: object, where: str) -> Any:
    """The value, if it is of the kind that its default is."""
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise WrongUse(f"{where} must be true or false")
        return value
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise WrongUse(f'{where} must be a list of texts, such as ["one", "two"]')
        return tuple(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST:
        raise WrongUse(f"{where} must be a whole number from 1 to {_MOST:,}")
    return value


def _not_toml(path: str, why: str) -> WrongUse:
    return WrongUse(f"{path} is not valid TOML: {why}", f"mend it, or start again: rm {path} && tacit init")


def _without_waiting(path: str, flags: int) -> int:
    """A named pipe in the place of the file holds no settings, and is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK)
