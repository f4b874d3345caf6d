"""Translated messages: pairs of an English text and the same in another language."""

from __future__ import annotations

import gettext
import io
import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from bench.training.packages import Member

LANGUAGES = ("de", "fr", "es", "ru", "zh", "ja")
_CODE = re.compile(r"(?<=[/_.-])(en|de|fr|es|ru|zh|ja)(?:[_-](?:US|GB|DE|FR|ES|RU|CN|JP|Hans)(?:[_-]CN)?)?(?=[/_.-])")
_TRADITIONAL = re.compile(r"zh[_-]?(TW|HK|Hant)", re.I)
_PAK_HEADER_BYTES, _PAK_ENTRY_BYTES, _PAK_VERSION = 12, 6, 5
_DIAGNOSTIC = re.compile(r'diag\((\d+), [^,]+, "[^"]+", ("(?:[^"\\]|\\.)*")')
_DIAGNOSTIC_KEY = re.compile(r"_(\d+)$")


class Pair(NamedTuple):
    """A text in another language, and the English one that means the same."""

    language: str
    foreign: str
    english: str


def pairs(files: Iterable[Member]) -> Iterator[Pair]:
    """Yield the translated messages of the files of one package."""
    catalogues: dict[str, dict[str, dict[str, str]]] = {}
    for file in files:
        match = None if _TRADITIONAL.search(file.path) else _CODE.search(file.path)
        if file.path.endswith(("lib/typescript.js", "lib/_tsc.js")):
            catalogues.setdefault("diagnostics", {})["en"] = _diagnostics(file.data)
        if match is None:
            continue
        language = match[1]
        if file.path.endswith(".mo") and language in LANGUAGES:
            yield from _compiled(language, file.data)
        elif file.path.endswith("diagnosticMessages.generated.json"):
            translated = {_DIAGNOSTIC_KEY.sub(r"_\1", key).rsplit("_", 1)[-1]: text for key, text in _flat(file.data)}
            catalogues.setdefault("diagnostics", {})[language] = translated
        elif file.path.endswith(".json"):
            place = _CODE.sub("*", file.path)
            catalogues.setdefault(place, {}).setdefault(language, {}).update(_flat(file.data))
        elif file.path.endswith(".pak"):
            catalogues.setdefault("pak", {}).setdefault(language, dict(_packed(file.data)))
    for by_language in catalogues.values():
        english = by_language.get("en", {})
        for language in LANGUAGES:
            for key, text in by_language.get(language, {}).items():
                if key in english and english[key] != text:
                    yield Pair(language, text, english[key])


def _compiled(language: str, data: bytes) -> Iterator[Pair]:
    """Read a compiled catalogue of gettext."""
    try:
        catalogue = gettext.GNUTranslations(io.BytesIO(data))
    except (OSError, ValueError, UnicodeDecodeError, LookupError):
        return
    for key, text in vars(catalogue)["_catalog"].items():
        english = key[0] if isinstance(key, tuple) else key
        if english and text and english != text and (not isinstance(key, tuple) or key[1] == 0):
            yield Pair(language, text, english.rpartition("\x04")[2])


def _flat(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the strings of a JSON object by their path in it."""
    try:
        waiting: list[tuple[str, object]] = [("", json.loads(data.decode("utf-8-sig")))]
    except (ValueError, RecursionError):
        return
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            waiting += [(f"{path}.{key}", inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}.{place}", inner) for place, inner in enumerate(value)]


def _packed(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the texts of a resource file of Chromium by their number."""
    if int.from_bytes(data[:4], "little") != _PAK_VERSION:
        return
    count = int.from_bytes(data[8:10], "little")
    starts = range(_PAK_HEADER_BYTES, _PAK_HEADER_BYTES + (count + 1) * _PAK_ENTRY_BYTES, _PAK_ENTRY_BYTES)
    entries = [
        (int.from_bytes(data[at : at + 2], "little"), int.from_bytes(data[at + 2 : at + 6], "little")) for at in starts
    ]
    for (number, start), (_, end) in pairwise(entries):
        yield str(number), data[start:end].decode("utf-8", "replace")


def _diagnostics(data: bytes) -> dict[str, str]:
    """Read the English messages of the TypeScript compiler by their number."""
    return {match[1]: json.loads(match[2]) for match in _DIAGNOSTIC.finditer(data.decode("utf-8", "replace"))}
