"""Lines of 64 KiB that are made to cost a reader of secrets much."""

from __future__ import annotations

from collections.abc import Iterator

from harness.secret_examples import FORMATS, written
from tacit.secrets import scanner

LENGTH = 64 * 1024


def hostile_lines() -> Iterator[tuple[str, str]]:
    """Lines of 64 KiB that are made to cost much: their names, and the lines."""
    numbers = range(LENGTH // 8)
    for name, text in (
        ("all keywords", _keywords()),
        ("near misses", _near_misses()),
        ("one name", "secret-key: " * 6_000),
        ("names with values", " ".join(f"password={number:x}z" for number in numbers)),
        ("sentences", " ".join(f"the password is w{number:x}" for number in numbers)),
        ("Cyrillic", "пароль: секрет, ключ — " * 4_000),
        ("Cyrillic and Latin", "парольpassword: " * 6_000),
        ("Cyrillic with numbers", " ".join(f"пароль: {number:x}" for number in numbers)),
        ("Chinese and Japanese", "密码是秘密パスワードは" * 8_000),
        ("Chinese with numbers", "".join(f"密码是{number:x}、" for number in numbers)),
        ("Arabic", "كلمة المرور هي " * 5_000),
        ("combining marks", "p\u0301a\u0301ssword: \u0130 " * 6_000),
        ("emoji", "\U0001f511token=\U0001f600 " * 7_000),
        ("open quotes", "password='\\\"" * 8_000),
        ("options", " ".join(f"mysql -p {number:x}" for number in numbers)),
        ("cookies", " ".join(f"cookie: a{number:x}=b" for number in numbers)),
        ("addresses", " ".join(f"https://example.org/reset/{number:x}" for number in numbers)),
        ("secrets of Kubernetes", "kind: Secret\ndata:\n" * 4_000),
        ("runs of base64", "cGFzc3dvcmQ6IGh1bnRlcjIg" * 3_000),
        ("short runs of base64", "cGFzc3dvcmQ9aHVudGVyMg== " * 3_000),
        ("per cent signs", "%70%61%73%73" * 6_000),
    ):
        yield name, (text * (LENGTH // len(text) + 1))[:LENGTH]


def _keywords() -> str:
    every = " ".join(scanner.probe_makers())
    return (every + every.replace(" ", "") + every.replace(" ", "=") + every.replace(" ", ": ")) * 30


def _near_misses() -> str:
    """Every counter-example, and every example with its last sign changed or with a blank in its middle."""
    texts = [written(example.text) for example in FORMATS]
    broken = [text[: len(text) // 2] for text in texts]
    misses = [written(example.near_miss) for example in FORMATS]
    return " ".join([*broken, *misses, *(f"{part}=" for part in broken)]) * 10
