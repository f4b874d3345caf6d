"""What `python -m bench` runs: one row a bench, in the order of the tables. A new bench is a new row.

A command is written as a person types it. `MATERIAL` stands for the folder of public sets that the project does not
hold; `read` makes figures of what the command prints, one object a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bench import printed
from bench.figures import Figure

MATERIAL = "MATERIAL"


class Bench(NamedTuple):
    name: str
    command: str
    read: Callable[[Iterable[str]], Iterable[Figure]] = printed.figures
    homes: bool = False
    """Whether it measures on the homes of bench/homes.py."""
    slow: bool = False
    """Left out by `--quick`."""

    @property
    def needs(self) -> str:
        """The file or folder of the material that it reads; empty where it reads none."""
        words = (word for word in self.command.split() if word.startswith(f"{MATERIAL}/"))
        return next(words, "").removeprefix(f"{MATERIAL}/")


SUITE = (
    Bench("verbs", "python -m bench.verbs", homes=True, slow=True),
    Bench("startup", "python -m bench.startup", homes=True),
    Bench("rebuild", "python -m bench.rebuild", homes=True),
    Bench("maintenance", "python -m bench.maintenance", homes=True, slow=True),
    Bench("machines", "python -m bench.machines --sizes 100000", homes=True, slow=True),
    Bench("redaction", "python bench/redaction.py --formats MATERIAL/secrets/token_formats.json"),
    Bench("history", "python -m bench.history", homes=True),
    Bench("learning", "python -m bench.learning", homes=True),
    Bench("prompt", "python -m bench.prompt", homes=True),
    Bench("hooks", "python -m bench.hooks", homes=True),
    Bench("web", "python -m bench.web", homes=True),
    Bench("guard", "python -m bench.guard MATERIAL/shell/claude_bash_commands_entireio_cli.jsonl"),
    Bench("audit", "python -m bench.audit"),
    Bench("capture", "python -m bench.capture MATERIAL/transcripts"),
    Bench("setup", "python -m bench.setup MATERIAL/transcripts"),
    Bench("replay", "python -m bench.replay MATERIAL/transcripts"),
    Bench("locomo", "python -m bench.public --locomo MATERIAL/locomo/locomo10.json"),
    Bench("beam", "python -m bench.public --beam MATERIAL/beam/100K", slow=True),
    Bench("commits", "python -m bench.public --commits MATERIAL/commit2session/commit2session.json"),
    Bench("brief", "python bench/brief.py MATERIAL/transcripts", printed.brief),
    Bench("prompts", "python bench/extraction.py MATERIAL/prompts/fresh.jsonl", printed.prompts),
    Bench("fixes", "python bench/extraction.py MATERIAL/fixes/labelled.jsonl", printed.fixes),
    Bench("scale", "python -m bench.scale --sizes 10000 100000", homes=True),
    Bench("million", "python -m bench.scale --sizes 1000000", homes=True, slow=True),
    Bench("team", "python -m bench.team", slow=True),
    Bench("team-scale", "python -m bench.team_scale", slow=True),
    Bench("peers", "python -m bench.peers", slow=True),
)
NAMES = tuple(bench.name for bench in SUITE)


def chosen(only: Iterable[str] | None, *, quick: bool) -> list[Bench]:
    """Those that are named, else all of them; in a hurry without the slow ones."""
    wanted = set(only or ())
    return [bench for bench in SUITE if (bench.name in wanted if wanted else not (quick and bench.slow))]
