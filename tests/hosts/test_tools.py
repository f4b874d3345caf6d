"""Which shell lines query Tacit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts.tools import edit_excerpt, lookup_tool, runs_tacit, without_query


@pytest.mark.parametrize(
    "line",
    (
        "tacit recall x",
        "cd a && tacit brief",
        "/usr/bin/tacit why 3",
        "python -m tacit list",
        "A=1 tacit show x | head",
    ),
)
def test_a_line_that_asks_tacit_is_known(line: str) -> None:
    assert runs_tacit(line)


@pytest.mark.parametrize("line", ("ls tacit", "cd src/tacit && ls", "grep -n tacit README.md", "pytest tests/tacit"))
def test_a_line_that_only_names_tacit_does_not_ask_it(line: str) -> None:
    assert not runs_tacit(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('tacit recall "shipping window"', "tacit recall …"),
        ("tacit why 7k2m", "tacit why …"),
        ("tacit recall", "tacit recall"),
        ("tacit add 'never force push'", "tacit add 'never force push'"),
        ("tacit recall x && make deploy", "tacit recall x && make deploy"),  # something else was run, too
    ],
)
def test_the_words_of_a_question_to_tacit_are_not_kept(line: str, expected: str) -> None:
    """The next question would find them, and not what it looks for."""
    assert without_query(line) == expected


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab tacit'\"$`\\&|;()<-\n{}#", max_size=80))
def test_no_line_is_an_error(line: str) -> None:
    runs_tacit(line)


# What is kept of an edit: the lines that differ, short, and without secrets


BEFORE = "def total(cart):\n    tax = 0.19\n    return cart.sum * (1 + tax)\n"
AFTER = "def total(cart):\n    tax = 0.07\n    return cart.sum * (1 + tax)\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n def total(cart):\n-    tax = 0.19\n+    tax = 0.07\n*** End Patch"


def test_a_patch_that_a_shell_applies_is_an_edit_too() -> None:
    command = f"apply_patch <<'EOF'\n{PATCH}\nEOF"
    assert kept("exec_command", {"cmd": command}) == kept("apply_patch", PATCH) != ""
    assert kept("exec_command", {"cmd": "pytest -q"}) == ""


def kept(tool: str, given: object, limit: int = 200) -> str:
    return edit_excerpt(lookup_tool(tool), given, limit)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Edit", {"file_path": "a.py", "old_string": BEFORE, "new_string": AFTER}),
        ("replace", {"file_path": "a.py", "old_string": BEFORE, "new_string": AFTER}),
        ("edit", {"filePath": "a.py", "oldString": BEFORE, "newString": AFTER}),
        ("str_replace_editor", {"path": "a.py", "old_str": BEFORE, "new_str": AFTER, "command": "str_replace"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": BEFORE, "new_string": AFTER}]}),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", PATCH),
    ],
)
def test_the_lines_that_differ_are_kept_whatever_the_host_calls_them(tool: str, given: object) -> None:
    assert kept(tool, given) == "tax = 0.19 → tax = 0.07"


def test_what_was_only_put_in_or_only_taken_out_is_told_as_such() -> None:
    assert kept("Write", {"file_path": "a.py", "content": "import os\n"}) == "+ import os"
    assert kept("Edit", {"file_path": "a.py", "old_string": "a\nb\n", "new_string": "a\n"}) == "− b"
    assert kept("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "x = 1"}) == "+ x = 1"


def test_several_edits_of_one_call_stand_beside_each_other() -> None:
    edits = [{"old_string": "one", "new_string": "two"}, {"old_string": "three", "new_string": "four"}]

    assert kept("MultiEdit", {"file_path": "a.py", "edits": edits}) == "one → two · three → four"


def test_what_changes_no_file_or_nothing_has_no_excerpt() -> None:
    assert kept("Bash", {"command": "sed -i s/a/b/ x"}) == ""
    assert kept("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "a"}) == ""
    assert kept("str_replace_editor", {"path": "a.py", "command": "view"}) == ""


def test_a_secret_is_gone_also_where_the_line_that_tells_it_is_the_same_on_both_sides() -> None:
    body = "MIIEpAIBAAKCAQEA" + "b3Vyc2VjcmV0" * 8
    block = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n"
    one, other = block.format(body), block.format(body[::-1])

    assert body[:20] not in kept("Edit", {"file_path": "k", "old_string": one, "new_string": other}, 2000)
    given = {"file_path": ".env", "old_string": "", "new_string": "GITHUB_TOKEN=ghp_" + "aB3" * 12}
    assert "aB3aB3" not in kept("Edit", given)


@settings(max_examples=60, deadline=None)
@given(old=st.text(max_size=400), new=st.text(max_size=400), limit=st.integers(0, 200))
def test_it_is_one_line_within_its_limit(old: str, new: str, limit: int) -> None:
    told = kept("Edit", {"file_path": "a.py", "old_string": old, "new_string": new}, limit)

    assert len(told) <= limit and "\n" not in told
