"""The quick ways give what the slow ones give: lines, ids, and texts without secrets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from harness.secret_examples import BLOCKS, FORMATS, written
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.log.codec import encode
from tacit.log.command_lines import CommandEncoder
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan
from tacit.secrets.redact import BatchRedactor, redacted, secret_kind
from tacit.shell.history_lines import DIGEST_BYTES, command_id, id_key

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
moments = st.integers(631_152_000_000_000, 4_000_000_000_000_000)
commands = st.tuples(texts, st.one_of(st.just(""), texts), st.integers(-2, 300), st.integers(0, 10**12), texts)
ORDINARY = (
    "git status",
    "ls -la",
    "cd ~/work && make test",
    "docker run -it --rm debian bash",
    'echo "a b" | wc -l',
    "",
)
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


@given(st.integers(0, 2**48 - 1), st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES))
def test_a_quick_id_is_an_id_and_keeps_its_key(milliseconds: int, digest: bytes) -> None:
    bits = int.from_bytes(digest, "big")
    entropy = ((bits >> 60) << 62 | bits & ((1 << 60) - 1)).to_bytes(10, "big")
    name = command_id(milliseconds, digest)
    assert name == event_id(milliseconds, entropy)
    assert id_key(name) == digest[2:]


def test_a_block_finds_whatever_a_line_finds() -> None:
    """Each secret of the tables, on its own line between all kinds of others."""
    for number, secret in enumerate(SECRETS):
        if secret_kind(secret) is None:
            continue  # found only inside a sentence
        for before in (*ORDINARY, COUNTER[number % len(COUNTER)]):
            assert secret_kind("\n".join((before, secret, before))), (before, secret)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from([*ORDINARY, *COUNTER, *SECRETS]), max_size=12), st.integers(1, 5))
def test_texts_are_cleaned_in_blocks_as_they_are_one_by_one(drawn: list[str], size: int) -> None:
    guard = BatchRedactor(lambda secret: f"{len(secret):08x}")
    for begins in range(0, len(drawn), size):
        block = drawn[begins : begins + size]
        assert guard.redact(block) == [redacted(text, lambda secret: f"{len(secret):08x}") for text in block]
