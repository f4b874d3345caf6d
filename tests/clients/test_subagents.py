"""A subagent does part of the work, and is told the standing rules for it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.clients.apis import Step, all_text
from tests.clients.desk import MEMORIES, RULE, Desk
from tests.clients.hosts import CLAUDE, CODEX, Client
from tests.clients.script import Rule, fenced

PROMPT, PART = "Let somebody else count the folders.", "Count the folders of this tree."
SPAWNED = {
    "claude": Step(tool="Agent", input={"description": "count", "prompt": PART, "subagent_type": "general-purpose"}),
    "codex": Step(tool="multi_agent_v1/spawn_agent", input={"message": PART, "task_name": "count"}),
}


@pytest.mark.parametrize("client", [CLAUDE, CODEX], ids=lambda client: client.name)
def test_a_subagent_is_told_the_rules_and_nothing_else(tmp_path: Path, client: Client) -> None:
    with closing(Desk(tmp_path.resolve(), client)) as desk:
        desk.move_in()
        desk.tacit("add", RULE, "--global")
        steps = (SPAWNED[client.name], client.ran("sleep 5"), Step("Two."))  # Codex does not wait for it by itself
        desk.write_script([Rule(PART, (Step("There are two."),)), Rule(PROMPT, steps)])
        run = desk.run(PROMPT)
        (asked, *_) = [body for body in run.requests if PART in all_text(body) and PROMPT not in all_text(body)]

        (told,) = fenced(asked, "memory")
        assert RULE in told and "standing rules" in told
        assert not any(memory in told for memory in MEMORIES)
