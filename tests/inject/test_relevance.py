"""Which memories a prompt is given unasked: those with a rare name that it says too, and none that share only words."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tacit.index.reader import MemoryRow
from tacit.inject.relevance import MAX_RELEVANT, identifiers, relevant_memories
from tests.support.documents import entry

MEMORIES = (
    "never force push to main",
    "use pnpm instead of npm",
    "always run the linter before committing",
    "the staging database is reset every night",
    "deploys to production need approval by two people",
    "the payment service talks to Stripe through PaymentQueue",
    "I prefer short commit messages",
    "integration tests need docker",
    "API keys are in the vault, entry ENT-221",
    "feature flags live in flags.toml",
    "dates are stored in UTC",
    "retry_count is three, because the proxy drops large files",
    "use pytest.mark.slow for tests over a second",
    "commit with --no-verify in the docs folder only",
    "the lock is a tokio::sync::Mutex and not one of std",
    "die Rechnungen werden mit beleg_nummer verschickt",
    "時刻はUTCで保存する",
)


class Case(NamedTuple):
    """A prompt and the beginnings of the memories that must come; all others must not."""

    prompt: str
    comes: tuple[str, ...] = ()


CASES = (
    # A name that one of them says, however it is written.
    Case("why does retry_count not work?", ("retry_count",)),
    Case("set `retry_count` to 5", ("retry_count",)),
    Case("what calls retry_count() today?", ("retry_count",)),
    Case("RETRY_COUNT, please: 5", ("retry_count",)),
    Case("close ent-221.", ("API keys",)),
    Case("PaymentQueue is slow", ("the payment service",)),
    Case("turn it on in flags.toml", ("feature flags",)),
    Case("edit config/flags.toml and turn it on", ("feature flags",)),
    Case("mark it with pytest.mark.slow", ("use pytest.mark.slow",)),
    Case("git commit --no-verify", ("commit with --no-verify",)),
    Case("replace tokio::sync::Mutex", ("the lock is",)),
    Case("wo steht die beleg_nummer?", ("die Rechnungen",)),
    Case("install lodash with `pnpm`", ("use pnpm",)),
    Case("PaymentQueue ignores retry_count", ("the payment service", "retry_count")),
    # What is no name, or a name that none of them says.
    Case("can I force push to main now?"),
    Case("install lodash with pnpm"),
    Case("run the linter and commit"),
    Case("why is the staging database empty this morning?"),
    Case("deploy to production please"),
    Case("the payment queue fails when Stripe is slow"),
    Case("are dates stored in UTC or in local time?"),
    Case("how often is a retry tried, what is the count?"),
    Case("why does retry_limit not work?"),
    Case("look at https://example.org/retry_count?flags.toml"),
    Case("fix the bug"),
    Case("run the tests"),
    Case("thanks, that is perfect"),
    Case("hi"),
    Case("continue"),
    Case(""),
    Case("🙂 👍"),
    Case("時刻はどこに保存する？"),
    Case("the " * 3000),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.prompt[:40] or "nothing")
def test_a_prompt_is_given_what_it_names_and_nothing_else(case: Case) -> None:
    found = [memory.sentence for memory in found_by(case.prompt, *map(entry, MEMORIES))]

    assert sorted(found) == sorted(text for text in map(_sentence, MEMORIES) if text.startswith(case.comes or ("\0",)))


def _sentence(text: str) -> str:
    return entry(text).sentence


def found_by(prompt: str, *memories: MemoryRow) -> list[MemoryRow]:
    return [one.memory for one in relevant_memories(identifiers(prompt), memories)]


def test_a_name_that_more_than_three_memories_have_is_not_rare() -> None:
    several = [entry(f"region r{number} is deployed by deploy_bot") for number in range(4)]

    assert len(found_by("restart deploy_bot", *several[:3])) == 3
    assert found_by("restart deploy_bot", *several) == []


def test_a_rare_name_brings_in_a_memory_that_has_a_common_one_too() -> None:
    several = [entry(f"region-{number} is deployed by deploy_bot") for number in range(6)]

    assert found_by("restart deploy_bot in region-3", *several) == [several[3]]


@pytest.mark.parametrize("word", ["reads", "writes", "loads", "keeps", "wants"])  # the ids differ, which decide last
def test_at_most_three_come_those_that_share_most_first(word: str) -> None:
    both = entry(f"deploy_bot {word} flags.toml")
    others = [entry(text) for text in ("deploy_bot sleeps", "deploy_bot is old", "flags.toml is generated")]
    found = found_by("does deploy_bot write flags.toml?", *others, both)

    assert len(found) == MAX_RELEVANT == 3
    assert found[0] == both and set(found) < {both, *others}


def test_the_order_of_candidates_does_not_matter() -> None:
    several = [
        entry(text) for text in ("deploy_bot sleeps", "flags.toml is old", "retry_count is 3", "ENT-221 is open")
    ]
    prompt = "deploy_bot, flags.toml, retry_count and ENT-221"

    assert len(found_by(prompt, *several)) == 3
    assert found_by(prompt, *several) == found_by(prompt, *reversed(several))


def test_the_reason_names_what_they_share() -> None:
    names = identifiers("may deploy_bot change flags.toml and ENT-221?")
    (one,) = relevant_memories(names, [entry("never let deploy_bot change flags.toml")])

    assert one.reason == "the prompt speaks of deploy_bot, flags.toml"


def test_only_the_beginning_of_a_prompt_counts() -> None:
    """What is pasted behind it is seldom the question."""
    pasted = "look at this log\n" + "line of a log without meaning\n" * 400 + "retry_count"

    assert identifiers(pasted) == []


def test_a_prompt_of_very_many_names_is_searched_for_the_first_ones_only() -> None:
    names = [f"name_{number}" for number in range(100)]

    assert identifiers(" ".join(names)) == names[:24]


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("`pnpm` and pnpm", ["pnpm"]),
        ("retry_count, `retry_count` and (retry_count)", ["retry_count"]),
        ("**uploads.py**: open it", ["uploads.py"]),
        ("read src/tacit/uploads.py.", ["uploads.py"]),
        ("`make` the `npm run build` again", ["make"]),
        ("e.g. at 5 or i.e. soon... and/or never", []),
        ("a v2 of x_y for `it`", []),  # too short to mean something
        ("ftp://example.org/some_file.tar", []),
    ],
)
def test_a_name_is_what_is_written_as_code_or_is_no_word(prompt: str, names: list[str]) -> None:
    assert identifiers(prompt) == names
