"""Secrets: how many formats are found, how often ordinary lines are taken for one, and what it costs.

    python bench/redaction.py [--formats FILE] [--text FILE…]
    python bench/redaction.py --set bench/secrets/one.jsonl --misses --lines bench/secrets/ordinary-one.txt

FILE of formats: a JSON list of objects with `id`, `regex` and `keywords`; without it the rows of Tacit's own tables
are used. Texts are read line by line as ordinary text; JSON lines are taken apart into their strings. FILE of a set:
JSON lines with `id`, `group`, `kind`, `text` and `secret`, written by people who do not know the tables; only the set
and the lines are measured then. FILE of lines: ordinary text as it is, one line each.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from harness.hostile_lines import hostile_lines
from harness.secret_examples import BLOCKS, FORMATS, written

from bench.figures import Figure, against_target, amount, print_figures
from bench.ordinary import lines
from bench.samples import sample
from tacit.secrets import find_secrets, redact_stream, redacted

ORDINARY = 100_000
_PIECE = 1 << 20
_SENTENCE = "please use {} for the deploy, it is new"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/redaction.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--formats", type=Path, help="formats to draw samples from (default: the tables' own rows)")
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="ordinary text, or folders of it")
    parser.add_argument(
        "--set", type=Path, nargs="*", default=[], dest="sets", help="secrets in their texts, JSON lines"
    )
    parser.add_argument("--misses", action="store_true", help="show the texts of a set whose secret was not hidden")
    parser.add_argument("--lines", type=Path, nargs="*", default=[], help="ordinary lines; every alarm is shown")
    parser.add_argument("--draws", type=int, default=1, help="samples of each format (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    figures: list[Figure] = []
    if given.sets or given.lines:
        for path in given.sets:
            figures += _set(path, given.misses)
        for path in given.lines:
            figures += _lines(path)
        return print_figures(figures, as_json=given.json)
    ordinary = {"generated": list(lines(ORDINARY)), "given": [line for path in given.text for line in _read(path)]}
    figures.append(_recall(_samples(given.formats, given.draws, given.seed)))
    figures += [_alarms(name, text) for name, text in ordinary.items() if text]
    figures += [_rate("generated", list(lines(20_000, seed=9)))]
    figures += [_rate("given", text[:: len(text) // 100_000 + 1]) for text in [ordinary["given"]] if text]
    figures.append(_hostile())
    return print_figures(figures, as_json=given.json)


# What is found


def _samples(formats: Path | None, draws: int, seed: int) -> list[tuple[str, str]]:
    if formats is None:
        return [(example.kind, written(example.text)) for example in (*FORMATS, *BLOCKS)]
    random = Random(seed)
    return [(one["id"], sample(one["regex"], random)) for one in json.loads(formats.read_bytes()) for _ in range(draws)]


def _recall(samples: list[tuple[str, str]]) -> Figure:
    """In the middle of a sentence, where nothing but the secret itself tells that it is one."""
    missed = Counter(name for name, secret in samples if not find_secrets(_SENTENCE.format(secret)))
    share = 100 * (1 - missed.total() / len(samples))
    named = ", ".join(f"{name} ×{times}" if times > 1 else name for name, times in missed.items())
    note = f"of {len(samples)}" + (f"; missed: {named}" if named else "")
    return against_target("samples found in a sentence", share, "%", note)


def _set(path: Path, misses: bool) -> Iterator[Figure]:
    """How many secrets of a set are hidden, by group. One counts only if nothing of its text holds it any more."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    missed = [row for row in rows if row["secret"] in redacted(row["text"])]
    for group in sorted({row["group"] for row in rows}):
        of_group = sum(row["group"] == group for row in rows)
        found = of_group - sum(row["group"] == group for row in missed)
        yield Figure(f"{path.name}, group {group}", f"{found} of {of_group}")
    share = 100 * (1 - len(missed) / len(rows))
    yield Figure(f"{path.name}, secrets hidden", f"{amount(share)} % of {len(rows)}", "≥ 95 %", share >= 95)
    if misses:
        for row in missed:
            print(f"{row['id']}: {row['text']}\n", file=sys.stderr)


def _lines(path: Path) -> Iterator[Figure]:
    """Ordinary lines in which something was hidden; they are shown."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    alarms = [line for line in lines if find_secrets(line)]
    for line in alarms:
        print(f"{find_secrets(line)[0].kind}: {line}", file=sys.stderr)
    yield Figure(f"{path.name}, false alarms", f"{len(alarms)} of {len(lines):,}", "0", not alarms)


# What is found and is none


def _read(path: Path) -> Iterator[str]:
    """The lines of a file, or of all files below a folder; what is quoted in JSON is read as the text it stands for."""
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            if inner.is_file():
                yield from _read(inner)
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            said = json.loads(line) if line[:1] in "{[" else line
        except ValueError:
            said = line
        for text in _strings(said):
            yield from text.splitlines()


def _strings(said: Any) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict | list):
        for inner in said.values() if isinstance(said, dict) else said:
            yield from _strings(inner)


def _alarms(name: str, text: list[str]) -> Figure:
    alarms = Counter(find_secrets(line)[0].kind for line in text if find_secrets(line))
    kinds = ", ".join(f"{kind} ×{times}" for kind, times in alarms.most_common())
    note = f"of {len(text):,}" + (f": {kinds}" if kinds else "")
    return against_target(f"false alarms, {name} lines", 100 * alarms.total() / len(text), "%", note)


# What it costs


def _rate(name: str, text: list[str]) -> Figure:
    whole = "\n".join(text)
    pieces = [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)]
    megabytes = len(whole.encode("utf-8", "replace")) / 1e6
    seconds = _seconds(lambda: list(redact_stream(pieces, lambda _: "0" * 8, lambda _: None)))
    return against_target(f"{name} text, as `tacit redact`", megabytes / seconds, "MB per CPU s")


def _hostile() -> Figure:
    times = {}
    for name, text in hostile_lines():
        redacted(text)
        times[name] = 1000 * _seconds(partial(redacted, text))
    slowest = max(times, key=lambda name: times[name])
    return against_target("slowest hostile line of 64 KiB", times[slowest], "ms", slowest)


def _seconds(work: Callable[[], object]) -> float:
    redacted("\n".join(lines(500)))
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main())
