"""Running git on a repository that others may have prepared.

No hook, monitor, pager, filter, signature program or transport of the repository's settings is started, and no
variable leads git to another repository. What git prints is read with a deadline.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

_SECONDS = 10
# Where a person keeps settings. Every other variable of git may name another repository, or a program.
_KEPT_VARIABLES = frozenset(("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"))
_OWN_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # a clone without all of its objects fetches nothing
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_SETTINGS = (("core.fsmonitor", "false"), ("core.hooksPath", os.devnull), ("log.showSignature", "false"))


def run_git(
    root: str, environment: Mapping[str, str], *words: str, seconds: float = _SECONDS
) -> subprocess.CompletedProcess[str] | None:
    """Run git in a work tree and return what it printed; None if it cannot be started or takes longer."""
    own = {name: value for name, value in environment.items() if _is_kept(name)}
    settings = [word for name, value in _SETTINGS for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.run(
            ["git", "-C", root, "--no-pager", "--no-replace-objects", *settings, *words],
            env={**own, **_OWN_VARIABLES},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _is_kept(name: str) -> bool:
    return not name.startswith("GIT_") or name in _KEPT_VARIABLES
