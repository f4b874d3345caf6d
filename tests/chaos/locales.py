"""Programs of a person whose language the machine does not have, and bytes that are no text wherever they come from."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.person import Person

from tacit.shell.install import recorder_argv
from tests.chaos.outcome import Outcome
from tests.support.hook_calls import ALL_CALLS, Given, Scene, faults

LOCALES = (
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": ""},
    {"LC_ALL": "tr_TR.ISO-8859-9"},
    {"LC_ALL": "no such thing"},
    {"LC_ALL": "", "LANG": ""},
)
SENTENCE = "İstanbul'da ılık çay: never mix ﬁles 日本 😀"
_BAD = b"odd\xff\xfe\xed\xa0\x80name"
_RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0/" + _BAD + b"\0echo \xff\xfe quokka\0\0\0"


def locales(folder: Path, chosen: Sequence[dict[str, str]] = LOCALES) -> Outcome:
    """Each in a home of its own."""
    found, runs = list[str](), 0
    for number, locale in enumerate(chosen):
        scene = Scene(folder / str(number))
        scene.prepare()
        found += [f"{locale}: {fault}" for fault in (*_texts(scene, locale), *_bytes(scene, locale))]
        runs += 1
    return Outcome(runs, runs, 0, tuple(found))


def _texts(scene: Scene, locale: dict[str, str]) -> Iterator[str]:
    """What was said comes back as it was said, and is found by any of its words."""
    yield from _wrong(_tacit(scene, locale, "add", SENTENCE))
    for word in ("istanbul", "ILIK", "日本", "files"):
        answered = _tacit(scene, locale, "recall", "--json", word)
        yield from _wrong(answered)
    shown = _tacit(scene, locale, "list", "--json")
    if "\\u0130stanbul" not in shown.stdout.decode("ascii", "replace") and SENTENCE.encode() not in shown.stdout:
        yield f"not given back: {shown.stdout[-200:]!r}"
    for words in (("list",), ("brief",), ("status",), ("doctor",), ("why", SENTENCE), ("reindex",), ("--help",)):
        yield from _wrong(_tacit(scene, locale, *words))
    if SENTENCE not in (scene.home / "memory" / "long-term.md").read_text(encoding="utf-8"):
        yield "not in the page as it was said"


def _bytes(scene: Scene, locale: dict[str, str]) -> Iterator[str]:
    """Bytes that are no text as a word, a folder, a variable, a file name, a history, a record and a transcript."""
    place = scene.folder / os.fsdecode(_BAD)
    (place / ".git").mkdir(parents=True)
    yield from _wrong(_tacit(scene, locale, "add", b"use " + _BAD + b" here", cwd=place))
    yield from _wrong(_tacit(scene, locale, "recall", _BAD, cwd=place))
    yield from _wrong(
        _tacit(scene, {**locale, "TACIT_SESSION": os.fsdecode(_BAD)}, "log", "--task", "t", "--summary", _BAD)
    )
    history = place / ".zsh_history"
    history.write_bytes(b": 1700000000:0;echo \xff\xfe\n: 1700000060:0;make \x83\xb4\n")
    yield from _wrong(_tacit(scene, locale, "import", "history", "--file", os.fsencode(history), "--shell", "zsh"))
    typed = subprocess.run(
        recorder_argv(), input=_RECORD, env=_environment(scene, locale), capture_output=True, check=False
    )
    if (typed.returncode, typed.stdout, typed.stderr) != (0, b"", b""):
        yield f"the recorder ended with {typed}"
    if not scene.holds("quokka"):
        yield "the command is not in the log"
    for call in (ALL_CALLS["claude"][0], ALL_CALLS["codex"][2]):
        given = Given(variables=locale, changes={"cwd": os.fsdecode(_BAD), "prompt": "ILIK \udcff çay"})
        yield from (f"{call.event}: {fault}" for fault in faults(scene.run(call, given)))
    scene.settle()
    yield from _wrong(_tacit(scene, locale, "verify"))


def _environment(scene: Scene, locale: dict[str, str]) -> dict[str, str]:
    return {**Person(scene.folder).environment(), **locale}


def _tacit(
    scene: Scene, locale: dict[str, str], *words: str | bytes, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tacit", *words],
        env=_environment(scene, locale),
        cwd=cwd or scene.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def _wrong(done: subprocess.CompletedProcess[bytes]) -> Iterator[str]:
    """A question without an answer ends with 1 and says so; anything else must be well."""
    if b"Traceback" in done.stderr or done.returncode not in (0, 1):
        yield f"{done.args[3:]}: exit code {done.returncode}: {done.stderr[-300:]!r}"
