"""Lines as another program could have written them: well-formed, with a good checksum, and full of anything."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from typing import Any

from harness.person import Person

from tacit.log.codec import with_checksum
from tacit.model.ids import event_id

Fields = dict[str, Any]
# Every field of a line that holds free text, wherever in the body it stands.
_FREE = {
    *("sentence", "object", "evidence", "reason", "source", "task", "summary", "changes", "next", "label", "query"),
    "name",
}


def lived(person: Person) -> dict[str, Fields]:
    """One real line of each type that a few commands write, by type."""
    person.tacit("add", "never force push", "--tag", "git", "--evidence", "a review")
    person.tacit("remember", "prefer small commits", "--evidence", "a talk")
    person.tacit("log", "--task", "T-1", "--summary", "moved", "--changes", "c", "--evidence", "e", "--next", "n")
    person.tacit("add", "run the linter")
    person.tacit("forget", "--text", "run the linter", "--reason", "obsolete", "--evidence", "a talk")
    person.tacit("add", "sort the imports")
    person.tacit("undo")
    person.tacit("evaluate")
    written = [*person.events.parent.glob("*.jsonl"), *(person.home / "activity").glob("*.jsonl")]
    lines = [json.loads(line) for path in sorted(written) for line in path.read_bytes().splitlines()]
    return {fields["type"]: fields for fields in lines}


def line(fields: Fields) -> bytes:
    """The line of these fields, sealed, with its line feed."""
    rest = {name: value for name, value in fields.items() if name != "c"}
    return with_checksum(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii"))


def renamed(fields: Fields, number: int) -> Fields:
    """A copy with an id of its own, later than all real ones."""
    name = event_id((1 << 41) + number, number.to_bytes(10, "big"))
    return {**copy.deepcopy(fields), "id": name, "op": name}


def saying(fields: Fields, text: str, number: int, aside: str | None = None) -> Fields:
    """A copy that says this, and `aside` in every other free text; claims stay different from each other."""
    other = text if aside is None else aside

    def replaced(name: str, value: object) -> object:
        match value:
            case dict():
                return {key: replaced(key, inner) for key, inner in value.items()}
            case list() if name in ("tags", "carried_evidence"):
                return [other]
            case list():
                return [replaced(name, inner) for inner in value]
            case str() if name == "object":
                return f"{number} {other[:500]}"
            case str() if name in _FREE:
                return text if name in ("sentence", "summary") else other
        return value

    fresh = renamed(fields, number)
    return {**fresh, "body": replaced("body", fresh["body"])}


def plant(person: Person, fields: Iterable[Fields]) -> None:
    """Put these lines at the end of the log, each where its type belongs."""
    plant_raw(person, (line(one) for one in fields))


def plant_raw(person: Person, lines: Iterable[bytes]) -> None:
    with person.events.open("ab") as file:
        file.writelines(lines)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value inside."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from leaves(inner, (*path, key))


def changed(fields: Fields, path: tuple[str | int, ...], value: object) -> Fields:
    """A copy with another value in one place."""
    fresh = copy.deepcopy(fields)
    place: Any = fresh
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return fresh
