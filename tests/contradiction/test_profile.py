"""What a statement affirms, denies, orders and is limited to."""

from __future__ import annotations

import pytest

from tacit.contradiction.profile import Denial, is_restatement, profile_statement


def denied(text: str) -> list[tuple[set[str], bool, bool]]:
    return [(set(one.words), one.no_longer, one.rejected) for one in profile_statement(text).denied]


@pytest.mark.parametrize("text", ["never use npm", "we avoid npm", "please do not use npm", "steer clear of npm"])
def test_a_prohibition_affirms_nothing(text: str) -> None:
    profile = profile_statement(text)
    assert profile.is_negative
    assert "npm" in profile.denied[0].words


def test_a_verb_of_denial_that_is_only_mentioned_or_says_which_thing_denies_nothing() -> None:
    mentions = ("ask before deleting files", "the retired host is web1", "it threw the build out of balance")
    assert {profile_statement(text).denied for text in (*mentions, "talk to the sensor over SPI")} == {()}
    assert profile_statement("delete old files").is_negative


def test_each_clause_is_affirmed_or_denied_by_itself() -> None:
    for text in ("use pnpm, never npm", "use pnpm but not npm", "use pnpm; avoid npm"):
        profile = profile_statement(text)
        assert "pnpm" in profile.affirmed
        assert profile.denied == (Denial(frozenset({"npm"})),)
        assert not profile.is_negative


def test_a_list_goes_on_with_the_denial_of_its_first_clause() -> None:
    assert [words for words, _, _ in denied("never use npm, yarn, or bun")] == [{"use", "npm"}, {"yarn"}, {"bun"}]
    assert "yarn" in profile_statement("never use npm, yarn is fine").affirmed
    for text in ("never use npm or yarn", "never use npm, bun or yarn", "do not use npm, or yarn"):
        assert {"yarn"} in [words for words, _, _ in denied(text)], text


def test_two_negations_cancel_out() -> None:
    assert profile_statement("never skip the tests").affirmed == {"test"}
    assert "test" in profile_statement("never commit without tests").affirmed
    assert profile_statement("do not use npm any more").is_negative


@pytest.mark.parametrize(
    "text",
    ["prefer tabs over spaces", "use tabs instead of spaces", "use tabs rather than spaces", "use tabs not spaces"],
)
def test_of_a_contrast_the_second_part_is_rejected(text: str) -> None:
    assert "tab" in profile_statement(text).affirmed
    assert denied(text) == denied(f"{text} for makefiles") == [({"spac"}, False, True)]
    assert "makefil" in profile_statement(f"{text} for makefiles").affirmed


@pytest.mark.parametrize(
    "text",
    [
        "we moved from Webpack to Vite",
        "we migrated off Webpack to Vite",
        "Vite replaced Webpack",
        "Webpack was replaced by Vite",
        "we left Webpack for Vite",
    ],
)
def test_of_a_change_the_old_value_no_longer_holds(text: str) -> None:
    profile = profile_statement(text)
    assert "vite" in profile.affirmed and "webpack" not in profile.affirmed
    assert [("webpack" in one.words, one.no_longer) for one in profile.denied] == [(True, True)]


@pytest.mark.parametrize("text", ["Redis was retired", "Redis is gone", "we no longer use Redis", "switched Redis off"])
def test_what_is_over_is_denied_as_no_longer_so(text: str) -> None:
    profile = profile_statement(text)
    assert profile.is_negative and profile.is_change
    assert profile.denied[0].no_longer


@pytest.mark.parametrize(
    "text",
    [
        "lint before the push",
        "before the push, lint",
        "push after the lint",
        "after the lint, push",
        "lint, then push",
        "lint first and push",
        "go from lint to push",
    ],
)
def test_the_order_of_two_steps_is_the_same_in_every_wording(text: str) -> None:
    order = profile_statement(text).order
    assert order is not None
    assert ("lint" in order.first, "push" in order.second) == (True, True)
    assert not order.first & order.second


def test_a_direction_is_an_order_and_a_change_is_not() -> None:
    assert profile_statement("copy files from staging to production").order is not None
    assert profile_statement("we moved from staging to production").order is None


def test_a_statement_is_limited_to_environments_and_to_its_conditions() -> None:
    assert profile_statement("use Postgres in production").conditions == {"production"}
    assert profile_statement("use Postgres in prod").conditions == {"production"}
    assert profile_statement("For hotfixes, skip the review").conditions == {"hotfix"}
    assert profile_statement("use CRLF when building the installer").conditions == {"installer"}
    assert profile_statement("use CRLF").conditions == frozenset()
    # An opening condition ends where the rule begins.
    assert profile_statement("on Windows use tabs").conditions == profile_statement("on Windows, use tabs").conditions


@pytest.mark.parametrize("text", ["", ".", "never", "from to", "not " * 2000])
def test_a_text_without_content_affirms_and_denies_nothing(text: str) -> None:
    profile = profile_statement(text)
    assert (profile.affirmed, profile.denied, profile.order) == (frozenset(), (), None)
    long = "use pnpm " * 80  # only its beginning counts
    assert profile_statement(f"{long}never use yarn") == profile_statement(long)


# The same rule in other words is the same; the opposite in the same words is not


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("never commit the .env file", "Please don't commit the .env file again", True),
        ("always run the linter before a commit", "you should always run the linter before committing", True),
        ("we use pnpm in this repository", "this repository uses pnpm", True),
        ("use pnpm instead of npm", "please use pnpm instead of npm", True),
        ("never commit the .env file", "always commit the .env file", False),
        ("use pnpm instead of npm", "use npm instead of pnpm", False),
        ("run the tests before a commit", "run the migrations before a deploy", False),
        ("never push to main", "never push to the staging branch of main", False),
        (
            "never deploy the red cluster on fridays, ask me first",
            "never deploy the blue cluster on fridays, ask me first",
            False,
        ),
        ("Feature flags in Quillbox are on by default", "Feature flags in Quillbox are off by default", False),
        ("Retries are for more than 3 failures", "Retries are for less than 3 failures", False),
        ("The build runs inside the container", "The build runs outside the container", False),
        (
            "Terraform state is kept in the bucket heron-tfstate-eu",
            "Terraform state is kept in the bucket heron-tfstate-us",
            False,
        ),
        ("Send events to the queue orders-worker", "Send events to the queue orders-web", False),
        ("Sync the calendar from Outlook", "Sync the calendar to Outlook", False),
        ("Logins use a password", "Logins use a passwordless", False),
        ("yes", "yes", False),
    ],
)
def test_only_the_same_in_other_words_is_a_restatement(one: str, other: str, is_same: bool) -> None:
    assert is_restatement(one, other) is is_restatement(other, one) is is_same
