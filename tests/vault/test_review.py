"""Cards: which candidates are decided on together, and what a card shows of them."""

from __future__ import annotations

import pytest
from harness.person import Person

from tacit.errors import RefusedError
from tacit.model.claim import GLOBAL, Scope, project_scope
from tacit.vault.listing import ListedMemory
from tacit.vault.review import Card, Review, group_candidates
from tests.support.events import memory_of, proposed, says

SHOP, BLOG, DOCS = (project_scope(f"example.org/{name}") for name in ("shop", "blog", "docs"))
RULE = "always run the linter before a commit"


def candidate(text: str, scope: Scope, *evidence: str, source: str = "") -> ListedMemory:
    claim = says(text, scope)
    memory = memory_of(claim, *(proposed(claim, words) for words in evidence or ("e",)))
    return ListedMemory(memory.id[:4], memory._replace(source=source or memory.source), None, False)


def texts(cards: list[Card]) -> list[list[str]]:
    return [[listed.memory.claim.scope.rpartition("/")[2] for listed in card.candidates] for card in cards]


def test_restatements_in_different_scopes_are_one_card_at_the_place_of_the_first() -> None:
    pending = [
        candidate(RULE, SHOP),
        candidate("never push to main", SHOP),
        candidate("Always run linters before commits.", BLOG),
        candidate(RULE, GLOBAL),
    ]
    assert texts(group_candidates(pending)) == [["shop", "blog", "global"], ["shop"]]


def test_short_sentences_are_grouped_if_they_are_equal() -> None:
    assert texts(group_candidates([candidate("use pnpm", SHOP), candidate("Use pnpm.", BLOG)])) == [["shop", "blog"]]
    assert texts(group_candidates([candidate("use pnpm", SHOP), candidate("use npm", BLOG)])) == [["shop"], ["blog"]]


def test_a_card_has_one_candidate_of_each_scope() -> None:
    pending = [candidate(RULE, SHOP), candidate("always run linters before commits", SHOP), candidate(RULE, BLOG)]
    assert texts(group_candidates(pending)) == [["shop", "blog"], ["shop"]]


def test_other_statements_and_habits_stay_apart() -> None:
    opposite = candidate("never run the linter before a commit", BLOG)
    assert texts(group_candidates([candidate(RULE, SHOP), opposite])) == [["shop"], ["blog"]]
    habits = [candidate(RULE, scope, source="habit") for scope in (SHOP, BLOG)]
    assert texts(group_candidates(habits)) == [["shop"], ["blog"]]


def test_a_card_adds_up_what_its_candidates_have() -> None:
    (card,) = group_candidates([candidate(RULE, SHOP, "one", "two"), candidate(RULE, BLOG, "three")])
    assert card.merged.memory.strength == 3
    assert [evidence.text for evidence in card.merged.memory.evidence] == ["one", "two", "three"]
    assert card.ids == [listed.memory.id for listed in card.candidates]
    (alone,) = group_candidates([candidate(RULE, DOCS)])
    assert alone.merged is alone.candidates[0]


def test_a_window_of_candidates_is_the_latest_of_all(person: Person) -> None:
    with person.vault() as vault:
        texts = [f"tests of part{number} run with make" for number in range(5)]
        for text in texts:
            vault.memories.remember(text, evidence="seen")
        review = Review(vault.home)
        first, all_of_them = review.cards(2), review.cards(5)
        assert sorted(card.merged.memory.claim.sentence for card in first) == texts[3:]
        assert (first.total, first.card_total, all_of_them.card_total) == (5, None, 5)
        cards = [*all_of_them]
        assert [card.ids for card in map(review.detailed, cards)] == [card.ids for card in cards]


def test_a_decided_candidate_is_not_pending(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.memories.remember("tests run with make", evidence="seen").memory
        review = Review(vault.home)
        review.require_pending([memory.id])
        vault.memories.dismiss(memory.id)
        with pytest.raises(RefusedError, match="dismissed already"):
            review.require_pending([memory.id])
