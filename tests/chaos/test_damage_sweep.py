"""A log that rots: single bits, lost ends, foreign lines. All of it is found, and every other line is read."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from tacit.log import Log, codec
from tacit.log.codec import decode, encode
from tacit.log.reader import read_lines
from tacit.log.segment import MEMORY_SEGMENT
from tacit.log.verify import verify
from tacit.model.event import Event
from tests.chaos.logs import audit, events, everything, judgement, open_log, origin, text_of
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced, together

_SIZES = (20, 300)
UNNOTICED = "was not noticed"

# What other programs and accidents put between lines (and blank lines, which are no damage).
INSERTS: dict[str, bytes] = {
    "a conflict marker": b"<<<<<<< HEAD\n",
    "the rest of a merge": b"=======\n>>>>>>> theirs\n",
    "a NUL": b"\x00\n",
    "a byte order mark": b"\xef\xbb\xbf\n",
    "half a line": b'{"actor":"user","body":{"claim":{"ki\n',
    "4 KiB of zeros": bytes(4096) + b"\n",
    "not UTF-8": b"\xff\xfe\xfd\n",
    "another program's JSON": b'{"level":"info","msg":"hello"}\n',
}


def filled_log(home: str, count: int, seed: int = 1) -> Log:
    """A log of so many memory operations, and some activity."""
    rng, log = random.Random(seed), open_log(home)
    for number in range(count):
        log.append([judgement(str(number), text_of(rng, _SIZES))], origin("damage"))
    log.append(everything("activity", "some work"), origin("damage"))
    return log


def flips(home: str, count: int, *, step: int = 1) -> Outcome:
    """Flip every bit (or each `step`th) of so many lines, one at a time, between two lines that stay as they are."""
    log = filled_log(home, count)
    whole = [encode(event) for event in events(log, MEMORY_SEGMENT)][:count]
    before, behind = whole[0], whole[-1]
    bits = [range(number % step, 8 * len(line), step) for number, line in enumerate(whole)]
    return together(_flips(before, line, behind, some) for line, some in zip(whole, bits, strict=True))


def _flips(before: bytes, line: bytes, behind: bytes, bits: range) -> Outcome:
    faults: list[str] = []
    for bit in bits:
        changed = bytearray(line)
        changed[bit // 8] ^= 1 << bit % 8
        read = [one.data for one in read_lines(io.BytesIO(before + bytes(changed) + behind))]
        bad = [data for data in read[1:] if data and not isinstance(decode(data), Event)]
        if not bad:
            faults.append(f"bit {bit} of {line!r} {UNNOTICED}")
        # The line feed itself is between two lines, and so is its loss.
        if read[0] != before[:-1] or (read[-1] != behind[:-1] and bit // 8 != len(line) - 1):
            faults.append(f"bit {bit} of {line!r} harmed another line")
    return Outcome(len(bits), 0, 0, tuple(faults))


def cuts(home: str, *, step: int = 1) -> Outcome:
    """Cut the log at every byte (or each `step`th) of its last three lines; then write on."""
    log = filled_log(home, 5)
    with open(log.path(MEMORY_SEGMENT), "rb") as file:
        data = file.read()
    start = len(b"".join(data.splitlines(keepends=True)[:-3]))
    return together(_cut(log, data, length) for length in range(start, len(data), step))


def _cut(log: Log, data: bytes, length: int) -> Outcome:
    whole = [event.id for line in data[:length].split(b"\n") if isinstance(event := decode(line), Event)]
    with open(log.path(MEMORY_SEGMENT), "wb") as file:
        file.write(data[:length])
    faults = [f"serious: {finding.what}" for finding in verify(log) if finding.serious]
    with open(log.path(MEMORY_SEGMENT), "rb") as file:
        faults += [] if file.read() == data[:length] else ["looking has changed the log"]
    (event,) = log.append([judgement("after", "the next line")], origin("damage"))
    found = audit(log, [*whole, event.id])
    faults += [f"written on: {found}"] if found.faults else []
    return Outcome(1, len(whole) + 1, found.lost, tuple(f"cut at {length}: {fault}" for fault in faults))


def inserts(home: str) -> Outcome:
    """Every sort of foreign line at every place between two lines."""
    log = filled_log(home, 6)
    with open(log.path(MEMORY_SEGMENT), "rb") as file:
        kept = file.read().splitlines(keepends=True)
    places = range(len(kept) + 1)
    return together(_insert(log, kept, place, name) for name in INSERTS for place in places)


def _insert(log: Log, kept: list[bytes], place: int, name: str) -> Outcome:
    with open(log.path(MEMORY_SEGMENT), "wb") as file:
        file.write(b"".join([*kept[:place], INSERTS[name], *kept[place:]]))
    wanted = [event.id for line in kept if isinstance(event := decode(line[:-1]), Event)]
    found = [event.id for event in events(log, MEMORY_SEGMENT)]
    serious = [finding for finding in verify(log) if finding.serious]
    faults = [] if len(serious) == INSERTS[name].count(b"\n") else [f"{name} at {place} {UNNOTICED}"]
    faults += [] if found == wanted else [f"{name} at {place} harmed another line"]
    return Outcome(1, len(wanted), len(set(wanted) - set(found)), tuple(faults))


def any_case(folder: Path) -> Outcome:
    """Mutant: checksums are compared as numbers, so a flipped case of a letter passes."""
    damage = codec.damage_reason

    def lenient(line: bytes) -> str | None:
        with suppress(ValueError):
            if not codec.is_truncated(line) and int(line[-10:-2], 16) == crc32(line[: -codec._CHECKSUM_BYTES]):
                return None
        return damage(line)

    with replaced(codec, "damage_reason", lenient):
        return flips(str(folder), 3)


def test_every_flipped_bit_is_found_and_harms_one_line(home: str) -> None:
    assert_held(flips(home, 12, step=5), runs=5_000)


def test_a_log_cut_at_any_byte_is_no_damage_and_is_written_on(home: str) -> None:
    assert_held(cuts(home, step=7), runs=100)


def test_a_foreign_line_is_found_wherever_it_stands(home: str) -> None:
    assert_held(inserts(home), runs=7 * len(INSERTS))


def rows(short: bool) -> Iterator[Row]:
    lines, step = (4, 5) if short else (200, 1)
    yield Row("T05 flipped bits", lambda at: flips(str(at), lines, step=step))
    yield Row("T05 log cut at every byte", lambda at: cuts(str(at), step=step))
    yield Row("T05 foreign lines", lambda at: inserts(str(at)))
    yield mutant_row("T05 mutant: checksum in any case", any_case, UNNOTICED)
