"""What a person says again makes a memory stronger; what may be the same in other words is asked, and never decided."""

from __future__ import annotations

from harness.person import Person
from harness.terminal import converse

ASK = "q quit > "


def test_a_rule_that_is_said_again_grows_stronger_and_keeps_its_first_words(person: Person) -> None:
    person.tacit("add", "reply in German")
    said = person.tacit("add", "please always reply in German").out

    assert "Reinforced, strength 2" in said and "reply in German" in said
    (memory,) = person.listed()
    assert (memory["label"], memory["strength"]) == ("reply in German", 2)
    assert "said again: “please always reply in German”" in person.tacit("why", memory["id"]).out
    person.tacit("undo")
    assert [(memory["label"], memory["strength"]) for memory in person.listed()] == [("reply in German", 1)]


def test_a_restatement_of_another_kind_or_with_a_tag_of_its_own_is_a_memory_of_its_own(person: Person) -> None:
    person.tacit("add", "reply in German")
    person.tacit("add", "please always reply in German", "--kind", "constraint")
    person.tacit("add", "always reply in German please", "--tag", "language")

    assert len(person.listed()) == 3


def test_a_constraint_that_is_said_again_more_mildly_stays_one(person: Person) -> None:
    person.tacit("add", "never deploy on a friday")
    person.tacit("add", "please never deploy on a friday")

    assert [(memory["kind"], memory["strength"]) for memory in person.listed()] == [("constraint", 2)]


def test_what_was_forgotten_is_not_revived_by_other_words(person: Person) -> None:
    person.tacit("add", "reply in German")
    person.tacit("forget", person.id_of("reply in German"))
    person.tacit("add", "please always reply in German")

    assert [memory["label"] for memory in person.listed()] == ["please always reply in German"]


def test_other_words_for_a_rule_are_asked_about_and_both_hold_until_then(person: Person) -> None:
    person.tacit("add", "reply in German")
    said = person.tacit("add", "answer me in German").out
    first, second = person.id_of("reply in German"), person.id_of("answer me in German")

    assert f"Does it say the same as [{first[:6]}]: reply in German" in said
    assert len(person.listed()) == 2
    command = next(line for line in said.splitlines() if "Make them one" in line).split("tacit ")[1].split(";")[0]
    person.tacit(*command.split())
    (memory,) = person.listed()
    assert (memory["id"], memory["strength"]) == (first, 2) and memory["id"] != second


def test_what_has_nothing_to_do_with_it_is_not_asked(person: Person) -> None:
    for text in ("reply in German", "encrypt the backups with age", "the staging database is db1.internal"):
        assert "say the same" not in person.tacit("add", text).out


def test_a_card_names_what_it_may_repeat_and_m_makes_them_one(person: Person) -> None:
    person.tacit("add", "customers are billed by card")
    person.tacit("note", "clients pay with their cards")
    kept = person.id_of("customers are billed by card")
    (card,) = person.tacit("list", "--pending", "--json").json

    assert card["may_be_same"] == [kept]
    assert f"says the same as {kept[:6]}? customers are billed by card" in person.tacit("list", "--pending").out
    converse(person, "review", answers=[(ASK, "m"), (f"(empty: {kept[:6]})", "")])
    assert [(memory["id"], memory["strength"]) for memory in person.listed()] == [(kept, 2)]


def test_of_two_that_may_contradict_the_person_may_say_that_they_are_the_same(person: Person) -> None:
    first, second = "ask Samir before changing the geofence", "the geofence is only changed after checking with Samir"
    person.tacit("add", first)
    assert "may contradict" in person.tacit("add", second).out
    shown = converse(person, "review", answers=[(ASK, "m")]).out

    assert "or say the same" in shown and "Merged into" in shown
    assert [(memory["label"], memory["strength"]) for memory in person.listed()] == [(first, 2)]
