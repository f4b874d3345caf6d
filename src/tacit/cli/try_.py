"""tacit try."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tacit.cli import sessions
from tacit.cli.cards import card_lines
from tacit.cli.commands import Command, Invocation
from tacit.cli.import_ import history_report
from tacit.cli.output import echo, pluralize, short_path
from tacit.cli.progress import ProgressBar
from tacit.cli.status import statistics_lines
from tacit.home.home import Home
from tacit.text.display import printable
from tacit.vault.vault import Vault

_MAX_FILES, _MAX_BYTES = 200, 200_000_000  # of transcripts: enough to see what it is, and soon done
_MAX_SESSIONS_SHOWN = 5
# Where programs keep histories and transcripts. Nothing else comes along: whoever looks only looks, and an agent may
# show a person what there is to learn.
_PASSED_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "XDG_DATA_HOME",
    "ZDOTDIR",
    "HISTFILE",
)
_NEXT_STEPS = """Nothing was kept: that home is gone, and your histories and transcripts are as they were. To keep it:

  tacit import history       # what your shells ran, into your own home
  tacit import transcripts   # what you and your agents did
  tacit review               # decide, card by card
  tacit install {shell:12} # go on learning from what you run
  tacit install {agent:12} # tell the agent at its next start what is remembered; go on recording if you say so
"""


def run_try(call: Invocation) -> int:
    call.refuse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tacit-try-")))
        bare = {"HOME": os.path.expanduser("~")} | {
            name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ
        }
        vault = stack.enter_context(Vault(Home(folder / "home", cwd=folder, environment=bare)))
        shell, agent = _try_histories(vault), _try_transcripts(vault)
        if not shell and not agent:
            places = ", ".join(map(printable, map(short_path, _searched_paths(vault, bare))))
            echo(f"There is no shell history and no transcript of an agent to learn from; looked for {places}.")
            return 0
    echo(_NEXT_STEPS.format(shell=shell or "zsh", agent=agent or "claude"))
    return 0


def _searched_paths(vault: Vault, environment: dict[str, str]) -> Iterator[str]:
    from tacit.hosts.capture import SOURCES

    yield from vault.histories.history_paths()
    for source in SOURCES.values():
        yield from source.paths(environment, environment["HOME"])


# Shells


def _try_histories(vault: Vault) -> str:
    """Print what can be learned from the histories. Return the shell that wrote one; "" if there is none."""
    if not (histories := vault.histories.find_histories()):
        return ""
    bar = ProgressBar()
    try:
        done = vault.histories.import_history(histories, progress=bar)
    finally:
        bar.clear()
    _echo_learned(vault)
    for line in history_report(done, dry_run=False)[:-1]:
        echo(line)
    echo()
    return next((result.shell for result in done if result.shell in ("bash", "zsh", "fish")), "zsh")


def _echo_learned(vault: Vault) -> None:
    pending = vault.suggestions()
    echo("What Tacit would learn from your shell histories, read in a home that is thrown away:\n")
    for line in statistics_lines(vault.pending.statistics()):
        echo(line)
    first = f"It would suggest, first of all, {pluralize(len(pending), 'thing')}:"
    echo(f"\n{first if pending else 'It would suggest nothing yet.'}")
    for at, listed in enumerate(pending, 1):
        for line in card_lines(listed, at, len(pending)):
            echo(line)
    echo()


# Agents


def _try_transcripts(vault: Vault) -> str:
    """Print the last sessions as Tacit would record them. Return the agent of the latest; "" if there is none."""
    paths = vault.transcripts.transcripts_in(vault.transcripts.transcript_paths())
    chosen = _latest_files(paths)
    bar = ProgressBar("things said and done")
    try:
        vault.transcripts.capture_transcripts(chosen, progress=bar)
    finally:
        bar.clear()
    listed = vault.sessions.sessions()
    if not listed:
        return ""
    echo(f"Your last sessions with agents, as Tacit would remember them ({len(listed):,} in all):\n")
    for session in listed[:_MAX_SESSIONS_SHOWN]:
        for line in sessions.listed_session_lines(session):
            echo(line)
    if len(chosen) < len(paths):
        echo(f"Read for this: {len(chosen):,} of {len(paths):,} transcripts, the latest, and none that is too large.")
    echo()
    return listed[0].row.agent


def _latest_files(files: list[str]) -> list[str]:
    """Return the latest transcripts; one that is too large makes room for others."""
    dated = sorted((status.st_mtime_ns, status.st_size, path) for path in files if (status := _file_status(path)))
    room = _MAX_BYTES
    chosen: list[str] = []
    for _, size, path in reversed(dated):
        if size <= room and len(chosen) < _MAX_FILES:
            chosen.append(path)
            room -= size
    return chosen


def _file_status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:  # an agent tidies up meanwhile
        return None


TRY = Command(
    name="try",
    usage="",
    help=(
        "See what Tacit would learn from your shell histories, and how it would remember your last sessions with\n"
        "agents, without keeping anything: they are read as they are, into a home that is thrown away. Of transcripts\n"
        "at most the latest 200 are read, and 200 MB."
    ),
    example="tacit try",
    run=run_try,
)
