"""What is left of an event when a text or a claim is purged from it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from tacit.model import observation
from tacit.model.claim import Claim, Kind, Status, Triple, project_scope
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventsUndone, Verdict
from tacit.model.ids import event_id
from tacit.model.memory import fold_memories
from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.prints import HashedText, PurgedText, make_fingerprint
from tacit.purge.remains import (
    HIDDEN_SCOPE,
    PurgeTarget,
    claim_sentences,
    moved_claims,
    purge_event,
)
from tacit.purge.tombstones import Tombstones
from tacit.text.display import PURGED_MARK
from tests.support.events import added, event, history, says

SECRET = "Hunter2 magic word"
SALT = bytes(range(20))
SECRETS = (
    SECRET,
    "пароль Ёлка",
    "日本語の秘密鍵",
    "한국어 비밀번호",
    "عبارة سرية جدا",
    "🔑👩‍👩‍👧 clé privée",
    "naïve cafe\u0301 latte",
    'quo"ted \\ back\nline',
    "<b>html</b> & $& `tick`",
)
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in lower case": str.lower,
    "in upper case": str.upper,
    "with other blanks": lambda text: text.replace(" ", " \n\t "),
    "as JSON": json.dumps,
    "as JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "as JSON, readable": lambda text: json.dumps(text, ensure_ascii=False),
    "hexadecimal": lambda text: text.encode().hex(),
    "HEXADECIMAL, shifted": lambda text: "A" + text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64, one byte on": lambda text: base64.b64encode(b"x" + text.encode() + b"y").decode(),
    "base64, two bytes on": lambda text: base64.b64encode(b"xy" + text.encode() + b"zz").decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(b"?>" + text.encode()).decode().rstrip("="),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "percents": quote,
    "percents and pluses": quote_plus,
    "percents only": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "UTF-16 as letters": lambda text: text.encode("utf-16-le").decode("latin-1"),
    "UTF-16 as bytes": lambda text: text.encode("utf-16-be").decode("utf-8", "surrogateescape"),
    "UTF-16 with empty bytes replaced": lambda text: text.encode("utf-16-le").decode("latin-1").replace("\0", "\ufffd"),
}


def sought(text: str) -> TextFinder:
    return TextFinder([normalize_for_match(text)])


def cut(text: str = SECRET) -> PurgeTarget:
    return PurgeTarget(sought(text))


# Finding a text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_text_is_found_in_every_form_and_what_stands_around_it_stays(secret: str, form: str) -> None:
    text = f"before {FORMS[form](secret)} after"
    left = sought(secret).replace_matches(text)
    assert not sought(secret).contains(left)
    assert left.startswith("before ") and left.endswith(" after") and PURGED_MARK in left


def test_a_print_does_not_tell_the_text() -> None:
    made = make_fingerprint(SECRET, SALT)
    assert "hunter" not in str(made).lower()
    assert make_fingerprint(SECRET, bytes(20)).strong != made.strong
    assert not PurgedText(made).learn(HashedText("hunter2 magic ward", made.length), "hunter2 magic ward")


# Free words


@pytest.mark.parametrize(
    "body",
    [
        added(says("use pnpm"), f"told {SECRET} twice"),
        ClaimProposed(says("use pnpm"), Verdict.SUGGESTED, "repeats", reason=f"told {SECRET} twice"),
        ClaimDecided(says("use pnpm"), Verdict.RETIRED, f"told {SECRET} twice", "chat"),
        ClaimDecided(
            says("a b c"), Verdict.REVISED, instead=says("d e f"), carried_evidence=("x", f"told {SECRET} twice")
        ),
        EventsUndone((), (), f"told {SECRET} twice"),
        ClaimDecided(says("use pnpm"), Verdict.KEPT, missing=(f"docs/{SECRET}.md",)),
        observation.WorkLogged("T-1", f"told {SECRET} twice"),
        observation.WorkLogged("T-1", "moved", "this", "that", f"told {SECRET} twice"),
        observation.CommandRan(
            f"echo {SECRET} twice", f"/home/{SECRET}", 1, 20, "zsh", f"print {SECRET}", f"echo {SECRET}"
        ),
        observation.WorkflowRan(
            "check", (observation.StepRan("make", 0), observation.StepRan(f"echo {SECRET}", 1, 5)), f"/home/{SECRET}", 1
        ),
        observation.WorkflowDropped(f"the {SECRET}"),
        observation.RecallAsked(f"told {SECRET} twice", 3),
        observation.BriefInjected(("abc",), 12, f"told {SECRET} twice"),
        observation.EvaluationCreated(
            "2024-01-01",
            (observation.EvaluationScore("a", 1, "fine"), observation.EvaluationScore("b", 2, f"told {SECRET} twice")),
        ),
        observation.MemoryPurged(f"told {SECRET} twice"),
    ],
    ids=lambda body: type(body).__name__,
)
def test_in_free_words_a_mark_takes_its_place_and_the_rest_stays(body: EventBody) -> None:
    (said,) = history(body)
    left = purge_event(said, cut())
    assert repr(left) == repr(said).replace(SECRET, PURGED_MARK)


@pytest.mark.parametrize("steps", [("make", f"echo {SECRET}"), (SECRET,)])
def test_a_workflow_with_a_hole_in_it_is_no_more(steps: tuple[str, ...]) -> None:
    (said,) = history(observation.WorkflowSaved("check", steps, "/home/me", "0123456789ab"))
    assert purge_event(said, cut()).body == observation.WorkflowDropped("check")


def test_an_event_without_it_is_the_very_same() -> None:
    (said,) = history(added(says("use pnpm"), "a chat"))
    assert purge_event(said, cut()) is said


def test_where_and_by_whom_is_free_of_it_too_but_a_person_stays_a_person() -> None:
    said = event(1, observation.RecallAsked("anything", 1), session=f"about {SECRET}", actor=f"agent:{SECRET}")
    left = purge_event(said, cut())
    assert (left.origin.session, left.origin.actor) == (f"about {PURGED_MARK}", f"agent:{PURGED_MARK}")
    assert purge_event(event(2, observation.RecallAsked("user", 1)), cut("user")).is_by_user


def test_the_check_of_a_claim_follows_it_to_its_new_id() -> None:
    (said,) = history(observation.MemoryChecked("abc", "session", "violated"))
    target = PurgeTarget(moved={"abc": "xyz"})
    assert purge_event(said, target).body == observation.MemoryChecked("xyz", "session", "violated")


def test_a_trial_follows_its_claim_to_the_new_id() -> None:
    trial = event_id(1, bytes(10))
    bodies = (
        observation.TrialStarted("abc", "0123456789abcdef0123", 40),
        observation.TrialEnded("abc", trial, "helps"),
        observation.TrialChecked("abc", trial, "session", True, "bad"),
    )
    target = PurgeTarget(moved={"abc": "xyz"})
    for said in history(*bodies, observation.BriefInjected(("abc",), 9, tried=("abc", "other"))):
        body = purge_event(said, target).body
        assert "'abc'" not in repr(body) and "'xyz'" in repr(body)


def test_a_path_with_it_becomes_a_stub() -> None:
    (said,) = history(observation.ProjectSeen(f"/home/{SECRET}/work"))
    assert purge_event(said, cut()).body == observation.PurgedStub("project.seen")


# Claims


def test_a_claim_that_says_it_becomes_a_stub_that_tells_when_and_by_whom() -> None:
    (said,) = history(added(says(f"never tell {SECRET}"), "a chat"))
    assert purge_event(said, cut()) == said._replace(body=observation.PurgedStub("memory.added"))


def test_a_tag_with_it_is_taken_off_and_the_memory_stays() -> None:
    (said,) = history(added(says("use pnpm", tags=("js", "x-hunter2-magic-word"))))
    assert purge_event(said, cut()).body == added(says("use pnpm", tags=("js",)))


def test_what_took_the_place_of_a_purged_claim_keeps_its_inheritance() -> None:
    old, new = says(f"never tell {SECRET}"), says("never tell anybody")
    revised = ClaimDecided(
        old, Verdict.REVISED, instead=new, active=True, carried_strength=3, carried_evidence=("a", "b")
    )
    before = history(added(old), added(old), added(old), revised)
    after = fold_memories(purge_event(said, cut()) for said in before)
    kept = fold_memories(before)[new.id]
    assert list(after) == [new.id]
    assert after[new.id]._replace(sessions=kept.sessions) == kept


def test_what_was_replaced_by_a_purged_claim_stays_forgotten() -> None:
    old, new = says("never tell anybody"), says(f"never tell {SECRET}")
    before = history(added(old, "chat"), ClaimDecided(old, Verdict.REVISED, instead=new, active=True))
    after = fold_memories(purge_event(said, cut()) for said in before)
    assert list(after) == [old.id]
    assert (after[old.id].status, after[old.id].reason) == (Status.RETIRED, "purged")


def test_only_new_words_are_purged_the_old_ones_hold_on() -> None:
    old = Claim(Kind.RULE, says("x").scope, Triple("we", "use", "pnpm"), "we use pnpm")
    new = old._replace(sentence=f"we use pnpm, said {SECRET}")
    before = history(
        ClaimProposed(old, Verdict.PROPOSED, "remember"), ClaimDecided(old, Verdict.REVISED, instead=new, active=True)
    )
    memory = fold_memories(purge_event(said, cut()) for said in before)[old.id]
    assert (memory.status, memory.claim.sentence) == (Status.ACTIVE, "we use pnpm")


def test_a_purged_memory_goes_with_every_event_and_its_words_from_all_others() -> None:
    doomed, other = says("use pnpm"), says("always use pnpm for installs")
    log = history(
        added(doomed, "chat"),
        ClaimDecided(doomed, Verdict.RETIRED, "old", "chat"),
        added(other, "use pnpm"),
        EventsUndone((), (), "added: use pnpm"),
    )
    by_id = PurgeTarget(sought("use pnpm"), frozenset({doomed.id}), everywhere=False)
    after = [purge_event(said, by_id) for said in log]
    assert [said.body for said in after] == [
        observation.PurgedStub("memory.added"),
        observation.PurgedStub("memory.pruned"),
        added(other, PURGED_MARK),
        EventsUndone((), (), f"added: {PURGED_MARK}"),
    ]


def test_every_wording_of_a_memory_is_known() -> None:
    log = history(added(says("use pnpm")), added(says("Use the pnpm.")), added(says("use npm")))
    assert claim_sentences(log, says("use pnpm").id) == ["use pnpm", "Use the pnpm."]


def test_a_project_whose_name_holds_it_loses_its_name_and_keeps_its_memories() -> None:
    scope = project_scope(f"example.org/{SECRET}/app")
    claim = says("use pnpm", scope)
    log = [said._replace(scope=scope) for said in history(added(claim), added(says("use tabs", scope)))]
    log.append(event(9, EventsUndone((log[0].id,), (claim.id,), "added: use pnpm"))._replace(scope=scope))
    whole = cut()._replace(moved=moved_claims(log, cut()))
    after = [purge_event(said, whole) for said in log]
    assert {said.scope for said in after} == {HIDDEN_SCOPE}
    assert {memory.claim.sentence for memory in fold_memories(after).values()} == {"use tabs"}
    assert after[-1].body == EventsUndone((log[0].id,), (says("use pnpm", HIDDEN_SCOPE).id,), "added: use pnpm")


def test_what_a_tombstone_remembers_cuts_as_the_text_did() -> None:
    old, new = says(f"never tell {SECRET}"), says("never tell anybody")
    log: list[Event] = history(
        added(old, "chat"),
        added(new, f"{SECRET}!"),
        ClaimDecided(old, Verdict.REVISED, instead=new),
        observation.WorkLogged(SECRET, "x"),
    )
    stone = observation.MemoryPurged(claims=(old.id,), prints=(make_fingerprint(SECRET, SALT),), everywhere=True)
    assert [Tombstones([event(99, stone)]).apply_fully(said) for said in log] == [
        purge_event(said, cut()) for said in log
    ]
