"""Codex CLI, with the hooks that `tacit install codex` puts there."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.clients import fence
from tests.clients.contract import ClientContract
from tests.clients.desk import Desk
from tests.clients.hosts import codex
from tests.clients.story import GREET, rules


class TestCodex(ClientContract):
    client = codex.CLIENT


def test_hooks_that_nobody_has_reviewed_do_not_run_and_installing_said_so(tmp_path: Path) -> None:
    with closing(Desk(tmp_path.resolve(), codex.CLIENT)) as desk:
        said = desk.move_in()
        assert "trust" in said and "/hooks" in said
        desk.write_script(rules(desk.client, desk.repository))
        run = desk.run(GREET, without=codex.TRUSTED)
        assert run.code == 0
        assert GREET in str(run.asked[0])
        assert not fence.OPENING.search(str(run.requests))
        assert desk.tacit("sessions", "--json", code=None).json == []
