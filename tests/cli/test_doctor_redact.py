"""`tacit redact`: secrets are hidden, every other byte is as it was."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from harness.person import Person
from harness.terminal import converse

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
OTHER = "ghp_" + "Z9y8X7w6V5u4" * 3


def redact(person: Person, given: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tacit", "redact", *words],
        input=given,
        cwd=person.folder,
        env=person.environment(),
        capture_output=True,
        check=True,
    )


def test_each_secret_becomes_its_kind_and_a_mark(person: Person) -> None:
    done = redact(person, f"first {TOKEN}\nthen {OTHER}\nagain {TOKEN}\n".encode())
    first, then, again = re.findall(rb"\[redacted:github-token:([0-9a-f]{8})\]", done.stdout)
    assert first == again != then
    assert re.sub(rb"\[.*?\]", b"*", done.stdout) == b"first *\nthen *\nagain *\n"
    assert done.stderr == b""


def test_marks_of_two_runs_are_not_the_same(person: Person) -> None:
    assert redact(person, TOKEN.encode()).stdout != redact(person, TOKEN.encode()).stdout


def test_every_other_byte_is_as_it_was(person: Person) -> None:
    around = bytes(range(256)) * 3 + b"\r\n\xff\xfe no end of line \xe2\x82"
    done = redact(person, around + b" " + TOKEN.encode() + b" " + around)
    before, after = re.split(rb"\[redacted:github-token:[0-9a-f]{8}\]", done.stdout)
    assert before == around + b" " and after == b" " + around


def test_a_text_without_secrets_comes_out_the_same(person: Person) -> None:
    for text in (b"", b"\n", b"a\r\nb", b"\x00" * 100_000, ("wörter und zeilen\n" * 100_000).encode()):
        assert redact(person, text).stdout == text


def test_a_secret_across_two_blocks_is_found(person: Person) -> None:
    for before in range((1 << 20) - 45, (1 << 20) + 5, 7):
        told = redact(person, b"." * before + b" " + TOKEN.encode() + b"\n").stdout
        assert told.startswith(b"." * before + b" [redacted:github-token:") and TOKEN.encode() not in told


def test_kinds_are_counted_when_asked(person: Person) -> None:
    done = redact(person, f"{TOKEN} {OTHER}\npassword: hunter2\n".encode(), "--count")
    assert done.stderr.decode().splitlines() == ["2 GitHub token", "1 password", "3 in all"]
    assert b"hunter2" not in done.stdout + done.stderr


def test_no_home_is_needed_or_made(person: Person, tmp_path: Path) -> None:
    redact(person, TOKEN.encode())
    assert list(person.folder.iterdir()) == []


def test_at_a_terminal_it_says_what_to_type(person: Person) -> None:
    said = converse(person, "redact", answers=())
    assert said.code == 2 and "tacit redact < session.log > shareable.log" in said.out
