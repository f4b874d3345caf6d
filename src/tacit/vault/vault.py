"""The vault: one home, and every verb of the command line as one call.

    with tacit.open("~/.agents") as vault:
        vault.add("never run the build repeatedly because it is heavy")
        vault.recall("build")

The verbs come in groups, one file each; this is where they are put together with the parts of a home.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tacit.disk.ops import Disk, OsDisk
from tacit.recall.places import Lines
from tacit.settings import read_settings
from tacit.vault.doctor import Doctoring
from tacit.vault.home import locate
from tacit.vault.judging import Judging
from tacit.vault.project import find_project
from tacit.vault.reading import Reading
from tacit.vault.setup import Setup
from tacit.vault.speaker import Speaker, speaker
from tacit.vault.store import Store
from tacit.vault.tending import Tending


class Vault(Reading, Judging, Tending, Doctoring, Setup):
    """An open home. `cwd` decides which project one stands in; everything else has a sensible default."""

    def __init__(
        self,
        home: str | os.PathLike[str] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        speaking: Speaker | None = None,
        disk: Disk | None = None,
        entropy: Callable[[], bytes] = lambda: os.urandom(10),
    ) -> None:
        env = dict(os.environ if environment is None else environment)
        place = locate(os.fspath(home) if home is not None else None, env)
        self._user_folder = env.get("HOME") or os.path.expanduser("~")
        project = find_project(os.fspath(cwd) if cwd is not None else _where(), self._user_folder)
        self._settings = read_settings(place.settings)
        self._store = Store(place, disk or OsDisk(), speaking or speaker(env), project, entropy)
        self.files: dict[str, Lines] = {}

    @property
    def home(self) -> str:
        return self._store.home.root

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _where() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        return "/"
