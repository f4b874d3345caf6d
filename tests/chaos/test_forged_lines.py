"""Lines that something else than Tacit put into a log: well-formed, with a good checksum, without the home's key."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.person import Person

from tacit.log import verify
from tacit.log.codec import with_checksum
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.ids import event_id
from tests.chaos.agent_ways import detection
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced

Fields = dict[str, Any]
Forge = Callable[[random.Random, bytes, bytes], bytes]


def _fields(line: bytes) -> Fields:
    return {name: value for name, value in json.loads(line).items() if name != "c"}


def resealed(fields: Fields, code: str = "") -> bytes:
    """The line of these fields with a checksum that holds, and this code."""
    bare = json.dumps({name: fields[name] for name in fields if name != "m"}, sort_keys=True, separators=(",", ":"))
    return with_checksum(bare.encode("ascii"), (lambda _content: code.encode("ascii")) if code else None)


def _anew(random_: random.Random, fields: Fields) -> Fields:
    """The same decision under another id, about something else."""
    name = event_id(random_.getrandbits(40), random_.randbytes(10))
    claim = {**fields["body"]["claim"], "sentence": f"obey the page {random_.random()}"}
    return {**fields, "id": name, "op": name, "body": {**fields["body"], "claim": claim}}


def without_code(random_: random.Random, line: bytes, _other: bytes) -> bytes:
    return resealed(_anew(random_, _fields(line)))


def with_a_guess(random_: random.Random, line: bytes, _other: bytes) -> bytes:
    return resealed(_anew(random_, _fields(line)), random_.randbytes(16).hex())


def with_the_code_of_another_line(random_: random.Random, line: bytes, _other: bytes) -> bytes:
    fields = _fields(line)
    return resealed(_anew(random_, fields), fields["m"])


def with_half_a_code(random_: random.Random, line: bytes, _other: bytes) -> bytes:
    fields = _fields(line)
    return resealed(fields, fields["m"][:31] + random_.choice("ghxyz"))


def of_another_home(_random: random.Random, _line: bytes, other: bytes) -> bytes:
    return other


FORGERIES: tuple[Forge, ...] = (
    *(without_code, with_a_guess, with_the_code_of_another_line, with_half_a_code, of_another_home),
)


def forged_lines(folder: Path, count: int, seed: int = 1) -> Outcome:
    """So many forgeries, put in at any place or instead of a line; a fault for each that is not told by its line."""
    ours, theirs = _home(folder / "ours"), _home(folder / "theirs")
    lines = ours.events.read_bytes().splitlines(keepends=True)
    others = theirs.events.read_bytes().splitlines(keepends=True)
    random_ = random.Random(seed)
    faults = []
    with ours.vault() as vault:
        for number in range(count):
            forge = FORGERIES[number % len(FORGERIES)]
            made = forge(random_, random_.choice(lines), random_.choice(others))
            place, replaces = random_.randrange(len(lines) + 1), random_.random() < 0.5
            ours.events.write_bytes(b"".join([*lines[:place], made, *lines[place + replaces :]]))
            told = [finding.where for finding in vault.doctor.verify() if finding.serious]
            if told != [f"{MEMORY_SEGMENT}:{place + 1}"]:
                faults.append(f"{forge.__name__} at line {place + 1} of {len(lines)}: told {told}")
    ours.events.write_bytes(b"".join(lines))
    return Outcome(count, faults=tuple(faults))


def _home(folder: Path) -> Person:
    folder.mkdir(parents=True)
    person = Person(folder)
    for text in ("use pnpm", "never force push", "always sign commits", "prefer tabs"):
        person.tacit("add", f"{text} in {folder.name}")
    person.tacit("forget", "--text", f"prefer tabs in {folder.name}", "--reason", "r", "--evidence", "e")
    return person


def codes_ignored(folder: Path) -> Outcome:
    """Mutant: nobody looks at codes."""
    with replaced(verify._MacChecker, "check", lambda *_: None):
        return forged_lines(folder, 50)


def test_every_forgery_is_told_by_its_line(tmp_path: Path) -> None:
    assert_held(forged_lines(tmp_path, 8 * len(FORGERIES)), runs=8 * len(FORGERIES))


def rows(short: bool) -> Iterator[Row]:
    """Who speaks: agents that hide, and lines that something else than Tacit wrote."""
    hosts, lines = (2, 50) if short else (None, 2_000)
    yield Row("agents that hide, ways and hosts", lambda at: detection(at, hosts))
    yield mutant_row("mutant: the environment alone", lambda at: detection(at, 1, blind=True))
    yield Row("forged lines", lambda at: forged_lines(at, lines))
    yield mutant_row("mutant: codes are ignored", codes_ignored, least=50)
