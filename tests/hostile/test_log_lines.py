"""A line of the log that is well-formed, well sealed, and says anything at all: it harms itself and no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.person import Person, tree

from tacit.log.codec import DamagedLine, decode
from tests.hostile.forged import lived, plant_raw
from tests.hostile.values import RAW, VALUES, broken_lines

KEPT = "never force push"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Each value of each type of line, in turn replaced by each hostile one."""
    known = lived(Person(tmp_path_factory.mktemp("template")))
    return [one for at, fields in enumerate(known.values()) for one in broken_lines(fields, 10_000 * at)]


def test_a_hostile_line_is_an_event_or_damaged_and_nothing_else(broken: list[bytes]) -> None:
    read = [decode(one.rstrip(b"\n")) for one in broken]
    damaged = [one for one in read if isinstance(one, DamagedLine)]
    assert len(broken) > 50 * (len(VALUES) + len(RAW))
    assert len(broken) / 4 < len(damaged) < len(broken)
    assert all(one.reason for one in damaged)


def harmless(folder: Path, lines: Sequence[bytes]) -> bool:
    """Whether a home with these lines still answers, draws its pages, and writes nothing anywhere else."""
    person = Person(folder)
    folder.mkdir(parents=True)
    person.tacit("add", KEPT)
    plant_raw(person, lines)
    around = tree(folder)
    try:
        for words in "reindex|status|list --status all --scope all|suggestions|conflicts|improve --force".split("|"):
            person.tacit(*words.split())
        person.tacit("add", "run the tests")
        answers = person.texts("--scope", "all", "--query", KEPT)
        person.tacit("doctor", code=None)
    except Exception:  # whatever it is, it is a finding; the test names the line
        return False
    outside = {name for name in tree(folder).keys() - around.keys() if not name.startswith(".agents/")}
    strays = list(folder.parent.rglob("*escaped*"))
    page = person.long_term.read_text(errors="replace")
    return KEPT in answers and f": {KEPT} " in page and not outside and not strays


def culprits(folder: Path, lines: Sequence[bytes], most: int = 12) -> list[bytes]:
    """The lines that harm a home on their own, found by halves."""
    trials = iter(range(1_000_000))

    def search(part: Sequence[bytes]) -> list[bytes]:
        if len(found) >= most or harmless(folder / f"{next(trials)}" / "person", part):
            return []
        if len(part) == 1:
            found.append(part[0])
            return [part[0]]
        middle = len(part) // 2
        return search(part[:middle]) + search(part[middle:])

    found: list[bytes] = []
    return search(lines)


@pytest.mark.same_everywhere  # what a line is to a home is decided as it is above, for each line alone
def test_no_line_harms_another(tmp_path: Path, broken: list[bytes]) -> None:
    believed = [one for one in broken if not isinstance(decode(one.rstrip(b"\n")), DamagedLine)]
    assert believed
    found = culprits(tmp_path, believed)
    assert [one[:400] for one in found] == []
