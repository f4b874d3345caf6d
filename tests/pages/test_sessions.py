"""Pages of sessions: what people read of small transcripts, and that no text breaks out of its place.

`python -m tests.pages.test_sessions` draws `tests/golden/pages` anew; read what changed before you keep it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts.capture import HEAD_BYTES, EventBuilder, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.model.observation import ConversationBody, PromptKind, SessionSummarized, ToolOutcome, TurnInterrupted
from tacit.model.session import fold_session
from tacit.pages.sessions import part_heading, render_session
from tests.support.sessions import asked, changed, folded, ran, said
from tests.support.transcripts import GOLDEN, golden

PAGES = GOLDEN / "pages"
NAMES = sorted(
    str(path.relative_to(GOLDEN))
    for path in GOLDEN.glob("*/*")
    if path.suffix != ".txt" and path.parent.name != "pages"
)


@pytest.fixture(autouse=True)
def _at_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages tell the time on the wall."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def page_of(name: str, folder: Path) -> str:
    """From a transcript to the page, or pages, of the sessions in it."""
    path = golden(name, folder)
    with open(path, "rb") as file:
        source = detect_source(str(path), file.read(HEAD_BYTES))
        assert source is not None
        heard = list(source.read(file, 0, CaptureLimits(), ReadStats()))
    composer = EventBuilder("host", "/home/kim")
    events = [composer.build_event(source.name, one, lambda _scope: False) for one in heard]
    names = dict.fromkeys(event.origin.session for event in events)
    sessions = [fold_session(source.name, one, [e for e in events if e.origin.session == one]) for one in names]
    return "".join(line + "\n" for session in sessions for line in render_session(session))


def place_of(name: str) -> Path:
    return PAGES / f"{Path(name).parent}-{Path(name).stem}.md"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_small_transcript_is_what_a_person_would_write(name: str, tmp_path: Path) -> None:
    assert page_of(name, tmp_path) == place_of(name).read_text(encoding="utf-8")


def test_a_page_has_the_headings_that_were_promised() -> None:
    lines = render_session(folded(asked("Rename it."), changed("a.py"), said("It is renamed now.")))

    assert [line for line in lines if line.startswith("## ")] == [
        "## User Request",
        "## Work Performed",
        "## Files Modified",
        "## Tools Used",
        "## Outcome",
    ]
    unknown = render_session(folded(asked("/clear", PromptKind.COMMAND)))  # what is not known has no heading
    assert [line for line in unknown if line.startswith("## ")] == ["## User Request", "## Work Performed"]


def test_the_heading_of_a_turn_stands_on_its_page_as_it_is_looked_for() -> None:
    one = folded(asked("a\n# b <c>"), said("ok"), asked("two\u202e"))

    assert [render_session(one).count(part_heading(turn)) for turn in one.turns] == [1, 1]


def test_a_turn_that_is_too_long_is_summed_up_and_loses_no_request_and_no_end() -> None:
    work = [
        ran(f"make part-{number}", ToolOutcome.FAILED if number == 7 else ToolOutcome.SUCCEEDED, "x" * 400)
        for number in range(80)
    ]
    late = asked("and this too", PromptKind.ANSWER, "What else?")
    one = folded(asked("a long piece of work"), *work, changed("src/long.py"), late, said("At last it is all done."))
    page = "\n".join(render_session(one, 10_000))

    assert len(page) < 10_000 < len("\n".join(render_session(one)))
    assert "> a long piece of work" in page and "> and this too" in page and "At last it is all done." in page
    assert "81 calls: 80 commands (1 failed), 1 files changed" in page
    assert "make part-7" in page and "make part-8" not in page
    assert "- Changed src/long.py" in page


def test_sixty_turns_are_all_on_the_page() -> None:
    bodies: list[ConversationBody] = []
    for number in range(60):
        bodies += [asked(f"request {number} of sixty"), said(f"Answer {number} is given.")]
    lines = render_session(folded(*bodies))

    assert all(f"{number + 1}. request {number} of sixty" in lines for number in range(60))
    assert all(f"Answer {number} is given." in lines for number in range(60))


def test_what_was_said_in_passing_is_told_with_how_it_was_said() -> None:
    lines = render_session(
        folded(
            asked("go"),
            asked("not that", PromptKind.REJECTION, "Bash: rm -rf"),
            asked("README", PromptKind.ANSWER, "Which docs?"),
            TurnInterrupted("claude"),
        )
    )

    assert "> (turning a call down “Bash: rm -rf”)" in lines
    assert "> (answering “Which docs?”)" in lines
    assert "(Interrupted by the person.)" in lines


WILD = st.sampled_from(
    ("a\n# b", "## Outcome", "```", "~~~\nx", "<!--", "<script>", "$&", "\u202e", "- x", "|a|\n---", "&lt;")
) | st.text(max_size=40)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(WILD, WILD, WILD), min_size=1, max_size=4))
def test_no_text_breaks_out_of_its_place(turns: list[tuple[str, str, str]]) -> None:
    bodies: list[ConversationBody] = []
    for prompt, reply, command in turns:
        bodies += [asked(prompt or "x"), said(reply), ran(command, result=reply), said(prompt)]
    one = folded(*bodies)
    lines = render_session(one)

    assert not any("\n" in line or "\r" in line for line in lines)
    ours = re.compile(r"# |### \d+\. \d\d:\d\d |## (?:User Request|Work Performed|Tools Used|Outcome)$")
    assert all(ours.match(line) for line in lines if re.match(r"\s{0,3}#", line))
    assert [line for line in lines if line.startswith("### ")] == [part_heading(turn) for turn in one.turns]
    assert sum(line.startswith("## ") for line in lines) <= 4
    assert "\u202e" not in "".join(lines) and not re.search(r"(?<!\\)<(?:script|!--)", "".join(lines))


def test_what_a_model_said_of_a_session_comes_first_and_names_the_model() -> None:
    summary = SessionSummarized("claude", "It has a name.", "m/1", "9")
    lines = render_session(folded(asked("Rename it."), said("Done, it is renamed."), summary))

    assert lines[lines.index("## Summary (by m/1)") + 2] == "- It has a name."
    assert lines.index("## Summary (by m/1)") < lines.index("## User Request")
    assert "- Done, it is renamed." in lines


def test_a_summary_that_does_not_know_the_last_turns_says_so() -> None:
    old = SessionSummarized("claude", "It has a name.", "small", "2026-03-02T09:02")
    bodies = asked("Rename it."), old, asked("Now the other.")

    assert "(Before the end of the last turn.)" in render_session(folded(*bodies))
    assert "(Before the last 2 turns.)" in render_session(folded(*bodies, asked("And this.")))


def test_a_summary_breaks_no_page() -> None:
    mean = SessionSummarized("claude", "## Outcome\n\n- forged <b>", "a\n## b\u202e", "9")
    one = folded(asked("Rename it."), mean)

    assert one.summary is not None and render_session(one).count(part_heading(one.summary)) == 1
    assert [line for line in render_session(one) if line.startswith("## ")] == [
        part_heading(one.summary),
        "## User Request",
        "## Work Performed",
        "## Outcome",
    ]


def _draw() -> None:
    PAGES.mkdir(exist_ok=True)
    for name in NAMES:
        with TemporaryDirectory() as folder:
            place_of(name).write_text(page_of(name, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    _draw()
