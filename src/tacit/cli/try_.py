"""tacit try."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tacit.cli import sessions
from tacit.cli.cards import card
from tacit.cli.command import Call, Command
from tacit.cli.import_ import told
from tacit.cli.output import counted, say, short_path
from tacit.cli.status import lines
from tacit.cli.terminal import Bar
from tacit.home.home import Home
from tacit.text.display import show
from tacit.vault.vault import Vault

_MOST_FILES, _MOST_BYTES = 200, 200_000_000  # of transcripts: enough to see what it is, and soon done
_SHOWN = 5
# Where programs keep histories and transcripts. Nothing else comes along: whoever looks only looks, and an agent may
# show a person what there is to learn.
_KEPT = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_DATA_HOME", "ZDOTDIR", "HISTFILE")
_KEEP = """Nothing was kept: that home is gone, and your histories and transcripts are as they were. To keep it:

  tacit import history       # what your shells ran, into your own home
  tacit capture              # what you and your agents did
  tacit review               # decide, card by card
  tacit install {shell:12} # go on learning from what you run
  tacit install {agent:12} # tell the agent at its next start what is remembered; go on recording if you say so
"""


def run_try(call: Call) -> int:
    call.no_words()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tacit-try-")))
        bare = {"HOME": os.path.expanduser("~")} | {name: os.environ[name] for name in _KEPT if name in os.environ}
        vault = stack.enter_context(Vault(Home(folder / "home", cwd=folder, environment=bare)))
        shell, agent = _of_shells(vault), _of_agents(vault)
        if not shell and not agent:
            places = ", ".join(map(show, map(short_path, _places(vault, bare))))
            say(f"There is no shell history and no transcript of an agent to learn from; looked for {places}.")
            return 0
    say(_KEEP.format(shell=shell or "zsh", agent=agent or "claude"))
    return 0


def _places(vault: Vault, environment: dict[str, str]) -> Iterator[str]:
    from tacit.hosts.capture import SOURCES

    yield from vault.histories.history_places()
    for source in SOURCES.values():
        yield from source.places(environment, environment["HOME"])


# Shells


def _of_shells(vault: Vault) -> str:
    """Shows what the histories teach; the shell that wrote one, if there is any."""
    if not (found := vault.histories.histories()):
        return ""
    bar = Bar()
    try:
        done = vault.histories.import_history(found, progress=bar)
    finally:
        bar.wipe()
    _say_learned(vault)
    for line in told(done, dry_run=False)[:-1]:
        say(line)
    say()
    return next((one.shell for one in done if one.shell in ("bash", "zsh", "fish")), "zsh")


def _say_learned(vault: Vault) -> None:
    pending = vault.suggestions()
    say("What Tacit would learn from your shell histories, read in a home that is thrown away:\n")
    for line in lines(vault.pending.statistics()):
        say(line)
    first = f"It would suggest, first of all, {counted(len(pending), 'thing')}:"
    say(f"\n{first if pending else 'It would suggest nothing yet.'}")
    for at, listed in enumerate(pending, 1):
        for line in card(listed, at, len(pending)):
            say(line)
    say()


# Agents


def _of_agents(vault: Vault) -> str:
    """Shows the last sessions as they would be remembered; the agent of the latest, if there is any."""
    every = vault.transcripts.transcripts_in(vault.transcripts.transcript_places())
    chosen = _latest(every)
    bar = Bar("things said and done")
    try:
        vault.transcripts.capture_transcripts(chosen, progress=bar)
    finally:
        bar.wipe()
    listed = vault.sessions.sessions()
    if not listed:
        return ""
    say(f"Your last sessions with agents, as Tacit would remember them ({len(listed):,} in all):\n")
    for one in listed[:_SHOWN]:
        for line in sessions.lines(one):
            say(line)
    if len(chosen) < len(every):
        say(f"Read for this: {len(chosen):,} of {len(every):,} transcripts, the latest, and none that is too large.")
    say()
    return listed[0].row.agent


def _latest(files: list[str]) -> list[str]:
    """Of many only the latest; one that is too large makes room for others."""
    dated = sorted((status.st_mtime_ns, status.st_size, path) for path in files if (status := _status(path)))
    room = _MOST_BYTES
    chosen: list[str] = []
    for _, size, path in reversed(dated):
        if size <= room and len(chosen) < _MOST_FILES:
            chosen.append(path)
            room -= size
    return chosen


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:  # an agent tidies up meanwhile
        return None


TRY = Command(
    name="try",
    words="",
    help=(
        "See what Tacit would learn from your shell histories, and how it would remember your last sessions with\n"
        "agents, without keeping anything: they are read as they are, into a home that is thrown away. Of transcripts\n"
        "at most the latest 200 are read, and 200 MB."
    ),
    example="tacit try",
    run=run_try,
)
