"""tacit try."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.histories import told
from tacit.surfaces.cli.progress import Bar
from tacit.surfaces.cli.show import card
from tacit.surfaces.cli.verbs.stats import lines
from tacit.surfaces.cli.words import counted, say
from tacit.vault.vault import Vault

_KEEP = """
Nothing was kept: that home is gone, and your histories are as they were. To keep it:

  tacit import history       # the same, into your own home
  tacit review               # decide, card by card
  tacit install {shell:12} # go on learning from what you run
"""


def run(call: Call) -> int:
    call.no_words()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tacit-try-")))
        # Whoever looks only looks: an agent may show a person what there is to learn.
        bare = {"HOME": os.path.expanduser("~")}
        vault = stack.enter_context(Vault(folder / "home", cwd=folder, environment=bare))
        if not (found := vault.histories()):
            places = ", ".join(show(place) for place in vault.history_places())
            say(f"There is no shell history to learn from; looked for {places}.")
            return 0
        bar = Bar()
        try:
            done = vault.import_history(found, progress=bar)
        finally:
            bar.wipe()
        _say_learned(vault)
        for line in told(done, dry_run=False)[:-1]:
            say(line)
    say(_KEEP.format(shell=next((one.shell for one in done if one.shell in ("bash", "zsh", "fish")), "zsh")))
    return 0


def _say_learned(vault: Vault) -> None:
    pending = vault.suggestions()
    say("What Tacit would learn from your shell histories, read in a home that is thrown away:\n")
    for line in lines(vault.statistics()):
        say(line)
    first = f"It would suggest, first of all, {counted(len(pending), 'thing')}:"
    say(f"\n{first if pending else 'It would suggest nothing yet.'}")
    for at, listed in enumerate(pending, 1):
        for line in card(listed, at, len(pending)):
            say(line)
    say()


COMMAND = Command(
    name="try",
    words="",
    help=(
        "See what Tacit would learn from your shell histories, without keeping anything: they are read as they are,\n"
        "into a home that is thrown away."
    ),
    example="tacit try",
    run=run,
)
