"""Whether what Tacit puts into prompts is what they needed. No model.

    python bench/brief.py PATH… [--only TEXT | --without TEXT] [--json] [--list]

PATH are transcripts of agents, or folders of them. Their sessions are replayed in the order of time in a home that is
thrown away: at each prompt the hooks are asked with what was known before it, and what came after it tells what bears
on it. Two baselines and one that knows the future are asked at the very same prompts. What is suggested is accepted.
`--only` and `--without` score the projects whose folder contains a text, or the others.
Tokens of a checkpoint after a compaction are counted, too; the line below the table leaves them out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.briefing.home import ReplayHome
from bench.briefing.recorded import recorded_sessions
from bench.briefing.replay import Asked, Replay
from bench.briefing.scores import HEAD, Scores, scores
from bench.briefing.systems import LastSessions, Oracle, PlainSearch, System, Tacit
from tacit.text.display import clip, printable

_PROMPT_CHARS, _LINE_CHARS = 200, 170


def replayed(paths: Sequence[Path]) -> tuple[list[Asked], list[str]]:
    """Every prompt in the order of time, and the names of the systems that were asked."""
    with TemporaryDirectory() as folder:
        home = ReplayHome(folder)
        systems: list[System] = [Tacit(home), LastSessions(), PlainSearch(), Oracle()]
        every = list(Replay(recorded_sessions(paths, home.builder), home, systems))
        home.close()
    return every, [system.name for system in systems]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+", type=Path, help="transcripts, or folders of them")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--only", default="", help="score projects whose folder contains this text")
    chosen.add_argument("--without", default="", help="score projects whose folder does not contain this text")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--list", action="store_true", help="prompt by prompt: what was given, and what bore on it")
    given = parser.parse_args()
    every, systems = replayed(given.paths)
    every = [asked for asked in every if given.only in asked.recorded.root]
    every = [asked for asked in every if not given.without or given.without not in asked.recorded.root]
    if not every:
        parser.error("no prompts there; name a folder of transcripts, for example ~/.claude/projects")
    found = scores(every, systems)
    if given.json:
        print(json.dumps({**_counts(every), "systems": {name: score.object for name, score in found.items()}}))
    for line in () if given.json else _table(every, found):
        print(line)
    for line in _listed(every) if given.list else ():
        print(line)


def _counts(every: Sequence[Asked]) -> dict[str, int]:
    return {
        "prompts": len(every),
        "with_earlier_sessions": sum(bool(asked.sessions) for asked in every),
        "with_bearing_items": sum(bool(asked.bearing) for asked in every),
        "sessions": len({asked.recorded.session.id for asked in every}),
        "projects": len({asked.recorded.root for asked in every}),
    }


def _table(every: Sequence[Asked], found: dict[str, Scores]) -> Iterator[str]:
    counts = _counts(every)
    yield (
        f"{counts['prompts']} prompts in {counts['sessions']} sessions of {counts['projects']} projects; "
        f"{counts['with_earlier_sessions']} have earlier sessions, something bears on {counts['with_bearing_items']}."
    )
    yield ""
    yield f"| at each prompt | {HEAD}"
    yield "|---" * (HEAD.count("|") + 1) + "|"
    for name, score in found.items():
        yield f"| {name} | {score.cells}"
    yield ""
    yield f"Without prompts after a compaction, Tacit gives {_uncompacted_tokens(every):.1f} tokens a prompt."


def _uncompacted_tokens(every: Sequence[Asked]) -> float:
    tokens = [
        asked.answers[Tacit.name].given.tokens for asked in every if not asked.recorded.is_compacted_before(asked.place)
    ]
    return sum(tokens) / max(len(tokens), 1)


def _listed(every: Sequence[Asked]) -> Iterator[str]:
    """Prompt by prompt, for reading by eye: what bore on it and why, and what each system gave there."""
    for number, asked in enumerate(every, 1):
        session, part = asked.recorded.session, asked.recorded.parts[asked.place]
        where = f"{printable(session.scope)}, session {session.id}, turn {asked.place + 1}"
        yield ""
        yield f"{number}. {part.began:%Y-%m-%d %H:%M} {where}"
        yield f"   {printable(clip(asked.prompt, _PROMPT_CHARS))}"
        for name, reasons in asked.bearing.items():
            seen = [system for system, answer in asked.answers.items() if name in answer.seen]
            yield f"   BEARS by {', '.join(sorted(reasons))}: {_shown(asked.known[name].line)} [{', '.join(seen)}]"
        for system, answer in asked.answers.items():
            for item in answer.given.items:
                yield f"   {system} {'+' if item.id in asked.bearing else '-'} {_shown(item.line)}"


def _shown(line: str) -> str:
    return printable(clip(line, _LINE_CHARS))


if __name__ == "__main__":
    main()
