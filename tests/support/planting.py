"""Secrets planted through every verb and into every file of a home, and a search that knows nothing of the program.

`tests/vault/test_purging.py` plants a few, `tests/laws/long.py` two hundred.
"""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from harness.followers import wait_for_followers
from harness.person import Person

from tacit.model.observation import WorkLogged

_PLACES = ("log", "activity", "index", "page", "copy", "facts", "shared facts", "quarantine", "temporary file")
# One of each sort that breaks careless programs; the number makes it one of its own.
SHAPES = (
    "Hunter {} magic word",
    "пароль Ёлка {}",
    "日本語の秘密{}号",
    "한국어 비밀 {} 번호",
    "عبارة {} سرية",
    "סוד {} גדול",
    "🔑👩‍👩‍👧 wagon {} 🇩🇪",
    "naïve cafe\u0301 {} noir",
    'quo"ted \\ back {} slash',
    "first line {}\nsecond line",
    "<b>html</b> {} & $& `tick`",
    "per%20cent+{}/path?a=b",
    "ŞİŞLİ STRASSE {} ß",
)


def secret_of(number: int) -> str:
    """None is part of another."""
    return SHAPES[number % len(SHAPES)].format(_marker(number))


def story(folder: Path, numbers: Iterable[int]) -> list[str]:
    """Plant these secrets in one home, purge each, look every time: whatever is wrong."""
    (folder / "person").mkdir()
    person = Person(folder / "person")
    project = person.repository()
    secrets = {number: secret_of(number) for number in numbers}
    for number, secret in secrets.items():
        plant(person, project, secret, number)
    wrong = [fault for number, secret in secrets.items() for fault in _purged(person, project, secret, number)]
    labels = {memory["label"] for memory in state(person, project).memories.values()}
    wrong += [f"the heir of {number} is gone" for number in secrets if f"heir {number} stays" not in labels]
    person.tacit("reindex")
    wrong += [trace for secret in secrets.values() for trace in traces(person.folder, secret)]
    return wrong + [line for line in person.tacit("doctor", code=None).out.splitlines() if line.startswith("✗")]


def _purged(person: Person, project: Path, secret: str, number: int) -> Iterator[str]:
    if len(traces(person.folder, secret)) < len(_PLACES):
        yield "too little was planted: this would show nothing"
    before = state(person, project)
    said = person.tacit("purge", "--text", secret, "--yes", code=None)
    if said.code or _marker(number) in said.out.lower() + said.err.lower():
        yield f"purge said: {said}"
    yield from traces(person.folder, secret)
    yield from harmed(before, state(person, project), number)


# Searching


def forms(secret: str) -> Iterator[tuple[str, bytes]]:
    """Every form that must be nowhere, as bytes to search for."""
    spellings = {
        "as it is": secret,
        "lower case": secret.lower(),
        "composed": unicodedata.normalize("NFC", secret),
        "taken apart": unicodedata.normalize("NFD", secret),
    }
    for name, text in spellings.items():
        yield name, text.encode()
        yield f"{name}, JSON", json.dumps(text)[1:-1].encode()
        yield f"{name}, readable JSON", json.dumps(text, ensure_ascii=False)[1:-1].encode()
        yield f"{name}, hexadecimal", text.encode().hex().encode()
        yield f"{name}, HEXADECIMAL", text.encode().hex().upper().encode()
        yield f"{name}, UTF-16", text.encode("utf-16-le")
        yield f"{name}, UTF-16 the other way round", text.encode("utf-16-be")
        yield f"{name}, percents", quote(text, safe="").encode()
        for shift in range(3):
            yield f"{name}, base64 {shift}", _base64(text.encode(), shift)


