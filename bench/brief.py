"""Whether what Tacit tells an agent helps, at prompts and at edits, as readers judge it. The replay needs no model.

    python bench/brief.py PATH… [--only TEXT | --without TEXT] [--as-one TEXT] [--json]
    python bench/brief.py PATH… --questions FILE
    python bench/brief.py PATH… --labels FILE… [--json]

PATH are transcripts of agents, or folders of them. Their sessions are replayed in the order of time in a home that is
thrown away: at each prompt and at the first edit of each file the hooks are asked with what was known before it. Two
baselines are asked at the same prompts. What is suggested is accepted. `--only` and `--without` measure the projects
whose folder contains a text, or the others; `--as-one` takes the clones whose folders end with a text for one project.

`--questions` writes what was told for readers, without the name of the policy that told it: one line of JSON for each
thing, with what was asked and what was then done. `--labels` are their answers, one file a reader: lines like
{"question": "…", "answer": "helpful"}, or harmless, or noise. Without them it is counted what was told, and not judged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.briefing.home import ReplayHome
from bench.briefing.labels import (
    ANSWERS,
    EDIT,
    PROMPT,
    Help,
    Labels,
    LabelsError,
    agreement,
    check_labels,
    measured,
    questions,
    read_labels,
)
from bench.briefing.policies import LastSessions, Policy, Tacit
from bench.briefing.recorded import recorded_sessions
from bench.briefing.replay import Asked, Replay


def replayed(paths: Sequence[Path], as_one: str = "") -> tuple[list[Asked], list[str]]:
    """Every prompt and first edit in the order of time, and the names of the policies that were asked."""
    with TemporaryDirectory() as folder:
        home = ReplayHome(folder)
        policies: list[Policy] = [Tacit(home), LastSessions("last session", 1), LastSessions("last three sessions", 3)]
        every = list(Replay(recorded_sessions(paths, home.builder, as_one), home, policies))
        home.close()
    return every, [policy.name for policy in policies]


def main() -> None:
    parser = _parser()
    given = parser.parse_args()
    if given.questions and not given.questions.parent.is_dir():
        parser.error(f"there is no folder {given.questions.parent}; make it, or name another file for the questions")
    try:
        readers = [read_labels(path) for path in given.labels]
    except LabelsError as why:
        parser.error(str(why))
    every, policies = replayed(given.paths, given.as_one)
    every = [asked for asked in every if given.only in asked.recorded.folder]
    every = [asked for asked in every if not given.without or given.without not in asked.recorded.folder]
    if not every:
        parser.error("no prompts there; name a folder of transcripts, for example ~/.claude/projects")
    if given.questions:
        lines = (json.dumps(question, ensure_ascii=False) + "\n" for question in questions(every))
        given.questions.write_text("".join(lines), encoding="utf-8")
        return
    try:
        check_labels(readers, every)
    except LabelsError as why:
        parser.error(str(why))
    found = [
        (moment, policy, measured(every, policy, moment, readers))
        for moment in (PROMPT, EDIT)
        for policy in (policies if moment == PROMPT else [Tacit.name])
    ]
    if given.json:
        rows = [{"moment": moment, "policy": policy, **_object(one)} for moment, policy, one in found]
        print(json.dumps({**_counts(every), "rows": rows, "agreement": _agreements(readers)}))
    for line in () if given.json else _table(every, found, readers):
        print(line)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="transcripts, or folders of them")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--only", default="", metavar="TEXT", help="measure projects whose folder contains this text")
    chosen.add_argument(
        "--without", default="", metavar="TEXT", help="measure projects whose folder does not contain this text"
    )
    parser.add_argument(
        "--as-one", default="", metavar="TEXT", help="folders that end with this text are clones of one project"
    )
    parser.add_argument(
        "--labels", nargs="+", type=Path, default=[], metavar="FILE", help="the answers of readers, a file for each"
    )
    parser.add_argument("--questions", type=Path, metavar="FILE", help="write what was told for readers, and end")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    return parser


def _counts(every: Sequence[Asked]) -> dict[str, int]:
    return {
        "prompts": sum(not asked.path for asked in every),
        "first_edits": sum(bool(asked.path) for asked in every),
        "sessions": len({asked.recorded.session.id for asked in every}),
        "projects": len({asked.recorded.folder for asked in every}),
    }


def _object(found: Help) -> dict[str, object]:
    """The shares are left out where no reader has answered."""
    return {
        "moments": found.moments,
        "told": found.told,
        "items": found.items,
        "unread": found.unread,
        "tokens": round(found.mean_tokens, 2),
        **{answer: round(share, 4) for answer, share in found.shares.items()},
    }


def _agreements(readers: Sequence[Labels]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for first, second in combinations(readers, 2):
        one = agreement(first, second)
        names = [first.reader, second.reader]
        found.append({"readers": names, "same": one.same, "of": one.both, "kappa": round(one.kappa, 3)})
    return found


def _table(every: Sequence[Asked], found: Sequence[tuple[str, str, Help]], readers: Sequence[Labels]) -> Iterator[str]:
    counts = _counts(every)
    yield (
        f"{counts['prompts']} prompts and {counts['first_edits']} first edits in {counts['sessions']} sessions of "
        f"{counts['projects']} projects."
    )
    yield ""
    yield "| | at | told | things | helpful | harmless | noise | not read | tokens, mean |"
    yield "|---" * 9 + "|"
    for moment, policy, one in found:
        shares = " | ".join(f"{one.shares[answer]:.3f}" if one.shares else "" for answer in ANSWERS)
        at = "prompts" if moment == PROMPT else "first edits"
        yield (
            f"| {policy} | {one.moments} {at} | {one.told} | {one.items} | {shares} | {one.unread} "
            f"| {one.mean_tokens:.1f} |"
        )
    for pair in _agreements(readers):
        yield ""
        yield f"The readers agree on {pair['same']} of {pair['of']} things, kappa {pair['kappa']}."


if __name__ == "__main__":
    main()
