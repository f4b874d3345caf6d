"""Placeholders in steps: whatever a value holds, it is one word of the step."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tacit.errors import RefusedError, UsageError
from tacit.model.workflow import can_be_filled, checked_value, fill_placeholders, placeholder_names

STEP = "printf '[%s]' {?x} \"<{?x}>\" '({?x})' pre{?x}post"
NASTY = "'\"`$(){}[]<>|&;!#~*?\\ \t=-+%^@:,/\u00e9\u6f22"
SHELLS = ("sh", "bash", "zsh", "fish")


def printed(shell: str, step: str) -> str:
    path = shutil.which(shell)
    assert path, f"{shell} is not installed"
    call = [path, "-c", step] if shell == "fish" else [path, "-c", "--", step]
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", check=True, timeout=60)
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.sampled_from(NASTY + "abc"), max_size=12).filter(str.isprintable))
@example(value="$(touch /tmp/no); `id` '\"; echo no \\")
@example(value="'")
@example(value="\\")
@example(value="")
@example(value="-rf")
@example(value='it\'s "quoted"')
def test_a_value_is_one_word_in_every_shell_and_every_quotation(shell: str, value: str) -> None:
    assert (
        printed(shell, fill_placeholders(STEP, {"x": value}, shell))
        == f"[{value}][<{value}>][({value})][pre{value}post]"
    )


def test_names_are_asked_for_once_and_in_order() -> None:
    assert placeholder_names(["git tag v{?version}", "git commit -m {?message}", "push {?version}"]) == [
        "version",
        "message",
    ]


@pytest.mark.parametrize("text", ["{{x}}", "{?}", "{?X}", "${x}", "{? x}", "curl -w '%{http_code}'", "git show @{u}"])
def test_what_looks_like_one_is_none(text: str) -> None:
    assert placeholder_names([text]) == []
    assert fill_placeholders(text, {}, "sh") == text


@pytest.mark.parametrize(
    "step",
    [
        'echo "$(date {?x})"',
        "echo `date {?x}`",
        "cat <<EOF\n{?x}\nEOF",
        "echo $'{?x}'",
        "echo $(( {?x} ))",
        'echo "${y:-{?x}}"',
        "echo # {?x}",
        "echo '{?x}",
    ],
)
def test_where_quoting_is_not_enough_the_step_is_refused(step: str) -> None:
    assert not can_be_filled(step)
    with pytest.raises(RefusedError):
        fill_placeholders(step, {"x": "1"}, "sh")


@pytest.mark.parametrize("value", ["two\nlines", "a\x00b", "\x1b[2J", "x" * 3000])
def test_a_value_is_one_line_of_text(value: str) -> None:
    with pytest.raises(UsageError):
        checked_value("x", value)
