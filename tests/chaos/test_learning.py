"""Several that learn from the same sessions at the same time: commands, and the hooks of hosts that end them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import BEGAN, Turn, claude_session, name_of

from tacit.learn import sessions
from tacit.learn.sessions import LearnState
from tests.chaos.outcome import Outcome, Row, assert_caught, assert_held, replaced
from tests.support.hook_calls import CALLS, Given, Scene
from tests.support.model_desk import Desk
from tests.support.model_talk import findings

STOP, END = (call for call in CALLS if call.what == "capture")
# The same rule in every session, in other words each time; it must become one memory, as strong as there are sessions.
SHARED = (
    "From now on, always run the linter before you commit.",
    "you must always run the linter before committing",
    "Always run the linter before a commit!",
)
OWN = (
    "Never deploy the walrus cluster on fridays.",
    "We decided to use httpx instead of requests in the crawler.",
    "I prefer small functions over large classes.",
    "The fixtures are generated, never edit those by hand.",
    "Ask me before you change the schema of the database.",
)


Known = frozenset[tuple[str, str, int]]  # memories: what is said, the status, the strength


def two_learners(folder: Path, rounds: int, sessions: int = len(SHARED)) -> Outcome:
    """Each round a home of its own: half of the sessions are captured before, the hooks bring the rest as they end."""
    faults, suggested = list[str](), 0
    for number in range(rounds):
        found, known = _round(folder / str(number), sessions)
        faults += [f"round {number}: {fault}" for fault in found]
        suggested += len(known)
    return Outcome(rounds, suggested, 0, tuple(faults), f"{suggested} suggestions, each once")


def _round(folder: Path, sessions: int) -> tuple[list[str], Known]:
    scene = Scene(folder).prepare()
    person = Person(folder)
    files = [_written(scene, number) for number in range(sessions)]
    calm = _calm(folder / "calm", files)
    for file in files[: sessions // 2]:
        person.tacit("capture", str(file))
    faults = list(_at_once(scene, person, files))
    scene.settle()
    person.tacit("capture", *map(str, files))
    person.tacit("learn")
    known = _known(person)
    faults += [f"not as it is when one learns alone: {sorted(known ^ calm)}"] * (known != calm)
    return [*faults, *_sick(person, sessions, known)], known


def _written(scene: Scene, number: int) -> Path:
    asked = (SHARED[number % len(SHARED)], "thanks", OWN[number])
    session, began = name_of("learners", number), BEGAN + timedelta(minutes=number)
    return claude_session(scene.folder, session, str(scene.project), [Turn(one, put="") for one in asked], began)


def _at_once(scene: Scene, person: Person, files: list[Path]) -> Iterator[str]:
    """Two hosts' hooks for each session, as where two plugins are installed, and three commands beside them."""
    commands = [person.start("learn", *words) for words in (("--all",), ("--all",), ())]
    given = [Given(changes={"session_id": file.stem, "transcript_path": str(file)}) for file in files for _ in range(2)]
    hooks = [scene.start(END, one).tell() for one in given]  # all of them at once, not one after another
    for running in hooks:
        ended = running.end()
        if ended.code or ended.out or ended.err:
            yield f"a hook ended with {ended}"
    for command in commands:
        _, err = command.communicate(timeout=60)
        if command.returncode or "Traceback" in err:
            yield f"tacit learn ended with {command.returncode}: {err[-300:]}"


def _calm(folder: Path, files: list[Path]) -> Known:
    """What one learns who is alone: after each session, as hooks would."""
    folder.mkdir(parents=True)
    person = Person(folder)
    person.tacit("capture", *map(str, files))
    person.tacit("learn")
    return _known(person)


def _known(person: Person) -> Known:
    listed = person.tacit("list", "--status", "all", "--scope", "all", "--json").json
    return frozenset((one["label"], one["status"], one["strength"]) for one in listed if one["source"] == "talk")


def _sick(person: Person, sessions: int, known: Known) -> Iterator[str]:
    strongest = max((strength for _, _, strength in known), default=0)
    if strongest != sessions:
        yield f"the rule of every session has strength {strongest}, there were {sessions} sessions"
    if len(known) != sessions + 1:
        yield f"{len(known)} suggestions where {sessions + 1} were said"
    verified = person.tacit("verify", code=None)
    if verified.code:
        yield f"the log is not sound: {verified.out[-200:]}{verified.err[-200:]}"
    before = person.events.read_bytes()
    person.tacit("learn", "--all")
    if person.events.read_bytes() != before:
        yield "learning once more changed something"


MODELS = ("garbage", "flood", "echo", "failing", "hang")
_MOST = 3  # questions before none is asked for an hour


def misbehaving(folder: Path, times: int) -> Outcome:
    """Each model is asked so often within the hour."""
    faults, asked = list[str](), 0
    for name in MODELS:
        place = folder / name
        place.mkdir(parents=True)
        desk = Desk(place)
        before: dict[str, bytes] | None = None
        for number in range(times):
            _, checked = desk.ask(f"stub-{name}", TACIT_MODEL_TIMEOUT="2")
            faults += [f"{name}: learnt {findings(checked)}"] * bool(findings(checked))
            before = desk.kept() if number == _MOST - 1 else before
        asked += len(desk.calls)
        faults += [f"{name}: asked {len(desk.calls)} times"] * (len(desk.calls) > _MOST)
        faults += [f"{name}: the home grew while nobody was asked"] * (before is not None and desk.kept() != before)
    return Outcome(times * len(MODELS), asked, 0, tuple(faults), f"{asked} questions asked")


def test_several_that_learn_at_once_suggest_each_thing_once(tmp_path: Path) -> None:
    assert_held(two_learners(tmp_path, rounds=1), acknowledged=4)


@pytest.mark.chaos
def test_a_learner_that_does_not_know_what_it_said_already_is_caught(tmp_path: Path) -> None:
    state_of = sessions._claim_state

    def forgetful(*arguments: Any) -> LearnState:
        state = state_of(*arguments)
        return LearnState.REPEATED if state is LearnState.KNOWN else state

    with replaced(sessions, "_claim_state", forgetful):
        assert_caught(two_learners(tmp_path, rounds=1))


def rows(short: bool) -> Iterator[Row]:
    yield Row("T42 models that misbehave", lambda at: misbehaving(at, 5 if short else 100))
    yield Row("T43 several learn at once", lambda at: two_learners(at, 2 if short else 40))
