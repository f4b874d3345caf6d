"""Tacit was installed into a client and then removed without `tacit uninstall`: the client works on as if it had never
been there. Hosts take a hook that cannot run for a refusal, so the installed command has to see to that."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.clients.desk import MEMORIES, Desk
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import FENCE
from tests.clients.story import COMMAND, FILE, GREET, THANK, rules, strings
from tests.support.removable import Removable

LONG = f"{GREET}{' Mind the tea.' * 6_500}"  # more than a pipe holds, less than the system takes as one argument
_REMOVALS = {"package": Removable.remove_package, "interpreter": Removable.remove_interpreter}


@pytest.mark.parametrize("client", CLIENTS.values(), ids=lambda client: client.name)
@pytest.mark.parametrize("removed", _REMOVALS)
def test_a_client_works_on_when_tacit_was_removed(tmp_path: Path, client: Client, removed: str) -> None:
    with closing(Desk(tmp_path.resolve(), client)) as desk:
        own = Removable(tmp_path / "own tacit")
        remembered = [["add", memory, "--global"] for memory in MEMORIES]
        for words in (*remembered, ["install", client.name, "--mcp", "--yes"]):
            own.tacit(*words, cwd=desk.repository, environment=desk.environment)
        desk.write_script(rules(client, desk.repository))
        with_it = desk.run(THANK)
        assert with_it.code == 0 and FENCE.search(str(with_it.requests)), "it never worked: this shows nothing"

        _REMOVALS[removed](own)
        run = desk.run(LONG)

        assert (run.code, run.err[-2000:] if run.code else "") == (0, "")
        assert (desk.repository / FILE).read_text() == "hello\n"
        assert len(run.asked) == 3  # the prompt, and what each of the two tools answered
        assert COMMAND.removeprefix("echo ") in strings(run.asked[1])
        assert not FENCE.search(str(run.asked[0]))
        assert str(own.folder) not in strings(run.asked[-1]) + run.err
