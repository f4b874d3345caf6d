"""The real clients at the end of a session: what was said there waits, and what was told was checked, at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest

from tests.clients.apis import Step
from tests.clients.desk import RULE, Desk
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import Rule

WISH = "Install what the shop needs. From now on always put prices in cents, never in euros."


class Finished(NamedTuple):
    """What is known when a client has ended that broke a rule, and was told another."""

    checked: str
    waiting: list[str]


@pytest.fixture(scope="module", params=CLIENTS)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    client: Client = CLIENTS[request.param]
    with closing(Desk(tmp_path_factory.mktemp(client.name).resolve(), client)) as desk:
        desk.move_in()
        desk.tacit("add", RULE)
        (rule,) = [one["id"] for one in desk.tacit("list", "--json").json if one["text"] == RULE]
        (desk.person.folder / ".local/bin").mkdir(parents=True, exist_ok=True)
        steps = (client.ran("npm install --dry-run --offline || true"), Step("They are installed."))
        desk.write_script([Rule(WISH, steps)])
        assert desk.run(WISH).code == 0
        waiting = desk.tacit("list", "--pending", "--json", code=None).json
        yield Finished(desk.tacit("why", rule).out, [one["text"] for one in waiting])


def test_a_rule_that_was_broken_is_known_to_be(finished: Finished) -> None:
    assert "told 1 time" in finished.checked and "violated 1" in finished.checked


def test_what_the_person_said_will_hold_waits_for_them(finished: Finished) -> None:
    assert any("prices in cents" in text for text in finished.waiting)
