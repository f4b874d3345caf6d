"""Stories with agents in them: several sessions, two people, branches, an upgrade, and what each agent is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from harness.transcripts import Claude, Clock, lines, name_of

from tests.lives import steps, surfaces
from tests.lives.machine import make_world
from tests.lives.test_accidents import HOMES, OLD
from tests.lives.world import FACTS, Person, World

FORCE, PNPM = "never force push", "never use npm here, use pnpm"


class _Clock(Clock):
    """That of everybody else, or hours behind: what was told before a call has to be before it in the transcript."""

    def __init__(self, behind: timedelta) -> None:
        super().__init__()
        self._behind = behind

    def __call__(self, seconds: int = 1) -> str:
        return (datetime.now(UTC) - self._behind).isoformat()


class Agent:
    """A session of Claude Code in a clone of somebody: what its hooks are given, and the transcript that it leaves."""

    def __init__(self, who: Person, name: str, branch: str = "main", hours_ago: float = 0) -> None:
        self.who, self.session = who, name_of(name)
        self._teller = Claude(self.session, str(who.work), branch=branch)
        self._teller.clock = _Clock(timedelta(hours=hours_ago))
        self.told = surfaces.start_session(who, name).model

    def ask(self, text: str) -> str:
        """The person gives a prompt. Return what the agent is told with it."""
        self._teller.ask(text)
        return self._hook("inject", "UserPromptSubmit", prompt=text)

    def edit(self, name: str, new: str, old: str = "x") -> str:
        """The agent edits a file. Return what it is told about that."""
        given: dict[str, object] = {"file_path": str(self.who.work / name), "old_string": old, "new_string": new}
        told = self._hook("call", "PreToolUse", tool_name="Edit", tool_input=given)
        self._teller.call("Edit", given)
        return told

    def run(self, line: str) -> bool:
        """The agent wants to run a command. Return whether a guard lets it."""
        given: dict[str, object] = {"command": line}
        out = surfaces._hook(
            self.who, "guard", "PreToolUse", {**self._about(), "tool_name": "Bash", "tool_input": given}
        )
        reason = json.loads(out)["hookSpecificOutput"].get("permissionDecisionReason", "") if out else ""
        self._teller.call("Bash", given, reason or "done", error=bool(reason))
        return not reason

    def end(self, reply: str = "It is done.") -> None:
        self._teller.reply(reply)
        path = self.who.folder / ".claude/projects/work" / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.who.write(path, lines(self._teller.records).decode())
        surfaces._hook(self.who, "capture", "SessionEnd", {**self._about(), "transcript_path": str(path)})
        self.who.mind.note_all(row["text"] for row in self.who.quietly(lambda: self.who.json("suggestions", "--all")))

    def _about(self) -> dict[str, object]:
        return {"session_id": self.session}

    def _hook(self, verb: str, event: str, **fields: object) -> str:
        out = surfaces._hook(self.who, verb, event, {**self._about(), **fields})
        return str(json.loads(out)["hookSpecificOutput"].get("additionalContext", "")) if out else ""


@pytest.fixture
def world() -> Iterator[World]:
    made = make_world("ann", "bob")
    yield made
    if not made.failed:
        for person in made.people:
            if person.home.exists():
                steps.look(person)
                steps.everything(person)


def _recorded(person: Person) -> Person:
    person.tacit("autocapture", "on")
    return person


@pytest.fixture
def ann(world: World) -> Person:
    return _recorded(world.people[0])


@pytest.fixture
def bob(world: World) -> Person:
    return _recorded(world.people[1])


def test_what_the_person_turned_down_is_told_before_the_next_edit_also_after_an_upgrade(ann: Person) -> None:
    first = Agent(ann, "monday", hours_ago=5)
    first.ask("Make the cart cheaper to load.")
    assert first.edit("src/cart.py", "rate = compute_tax(cents)") == ""
    first.ask("no, leave compute_tax in euros")
    first.end("compute_tax stays in euros.")
    steps.upgrade_index(ann)

    second = Agent(ann, "tuesday")
    second.ask("The totals are wrong by one cent, please mend them.")
    told = second.edit("src/cart.py", "total = compute_tax(net)")
    assert "no, leave compute_tax in euros" in told and "cart.py" in told
    assert second.edit("src/cart.py", "total = compute_tax(gross)") == ""  # once a session
    assert second.edit("src/checkout.py", "compute_tax(net)") == ""  # another file
    second.end()

    third = Agent(ann, "wednesday")
    third.ask("Rename the columns of the report.")
    assert third.edit("src/cart.py", "COLUMNS = ('a', 'b')") == ""  # it has nothing to do with that
    third.end()


def test_a_rule_of_a_colleague_is_told_and_enforced_once_it_is_accepted(ann: Person, bob: Person) -> None:
    steps.add(ann, FORCE)
    steps.push(ann)
    steps.pull(bob)
    agent = Agent(bob, "with a colleague")
    agent.ask("Clean up the history of this branch.")
    assert FORCE not in agent.told and (bob.work / FACTS).exists()
    assert agent.run("git push --force origin main")  # nobody here has said that it must not

    steps.trust(bob)
    assert FORCE in agent.ask("And now the other branch.")
    bob.tacit("guard", "on", bob.id_of(FORCE), "--yes")
    assert not agent.run("git push --force origin main")
    assert not agent.run("cd . && git push origin +main")
    assert agent.run("git push origin topic")
    agent.end()
    assert "stopped 1" in bob.tacit("why", bob.id_of(FORCE)).out
    assert "stopped" in bob.tacit("status").out
    assert "stopped" not in ann.tacit("status").out


def test_each_branch_goes_on_with_its_own_last_session(ann: Person) -> None:
    steps.add(ann, PNPM)
    steps.commit(ann)
    on_main = Agent(ann, "on main", hours_ago=2)
    on_main.ask("Write the letter to the suppliers.")
    on_main.end("The letter is written.")
    steps.checkout(ann, "cart")
    on_branch = Agent(ann, "on the branch", "cart")
    on_branch.ask("Let the cart survive a reload.")
    on_branch.end("The cart survives a reload.")

    again = Agent(ann, "the branch again", "cart")
    assert "survive a reload" in again.told and "suppliers" not in again.told
    steps.checkout(ann, "main")
    back = Agent(ann, "back on main")
    assert "suppliers" in back.told and "survive" not in back.told
    assert all(PNPM in agent.told for agent in (on_main, on_branch, again, back))


def test_a_rule_that_two_sessions_break_is_asked_about_and_stays_if_it_is_kept(ann: Person) -> None:
    steps.add(ann, PNPM)
    agents = [Agent(ann, f"agent {number}") for number in (1, 2)]  # at the same time
    for agent in agents:
        assert PNPM in agent.told
        agent.ask("Install what the shop needs.")
        assert agent.run("npm install")
    for agent in agents:
        agent.end()
    steps.reindex(ann)
    (card,) = [card for card in ann.json("review") if card["card"] == "not followed"]
    assert card["label"] == PNPM
    assert "violated 2" in ann.tacit("why", ann.id_of(PNPM)).out
    third = Agent(ann, "agent 3")
    assert PNPM in third.told  # nothing changes until the person decides


def test_an_installation_that_reads_an_old_log_tells_its_agents_the_same(world: World) -> None:
    ann = world.people[0]
    steps.take_over(ann, HOMES / "0.1.jsonl", OLD)
    _recorded(ann)
    agent = Agent(ann, "after the upgrade")
    assert "never log passwords" in agent.told and "use tabs" not in agent.told and "check the diff" not in agent.told
    steps.add(ann, PNPM)
    assert PNPM in agent.ask("What else holds here?")
    agent.end()
