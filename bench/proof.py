"""What a document claims in numbers, and whether a command that checks it stands in the same sentence.

A claim is a sentence with a number and a unit of measure. A command checks it if it is in backticks and can be run: a
target of the Makefile, a bench with options that it has, or tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bench.suite import NAMES

ROOT = Path(__file__).resolve().parents[1]
_NUMBER = r"(?:\d[\d.,]*|few|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|thousand|million)"
_UNIT = r"(?:[mµn]?s|(?:milli)?seconds?|×|x|times|fold|%|percent|[kMG]i?B|(?:per|a) second|tokens?)"
_MEASURE = re.compile(rf"(?<!\w){_NUMBER}[\s-]?{_UNIT}(?!\w)", re.IGNORECASE)
_COMMAND = re.compile(r"`((?:make|python|pytest) [^`]+)`")
_UNITS_OF_TEXT = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|#]|```))")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\W*[A-Z`])")


def unproved(text: str) -> list[str]:
    """Sentences that claim a number and name no command that exists."""
    return [sentence for sentence in claims(text) if not any(map(exists, _COMMAND.findall(sentence)))]


def claims(text: str) -> Iterator[str]:
    for unit in (" ".join(unit.split()) for unit in _UNITS_OF_TEXT.split(text)):
        sentences = [unit] if unit.startswith("|") else _SENTENCES.split(unit)  # a row of a table is one
        yield from filter(_MEASURE.search, sentences)


def exists(command: str) -> bool:
    """Whether it could be run here: the words that name a file, and the options that the file knows."""
    program, *words = command.split()
    if program == "make":
        return bool(words) and all(_is_target(word) for word in words if "=" not in word)
    if program == "pytest":
        return bool(words) and all((ROOT / word).exists() for word in words if not word.startswith("-"))
    source = _source(words)
    return source is not None and _understood(words, source)


def _is_target(word: str) -> bool:
    return re.search(rf"^{re.escape(word)}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE) is not None


def _source(words: list[str]) -> Path | None:
    """The file that a command of Python runs, if it is one of ours."""
    if words[:1] == ["-m"] and len(words) > 1:
        named = ROOT.joinpath(*words[1].split("."))
        found = [path for path in (named.with_suffix(".py"), named / "__main__.py") if path.is_file()]
    else:
        found = [ROOT / word for word in words[:1] if word.endswith(".py") and (ROOT / word).is_file()]
    return found[0] if found and found[0].is_relative_to(ROOT / "bench") else None


def _understood(words: list[str], source: Path) -> bool:
    """Options stand in the source, or in what all benches share; `--only` is followed by names of the suite."""
    known = source.read_text("utf-8") + (ROOT / "bench/figures.py").read_text("utf-8")
    chosen = words[words.index("--only") + 1 :] if "--only" in words and source.parent == ROOT / "bench" else []
    return set(chosen) <= {*NAMES, "NAME", "…"} and all(f'"{word}"' in known for word in words if word[:2] == "--")
