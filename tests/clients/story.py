"""What every client goes through, once: a turn, a new rule, another turn, a compaction, one more turn; the tests look
at what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.clients.apis import Body, Step, all_text
from tests.clients.desk import RULE, Desk, Run
from tests.clients.hosts import Client
from tests.clients.script import SUMMARY, Rule

GREET = "Please greet the reviewers and write it down."
THANK = "Now thank them for the tea."
COUNT = "Count the cups on the table."
LEAVE = "Say goodbye to everybody."
COMMAND = "echo hello reviewers"
FILE = "greeting.txt"


class Story(NamedTuple):
    """The runs of a client, in order, and what was where."""

    desk: Desk
    said: str  # by `tacit install`
    before: dict[str, bytes | None]  # the settings, before Tacit was there
    first: Run
    second: Run
    compacting: Run
    last: Run

    @property
    def runs(self) -> tuple[Run, ...]:
        return (self.first, self.second, self.compacting, self.last)

    @property
    def prompts(self) -> list[str]:
        """What the person asked for; a command of the client is no request."""
        counted = [] if self.desk.client.compacts.prompt else [COUNT]
        return [GREET, THANK, *counted, LEAVE]


def rules(client: Client, repository: Path) -> list[Rule]:
    """The newest prompt first: a client may send two of them as one."""
    long = client.compacts.tokens or 100
    return [
        Rule(client.compacts.asks, (Step(client.compacts.answer.format(SUMMARY)),)),
        Rule(LEAVE, (Step("Goodbye."),)),
        Rule(SUMMARY, (Step("There are three cups."),)),
        Rule(COUNT, (client.ran("echo cups")._replace(tokens=long), Step("There are three cups."))),
        Rule(THANK, (Step("They were thanked."),)),
        Rule(GREET, (client.ran(COMMAND), client.wrote(repository / FILE, "hello\n"), Step("They were greeted."))),
    ]


@contextmanager
def told(folder: Path, client: Client) -> Iterator[Story]:
    with closing(Desk(folder, client)) as desk:
        yield _lived(desk)


def _lived(desk: Desk) -> Story:
    before, said = desk.settings(), desk.move_in()
    desk.write_script(rules(desk.client, desk.repository))
    first = desk.run(GREET)
    desk.tacit("add", RULE)
    return Story(
        desk,
        said,
        before,
        first=first,
        second=desk.run(THANK, again=True),
        compacting=desk.run(desk.client.compacts.prompt or COUNT, again=True),
        last=desk.run(LEAVE, again=True),
    )


def strings(body: Body) -> str:
    """A request without its instructions and tools: what the conversation consists of."""
    return all_text([body.get(name) for name in ("messages", "input", "contents")])
