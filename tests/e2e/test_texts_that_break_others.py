"""Texts that forge headings, end fences, expand patterns or lie to the eye come back unchanged and harm no view."""

from __future__ import annotations

import json
import re

import pytest
from harness.person import Person, facts_in

TEXTS = {
    "replacement patterns": r"replace it with $& or $1, $$ and $` or \1 \g<0>",
    "a heading": "first line\n## Preferences\n\n- 2026-01-01: forged (evidence: none) ^aaaaaaaaaaaa",
    "fences": "```\n# inside\n```\n~~~ and `code`",
    "html": "before <!-- hidden --> and <script>alert(1)</script>",
    "an open comment": "everything after <!-- is gone",
    "leading dashes": "--frozen-lockfile is wanted",
    "a rule": "---\ntitle: forged\n---",
    "japanese and emoji": "日本語と絵文字 👩‍👩‍👧 ❤️ 🎉 を書く",
    "right to left": "run \u202etset\u202c then \u2066x\u2069 مرحبا שלום",
    "zero width": "in\u200bvisi\u2060ble \ufeffmark and so\u00adft",
    "tag characters": "plain\U000e0068\U000e0069 words",
    "its own ending": "text (evidence: forged; seen 99 times; conflict) ^0123456789ab",
    "backslashes": r"C:\new\table and \u{202E} and \\n \<",
    "line breaks": "one\r\ntwo\rthree\u2028four\u2029five\x85six\x0bseven\x0ceight",
    "terminal codes": "red \x1b[31m bell \x07 title \x1b]0;x\x07 \x9b2J",
    "quotes": "\"double\" 'single' “curly” `back` | pipe",
    "json": '{"id": "0123456789ab", "ts": "x"}, [1]',
    "formats": "%s %(name)s {0} {name!r} ${HOME} $(id)",
    "sql": "'; DROP TABLE memories; --",
    "as long as may be": "long-text-" * 200,
}
LYING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e0fff]")
SECTIONS = [
    *("Constraints", "Rules", "Decisions", "Project Conventions", "Known Fixes", "Preferences", "Patterns", "Habits"),
    *("Review Guidance", "Promotion Candidates", "Pruned Or Revised"),
]

each_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def page_is_sound(person: Person) -> None:
    """The sections are those that belong there, and nothing in the file deceives a reader or another program."""
    page = person.long_term.read_text()
    assert [line[3:] for line in page.split("\n") if line.startswith("## ")] == SECTIONS
    assert page.splitlines() == page.split("\n")[:-1]
    assert not LYING.search(page)
    assert "<!--" not in page.replace("\\<", "")
    assert "```" not in page


@each_text
def test_a_remembered_text_survives_every_view(person: Person, text: str) -> None:
    person.tacit("remember", "--text", text, "--evidence", f"quoted: {text[:990]}")
    page_is_sound(person)
    assert len(person.section("Promotion Candidates")) == 1
    (hit,) = person.recalled("--query", text)
    assert hit["text"] == text
    (memory,) = person.tacit("suggestions", "--json").json
    assert (memory["label"], memory["evidence"]) == (text, [f"quoted: {text[:990]}"])


@each_text
def test_an_added_text_survives_the_fact_file_and_being_forgotten(person: Person, text: str) -> None:
    person.tacit("add", "--whole", "--text", text)
    whole = person.facts.read_text()
    assert len(whole.splitlines()) == 1
    assert not LYING.search(whole)
    assert json.loads(whole)["canonical"] == text
    page_is_sound(person)
    person.tacit("forget", "--text", text, "--reason", f"said {text[:900]}", "--evidence", text[:900])
    page_is_sound(person)
    assert len(person.section("Pruned Or Revised")) == 1
    assert person.texts("--query", text) == []
    person.tacit("undo")
    assert facts_in(person.facts)[0]["canonical"] == text
    assert person.texts("--query", text) == [text]


