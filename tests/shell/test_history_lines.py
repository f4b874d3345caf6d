"""The quick ways give what the slow ones give: lines, ids, and texts without secrets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from harness.secret_examples import BLOCKS, FORMATS, written
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.log.codec import encode
from tacit.log.command_lines import CommandEncoder
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan
from tacit.secrets import BatchRedactor, redacted, secret_kind
from tacit.shell import history_lines
from tacit.shell.history_lines import UNKNOWN_DIRECTORY, DirectoryTracker, SessionAssigner, SessionSpan

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
moments = st.integers(631_152_000_000_000, 4_000_000_000_000_000)
commands = st.tuples(texts, st.one_of(st.just(""), texts), st.integers(-2, 300), st.integers(0, 10**12), texts)
ORDINARY = ("git status", "ls -la", "cd ~/work && make test", "docker run -it debian bash", 'echo "a b" | wc -l', "")
SECRETS = [written(example.text) for example in (*FORMATS, *BLOCKS)]
COUNTER = [written(example.near_miss) for example in FORMATS]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(commands, moments, st.integers(-720, 840), texts), min_size=1, max_size=4))
def test_a_quick_line_is_the_line_of_the_codec(
    ran: list[tuple[tuple[str, str, int, int, str], int, int, str]],
) -> None:
    quick = CommandEncoder("zsh")
    for (command, directory, status, milliseconds, host), at, tz, session in ran:
        name = event_id(at // 1000, command.encode()[:10].ljust(10, b"x"))
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)
        origin = EventOrigin(moment, tz, host, session, USER, Provenance.USER_FILE)
        event = Event(name, name, origin, GLOBAL, CommandRan(command, directory, status, milliseconds, "zsh"))
        assert quick.encode(name, command, (directory, status, milliseconds, host), session, at, tz) == encode(event)


@given(st.integers(0, 2**48 - 1), st.binary(min_size=history_lines.DIGEST_BYTES, max_size=history_lines.DIGEST_BYTES))
def test_a_quick_id_is_an_id_and_keeps_its_key(milliseconds: int, digest: bytes) -> None:
    bits = int.from_bytes(digest, "big")
    entropy = ((bits >> 60) << 62 | bits & ((1 << 60) - 1)).to_bytes(10, "big")
    name = history_lines.command_id(milliseconds, digest)
    assert name == event_id(milliseconds, entropy)
    assert history_lines.id_key(name) == digest[2:]


def test_a_block_finds_whatever_a_line_finds() -> None:
    """Each secret of the tables, on its own line between others."""
    for number, secret in enumerate(SECRETS):
        if secret_kind(secret) is None:
            continue  # found only inside a sentence
        for before in (ORDINARY[number % len(ORDINARY)], COUNTER[number % len(COUNTER)]):
            assert secret_kind("\n".join((before, secret, before))), (before, secret)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from([*ORDINARY, *COUNTER, *SECRETS]), max_size=12), st.integers(1, 5))
def test_texts_are_cleaned_in_blocks_as_they_are_one_by_one(drawn: list[str], size: int) -> None:
    guard = BatchRedactor(lambda secret: f"{len(secret):08x}")
    for begins in range(0, len(drawn), size):
        block = drawn[begins : begins + size]
        assert guard.redact(block) == [redacted(text, lambda secret: f"{len(secret):08x}") for text in block]


# The directories of a history are read from its `cd` lines, and unknown where the lines do not tell


def after(*lines: str, there: tuple[str, ...] = ()) -> str:
    """Where a person is after these lines, on a disk that has these folders alone."""
    known = DirectoryTracker("/home/me", lambda path: path in there)
    for line in lines:
        known.directory_of(line)
    return known.directory_of("make")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ((), UNKNOWN_DIRECTORY),
        (("cd /srv/app",), "/srv/app"),
        (("cd ~/src/app",), "/home/me/src/app"),
        (("cd $HOME/src", "cd app"), "/home/me/src/app"),
        (("cd",), "/home/me"),
        (("cd /srv/app/", "cd ../lib/./x"), "/srv/lib/x"),
        (("cd /srv", "cd app", "cd -"), "/srv"),
        (("cd /srv", "cd /tmp", "cd -", "cd -"), "/tmp"),
        (("cd /srv", "pushd /var/www", "pushd x", "popd"), "/var/www"),
        (("cd /srv", "pushd /var/www", "popd"), "/srv"),
        (("cd /srv", "pushd /var/www", "pushd"), "/srv"),
        (("cd -- /srv",), "/srv"),
        (("cd -P /srv",), "/srv"),
        (("cd 'my app'",), UNKNOWN_DIRECTORY),
        (("cd /srv && cd 'my app' && make",), "/srv/my app"),
        (("cd /srv; make; cd app",), "/srv/app"),
        (("git pull && cd /srv",), "/srv"),
        (("cd /srv || exit 1",), "/srv"),
        (("cd /srv\ncd app",), "/srv/app"),
        (("builtin cd /srv",), "/srv"),
        (("cd /srv", ".."), "/"),
        (("cd /srv", "sleep 9 & cd app"), "/srv/app"),
        (("cd /srv && cat <<'EOF'\nit's; cd x\nEOF",), "/srv"),
        (("cd /srv && ls | while read x; do cd $x; done",), "/srv"),
        (("{ cd /srv; make; }",), "/srv"),
    ],
)
def test_a_cd_line_tells_where_the_next_line_is_run(lines: tuple[str, ...], place: str) -> None:
    assert after(*lines) == place


@pytest.mark.parametrize(
    "line",
    [
        "(cd /tmp && tar xf x)",
        "cd /tmp | cat",
        "cd /tmp &",
        "echo 'cd /tmp'",
        "git commit -m 'cd /tmp; now'",
        "ssh host cd /tmp",
        "x=$(cd /tmp && pwd)",
        "make || cd /tmp",
        "{ cd /tmp; make; } &",
        "(make; cd /tmp) > log",
        "f() { cd /tmp; }",
    ],
)
def test_what_another_shell_does_changes_nothing_here(line: str) -> None:
    assert after("cd /srv/app", line) == "/srv/app"


UNCLEAR = ("cd $WORK", "cd $(git root)", "cd `x`", "cd ~other", "z app", "cd a b", "cd 'open", "exit")


@pytest.mark.parametrize("line", [*UNCLEAR, "if x; then cd /y; fi"])
def test_where_nobody_can_tell_it_is_unknown(line: str) -> None:
    assert after("cd /srv/app", line) == UNKNOWN_DIRECTORY
    assert after("cd /srv/app", line, "cd lib") == UNKNOWN_DIRECTORY
    assert after("cd /srv/app", line, "cd /srv") == "/srv"


def test_a_line_is_run_where_it_was_started() -> None:
    known = DirectoryTracker("/home/me", lambda _path: False)
    known.directory_of("cd /srv")
    assert known.directory_of("cd app && make") == "/srv"
    assert known.directory_of("ls") == "/srv/app"


def test_a_folder_that_is_not_there_was_mistyped_or_is_gone() -> None:
    there = ("/home/me/src", "/home/me/src/app")
    assert after("cd ~/src", "cd apq", there=there) == UNKNOWN_DIRECTORY
    assert after("cd ~/src", "cd apq", "cd app", there=there) == "/home/me/src/app"


def test_a_new_session_begins_nowhere() -> None:
    known = DirectoryTracker("/home/me", lambda _path: False)
    known.directory_of("cd /srv")
    known.reset()
    assert known.directory_of("make") == UNKNOWN_DIRECTORY


# Sessions

HOUR, AT = 3600, 1_700_000_000


def sat(seconds: list[int], known: tuple[SessionSpan, ...] = ()) -> list[str]:
    sessions = SessionAssigner("zsh", known)
    return [sessions.session_at(second) for second in seconds]


def test_a_pause_of_thirty_minutes_begins_a_new_session_and_less_does_not() -> None:
    first, second, third = sat([AT, AT + 1799, AT + 1799 + 1800])
    assert first == second != third


def test_a_pause_begins_when_a_command_has_ended() -> None:
    sessions = SessionAssigner("zsh")
    assert sessions.session_at(AT, 2 * HOUR * 1000) == sessions.session_at(AT + 2 * HOUR + 60)


def test_going_back_in_time_is_another_terminal() -> None:
    one, late, other = sat([AT, AT + HOUR, AT + 5])
    assert len({one, late, other}) == 3


def test_a_session_that_lost_its_beginning_is_still_the_same() -> None:
    first, later = SessionSpan(AT, AT + 30, "zsh:1"), SessionSpan(AT + 9 * HOUR, AT + 10 * HOUR, "zsh:2")
    assert sat([AT + 60], (first, later)) == ["zsh:1"]
    assert sat([AT + 5 * HOUR], (first,)) == [f"zsh:{AT + 5 * HOUR}"]
