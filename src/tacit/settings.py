"""Settings: one frozen value from defaults and the home's `tacit.toml`. Never anything from a repository."""

from __future__ import annotations

import os
from typing import NamedTuple

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
"""


class Settings(NamedTuple):
    """Names are `section_key` of the file."""

    recall_limit: int = 10
    brief_entries: int = 7
    brief_tokens: int = 1200
    limits_text: int = 2000


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
    known = set(Settings._fields)
    settings = Settings()
    for section, values in sections.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            name = f"{section}_{key}"
            if name not in known:
                continue  # a newer Tacit may know it
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST:
                raise WrongUse(f"{path}: {section}.{key} must be a whole number from 1 to {_MOST:,}")
            settings = settings._replace(**{name: value})
    return settings


def _not_toml(path: str, why: str) -> WrongUse:
    return WrongUse(f"{path} is not valid TOML: {why}", f"mend it, or start again: rm {path} && tacit init")


def _without_waiting(path: str, flags: int) -> int:
    """A named pipe in the place of the file holds no settings, and is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK)