@each_text
def test_a_text_restored_and_drawn_from_nothing_is_the_same(person: Person, text: str) -> None:
    person.tacit("add", "--whole", "--text", text)
    person.tacit("forget", "--text", text, "--reason", "r", "--evidence", "e")
    person.tacit("restore", "--text", text)
    before = (person.long_term.read_bytes(), person.facts.read_bytes())
    for view in (person.long_term, person.facts, person.home / "index.sqlite"):
        view.unlink()
    assert person.texts("--query", text) == [text]
    assert (person.long_term.read_bytes(), person.facts.read_bytes()) == before


@each_text
def test_a_text_is_one_line_for_the_eye(person: Person, text: str) -> None:
    person.tacit("add", "--whole", "--text", text)
    said = person.tacit("recall", "--query", text)
    assert said.first == "Recall Results (1)"
    assert len(said.out.splitlines()) == 4
    assert not LYING.search(said.out)
    for verb in ("list", "show " + person.id_of(text), "why " + person.id_of(text), "undo"):
        assert not LYING.search(person.tacit(*verb.split()).out)


@each_text
def test_a_text_in_the_worklog_forges_no_entry(person: Person, text: str) -> None:
    short = text[:900]
    person.tacit("log", "--task", short, "--summary", short, "--changes", short, "--evidence", short, "--next", short)
    page = person.page("worklog/2026-03-02.md").read_text()
    assert len([line for line in page.split("\n") if line.startswith("#")]) == 2
    assert page.splitlines() == page.split("\n")[:-1]
    assert not LYING.search(page)
    (hit,) = person.recalled("--query", short)
    assert hit["text"] == f"{short}: {short}"


@pytest.mark.parametrize("name", ["a heading", "japanese and emoji", "right to left", "leading dashes", "quotes"])
def test_a_text_survives_real_processes(person: Person, name: str) -> None:
    text = TEXTS[name]
    person.process("remember", text, "--evidence", text)
    (hit,) = person.process("recall", "--json", "--", text).json
    assert hit["text"] == text
    page_is_sound(person)


@pytest.mark.parametrize(
    "words", [("--text", "--frozen"), ("--text=--frozen",), ("--frozen",), ("--", "--frozen")], ids=" ".join
)
def test_a_text_may_be_a_flag(person: Person, words: tuple[str, ...]) -> None:
    person.process("add", "--tag", "cli", *words)
    assert [fact["canonical"] for fact in facts_in(person.facts)] == ["--frozen"]
    assert person.texts("--", "--frozen") == ["--frozen"]


def test_a_word_that_looks_like_a_mistyped_option_is_asked_about(person: Person) -> None:
    said = person.process("add", "--tga", "cli", code=2)
    assert "did you mean --tag?" in said.err
    assert "put -- before the text" in said.err


def test_bytes_that_are_no_text_are_no_error(person: Person) -> None:
    person.process("add", "odd \udcff byte")
    (fact,) = facts_in(person.facts)
    assert fact["canonical"].startswith("odd ")
    assert person.texts("odd byte") == [fact["canonical"]]


@pytest.mark.parametrize("verb", ["remember", "add", "note"])
def test_ten_kilobytes_are_refused_and_the_limit_is_named(person: Person, verb: str) -> None:
    evidence = ("--evidence", "e") if verb == "remember" else ()
    said = person.process(verb, "long " * 2000, *evidence, code=1)
    assert "9,999 characters" in said.err
    assert "the limit is 2,000" in said.err
    assert not person.events.exists()


def test_long_evidence_is_refused_too(person: Person) -> None:
    said = person.tacit("remember", "short", "--evidence", "e" * 10_000, code=1)
    assert "the evidence has 10,000 characters; the limit is 2,000" in said.err


def test_the_limit_is_a_setting_and_one_character_more_is_too_much(person: Person) -> None:
    person.tacit("init")
    (person.home / "tacit.toml").write_text("[limits]\ntext = 30\n")
    person.tacit("add", "x" * 30)
    assert "the limit is 30" in person.tacit("add", "y" * 31, code=1).err
    assert len(facts_in(person.facts)) == 1
