"""A command that defers pages, and the process that draws them, as two programs: `python deferred.py add TEXT | draw`.

They run one after the other here, so that either can be killed at each of its moments.
"""

from __future__ import annotations

import sys


def main() -> None:
    from tacit.cli import finish
    from tacit.home.home import Home
    from tacit.home.settings import Settings
    from tacit.home.store import Following, StoreOptions
    from tacit.vault.vault import Vault

    if sys.argv[1] == "draw":
        finish(None, follows=True, encodes=False)
        return
    with Vault(Home(settings=Settings(), options=StoreOptions(Following.PROCESS))) as vault:
        vault.add(sys.argv[2])


if __name__ == "__main__":
    main()
