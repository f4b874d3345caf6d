"""What is registered with a host outlives the installation that it starts, and then does no harm."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts.registration import quote_word
from tests.chaos.test_installs import SHELLS, removed


def test_no_host_notices_what_was_removed_however_it_starts_a_command(tmp_path: Path) -> None:
    assert removed(tmp_path, ["claude", "copilot"]).faults == ()


def test_the_commands_of_earlier_versions_are_noticed(tmp_path: Path) -> None:
    """So that the test above can fail."""
    found = removed(tmp_path, ["claude"], guarded=False)

    assert any("by sh, without the package: exit code 2" in fault for fault in found.faults)
    assert any("by fish, without the interpreter: exit code 127" in fault for fault in found.faults)


@settings(max_examples=30, deadline=None)
@given(
    words=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8), max_size=9)
)
def test_all_shells_read_quoted_words_alike(words: list[str]) -> None:
    odd = [*words, "o'brien's \\ \\\\ \\' \"$HOME\" `x` !! *", "", "=ls", "~", "%1", "-"]
    line = "printf '%s\\0' " + " ".join(map(quote_word, odd))
    for shell in (one for one in SHELLS if shutil.which(one)):
        done = subprocess.run([shell, "-c", line], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True)
        assert done.stdout.decode().split("\0")[:-1] == odd, shell
    assert shlex.split(line)[2:] == odd
