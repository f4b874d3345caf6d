"""What it means for each setting to let no more happen, and values to try it with."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tacit.errors import UsageError
from tacit.home.capture_policy import is_session_captured
from tacit.home.paths import HomePaths
from tacit.home.settings import NO_MODE, Settings, validate_value

MODES = ("", "default", "plan", "acceptEdits", NO_MODE)
NOWHERE = HomePaths("/nowhere")


def _modes(value: tuple[str, ...]) -> set[str]:
    enabled = Settings(autocapture_enabled=True, autocapture_on_modes=value)
    return {mode for mode in MODES if is_session_captured(enabled, NOWHERE, "", mode)}


def _not_larger(value: int, than: int) -> bool:
    return value <= than


def _still_left_out(value: tuple[str, ...], than: tuple[str, ...]) -> bool:
    return set(value) >= set(than)


_SIZES = (
    "shell_capture shell_notice autocapture_enabled autocapture_inject_on_start autocapture_inject_on_prompt"
    " autocapture_inject_on_tools"
    " agents_notice learn_accept brief_entries brief_tokens limits_text inject_max_characters autocapture_max_turn_size"
    " autocapture_max_tool_input autocapture_max_tool_result autocapture_max_recent_sessions model_tokens_per_day"
    " model_timeout pages_background"
).split()
# Whether a value lets no more happen than another does, by what each setting is for. Written down a second time, so
# that a rule which is declared wrongly is noticed.
NO_MORE: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(_SIZES, _not_larger),
    **dict.fromkeys(["pages_entries", "check_programs"], lambda value, than: value == than),
    **dict.fromkeys(["shell_ignore", "shell_ignore_directories", "agents_ignore_directories"], _still_left_out),
    "autocapture_skip_tools": _still_left_out,
    "autocapture_on_modes": lambda value, than: _modes(value) <= _modes(than),
    "model_name": lambda value, than: value in ("", than),
    "learn_agent": lambda value, than: value in ("", than),
    "learn_when": lambda value, than: value in ("", than),
    "shell_key": lambda value, than: value in ("", than),
}
PRESENTATION = {"recall_limit", "autocapture_summarize"}


@cache
def range_of(name: str) -> tuple[int, int]:
    """Of a number, as its refusal tells it."""
    with pytest.raises(UsageError) as refused:
        validate_value(name, 0, "", "")
    least, most = (int(found.replace(",", "")) for found in re.findall(r"[\d,]+", refused.value.message))
    return least, most


def text_for(name: str, dice: random.Random) -> str:
    """A text that is fit for a setting, as a variable holds it."""
    default = Settings._field_defaults[name]
    if isinstance(default, bool):
        return dice.choice(("0", "1", "off", "on", "true", "no", " Yes "))
    if isinstance(default, tuple):
        words = MODES if name == "autocapture_on_modes" else ("*", "~/", "~/private", "WebFetch", "make *")
        return ",".join(dice.sample(words, dice.randrange(4)))
    if isinstance(default, str):
        fit = {"learn_when": ["daily"], "shell_key": ["alt-i", "ctrl-o"]}.get(name, ["gpt-4o-mini", "evil"])
        return dice.choice(("", " ", *fit))
    least, most = range_of(name)
    return str(dice.choice((least, most, default, dice.randint(least, most))))
