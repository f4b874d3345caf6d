"""Candidates for a judge, and lessons without one: seen in two sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import learn
from tacit.learn.fixes import (
    Ranker,
    confirmed_fixes,
    features_of,
    find_fixes,
    fix_candidates,
    fix_key,
    fix_keys,
    load_ranker,
)
from tacit.learn.fixes.pairs import error_lines, find_pairs
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.observation import ConversationBody, PromptGiven, ToolAction, ToolOutcome, ToolUsed, TurnInterrupted
from tacit.model.statement import claim_from
from tests.support.fix_session import AGENT, called, edited, failed, fixes, heard, pairs, ran, read, sentences

_RANKER = load_ranker()
SURE: list[tuple[ToolUsed, ...]] = [
    (failed("tree src -L 2", "zsh: command not found: tree"), ran("find src -maxdepth 2")),
    (failed("docker-compose up -d", "zsh: command not found: docker-compose"), ran("docker compose up -d")),
    (failed("bd ls --stat a", "Error: unknown flag: --stat"), ran("bd ls --status a")),
    (failed("npm run build", "sh: vite: command not found"), ran("npm install"), ran("npm run build")),
    (failed("npm run check", "src/a.ts:1:2 format\nFound 2 errors."), ran("npm run format"), ran("npm run check")),
    (failed("cat src/(app)/a.ts", "zsh: no matches found: src/(app)/a.ts"), ran("cat 'src/(app)/a.ts'")),
]


@pytest.mark.parametrize("bodies", SURE, ids=[bodies[0].input for bodies in SURE])
def test_a_fix_that_two_sessions_show_needs_no_judge(bodies: tuple[ToolUsed, ...]) -> None:
    assert confirmed_fixes(find_fixes(heard(*bodies)), ()) == []
    (lesson,) = fixes(*bodies)
    assert lesson.reason.endswith("Another session shows the same.")


NOTHING: dict[str, tuple[ConversationBody, ...]] = {
    "tests that failed because of code": (failed("pytest", "E  assert 1 == 2\n1 failed"), edited(), ran("pytest")),
    "a slip in a path": (failed("cat a/b.txt", "cat: a/b.txt: No such file or directory"), ran("cat c/b.txt")),
    "another pattern": (failed('rg "a(" src', "regex parse error: unclosed group"), ran('rg "b" src')),
    "an error of the code": (failed("tsc", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."), ran("tsc -p web")),
    "only a question": (failed("docker --version", "bash: docker: command not found"), ran("podman --version")),
    "less of the same": (failed("git add a.ts dist/b.css", "paths are ignored: dist"), ran("git add a.ts")),
    "a bypass": (failed("git commit -m x", "error: unknown option in hook"), ran("git commit --no-verify -m x")),
    "an upstream": (failed("git push", "The current branch x has no upstream branch."), ran("git push -u origin x")),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_is_learned_even_if_two_sessions_show(case: str) -> None:
    assert fixes(*NOTHING[case]) == []


def test_two_sessions_show_the_same_if_failure_and_change_are_the_same() -> None:
    def key(*bodies: ConversationBody) -> str:
        return fix_key(next(find_pairs(heard(*bodies))))

    first = key(failed("bd ls --x a", "Error: unknown flag: --x"), ran("bd ls a"))
    assert first == key(failed("bd ls --x other", "Error: unknown flag: --x"), ran("bd ls other"))
    assert first != key(failed("bd ls --x a", "Error: unknown flag: --x"), ran("bd ls --y a"))
    assert first != key(failed("bd up --x a", "Error: unknown flag: --x"), ran("bd up a"))
    quoted = key(failed("cat a/(b)", "zsh: no matches found: a/(b)"), ran("cat 'a/(b)'"))
    assert quoted == key(failed("ls c/(d)", "bash: syntax error near unexpected token `('"), ran("ls 'c/(d)'"))


def test_candidates_come_best_first_with_evidence_and_what_was_run() -> None:
    candidates = fix_candidates(
        heard(
            *(
                failed("npm run check", "src/a.ts:1:2 format\nFound 2 errors."),
                ran("npm run format"),
                ran("npm run check"),
            ),
            *(failed("tree src", "zsh: command not found: tree"), ran("find src -type d")),
        )
    )
    assert {candidate.failed for candidate in candidates} == {"tree src", "npm run check"}
    assert [candidate.score for candidate in candidates] == sorted((c.score for c in candidates), reverse=True)
    repaired = next(candidate for candidate in candidates if candidate.failed == "npm run check")
    assert (repaired.repair, repaired.retry) == ("npm run format", "npm run check")
    assert repaired.evidence == ("e0", "e1", "e2")


def test_an_edited_configuration_is_named_in_the_candidate() -> None:
    broken = failed("npx knip", "ERROR: Validation error: Unrecognized key(s) in object: 'ignoreFiles'")
    (candidate,) = fix_candidates(heard(broken, edited("/srv/shop/knip.json"), ran("npx knip")))
    assert (candidate.repair, candidate.retry) == ("edit knip.json", "npx knip")


def test_several_failures_of_one_cause_are_one_fix() -> None:
    error = "bash: syntax error near unexpected token `('"
    session = [
        body for name in "abc" for body in (failed(f"cat src/(app)/{name}", error), ran(f"cat 'src/(app)/{name}'"))
    ]
    (lesson,) = fixes(*session)
    assert {"e0", "e2", "e4"} <= set(lesson.evidence)
    assert len(fix_candidates(heard(*session))) == 1


def test_the_name_that_an_error_lists_is_learned() -> None:
    error = "Agent type 'simplifier' not found. Available agents: Bash, Plan, tidy:simplifier, reviewer"
    task = called("Task", "Simplify the code", error, ToolAction.DELEGATED)
    assert sentences(task, called("Task", "Simplify the code", act=ToolAction.DELEGATED)) == [
        "When `Task` fails with “Agent type 'simplifier' not found”, use `tidy:simplifier`."
    ]


def test_a_lesson_has_its_words_its_events_and_its_provenance() -> None:
    (lesson,) = fixes(failed("tree src", "Exit code 127\nzsh: command not found: tree"), ran("find src -type d"))
    assert lesson.quote == "command not found: tree"
    assert lesson.evidence == ("e0", "e1")
    assert (lesson.kind, lesson.provenance) == (Kind.KNOWN_FIX, Provenance.TOOL_LOCAL)
    assert claim_from(lesson.sentence, GLOBAL).kind is Kind.KNOWN_FIX
    assert 0 < lesson.confidence <= 0.8


_KNOWN: list[ConversationBody] = [
    *(body for bodies in SURE for body in bodies),
    *(read(), edited(), TurnInterrupted(AGENT), PromptGiven(AGENT, "go on")),
]
_TEXT = st.text(alphabet=st.sampled_from("ab-'\"`()|;&$\n\\ …é:/.[]{}"), max_size=60)
_ANY = st.builds(
    ToolUsed,
    st.just(AGENT),
    st.sampled_from(("Bash", "Task")),
    st.sampled_from(ToolAction),
    _TEXT | st.text(max_size=80),
    st.sampled_from(("", "error: unknown flag: --a", "command not found: a", "no matches found: (a)")) | _TEXT,
    st.sampled_from(ToolOutcome),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_ANY | st.sampled_from(_KNOWN), max_size=12))
def test_whatever_was_run_a_lesson_quotes_its_first_event(bodies: list[ConversationBody]) -> None:
    events = heard(*bodies)
    by_event = {event.event_id: event.body for event in events}
    found = find_fixes(events, _RANKER._replace(candidate=0.0))
    for lesson in confirmed_fixes(found, fix_keys(found)):
        first = by_event[lesson.evidence[0]]
        assert isinstance(first, ToolUsed)
        assert lesson.quote and lesson.quote in "\n".join(error_lines(first.result))
        assert "\n" not in lesson.sentence
        assert set(lesson.evidence) <= set(by_event)


def test_a_fix_of_another_session_confirms_nothing() -> None:
    assert confirmed_fixes(find_fixes(heard(*SURE[0])), fix_keys(find_fixes(heard(*SURE[1])))) == []


# The ranker that comes with Tacit: small, fast, and bounded


def test_the_weights_are_one_small_file() -> None:
    assert Path(learn.__file__).with_name("fixes").joinpath("weights.json").stat().st_size < 50_000


def test_a_score_is_a_probability_and_unknown_features_count_nothing() -> None:
    ranker = Ranker({"a": 1.0, "b": -1000.0}, 0.2)
    assert ranker.score({}) == ranker.score({"unknown": 5.0}) == 0.5
    assert ranker.score({"a": 1.0}) == pytest.approx(0.731, abs=0.001)
    assert 0 < ranker.score({"b": 1.0}) < 1e-9


# What the ranker sees of a pair


CASES: list[tuple[str, tuple[ConversationBody, ...]]] = [
    ("named:dropped", (failed("bd ls --x a", "unknown flag: --x"), ran("bd ls a"))),
    ("named:added", (failed("npm i", "Use pnpm instead"), ran("pnpm i"))),
    ("option:added", (failed("psql shop", "role does not exist"), ran("psql -U postgres shop"))),
    ("program:wrapped", (failed("pytest a", "command not found: pytest"), ran("uv run pytest a"))),
    ("program:other", (failed("tree src", "command not found: tree"), ran("find src"))),
    ("prefixed", (failed("pytest a", "No module named 'shop'"), ran("PYTHONPATH=src pytest a"))),
    ("quotes", (failed("cat a[b]", "no matches found: a[b]"), ran("cat 'a[b]'"))),
    ("quoted", (failed("cat a[b]", "no matches found: a[b]"), ran("cat 'a[b]'"))),
    ("question", (failed("rg 'a(' src", "unclosed group error"), ran("rg 'b' src"))),
    ("path", (failed("cat a/b.txt", "no such file"), ran("cat c/d.txt"))),
    ("typo", (failed("npm run tset", "Missing script: tset"), ran("npm run test"))),
    ("less", (failed("git add a b", "b is ignored error"), ran("git add a"))),
    ("repaired", (failed("npm test", "command not found: vitest"), ran("npm ci"), ran("npm test"))),
    ("same:nothing", (failed("npm ci", "an error"), ran("npm ci"))),
    ("edited:code", (failed("npm test", "1 failed"), edited("a.ts"), ran("npm test"))),
    ("edited:config", (failed("npx knip", "invalid key"), edited("knip.json"), ran("npx knip"))),
    ("position:same", (failed("tsc", "a.ts(3,1): error TS1"), edited("a.ts"), ran("tsc"))),
    ("help", (failed("bd ls --x", "unknown flag: --x"), ran("bd ls --help"), ran("bd ls"))),
    ("hidden", (ran("bd ls --x | head", "Error: unknown flag: --x"), ran("bd ls | head"))),
    ("weak:far", (failed("gh pr list --x", "unknown flag"), read(), read(), ran("gh repo view acme/shop"))),
]


@pytest.mark.parametrize(("name", "bodies"), CASES, ids=[row[0] for row in CASES])
def test_the_feature_holds(name: str, bodies: tuple[ConversationBody, ...]) -> None:
    (pair,) = pairs(*bodies)
    assert features_of(pair).get(name) == 1.0


def test_words_of_the_error_count_unless_the_command_has_them() -> None:
    (pair,) = pairs(failed("tree src", "zsh: command not found: tree"), ran("find src"))
    names = {name for name in features_of(pair) if name.startswith("error:")}
    assert {"error:command", "error:not_found"} <= names
    assert "error:tree" not in names
