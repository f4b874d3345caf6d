"""What a person or an agent waits for loads little, and what it loads is quickly made."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person

from tests.support.hook_calls import RULES, SESSION

# `typing` takes a twentieth of the time of a question, and its `NamedTuple` compiles a constructor for each class.
_SLOWLY_MADE = """
import sys
if "typing" in sys.modules:
    print("slowly made: typing")
import typing
for name, module in list(sys.modules.items()):
    if name.startswith("tacit"):
        for what in vars(module).values():
            if typing.NamedTuple in getattr(what, "__orig_bases__", ()):
                print("slowly made", name, what.__name__)
print(*(name for name in sys.modules if name.startswith("tacit")))
"""
_PROMPT = "from tacit.hooks import dispatch; dispatch.inject('claude', 'UserPromptSubmit', {given!r}, None)"
_START = _PROMPT.replace("UserPromptSubmit", "SessionStart")
_CODE = {
    "a prompt": _PROMPT,
    "the start of a session": _START,
    "recall": "from tacit.cli import main; main(['recall', 'force push'])",
}


def loaded(person: Person, what: str, prompt: str) -> str:
    told = {"session_id": SESSION, "cwd": str(person.folder), "prompt": prompt, "source": "startup"}
    code = _CODE[what].replace("{given!r}", repr(json.dumps(told).encode()))
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{code}\n{_SLOWLY_MADE}"],
        env=person.environment(),
        cwd=person.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def person(tmp_path: Path) -> Person:
    one = Person(tmp_path)
    for rule in RULES:
        one.tacit("add", rule)
    return one


@pytest.mark.parametrize("what", sorted(_CODE))
def test_typing_is_not_loaded_and_every_value_is_a_record_which_compiles_nothing(person: Person, what: str) -> None:
    found = loaded(person, what, "may I force push to main?")

    assert "tacit.home.store" in found
    assert "slowly made" not in found


def test_a_prompt_does_not_load_the_table_of_meaning_and_a_question_does(person: Person) -> None:
    loaded(person, "the start of a session", "")  # catches up with the log, which makes vectors
    assert "tacit.meaning" not in loaded(person, "a prompt", "may I force push to main?").split()
    assert "tacit.meaning" in loaded(person, "recall", "").split()


def test_a_prompt_that_is_given_nothing_loads_neither_the_search_of_sessions_nor_the_tables_of_secrets(
    person: Person,
) -> None:
    loaded(person, "the start of a session", "")  # the standing rules are told
    nothing = loaded(person, "a prompt", "how are you?")
    person.tacit("add", "crane_reset runs every night")
    something = loaded(person, "a prompt", "when does crane_reset run?")

    assert "tacit.inject.relevance" in nothing and "tacit.search.sessions" not in nothing
    assert "tacit.secrets" not in nothing
    assert "tacit.secrets" in something
