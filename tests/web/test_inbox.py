"""The inbox decides what `tacit review` decides, one card at a time or many at once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from harness.person import Person

from tests.support.talking import capture
from tests.support.trials import BAD, GOOD, RULE, Trialist
from tests.web.browsing import Answer, Browser, running_server

FIRST, SECOND, THIRD = "use pnpm for packages", "tests run with make", "deploys need a second pair of eyes"


@pytest.fixture
def waiting(person: Person, browser: Browser) -> Browser:
    for number, text in enumerate((FIRST, SECOND, THIRD)):
        now = f"2026-03-02T11:0{number}:00+00:00"
        person.tacit("add", "--candidate", text, "--evidence", f"seen in build {number}", now=now)
    return browser


def statuses(person: Person) -> dict[str, str]:
    return {memory["text"]: memory["status"] for memory in person.listed("--status", "all", "--scope", "all")}


def test_the_first_card_is_shown_with_its_evidence(waiting: Browser) -> None:
    page = waiting.get("/").visible
    assert all(text in page for text in (FIRST, SECOND, THIRD))
    assert "seen in build" in page and "1 observation" in page


def test_accept_moves_on_to_the_next_card_and_undo_takes_it_back(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(SECOND)}")
    after = waiting.press(page, "accept")
    assert f"Accepted: {SECOND}" in after.visible
    assert statuses(person)[SECOND] == "active"
    assert f"card={person.id_of(SECOND)}" not in after.path
    undone = waiting.post("/undo", after.form("undo"))
    assert "Undone: accepted" in undone.visible
    assert f"card={person.id_of(SECOND)}" in undone.path  # back to the card
    assert statuses(person)[SECOND] == "pending"


def test_a_notice_is_shown_once(person: Person, waiting: Browser) -> None:
    after = waiting.press(waiting.get("/"), "dismiss")
    assert "Dismissed for good" in after.visible
    assert "Dismissed for good" not in waiting.get(after.path).visible
    assert list(statuses(person).values()).count("dismissed") == 1


def test_edit_revises_and_accepts(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    waiting.press(page, "edit", text="use pnpm for all packages")
    assert statuses(person)["use pnpm for all packages"] == "active"


def test_merge_moves_the_evidence(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    after = waiting.press(page, "merge", into_other=person.id_of(SECOND))
    assert f"Merged into: {SECOND}" in after.visible
    assert FIRST not in waiting.get("/").visible


def test_a_card_that_was_decided_elsewhere_is_refused_with_a_notice(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    person.tacit("dismiss", person.id_of(FIRST))
    after = waiting.press(page, "accept")
    assert "notice-error" in after.text
    assert "is dismissed already" in after.visible
    assert "decided already" in after.visible  # the address still names the card
    assert statuses(person)[FIRST] == "dismissed"


def test_an_unknown_action_is_refused(person: Person, waiting: Browser) -> None:
    page = waiting.get("/")
    after = waiting.post("/", {**page.form("accept"), "action": "explode"})
    assert "there is no action" in after.visible
    assert set(statuses(person).values()) == {"pending"}


def test_all_candidates_of_a_kind_are_decided_after_one_question(person: Person, waiting: Browser) -> None:
    kinds = {memory["text"]: memory["kind"] for memory in person.listed("--pending")}
    chosen = [text for text, kind in kinds.items() if kind == kinds[FIRST]]
    question = waiting.get(f"/bulk?action=dismiss&kind={kinds[FIRST]}")
    assert all(text in question.visible for text in chosen)
    after = waiting.press(question, "dismiss", reason="noise")
    assert "Dismissed for good" in after.visible
    assert {text for text, status in statuses(person).items() if status == "dismissed"} == set(chosen)
    waiting.post("/undo", after.form("undo"))
    assert set(statuses(person).values()) == {"pending"}


def test_filters_keep_the_other_cards_away(person: Person, waiting: Browser) -> None:
    work = person.repository("shop")
    person.tacit("add", "--candidate", "the shop has a staging server", "--evidence", "x", cwd=work)
    page = waiting.get("/?project=shop").visible
    assert "the shop has a staging server" in page and FIRST not in page
    assert "No card matches" in waiting.get("/?kind=known_fix").visible


def test_a_memory_that_is_not_true_of_the_work_tree_is_a_card_until_it_is_kept(person: Person) -> None:
    shop = person.repository("shop")
    (shop / "docs").mkdir()
    person.tacit("add", "the deploy steps are in docs/deploy.md", cwd=shop)
    with running_server(person, folder=shop) as browser:
        browser.open()
        page = browser.get("/")
        assert "Not so in the work tree docs/deploy.md does not exist" in page.visible
        assert '<span class="count">1</span>' in page.text  # the badge
        after = browser.press(page, "keep_despite")
        assert "Kept: the deploy steps" in after.visible and "Nothing to review" in after.visible
        assert 'class="count"' not in after.text
        assert "docs/deploy.md" in browser.post("/undo", after.form("undo")).visible
        assert ">red<" in browser.get("/search").text


def test_a_trial_that_has_ended_is_a_card_until_it_is_decided(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim")
    for _ in range(12):
        kim.work_in(GOOD, told=True)
        kim.work_in(BAD, told=False)
    person = kim.person
    person.now = "2026-03-05T12:00:00+00:00"
    with running_server(person, folder=kim.work) as browser:
        browser.open()
        name = person.id_of(RULE)
        page = browser.get(f"/?card={name}")
        assert "tried: telling it helps. Keep it?" in page.visible and "not told: 10 of 10 went badly" in page.visible
        assert "not told: 10 of 10 went badly" in browser.get(f"/memories/{name}").visible
        after = browser.press(page, "keep_tried")
        assert f"Kept: {RULE}" in after.visible
        assert "telling it helps. Keep it?" not in browser.get("/").visible
    assert "tried, and telling it helps" in person.tacit("why", name).out


# What a card says


def run_in_order(person: Person) -> None:
    """Import a history in which the same commands follow each other on six days."""
    history = "".join(
        f"#{1772000000 + day * 86400 + number * 60}\n{command}\n"
        for day in range(6)
        for number, command in enumerate(("git pull", "alembic upgrade head", "pytest -q tests/unit"))
    )
    (person.folder / ".bash_history").write_text(history)
    person.tacit("import", "history", "--file", str(person.folder / ".bash_history"), "--shell", "bash")
    person.tacit("stats")


def test_a_card_says_when_it_was_said_and_when_it_was_learned(person: Person) -> None:
    shop = person.repository("shop")
    capture(person, shop, 1, "From now on, always run the linter before you commit.")
    capture(person, shop, 2, "please compare the branches", fixed=True)
    capture(person, shop, 3, "please compare the branches", fixed=True)
    person.now = "2026-03-12T12:00:00+00:00"
    person.tacit("learn")
    with running_server(person) as browser:
        browser.open()
        rows = re.findall(r'(?s)<a class="row".*?</a>', browser.get("/").text)
        assert [re.findall(r">([^<]*ago|just now)</time>", row) for row in rows] == [["11 d ago"], ["9 d ago"]]
        ids = {memory["kind"]: memory["id"] for memory in person.listed("--pending", "--scope", "all")}
        rule, fix = (browser.get(f"/?card={ids[kind]}").visible for kind in ("rule", "known_fix"))
        assert "Said 11 d ago" in rule and "Learned just now" in rule
        assert "Seen 9 d ago" in fix and "Said" not in fix
        memory = browser.get(f"/memories/{ids['rule']}").visible
        assert "Said 11 d ago" in memory and "Learned just now" in memory
        assert "11 d ago" in browser.get("/search?status=pending").visible
        person.tacit("forget", ids["rule"])
        assert "just now" in browser.get("/search?status=retired").visible  # when it was forgotten


def test_a_fix_shows_the_calls_that_it_was_concluded_from_as_code(person: Person) -> None:
    shop = person.repository("shop")
    for day in (1, 2):
        capture(person, shop, day, "please compare the branches", fixed=True)
    person.tacit("learn")
    with running_server(person) as browser:
        browser.open()
        page = browser.get("/")
        calls = re.findall(
            r'(?s)<blockquote><pre class="content">(.*?)</pre>.*?<figcaption>(.*?)</figcaption>', page.text
        )
        assert [call for call, _ in calls] == ["git diff master...HEAD", "git diff main...HEAD"]
        assert ["failed" in caption for _, caption in calls] == [True, False]


def test_a_card_of_a_habit_says_what_accepting_it_does_and_when_it_was_run(person: Person, browser: Browser) -> None:
    run_in_order(person)
    card = browser.get("/?kind=workflow_pattern").visible
    assert "Accepting it makes the workflow" in card
    assert "Last today" in card and "just now" not in card


# Undo


def test_undo_beside_a_notice_takes_back_what_the_notice_says(person: Person, waiting: Browser) -> None:
    after = waiting.press(waiting.get(f"/?card={person.id_of(FIRST)}"), "dismiss")
    person.tacit("accept", person.id_of(SECOND))  # in a terminal, meanwhile
    assert f"Undone: dismissed: {FIRST}" in waiting.post("/undo", after.form("undo")).visible
    assert statuses(person) == {FIRST: "pending", SECOND: "active", THIRD: "pending"}
    again = waiting.post("/undo", after.form("undo"))
    assert "nothing to undo" in again.visible and statuses(person)[SECOND] == "active"
    assert f"Undone: accepted: {SECOND}" in waiting.post("/undo", waiting.get("/").form("accept")).visible


# The number in the navigation is that of the cards


def shown(page: Answer) -> tuple[int, int]:
    """The number beside the inbox in the navigation, and how many cards the inbox lists."""
    badge = re.search(r'href="/"[^>]*aria-current.*?<span class="count">([0-9]+)</span>', page.text)
    return int(badge[1]) if badge else 0, page.text.count('class="row"')


def test_the_number_is_that_of_the_cards_of_all_projects_and_after_each_decision(person: Person) -> None:
    shop, site = person.repository("shop"), person.repository("site")
    for work in (shop, site):
        person.tacit("add", "--candidate", "use ruff for formatting", "--evidence", "ci", cwd=work)
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm")  # a pair that contradicts each other is no card
    person.tacit("add", "the deploy steps are in docs/deploy.md", cwd=shop)
    person.tacit("add", "--candidate", "run the linter before every commit", "--evidence", "ci")
    person.tacit("add", "--candidate", "before commits always run linters", "--evidence", "ci")  # perhaps the same
    for read_only in (True, False):
        with running_server(person, folder=shop, read_only=read_only) as browser:
            browser.open()
            page = browser.get("/")
            assert shown(page)[0] == shown(page)[1] >= 3, shown(page)
            assert [len(card["others"]) for card in json.loads(browser.get("/?format=json").text)].count(1) == 1
            left = 0 if read_only else shown(page)[0]
            while left:
                keep = "keep_despite" if "docs/deploy.md" in page.visible else "accept"
                page = browser.press(browser.get("/"), "accept" if 'value="accept" data-key' in page.text else keep)
                assert shown(page) == (left - 1, left - 1)
                left -= 1
            if not read_only:
                assert shown(browser.post("/undo", page.form("undo"))) == (1, 1)


def test_numbers_of_choices_are_those_of_the_cards_that_they_leave(person: Person, browser: Browser) -> None:
    for name in ("shop", "site"):
        with person.vault(cwd=person.repository(name)) as vault:
            vault.memories.suggest("never deploy on fridays", evidence="it failed")
            vault.memories.remember(f"we decided to host {name} in Falkenstein", evidence="it is near")
            vault.memories.suggest(f"{name} runs on port 8000", evidence="seen")
    seen = 0
    for start in ("/?", "/?project=shop&", "/?kind=decision&", "/?source=suggest&project=site&"):
        page = browser.get(start.rstrip("&?"))
        for name in ("project", "kind", "source"):
            options = re.findall(
                r'<option value="(\w+)"[^>]*>[^<]*\((\d+)\)',
                page.text.partition(f'name="{name}">')[2].partition("</select>")[0],
            )
            for value, number in options:
                others = re.sub(rf"{name}=[a-z]*&", "", start)
                assert shown(browser.get(f"{others}{name}={value}"))[1] == int(number), (start, name, value)
                seen += 1
    assert seen > 20


def test_all_cards_are_listed_on_pages(person: Person, browser: Browser) -> None:
    with person.vault() as vault:
        for number in range(95):
            vault.memories.suggest(f"the service number {number} listens on port {8000 + number}", evidence="seen")
    counts = [shown(browser.get(f"/?page={number}")) for number in (1, 2, 3)]
    assert counts == [(95, 40), (95, 40), (95, 15)]
    assert "All 95 candidates" in browser.get("/").visible
    assert len(json.loads(browser.get("/?format=json").text)) == 95


def test_sequences_that_are_picked_become_workflows_and_one_undo_takes_all_back(
    person: Person, browser: Browser
) -> None:
    run_in_order(person)
    found = person.listed("--pending", "--kind", "workflow_pattern")
    other = person.tacit("add", "--candidate", "tests run with make", "--evidence", "seen")
    assert found and other
    picks = [memory["id"] for memory in person.listed("--pending")]
    fields = {**browser.get("/").form("accept"), "pick": [" ".join(picks)], "id": [], "action": "accept"}
    after = browser.post("/bulk", fields)
    assert f"Accepted: {len(picks)} candidates" in after.visible
    assert len(person.tacit("workflow", "list", "--json").json) == len(found)
    browser.post("/undo", after.form("undo"))
    assert person.tacit("workflow", "list", "--json").json == []
    assert {memory["id"] for memory in person.listed("--pending")} == {*picks}


def test_nothing_is_decided_if_no_card_was_picked(person: Person, waiting: Browser) -> None:
    assert "no card was picked" in waiting.get("/bulk?picked=1&action=accept", 400).visible
    question = waiting.get(f"/bulk?picked=1&action=accept&pick={person.id_of(FIRST)}").visible
    assert "Accept 1 candidate?" in question and FIRST in question and SECOND not in question


@pytest.mark.parametrize("path", ["/", "/bulk"])
@pytest.mark.parametrize("action", ["accept", "dismiss"])
def test_what_is_the_id_of_no_card_is_told_and_changes_nothing(
    person: Person, waiting: Browser, path: str, action: str
) -> None:
    before = statuses(person)
    fields = {name: value for name, value in waiting.get("/").form("accept").items() if name == "form_token"}
    for reference in ("", "!!", "no id at all", "z" * 12, "z" * 13, "٣" * 12, "日本"):
        answer = waiting.post(path, {**fields, "id": [reference], "action": [action]})
        assert answer.status in (400, 404), reference
        assert statuses(person) == before, reference
