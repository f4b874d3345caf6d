"""What looks like a rule and is none: nothing is learnt of it."""

from __future__ import annotations

import pytest

from tests.support.talking import learnt


@pytest.mark.parametrize(
    "text",
    [
        # bugs and what happens
        "whenever I run the build it takes ages",
        "it never finishes loading on my phone",
        "the test always fails on CI but not here",
        "I've never seen this error message before",
        "I always get this error when starting the server",
        "it only works when I restart the whole thing",
        # no knowledge, no opinion yet
        "I don't know what this function does",
        "I think we should use redis for the queue",
        "should we use redis instead of memcached?",
        "we're thinking about moving to postgres at some point",
        "why do we use go-git here and not the cli?",
        "if we use redis, what happens to the sessions",
        "When using a flake, is there not a way to use the default instead of the full name",
        # fences around the task at hand
        "don't change anything else in that file",
        "Do NOT change the contents of the list",
        "don't commit yet, I want to look at it",
        "for this one, use the old API please",
        "only edit src/app.ts and nothing else",
        "we don't need any of that any more",
        # the task itself
        "rename session_helpers.go to stats_helpers.go",
        "remember to update the changelog entry for this release",
        "instead of a list return a generator here",
        "please fix the failing tests and push them",
        "make sure the modal closes when I click outside",
        "let's use the first approach and see how it goes",
        "we're using the wrong variable in line 20",
        "this should return a list instead of a dict",
        "you forgot to add the import to the module",
        # how the product looks and behaves
        "the button should always be blue on hover",
        "Each panel should show one part of the settings",
        "the user should be able to reset the password",
        "The header should be sticky and the footer hidden",
        # small talk
        "never mind, it just took a long time",
        "yes always",
        "I prefer option 2 of those you named",
    ],
)
def test_nothing_is_learnt_of(text: str) -> None:
    assert learnt(text) == []


def test_whenever_is_not_never() -> None:
    assert learnt("whenever you commit the tests are slow for me") == []
    assert learnt("never commit while the tests are red") != []
