"""What agents and variables may not do: every verb for every agent, and every setting against its variable.

Agents are tried by each variable that they are known by, in several ways to look like somebody else. Nothing that is
the person's may be decided, and what is refused may not change a byte.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.person import Person, tree

from tacit import cli
from tacit.home import settings
from tacit.home.actor import AGENT_VARIABLES
from tacit.home.settings import ANY, Settings, key_of, parse_value, restricted, validate_value, variable_of
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced
from tests.support.forms import OTHERS, PERSON_ONLY, furnish, typed
from tests.support.permissive import NO_MORE, text_for

MARKERS = tuple(dict.fromkeys((sign.variable, sign.value or "1") for sign in AGENT_VARIABLES))
WAYS: Mapping[str, Mapping[str, str]] = {
    "as it is": {},
    "as the person": {"TACIT_ACTOR": "user"},
    "as a policy": {"TACIT_ACTOR": "policy"},
    "with variables that grant": {
        "TACIT_AUTOCAPTURE_ENABLED": "1",
        "TACIT_LEARN_ACCEPT": "1",
        "TACIT_MODEL_NAME": "evil",
        "TACIT_SESSION": "s-1",
    },
}


def verbs(folder: Path, markers: Sequence[tuple[str, str]] = MARKERS, ways: Sequence[str] = tuple(WAYS)) -> Outcome:
    """Every form of every verb, for each of these markers in each of these ways."""
    folder.mkdir(parents=True)
    person, runs, faults = Person(folder), 0, list[str]()
    furnish(person)
    words = {line: typed(person, line) for line in (*PERSON_ONLY.values(), *OTHERS)}
    with open(os.devnull) as nobody, replaced(sys, "stdin", nobody):
        for marker, value in markers:
            for way in ways:
                environment = {marker: value, **WAYS[way]}
                found = [*_refused(person, words, environment), *_undecided(person, words, environment)]
                faults += [f"{marker}={value}, {way}: {fault}" for fault in found]
                runs += len(words)
    return Outcome(runs, 0, 0, tuple(faults), f"{len(words)} forms, {len(markers)} markers, {len(ways)} ways")


def _refused(person: Person, words: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> Iterator[str]:
    before = tree(person.folder)
    for line in PERSON_ONLY.values():
        said = person.tacit(*words[line], code=None, cwd=person.folder / "work", **environment)
        if said.code != 1 or "only a person" not in said.err:
            yield f"tacit {line} ended with {said.code}"
        if (after := tree(person.folder)) != before:
            yield f"tacit {line} changed files"
            before = after


def _undecided(person: Person, words: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> Iterator[str]:
    before = _decided(person)
    for line in OTHERS:
        said = person.tacit(*words[line], code=None, cwd=person.folder / "work", **environment)
        if "only a person" in said.err:
            yield f"tacit {line} was refused"
        if (after := _decided(person)) != before:
            yield f"tacit {line} decided something"
            before = after


def _decided(person: Person) -> dict[str, object]:
    """All that is the person's to decide: what holds and what does not, settings, and files outside of the home."""
    memories = person.listed("--status", "all", "--scope", "all")
    outside = {name: content for name, content in tree(person.folder).items() if not name.startswith(".agents/")}
    settings = person.home / "tacit.toml"
    return {
        "memories": sorted((one["id"], one["status"]) for one in memories if one["status"] != "pending"),
        "settings": settings.read_bytes() if settings.exists() else b"",
        "workflows": person.tacit("workflow", "--json").out,
        "outside": outside,
    }


def variables(count: int, seed: int = 1) -> Outcome:
    """So many settings files, each with an environment that says something about most settings."""
    dice, faults = random.Random(seed), list[str]()
    for _ in range(count):
        in_file, in_environment = ([name for name in Settings._fields if dice.random() < 0.7] for _ in range(2))
        values = {name: parse_value(name, text_for(name, dice)) for name in in_file}
        said = Settings(**{name: validate_value(name, value, name, "") for name, value in values.items()})
        environment = {variable_of(name): text_for(name, dice) for name in in_environment}
        held = restricted(said, environment)
        faults += [
            f"{key_of(name)}: {getattr(said, name)!r} with {environment.get(variable_of(name))!r}"
            for name, no_more in NO_MORE.items()
            if not no_more(getattr(held, name), getattr(said, name))
        ]
    return Outcome(count, 0, 0, tuple(faults), f"{len(NO_MORE)} settings, none lets more happen")


def unasked(folder: Path) -> Outcome:
    """Mutant: nobody looks up who may do what."""
    with replaced(cli, "must_be_allowed", lambda _call: None):
        return verbs(folder / "person", (("CLAUDECODE", "1"),), ("as it is",))


def overruled(count: int) -> Outcome:
    """Mutant: a variable overrules the settings file."""
    with replaced(settings, "rule_of", lambda _name: ANY):
        return variables(count)


def test_no_agent_decides_or_changes_anything_by_any_verb(tmp_path: Path) -> None:
    markers = (("CLAUDECODE", "1"), ("AI_AGENT", "1"))
    assert_held(verbs(tmp_path / "person", markers, ("as the person",)), runs=150)


def test_no_variable_lets_more_happen() -> None:
    assert_held(variables(300))


def rows(short: bool) -> Iterator[Row]:
    markers, environments = (MARKERS[:1], 500) if short else (MARKERS, 20_000)
    yield Row("C5 every verb, every agent", lambda at: verbs(at / "person", markers))
    yield mutant_row("C5 mutant: the table is not asked", unasked, "tacit install claude --yes changed files")
    yield Row("C5 settings against variables", lambda _at: variables(environments))
    yield mutant_row("C5 mutant: variables overrule", lambda _at: overruled(environments // 10))
