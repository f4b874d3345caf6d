"""Claude Code, with the hooks that `tacit install claude` puts there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from . import fence
from .contract import ClientContract
from .desk import MEMORIES, Desk
from .hosts import claude
from .story import FILE, GREET, THANK, rules
from .terminal import Terminal


class TestClaude(ClientContract):
    client = claude.CLIENT


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk(tmp_path.resolve(), claude.CLIENT)) as desk:
        desk.move_in()
        desk.write_script(rules(desk.client, desk.repository))
        yield desk


def test_what_is_typed_at_a_terminal_is_captured_and_the_brief_is_there(desk: Desk) -> None:
    with Terminal(desk) as terminal:
        terminal.type_when("accept edits on", GREET)
        terminal.type_when("They were greeted.", "/exit")
        terminal.wait_for_the_end()
    desk.settle()
    request = next(body for body in desk.requests() if body.get("tools") and GREET in str(body))
    (brief,) = fence.fenced(request, "memory")
    assert all(memory in brief for memory in MEMORIES)
    (session,) = desk.sessions()
    assert [text for text in session["requests"] if not text.startswith("/")] == [GREET]
    assert [path.rsplit("/", 1)[-1] for path in session["files"]] == [FILE]


def test_two_sessions_at_once_in_one_repository_are_two_sessions(desk: Desk) -> None:
    started = [desk.start(GREET), desk.start(THANK)]
    for one in started:
        desk.finish(one, alone=False)
    desk.settle()
    assert [one.returncode for one in started] == [0, 0]
    assert sorted(session["requests"] for session in desk.sessions()) == sorted([[GREET], [THANK]])
    for prompt in (GREET, THANK):
        request = next(body for body in desk.requests() if body.get("tools") and prompt in str(body))
        assert len(fence.fenced(request, "memory")) == 1
