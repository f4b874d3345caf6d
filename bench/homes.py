"""Homes to measure on: N memories, the same every time, written as the log writes them, with index and views.

    python -m bench.homes 1000 10000

Two thirds were added by a person, one third are candidates of an agent; two in five carry evidence, one in twenty
was said again. A home is made once and kept; its index is made again when the code that makes it has changed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zlib import crc32

from harness import vocabulary
from harness.homes import copy_home
from harness.vocabulary import identifier, question, sentence

import tacit
from tacit.log.codec import encode
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL, Claim, Provenance, Scope, project_scope
from tacit.model.event import USER, ClaimProposed, Event, EventOrigin, Verdict
from tacit.model.ids import event_id
from tacit.model.statement import claim_from
from tacit.text.words import STOP_WORDS

DEFAULT = Path(tempfile.gettempdir()) / "tacit-bench-homes"
QUERIES = 500
_FIRST_DAY, _DAYS = datetime(2024, 1, 1, 8, tzinfo=UTC), 700
_PROJECTS = tuple(project_scope(f"forge.example/team/{name}") for name in ("shop", "site", "tools"))
_SAID_AGAIN = 0.05
_SOURCES = (Path(__file__), Path(vocabulary.__file__))


def home_of(folder: Path, memories: int) -> Path:
    """The home of so many memories; made first, by another process, if it is not there or not complete."""
    subprocess.run([sys.executable, "-m", "bench.homes", "--homes", folder, str(memories)], check=True)
    return folder / str(memories) / "home"


def queries_of(folder: Path, memories: int) -> list[str]:
    """What is asked of that home: words of its memories, and everyday questions."""
    return (folder / str(memories) / "queries.txt").read_text("utf-8").splitlines()


def events_of(home: Path) -> int:
    """How many lines the log of memory operations has."""
    with (home / MEMORY_SEGMENT).open("rb") as file:
        return sum(1 for _ in file)


@contextmanager
def copy_of(folder: Path, memories: int) -> Iterator[Path]:
    """A copy that may be changed, on the same disk."""
    home = home_of(folder, memories)
    with tempfile.TemporaryDirectory(dir=folder, prefix="copy-") as place:
        yield copy_home(home, Path(place) / "home")


def make(folder: Path, memories: int) -> None:
    """Whatever is missing or out of date of one home."""
    place = folder / str(memories)
    wanted = {"log": _fingerprint(_SOURCES), "index": _fingerprint(_code())}
    made = _made(place)
    if made == wanted:
        return
    if made.get("log") != wanted["log"]:
        shutil.rmtree(place, ignore_errors=True)
        _write_log(place, memories)
    with tacit.open(place / "home", cwd=place) as vault:
        vault.doctor.reindex()
    (place / "made.json").write_text(json.dumps(wanted), "utf-8")


def _made(place: Path) -> dict[str, int]:
    """What was made and by what; empty unless it was finished."""
    try:
        found: dict[str, int] = json.loads((place / "made.json").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return found


def _code() -> list[Path]:
    return sorted(path for path in Path(tacit.__file__).parent.rglob("*") if path.suffix in (".py", ".sql"))


def _fingerprint(files: Iterable[Path]) -> int:
    return crc32(b"".join(path.read_bytes() for path in files))


def _write_log(place: Path, memories: int) -> None:
    (place / "home" / MEMORY_SEGMENT).parent.mkdir(parents=True)
    texts: list[str] = []
    with (place / "home" / MEMORY_SEGMENT).open("wb") as file:
        for event in events(memories):
            assert isinstance(event.body, ClaimProposed)
            texts.append(event.body.claim.sentence)
            file.write(encode(event))
    (place / "queries.txt").write_text("\n".join(_queries(texts)) + "\n", "utf-8")


def events(memories: int, *, seed: str = "home") -> Iterator[Event]:
    """The log of a home: so many different claims, some of them said again, in the order of their ids."""
    random = Random(seed)
    pace = timedelta(days=_DAYS) / (memories * (1 + _SAID_AGAIN))
    said: list[Claim] = []
    at = _FIRST_DAY
    for claim in _claims(random, memories):
        said.append(claim)
        again = [random.choice(said)] if random.random() < _SAID_AGAIN else []
        for one in (claim, *again):
            at += pace
            yield _event(random, one, at)


def _claims(random: Random, memories: int) -> Iterator[Claim]:
    known: set[str] = set()
    while len(known) < memories:
        claim = claim_from(sentence(random), _scope(random))
        if claim.id not in known:
            known.add(claim.id)
            yield claim


def _scope(random: Random) -> Scope:
    return random.choice(_PROJECTS) if random.random() < 0.2 else GLOBAL


def _event(random: Random, claim: Claim, at: datetime) -> Event:
    by_person = random.random() < 2 / 3
    name = event_id(int(at.timestamp() * 1000), random.randbytes(10))
    session = f"session-{at:%Y-%m-%d}-{random.randrange(4)}"
    evidence = _evidence(random, at) if random.random() < 0.4 else ""
    if by_person:
        origin = EventOrigin(at, 60, "bench", session, USER, Provenance.USER_DIRECT)
        return Event(name, name, origin, claim.scope, ClaimProposed(claim, Verdict.ADDED, "user_direct", evidence))
    origin = EventOrigin(at, 60, "bench", session, "agent", Provenance.MODEL)
    return Event(name, name, origin, claim.scope, ClaimProposed(claim, Verdict.PROPOSED, "remember", evidence))


def _evidence(random: Random, at: datetime) -> str:
    return random.choice(
        (
            "user request",
            f"correction of {at:%Y-%m-%d}",
            identifier(random),
            f"{identifier(random)}: {sentence(random)}",
        )
    )


def _queries(texts: list[str]) -> list[str]:
    """Three of five are two to five telling words of a memory, in their order; the others are everyday questions."""
    random = Random("queries")
    return [_fragment(random, random.choice(texts)) if at % 5 < 3 else question(random) for at in range(QUERIES)]


def _fragment(random: Random, text: str) -> str:
    words = [word for word in text.split() if word not in STOP_WORDS]
    chosen = sorted(random.sample(range(len(words)), min(random.randint(2, 5), len(words))))
    return " ".join(words[at] for at in chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make homes to measure on.")
    parser.add_argument("memories", type=int, nargs="+")
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where they are kept (default: %(default)s)")
    given = parser.parse_args()
    for memories in given.memories:
        make(given.homes.resolve(), memories)


if __name__ == "__main__":
    main()
