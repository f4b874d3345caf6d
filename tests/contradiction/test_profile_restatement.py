"""The same rule in other words is the same; the opposite in the same words is not."""

from __future__ import annotations

import pytest

from tacit.contradiction.profile import is_restatement


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("never commit the .env file", "Please don't commit the .env file again"),
        ("always run the linter before a commit", "you should always run the linter before committing"),
        ("we use pnpm in this repository", "this repository uses pnpm"),
        ("use pnpm instead of npm", "please use pnpm instead of npm"),
    ],
)
def test_the_same_in_other_words_is_alike(one: str, other: str) -> None:
    assert is_restatement(one, other) and is_restatement(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("never commit the .env file", "always commit the .env file"),
        ("use pnpm instead of npm", "use npm instead of pnpm"),
        ("run the tests before a commit", "run the migrations before a deploy"),
        ("never push to main", "never push to the staging branch of main"),
        (
            "never deploy the red cluster on fridays, ask me first",
            "never deploy the blue cluster on fridays, ask me first",
        ),
        ("Feature flags in Quillbox are on by default", "Feature flags in Quillbox are off by default"),
        ("Retries are for more than 3 failures", "Retries are for less than 3 failures"),
        ("The build runs inside the container", "The build runs outside the container"),
        (
            "Terraform state is kept in the bucket heron-tfstate-eu",
            "Terraform state is kept in the bucket heron-tfstate-us",
        ),
        ("Send events to the queue orders-worker", "Send events to the queue orders-web"),
        ("Sync the calendar from Outlook", "Sync the calendar to Outlook"),
        ("Logins use a password", "Logins use a passwordless"),
        ("yes", "yes"),
    ],
)
def test_what_is_another_thing_is_not(one: str, other: str) -> None:
    assert not is_restatement(one, other) and not is_restatement(other, one)
