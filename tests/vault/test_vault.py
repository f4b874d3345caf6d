"""The facade: every argument reaches the part that it is meant for, and parts are made when they are needed."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

import pytest
from harness.person import Person

import tacit
from tacit.errors import NotFoundError, UsageError
from tacit.model.claim import Kind, Status
from tacit.vault.listing import Filters

TOMORROW = "2026-03-03T12:00:00+00:00"


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository("work")


def test_a_home_is_opened_where_it_is_named_and_made_by_the_first_change(person: Person) -> None:
    with person.at(), tacit.open(person.folder / "other") as vault:
        assert list(vault.search.listing()) == []
        assert not (person.folder / "other").exists()
        vault.add("never force push")
    assert (person.folder / "other" / "memory" / "events.jsonl").is_file()
    assert not person.home.exists()


def test_observations_are_written_when_it_is_closed(person: Person) -> None:
    person.tacit("add", "never force push")
    with person.vault() as vault:
        vault.recall("force push")
        vault.search.recall("zebra", observe=False)
        vault.search.brief(task="push it", observe=False)
    asked = [line for path in (person.home / "activity").iterdir() for line in path.read_text().splitlines()]
    assert len([line for line in asked if '"type":"recall.asked"' in line]) == 1
    assert not [line for line in asked if "zebra" in line or '"type":"brief.given"' in line]


def test_entries_and_suggestions_are_narrowed_by_each_of_their_arguments(person: Person, project: Path) -> None:
    with person.vault(cwd=project) as vault:
        active = vault.memories.add("never force push", kind=Kind.CONSTRAINT, tags=["git"]).memory.id
        waiting = vault.memories.remember("deploys need a ticket", evidence="seen", everywhere=True).memory.id

        def ids(**options: object) -> set[str]:
            return {listed.memory.id for listed in vault.search.listing(**options)}  # type: ignore[arg-type]

        assert (ids(), ids(status=Status.PENDING), ids(status=None)) == ({active}, {waiting}, {active, waiting})
        assert (ids(tag="git"), ids(tag="web"), ids(kind="preference"), ids(scope="global")) == ({active}, *[set()] * 3)
        assert ids(status=None, filters=Filters(project="work")) == {active}
        assert [listed.memory.id for listed in vault.suggestions.listing()] == [waiting]
        assert (
            list(vault.suggestions.listing("local")) == [] and list(vault.suggestions.listing(kind="constraint")) == []
        )
        assert list(vault.suggestions.listing(filters=Filters(before="1d"))) == []


def test_a_candidate_is_decided_on_with_reason_and_kind(person: Person) -> None:
    with person.vault() as vault:
        texts = ("use pnpm", "use npm", "use yarn", "use bun")
        ids = [vault.memories.remember(text, evidence="seen").memory.id for text in texts]
        accepted = vault.memories.accept(ids[0], kind=Kind.CONSTRAINT, evidence="the lock file").memory
        assert (accepted.status, accepted.kind) == (Status.ACTIVE, Kind.CONSTRAINT)
        assert "the lock file" in [evidence.text for evidence in accepted.evidence]
        assert vault.memories.dismiss(ids[1], reason="too slow").memory.reason == "too slow"
        edited = vault.memories.edit(ids[2], text="use yarn for old branches", tags=["build"], accept=True).memory
        assert (edited.claim.sentence, edited.claim.tags) == ("use yarn for old branches", ("build",))
        assert edited.status is Status.ACTIVE
        with pytest.raises(NotFoundError):
            vault.memories.forget(ids[3], by_text=True)
        assert vault.memories.forget("use bun", by_text=True, reason="not installed").memory.reason == "not installed"


def test_a_part_is_made_once_and_works_on_the_same_home(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.memories.add("never force push").memory
        assert vault.search.show(memory.id).memory == memory
        assert vault.search is vault.search
        vault.purger.purge(memory.id)
        assert list(vault.search.listing(status=None)) == []


def test_opening_a_home_imports_no_part(person: Person) -> None:
    code = "import sys, tacit; tacit.open(sys.argv[1]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(person.home)],
        env=person.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name for name in done.stdout.split() if name.startswith("tacit.")}
    parts = ("tacit.vault.", "tacit.learn", "tacit.hosts", "tacit.shell", "tacit.purge", "tacit.sync")
    assert "tacit.vault" in loaded
    assert {name for name in loaded if name.startswith(parts)} == set()


# Members of enumerations, and their names


def test_a_name_is_taken_wherever_a_member_of_an_enumeration_is(person: Person) -> None:
    with person.vault() as vault:
        assert vault.add("force pushes need a review", kind="constraint").memory.kind is Kind.CONSTRAINT
        candidate = vault.memories.suggest("tests run with make", evidence="the README", kind="convention")
        assert vault.memories.accept(candidate.short, kind="rule").memory.kind is Kind.RULE
        assert vault.memories.edit(candidate.short, kind="decision").memory.kind is Kind.DECISION
        assert vault.memories.promote("deploy on Mondays", kind="guidance", evidence="e").memory.kind is Kind.GUIDANCE
        (kept,) = vault.memories.add_each("never push on Fridays", kind="rule")
        assert (kept.memory.kind, len(list(vault.search.listing(status="active")))) == (Kind.RULE, 4)
        assert [listed.memory.kind for listed in vault.search.listing(status="active", kind=Kind.GUIDANCE)] == [
            Kind.GUIDANCE
        ]
        assert [hit.kind for hit in vault.search.recall("force pushes", kind=Kind.CONSTRAINT)] == ["constraint"]
        assert list(vault.suggestions.listing(kind=Kind.RULE)) == []


def test_a_name_that_is_none_is_a_usage_error_that_lists_them(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.add("never force push").memory.id
        calls: list[Callable[[], object]] = [
            lambda: vault.add("use pnpm", kind="constrain"),
            lambda: vault.memories.add_each("use pnpm", kind="constrain"),
            lambda: vault.memories.suggest("use pnpm", evidence="e", kind="constrain"),
            lambda: vault.memories.promote("use pnpm here", evidence="e", kind="constrain"),
            lambda: vault.memories.edit(memory, kind="constrain"),
            lambda: vault.memories.accept(memory, kind="constrain"),
            lambda: list(vault.search.listing(kind="constrain")),
            lambda: list(vault.search.listing(status="asleep")),
            lambda: vault.guard.plan(memory, decision="maybe"),
        ]
        for call in calls:
            with pytest.raises(UsageError, match="no such") as refused:
                call()
            assert refused.value.hint.startswith("one of ")
        assert len(list(vault.search.listing(status=None))) == 1


def test_every_method_that_takes_a_member_takes_its_name(person: Person) -> None:
    taken = []
    with person.vault() as vault:
        parts = [vault, vault.exchange.team, *(getattr(vault, name) for name in dir(type(vault)) if name[0] != "_")]
        enumerations = {cls.__name__ for cls in _subclasses(Enum) if cls.__module__.startswith("tacit.")}
        for part in parts:
            for name, method in inspect.getmembers(part, inspect.ismethod):
                for parameter in inspect.signature(method).parameters.values() if name[0] != "_" else ():
                    words = set(re.findall(r"\w+", str(parameter.annotation)))
                    if words & enumerations:
                        taken.append(name)
                        assert "str" in words, f"{type(part).__name__}.{name} takes {parameter}"
    assert {"add", "accept", "listing", "plan", "decide"} <= set(taken)


def _subclasses(cls: type[Enum]) -> Iterator[type[Enum]]:
    for one in cls.__subclasses__():
        yield one
        yield from _subclasses(one)


def test_what_is_exported_is_there_and_the_guide_calls_it_stable(person: Person) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "python.md").read_text("utf-8")
    for name in tacit.__all__:
        assert getattr(tacit, name) is not None
    with person.vault() as vault:
        assert isinstance(vault, tacit.Vault)
        assert isinstance(vault.add("never force push").memory, tacit.Memory)
        assert {type(hit) for hit in vault.recall("push")} == {tacit.Hit}
        with pytest.raises(tacit.NotFoundError):
            vault.search.show("nothing like this")
    assert "tacit.Vault" in guide and "What is stable" in guide
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tacit.nothing  # type: ignore[attr-defined]
