"""A command that is killed at any of its system calls: nothing that was acknowledged is lost, each file is the old one
or the new one, and the next command completes what was begun. Every moment of every command is in `make chaos`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from harness.transcripts import written

from tests.chaos.kills import LIFE, TEXT, Scene, home_faults, index_faults, left_behind, sweep
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.program import Ended, wrong_end
from tests.chaos.strace import Call
from tests.laws.kept import captured, difference, kept
from tests.support.planting import secret_of, traces


def is_recorded(call: Call) -> bool:
    """The line is in the file: from here on the next call may be the one that makes it durable, or anything later."""
    return call.name in ("fdatasync", "fsync") and ".jsonl" in call.words


# Between the log's acknowledgement and the index: the next question catches up by itself

INDEXING = {
    "add": ("add", TEXT),
    "forget": ("forget", "--text", "always sign commits", "--reason", TEXT, "--evidence", "chat"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
    "improve": ("improve", "--force"),
    "reindex": ("reindex",),
}
NOT_FILED = "not in the index"


def index_kill(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    """One command, killed at its moments; `reindex` also while the new index takes the place of the old one."""
    scene = Scene(folder / verb, INDEXING[verb], mutant).prepare(*LIFE)

    def look(ended: Ended) -> Iterator[str]:
        if (wrong := wrong_end(ended)) is not None:
            yield wrong
        yield from index_faults(scene.home)
        yield from left_behind(scene.home)
        if verb == "add" and ended.out and TEXT not in scene.run("recall", TEXT, "--json").out:
            yield "what was acknowledged is not found"

    def is_index(call: Call) -> bool:
        return "index.sqlite" in call.words

    since = is_index if verb == "reindex" else is_recorded
    return sweep(scene, look, most=most, since=since, until=NOT_FILED if mutant else "")


@pytest.mark.parametrize("verb", INDEXING)
def test_after_a_kill_the_next_question_finds_everything(tmp_path: Path, verb: str) -> None:
    assert_held(index_kill(tmp_path, verb, most=2), runs=2)


# While pages are drawn: each file is the old one or the new one

DRAWING = {
    "add": ("add", TEXT),
    "global": ("add", f"global: {TEXT}"),
    "forget": ("forget", "--text", "always sign commits", "--reason", "superseded", "--evidence", "chat"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
    "evaluate": ("evaluate", "--force"),
    # Pages that are drawn after the command has answered: each half is killed.
    "deferred answer": ("add", TEXT),
    "deferred draw": ("draw",),
}
MIXED = "neither the old nor the new one"
_PAGES = ("home/memory/*.md", "home/memory/*.ndjson", "home/worklog/*", "home/evaluations/*", "project/docs/memory/*")


def pages(folder: Path) -> dict[str, bytes]:
    """Every page and its bytes."""
    paths = (path for view in _PAGES for path in folder.glob(view) if not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def is_drawing(call: Call) -> bool:
    """The first file that takes the place of a page is being made (mutants make none: there it is the page itself)."""
    folders = [f"/{name}{end}" for name in ("memory", "worklog", "evaluations") for end in "/>"]  # or an open folder
    return call.name.startswith("open") and ".jsonl" not in call.words and any(one in call.words for one in folders)


def page_kill(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    is_deferred = verb.startswith("deferred")
    scene = Scene(folder / verb.replace(" ", "-"), DRAWING[verb], "deferred" if is_deferred else mutant).prepare(*LIFE)
    if verb == "deferred draw":
        scene.run("add", TEXT, mutant="deferred")
        scene.keep()
    old = pages(scene.folder)
    scene.finish()
    if is_deferred:
        scene.run("draw", mutant="deferred")
    new = pages(scene.folder)
    assert new != old

    def look(_ended: Ended) -> Iterator[str]:
        for name, data in pages(scene.folder).items():
            if data not in (old.get(name), new.get(name)):
                yield f"{name} is {MIXED}"
        # A question is enough to bring the home's pages up to date, and a sync for the repository's file.
        scene.run("recall", "anything")
        scene.run("sync", "--yes")
        if (now := pages(scene.folder)) != new:
            late = [name for name in now.keys() | new.keys() if new.get(name) != now.get(name)]
            yield f"after the next commands these are not up to date: {late}"
        yield from left_behind(scene.folder)

    since = is_recorded if verb == "deferred answer" else is_drawing
    return sweep(scene, look, most=most, since=since, until=MIXED if mutant else "")


@pytest.mark.parametrize("verb", ["add", "log", "deferred answer", "deferred draw"])
def test_a_view_is_the_old_or_the_new_one_after_a_kill(tmp_path: Path, verb: str) -> None:
    assert_held(page_kill(tmp_path, verb, most=2), runs=2)


# While something is purged or set aside: nothing else is lost, and the second run completes it

SECRET = secret_of(7)
DAMAGED = b"<<<<<<< ours\n"
_SECRETS = (
    ("add", f"never say {SECRET} aloud"),
    ("add", "global: rules stay", "--evidence", f"he said {SECRET}", "--tag", "stays"),
    ("log", "--task", "T-9", "--summary", f"moved {SECRET} away", "--changes", "all of it"),
    ("forget", "--text", f"never say {SECRET} aloud", "--reason", "a slip", "--evidence", "chat"),
)


def _with_secrets(folder: Path, *words: str) -> Scene:
    scene = Scene(folder, words).prepare(*LIFE, *_SECRETS)
    page = scene.home / "memory/long-term.md"
    page.write_text(page.read_text() + f"\nBy hand: {SECRET}, and more.\n")
    (scene.home / "quarantine").mkdir(mode=0o700)
    (scene.home / "quarantine/old.bad").write_bytes(f"bad {SECRET}\n".encode())
    scene.keep()
    return scene


def _memories(scene: Scene) -> list[tuple[str, str, int]]:
    listed = json.loads(scene.run("list", "--status", "all", "--scope", "all", "--json").out)
    return [(one["label"], one["status"], one["strength"]) for one in listed]


def purge_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = _with_secrets(folder / "purge", "purge", "--text", SECRET, "--yes")
    before = {memory for memory in _memories(scene) if SECRET not in memory[0]}
    assert scene.finish().code == 0
    new, left = pages(scene.folder), _memories(scene)
    assert traces(scene.folder, SECRET) == [] and set(left) == before

    def look(_ended: Ended) -> Iterator[str]:
        if lost := before - set(_memories(scene)):
            yield f"before it was completed these were gone: {lost}"
        again = scene.run(*scene.words)
        if again.code and "no file of this home holds it" not in again.err:
            yield f"the second run ended with {again}"
        yield from traces(scene.folder, SECRET)
        if _memories(scene) != left:
            yield f"after the second run there are other memories: {_memories(scene)}"
        if (now := pages(scene.folder)) != new:
            yield f"pages differ: {[name for name, data in now.items() if new.get(name) != data]}"
        yield from (*home_faults(scene.home), *left_behind(scene.folder))

    return sweep(scene, look, most=most)


def mend_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = _with_secrets(folder / "mend", "verify", "--mend")
    log = scene.home / "memory/events.jsonl"
    good = log.read_bytes()
    log.write_bytes(DAMAGED + good)
    scene.keep()

    def aside() -> int:
        return [path.read_bytes() for path in (scene.home / "quarantine").glob("*.bad")].count(DAMAGED)

    def look(_ended: Ended) -> Iterator[str]:
        there = log.read_bytes()
        if there not in (good, DAMAGED + good):
            yield f"the log is {MIXED}"
        if there == good and not aside():
            yield "the damaged line is gone"
        again = scene.run(*scene.words)
        if again.code or log.read_bytes() != good or aside() != 1:
            yield f"the second run did not complete it: {again}"
        yield from (*home_faults(scene.home), *left_behind(scene.folder))

    return sweep(scene, look, most=most)


def test_a_purge_that_was_killed_has_lost_nothing_else_and_is_completed_by_the_next(tmp_path: Path) -> None:
    assert_held(purge_kill(tmp_path, most=2))


def test_a_damaged_line_is_in_the_log_or_set_aside_at_any_moment(tmp_path: Path) -> None:
    assert_held(mend_kill(tmp_path, most=2))


# While the home is made: run again, it is made whole, and is the same home

FIRST = {
    "init": ("init",),
    "init with wrappers": ("init", "--wrappers", "--agent", "claude"),
    "first add": ("add", TEXT),
}
NOT_WHOLE = "are not whole"
_DIFFERS = ("index.sqlite", "index.sqlite-file", ".jsonl", ".lock")  # other ids and times of writing, same meaning


def layout(folder: Path) -> dict[str, bytes]:
    """Every folder and file; the bytes of those that are the same in every home."""
    found = {}
    for where, folders, names in os.walk(folder):
        paths = [Path(where, name) for name in (*folders, *names) if "-wal" not in name and "-shm" not in name]
        for path in paths:
            differs = path.is_dir() or path.name.endswith(_DIFFERS)
            data = b"" if differs else path.read_bytes()
            if where.endswith("/.tacit/rules"):  # the first line tells when the settings were written
                data = data.partition(b"\n")[2]
            found[str(path.relative_to(folder))] = data
    return found


def first_run(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    scene = Scene(folder / verb.replace(" ", "-"), FIRST[verb], mutant).prepare()
    assert scene.run(*scene.words).code == 0
    whole = layout(scene.folder)

    def look(_ended: Ended) -> Iterator[str]:
        """Look into it first, as a person would; then do it again."""
        asked = scene.run("recall", "anything")
        if asked.code not in (0, 1) or "Traceback" in asked.err:
            yield f"a question is not answered: {asked}"
        again = scene.run(*scene.words)
        if again.code != 0 or wrong_end(again):
            yield f"run again, it fails: {again}"
            return
        there = layout(scene.folder)
        if missing := sorted(set(whole) - set(there)):
            yield f"run again, these are missing: {missing}"
        if verb.startswith("init") and (other := [name for name in whole if there.get(name, b"") != whole[name]]):
            yield f"run again, these {NOT_WHOLE}: {other}"
        yield from left_behind(scene.folder)
        yield from index_faults(scene.home)

    if mutant:  # from the first file on that has something in it
        return sweep(scene, look, since=lambda call: "tacit.toml" in call.words, until=NOT_WHOLE)
    found = sweep(scene, look, most=most)
    shutil.rmtree(scene.folder)
    return found


@pytest.mark.parametrize("verb", FIRST)
def test_a_home_that_was_killed_in_the_making_is_made_by_the_next_run(tmp_path: Path, verb: str) -> None:
    assert_held(first_run(tmp_path, verb, most=2), runs=2)


def test_a_kill_while_the_key_is_made_leaves_a_home_that_signs(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "scene", ("add", TEXT)).prepare()

    def look(_ended: Ended) -> list[str]:
        after, checked = scene.run("add", "always sign commits"), scene.run("verify")
        return [f"{after} {checked}"] * bool(after.code or checked.code or "✗" in checked.out)

    assert_held(sweep(scene, look, most=3, since=lambda call: "/.tacit/.key" in call.words))


# While transcripts are captured: capturing again completes it, and nothing is there twice


def capture_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = Scene(folder / "scene", ("capture", str(folder / "scene" / "transcripts")))
    (scene.folder / "transcripts").mkdir(parents=True)
    files = written(scene.folder / "transcripts", "/nowhere/work", turns=2)
    once = captured(folder / "once", *files)
    scene.prepare(("init",), ("add", "always sign commits"))

    def look(ended: Ended) -> Iterator[str]:
        """Whatever was left, the next question finds it whole, and the next capture brings the rest."""
        if (wrong := wrong_end(ended)) is not None:
            yield wrong
        try:
            kept(scene.home)
            yield from difference(once, captured(scene.home, *files))
        except AssertionError as error:
            yield str(error)
        yield from (*index_faults(scene.home), *left_behind(scene.home))

    return sweep(scene, look, most=most)


def test_a_capture_that_was_killed_is_completed_by_the_next(tmp_path: Path) -> None:
    assert_held(capture_kill(tmp_path, most=3), runs=3)


def rows(short: bool) -> Iterator[Row]:
    moments, first_moments, kills = (3, 3, 4) if short else (0, 50, 200)
    for verb in INDEXING:
        filed = partial(index_kill, verb=verb, most=moments)
        yield Row(f"T07 index kill, {verb}", filed, "every moment after the log has it")
    early = partial(index_kill, verb="add", mutant="cursor_first")
    yield mutant_row("T07 mutant: cursor first", early, NOT_FILED)
    for verb in DRAWING:
        drawn = partial(page_kill, verb=verb, most=moments)
        yield Row(f"T08 view kill, {verb}", drawn, "every moment of drawing")
    yield mutant_row("T08 mutant: in place", partial(page_kill, verb="add", mutant="in_place"), MIXED)
    for verb in FIRST:
        made = partial(first_run, verb=verb, most=first_moments)
        yield Row(f"T14 first run, {verb}", made, "run again, it is made whole")
    yield mutant_row("T14 mutant: in place", partial(first_run, verb="init", mutant="in_place"), NOT_WHOLE)
    yield Row("T31 kills while purging", partial(purge_kill, most=kills), "spread over the whole command")
    yield Row("T05 kills while setting aside", partial(mend_kill, most=kills), "spread over the whole command")
    yield Row("B2 capture killed at its calls", partial(capture_kill, most=5 if short else 0))
