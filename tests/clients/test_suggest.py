"""An agent proposes in its session: the quote is found although the turn has not ended and nothing was captured yet."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.clients.apis import Step
from tests.clients.desk import SUGGESTION, Desk
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import Rule

PROMPT = "Rename the folder. And from now on never rename a folder without asking the reviewers."
QUOTE = "never rename a folder without asking the reviewers"
SENTENCE = "never rename a folder before the reviewers agreed"


@pytest.mark.parametrize("client", CLIENTS.values(), ids=lambda client: client.name)
def test_the_words_of_the_prompt_are_found_while_the_agent_works(tmp_path: Path, client: Client) -> None:
    with closing(Desk(tmp_path.resolve(), client)) as desk:
        desk.move_in()
        command = f"{sys.executable} -m tacit --home {desk.person.home} suggest '{SENTENCE}' --quote '{QUOTE}'"
        desk.write_script([Rule(PROMPT, (desk.client.ran(command), Step("It waits for you.")))])
        assert desk.run(PROMPT).code == 0
        card = desk.tacit("review").out.partition(SENTENCE)[2].partition("tacit accept")[0]
        assert f"you said: “{QUOTE}” ({client.name}," in card
        listed = desk.tacit("list", "--status", "all", "--scope", "all", "--json").json
        assert {memory["label"]: memory["status"] for memory in listed}[SENTENCE] == "pending"
        short = next(memory["short"] for memory in listed if memory["label"] == SENTENCE)
        (event, *_) = desk.tacit("why", short, "--json").json["events"]
        assert [source["text"] for source in event["sources"]] == [PROMPT]  # captured when the turn had ended
        assert SUGGESTION in desk.tacit("review").out
