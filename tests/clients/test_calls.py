"""The real clients at an edit and at a failed command: what the next request of each says about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest

from tests.clients.apis import Step
from tests.clients.desk import Desk, Run
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import Rule, fenced

WISH = "Let uploads be tried three times, because the proxy drops large files."
LATER = "Please write the uploads with another library now."
FIX = "When `./check` fails with “database kestrel is not seeded”, run `./seed` first."
CHECK = "#!/bin/sh\necho 'error: database kestrel is not seeded (5 tables)' >&2\nexit 1\n"


class Worked(NamedTuple):
    """A client that wrote a file in one session, and in the next one wrote it twice and ran what fails, twice."""

    desk: Desk
    run: Run


@pytest.fixture(scope="module", params=CLIENTS)
def worked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worked]:
    client: Client = CLIENTS[request.param]
    with closing(Desk(tmp_path_factory.mktemp(client.name).resolve(), client)) as desk:
        desk.move_in()
        desk.tacit("add", FIX, "--kind", "known_fix")
        check, uploads = desk.repository / "check", desk.repository / "uploads.py"
        check.write_text(CHECK)
        check.chmod(0o755)
        wrote = client.wrote(uploads, "retry_limit = 3\n")
        desk.write_script([Rule(WISH, (wrote, Step("Uploads are tried three times.")))])
        desk.run(WISH)
        uploads.unlink()
        again = (client.ran("rm uploads.py"), client.wrote(uploads, "import other\n"))
        changed = client.wrote(uploads, "import requests\nretry_limit = 5\n")
        steps = (changed, *again, client.ran("./check"), client.ran("./check"))
        desk.write_script([Rule(LATER, (*steps, Step("It is written, and the check fails.")))])
        yield Worked(desk, desk.run(LATER))


def test_an_agent_that_edits_a_file_is_told_what_it_was_last_changed_for_once(worked: Worked) -> None:
    (line,) = fenced(worked.run.asked[-1], "file")
    assert "uploads.py, last changed" in line and "the proxy drops large files" in line
    assert fenced(worked.run.asked[1], "file") == [line]


def test_an_agent_whose_command_failed_is_told_the_known_fix_once(worked: Worked) -> None:
    (line,) = fenced(worked.run.asked[-1], "fix")
    assert "run `./seed` first" in line
    assert not fenced(worked.run.asked[3], "fix")


def test_what_was_told_is_recorded_and_not_captured(worked: Worked) -> None:
    told = {one["moment"]: one for one in worked.desk.tacit("injected", "--json").json}
    assert len(told["edit"]["sessions"]) == 1 and len(told["failure"]["memories"]) == 1
    assert "For reference: uploads.py" not in worked.desk.recorded()