def _base64(data: bytes, shift: int) -> bytes:
    """What every encoding of these bytes has in common, wherever in a longer text they stand."""
    first, last = -(-shift * 8 // 6), (shift + len(data)) * 8 // 6
    return base64.b64encode(bytes(shift) + data)[first:last]


def traces(folder: Path, secret: str) -> list[str]:
    """Where any form of it stands: every file below a folder, whatever it is, when nobody writes there any more."""
    wait_for_followers(10)
    wanted = dict(forms(secret))
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        low = data.lower()
        found += [f"{path}: {name}" for name, one in wanted.items() if one in data or one.lower() in low]
    return found


# Planting


def plant(person: Person, project: Path, secret: str, number: int) -> None:
    """Through every verb, in every field, and by hand."""
    by_verbs(person, project, secret, number)
    by_hand(person, project, secret, number)


def by_verbs(person: Person, project: Path, secret: str, number: int) -> None:
    with person.vault() as vault:
        vault.add(f"never say {secret} aloud {number}")
        vault.memories.add(
            f"global rule {number} stays", tags=["stays", f"tag {secret}"], evidence=f"he said: {secret}!"
        )
        vault.memories.remember(f"candidate {number} stays", evidence=f"from {secret.upper()} to the end")
        for encoded in _encoded(secret):
            vault.memories.remember(f"encoded {number} stays", evidence=encoded)
        vault.add(f"the code {number} is {secret}")
        vault.memories.forget(f"the code {number} is {secret}", reason=f"it was {secret}", evidence=secret)
        vault.add(f"before {number} it was {secret}")
        vault.memories.edit(f"before {number} it was {secret}", text=f"heir {number} stays")
        vault.add(f"ancestor {number} stays")
        vault.memories.edit(f"ancestor {number} stays", text=f"now {number} it is {secret}")
        vault.memories.remember(f"maybe {number} {secret}", evidence="chat")
        vault.memories.dismiss(f"maybe {number} {secret}", reason=f"because of {secret}")
        vault.add(f"taken back {number} {secret}")
        vault.changes.undo()
        vault.memories.log(WorkLogged(f"T-{number}", f"work {number} stays", secret, f"see {secret}", f"next {secret}"))
        vault.memories.log(WorkLogged(f"task {secret}", f"summary {secret} of {number}"))
        vault.recall(secret)
        vault.brief(task=f"about {secret}")
    with person.at(project), person.vault(project) as vault:
        vault.add(f"local {number} {secret}")
        vault.memories.add(f"local {number} stays", evidence=secret)
    person.tacit("note", f"agent {number} stays", TACIT_SESSION=f"session {secret}", TACIT_ACTOR=f"agent:{secret}")


def _encoded(secret: str) -> Iterator[str]:
    data = secret.encode()
    for shift in range(3):
        yield f"pasted {base64.b64encode(b'zyx'[:shift] + data + b'and on').decode()} here"
    yield f"dump {data.hex()} here"
    yield f"address http://example.org/?q={quote(secret)} here"
    yield f"string {json.dumps(secret)} here"
    yield f"wide {secret.encode('utf-16-le').decode('latin-1')} here"


def by_hand(person: Person, project: Path, secret: str, number: int) -> None:
    """Edits of pages, lines of other programs, a damaged line, what a crash and a mending left behind."""
    line = secret.replace("\n", " ")
    _append(person.long_term, f"\nMy own words {number} with {line} in them.\n".encode())
    fact = {"id": f"theirs-{number}", "canonical": f"their fact {number} stays", "note": f"about {secret}"}
    for path in (person.facts, project / "docs/memory/memories.ndjson"):
        _append(path, (json.dumps(fact, ensure_ascii=False) + "\n").encode())
        stray = path.with_name(f".{path.name}.tacit-new")
        stray.write_bytes(f"half of {secret}".encode())
    (person.home / ".AGENTS.md.tacit-new").write_bytes(f"half of {secret}".encode())
    _append(person.home / "worklog" / "2026-03-02.md", f"\nRemark {number}: {line}\n".encode())
    damaged = json.dumps({"body": f"damaged {number} {secret}", "c": "00000000"}).encode() + b"\n"
    _append(person.events, damaged)
    _append(person.home / "quarantine" / f"old-{number}.bad", secret.encode() + b" " + secret.encode("utf-16-le"))


def _append(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True, mode=0o700)
    with path.open("ab") as file:
        file.write(data)


# What stays


class State(NamedTuple):
    """Everything a person can ask for; but that a memory's heir was purged is no harm to the memory."""

    memories: dict[str, Any]
    pages: dict[str, list[str]]


def state(person: Person, project: Path) -> State:
    listed = person.tacit("list", "--json", "--all", "--status", "all", "--scope", "all", cwd=project).json
    pages = {
        str(path.relative_to(person.home)): path.read_text().replace("(reason: purged) ", "").splitlines()
        for folder in ("worklog", "evaluations", "memory")
        for path in (person.home / folder).glob("*.*d*")
        if not path.name.startswith(".") and path.suffix in (".md", ".ndjson")
    }
    for memory in listed:
        memory["reason"] = memory["reason"].removeprefix("purged")
        del memory["short"]  # shorter when the only memory whose id begins alike is gone
    return State({memory["id"]: memory for memory in listed}, pages)


def harmed(before: State, after: State, number: int) -> list[str]:
    """What is gone or different although it did not hold this secret, or held it only in words around the claim."""
    wrong = []
    for name, memory in before.memories.items():
        now = after.memories.get(name)
        if _marker(number) in memory["label"]:
            wrong += [f"{memory['label']!r} is still there"] if now else []
        elif not _is_around(memory["label"], number):
            wrong += [] if now == memory else [f"{memory['label']!r} changed: {now}"]
        elif _stable(now) != _stable(memory):
            wrong.append(f"{memory['label']!r} lost more than the secret: {now}")
    for page, lines in before.pages.items():
        others = [line for line in lines if _marker(number) not in line.lower() and not _is_around(line, number)]
        wrong += [f"{page} lost {line!r}" for line in others if line not in after.pages.get(page, [])]
    return wrong


def _marker(number: int) -> str:
    """What no other secret has."""
    return f"q{number:03d}x"


def _is_around(text: str, number: int) -> bool:
    """Whether the secret of this number stood beside it."""
    return f" {number} stays" in text or f"-{number} stays" in text


def _stable(memory: dict[str, Any] | None) -> object:
    names = ("label", "kind", "status", "strength", "scope", "triple", "first_at", "at")
    return memory and ({name: memory[name] for name in names}, len(memory["evidence"]))
