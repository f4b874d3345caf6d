"""What nobody said is not kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from harness.transcripts import RECORDS, Claude, Object, Turn, codex, copilot, lines, name_of, opencode, place, story

from tacit.hosts.capture import SOURCES
from tacit.hosts.normalize import DROPPED_TAGS, UNWRAPPED_TAGS, without_noise
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.observation import PromptGiven, SessionTitled, TitleAuthor
from tests.support.transcripts import golden, hear

NONCE, OTHER = "0123456789abcdef0123", "ffffffffffffffffffff"
OPEN, CLOSE = f"<tacit-brief {NONCE}>", f"</tacit-brief {NONCE}>"


@pytest.mark.parametrize("tag", sorted(DROPPED_TAGS | UNWRAPPED_TAGS))
def test_a_tag_of_the_table_is_taken_out(tag: str) -> None:
    for opening in (f"<{tag}>", f'<{tag.upper()} id="1">', f"<{tag}>\n"):
        kept = without_noise(f"Before.\n{opening}inside</{tag}>\nAfter.")

        assert "<" not in kept and kept.startswith("Before.") and kept.endswith("After.")
        assert ("inside" in kept) == (tag in UNWRAPPED_TAGS) and "id=" not in kept


NESTED = "<system-reminder>b <system-reminder>c</system-reminder> d</system-reminder>"
# Texts that stay as they are: a tag alone is something that somebody wrote, however often, and others are the person's
KEPT = (
    "what is a <system-reminder> tag?",
    "it ends with </system-reminder> here",
    "a < b > c",
    "<instructions>Write <b>bold</b></instructions>",
    "a method </private> is and <privately> is not",
    *(tag * 20_000 for tag in ("<system-reminder>", "</system-reminder>", "<ide_selection ", "<hook_context><")),
)
# Texts in which something was put, and what stays of them
CLEANED = {
    "a tag in a tag": (f"a {NESTED} e", "a  e"),
    "more beginnings than ends": (
        "a " + "<system-reminder><hook_context>" * 20_000 + "</system-reminder>" * 10_000 + " b",
        "a  b",
    ),
    "two fences": (f"x{OPEN}A{CLOSE}y<tacit-checkpoint {OTHER}>B</tacit-checkpoint {OTHER}>z", "xyz"),
    "a fence has its own number": (f"a {OPEN}b </tacit-brief {OTHER}> c </tacit-note {NONCE}> d{CLOSE} e", "a  e"),
    "a fence without its end": (f"Before. {OPEN}A memory, and then nothing", "Before."),
    "a fence without its beginning": (f"the end of a memory.{CLOSE} After.", "After."),
    "behind a whole one": (f"x{OPEN}A{CLOSE}y</tacit-brief {OTHER}>z", "z"),
    "fences without end": ("a " + f"<tacit-brief {OTHER}>" * 20_000, "a"),
    "private lines": ("mend it\n<private>\nfor Ada\n\nand Bo\n</private>\ntoday", "mend it\n\ntoday"),
    "private and never closed": ("mend it <private>for Ada\nand then for Bo", "mend it"),
    "all of it private": ("<PRIVATE>for Ada</Private>", ""),
    "several private parts": (
        "one <private>Ada</private> two <private>Bo</private> three <private>Cy</private> four",
        "one  two  three  four",
    ),
    "the last private part is not closed": ("one <private>Ada</private> two <private>Bo", "one  two"),
    "a private part in a private part": ("one <private>Ada <private>Bo</private> Cy</private> two", "one  two"),
    "private beside what the host put there": (
        "<ide_selection>a line</ide_selection>\nmend <private>Ada</private> table<system-reminder>x</system-reminder>",
        "mend  table",
    ),
    "what the host put there, in a private part": (
        "mend it <private>Ada <system-reminder>x</system-reminder> Bo</private> today",
        "mend it  today",
    ),
}


def test_what_tacit_gave_goes() -> None:
    assert without_noise(f"Before {OPEN}A memory.{CLOSE} after") == "Before  after"


@pytest.mark.parametrize(("text", "kept"), CLEANED.values(), ids=CLEANED)
def test_what_was_put_into_a_text_goes(text: str, kept: str) -> None:
    assert without_noise(text) == kept


@pytest.mark.parametrize("text", KEPT, ids=lambda text: text[:20])
def test_what_somebody_wrote_stays(text: str) -> None:
    assert without_noise(text) == text


# In transcripts of every host


HERE = "/nowhere/work"
PRIVATE_TURN = Turn(
    "Rename <private>Zanzibar's</private> table. <private>Krakatoa pays for it.", "make", changed="a.py"
)


def read(host: str, path: Path) -> list[TranscriptEvent]:
    with path.open("rb") as file:
        return list(SOURCES[host].read(file, 0, CaptureLimits(), ReadStats()))


@pytest.mark.parametrize("host", [*RECORDS, "opencode"])
def test_a_private_part_of_a_prompt_is_read_from_the_transcript_of_no_host(host: str, tmp_path: Path) -> None:
    if host == "opencode":
        path = tmp_path / "opencode.db"
        opencode(path, "ses_1", HERE, [PRIVATE_TURN])
    else:
        path = place(tmp_path, host, name_of("private"))
        path.write_bytes(lines(RECORDS[host](name_of("private"), HERE, [PRIVATE_TURN])))
    heard = read(host, path)

    assert "Rename  table." in [body.text for one in heard if isinstance(body := one.body, PromptGiven)]
    assert not [one for one in heard if "Zanzibar" in str(one) or "Krakatoa" in str(one)]


# The title that a session has in its host: who gave it, since when, and to which session it belongs


ONE = Turn("Rename the cart table.", "make", changed="a.py")


def titles(heard: Sequence[TranscriptEvent]) -> list[tuple[str, TitleAuthor]]:
    """In the order of their times."""
    told = sorted((one.at, one.ordinal, one.body) for one in heard if isinstance(one.body, SessionTitled))
    return [(body.text, body.by) for _, _, body in told]


# Claude Code


def of_claude(*records: Object, turn: Turn = ONE) -> list[tuple[str, TitleAuthor]]:
    teller = Claude(name_of("titles"), HERE)
    teller.turn(turn)
    return titles(hear("claude", lines([*teller.records, *records]))[0])


def test_claude_tells_who_gave_a_title() -> None:
    by_person: Object = {"type": "custom-title", "customTitle": "Baskets", "sessionId": name_of("titles")}
    by_host: Object = {"type": "ai-title", "aiTitle": "Rename the cart table", "sessionId": name_of("titles")}

    assert of_claude(by_host, by_person) == [
        ("Rename the cart table", TitleAuthor.HOST),
        ("Baskets", TitleAuthor.PERSON),
    ]


def test_a_title_that_was_given_again_is_the_latest() -> None:
    one: Object = {"type": "custom-title", "customTitle": "Baskets"}
    other: Object = {"type": "custom-title", "customTitle": "Carts"}

    assert [text for text, _ in of_claude(one, other, one)] == ["Baskets", "Carts", "Baskets"]


def test_a_title_before_anything_was_said_comes_with_the_first_thing_that_was() -> None:
    teller = Claude(name_of("early"), HERE)
    teller.title("custom-title", "Baskets")
    teller.turn(ONE._replace(put=""))
    heard, _ = hear("claude", lines(teller.records))

    assert titles(heard) == [("Baskets", TitleAuthor.PERSON)]
    assert min(one.at for one in heard) == next(one.at for one in heard if isinstance(one.body, SessionTitled))


def test_a_title_that_repeats_a_private_part_of_a_prompt_is_without_it() -> None:
    whole: Object = {"type": "ai-title", "aiTitle": "Rename <private>Zanzibar's</private> table"}
    cut: Object = {"type": "ai-title", "aiTitle": "Rename the table that <private>Zanziba"}

    assert [text for text, _ in of_claude(whole, cut)] == ["Rename table", "Rename the table that"]


def test_a_summary_is_the_title_of_the_session_whose_record_it_names() -> None:
    teller = Claude(name_of("summary"), HERE)
    teller.turn(ONE)
    own: Object = {"type": "summary", "summary": "Cart table renamed", "leafUuid": teller.records[-2]["uuid"]}
    foreign: Object = {"type": "summary", "summary": "Another session", "leafUuid": name_of("elsewhere")}

    assert titles(hear("claude", lines([foreign, *teller.records, own, foreign]))[0]) == [
        ("Cart table renamed", TitleAuthor.HOST)
    ]


def test_the_transcript_of_a_helper_names_no_session(tmp_path: Path) -> None:
    file = tmp_path / "agent-a1.jsonl"
    teller = Claude(name_of("helper"), HERE)
    teller.turn(ONE)
    teller.title("ai-title", "What the helper did")
    file.write_bytes(lines(teller.records))

    assert titles(read("claude", file)) == []


# The others


def test_codex_keeps_names_in_one_file_for_all_sessions_or_as_an_event(tmp_path: Path) -> None:
    session = name_of("codex")
    file = place(tmp_path, "codex", session)
    records = codex(session, HERE, story("codex", 1))
    renamed: Object = {"type": "thread_name_updated", "thread_id": session, "thread_name": "In the rollout"}
    file.write_bytes(lines([*records, {"timestamp": "2026-03-02T10:00:00Z", "type": "event_msg", "payload": renamed}]))
    names = [
        {"id": session, "thread_name": "First", "updated_at": "2026-03-02T11:00:00Z"},
        {"id": name_of("other"), "thread_name": "Another", "updated_at": "2026-03-02T12:00:00Z"},
        {"id": session, "thread_name": "Health checks", "updated_at": "2026-03-02T13:00:00Z"},
    ]
    index = tmp_path / ".codex" / "session_index.jsonl"
    assert [text for text, _ in titles(read("codex", file))] == ["In the rollout"]
    index.write_text("".join(json.dumps(name) + "\n" for name in names) + "cut o")

    assert [text for text, _ in titles(read("codex", file))] == ["In the rollout", "First", "Health checks"]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("id: x\nname: Health checks\nuser_named: true\n", ["Health checks"]),
        ('name: "Health: checks"\nuser_named: true\n', ["Health: checks"]),
        ("name: the first prompt again\nuser_named: false\n", []),
        ("user_named: true\n", []),
        ("\0\0\0", []),
    ],
)
def test_copilot_tells_whether_the_person_named_a_session(tmp_path: Path, told: str, found: list[str]) -> None:
    session = name_of("copilot")
    file = place(tmp_path, "copilot", session)
    file.write_bytes(lines(copilot(session, HERE, story("copilot", 1))))
    assert titles(read("copilot", file)) == []
    (file.parent / "workspace.yaml").write_text(told)

    heard = read("copilot", file)
    assert titles(heard) == [(text, TitleAuthor.PERSON) for text in found]
    assert all(one.timeless for one in heard if isinstance(one.body, SessionTitled))


def test_opencode_has_a_column_and_makes_up_a_title_at_first(tmp_path: Path) -> None:
    path = golden("opencode/opencode.sql", tmp_path)
    assert titles(read("opencode", path)) == []
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("ALTER TABLE session ADD COLUMN title TEXT")
        database.execute("UPDATE session SET title = 'New session - 2026-03-02T14:00:00.000Z'")
    assert titles(read("opencode", path)) == []
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE session SET title = 'Total in bold'")

    assert titles(read("opencode", path)) == [("Total in bold", TitleAuthor.HOST)]
