"""Errors that a person meets: exit codes as the reference documents them, and what may be caught with what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person

from tacit.errors import (
    IndexUnusableError,
    LockBusyError,
    NotFoundError,
    ReadOnlyError,
    RefusedError,
    StoreError,
    TacitError,
    UsageError,
)

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"


def subclasses(error: type[TacitError]) -> Iterator[type[TacitError]]:
    for subclass in error.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def test_every_exit_code_is_in_the_reference() -> None:
    (documented,) = re.findall(r"^Exit codes: (.*?\))\.", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    codes = {error.exit_code for error in subclasses(TacitError)}
    assert codes == {int(code) for code in re.findall(r"\b\d\b", documented)} - {0}


def test_only_trouble_with_the_home_has_an_exit_code_of_three_or_more() -> None:
    for error in subclasses(TacitError):
        assert issubclass(error, StoreError) == (error.exit_code >= 3), error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError, 2),
        (RefusedError, 1),
        (NotFoundError, 1),
        (StoreError, 3),
        (ReadOnlyError, 4),
        (LockBusyError, 5),
    ],
)
def test_every_error_has_its_exit_code_and_may_say_what_to_type(error: type[TacitError], code: int) -> None:
    raised = error("what happened", "tacit list")
    assert (raised.exit_code, raised.message, raised.hint, str(raised)) == (
        code,
        "what happened",
        "tacit list",
        "what happened",
    )
    assert error("what happened").hint == ""


@pytest.mark.parametrize("error", [ReadOnlyError, LockBusyError])
def test_whoever_can_do_without_the_home_catches_one_error(error: type[TacitError]) -> None:
    with pytest.raises(StoreError, match="what happened"):
        raise error("what happened")


def test_an_unusable_index_is_never_shown_to_a_person() -> None:
    assert not issubclass(IndexUnusableError, TacitError)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("add", ""), UsageError),
        (("show", "nothing of the kind"), NotFoundError),
        (("add", "x" * 2001), RefusedError),
    ],
)
def test_a_person_sees_the_message_and_gets_the_exit_code(
    person: Person, words: tuple[str, ...], error: type[TacitError]
) -> None:
    said = person.tacit(*words, code=error.exit_code)
    assert said.out == "" and said.err.startswith("tacit: ")


def test_the_hint_is_on_a_line_of_its_own(person: Person) -> None:
    with person.vault() as vault, pytest.raises(RefusedError) as refused:
        vault.add("x" * 2001)
    message, hint = person.tacit("add", "x" * 2001, code=1).err.splitlines()
    assert (message, hint) == (f"tacit: {refused.value.message}", f"  → {refused.value.hint}")
