"""What looks like a rule and is none: nothing is learnt of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index.sessions import SessionChoice
from tacit.learn import Lesson
from tacit.learn.statements import (
    answered_question,
    observed_decisions,
    repeated_lessons,
    word_statement,
)
from tacit.learn.statements.sentences import prompt_sentences
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, PromptKind, ToolAction, ToolOutcome, ToolUsed
from tacit.model.statement import claim_from
from tests.support.talking import conversation, doubted, learnt, prompt, reply, sentences


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
        "from now on the button is disabled, which is wrong",
        # wishes before a verb, approvals, what comes after something else
        "I don't want to break the existing tests",
        "I dont want modify the performance of the query",
        "we don't want the modal to close on a click outside",
        "I don't want any wrong names there, remove them",
        "always say yes to everything",
        "yes, always allow access to this folder",
        "Yes, and don't ask again, just do it",
        "the docs say: you must not call the client twice",
        "then write the new list into README.md, always follow the order",
        "登录以后页面是空白的",
        "三天以后系统会自动删除",
        "以后再说吧，先修复这个问题",
        "今後の記録とします。",
        "so the app saves everything in memory: that is the leak",
        "the decision: is it final?",
        "I decided to look at the logs first",
        "let's go with the second one instead of the first",
        "no, the second button, use the blue one instead",
        "I'd prefer if the tests were faster",
        "I'll fix this issue myself",
        # small talk
        "never mind, it just took a long time",
        "yes always",
        "I prefer option 2 of those you named",
    ],
)
def test_nothing_is_learnt_of(text: str) -> None:
    assert learnt(text) == []


# What is stored is the person's own sentence, complete; what it refers to is a hint; the quote is in the prompt


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("ok, so please never commit the .env file", "Never commit the .env file"),
        ("no, we never commit generated files here", "We never commit generated files here"),
        ("from now on run tests with `-n0 --maxfail=1`", "Run tests with `-n0 --maxfail=1`"),
        ("Never edit src/gen/api.ts by hand, it is generated.", "Never edit src/gen/api.ts by hand, it is generated."),
        ("for the future: from now on, run the linter before a push", "Run the linter before a push"),
        ("don't you ever force-push again", "Don't you ever force-push again"),
        ("you mustn't log addresses of people", "You mustn't log addresses of people"),
        ("we decided yesterday that all times are UTC", "We decided yesterday that all times are UTC"),
        ("I decided: no ORM in this code base", "I decided: no ORM in this code base"),
        ("use ruff instead of flake8 + isort for this project", "Use ruff instead of flake8 + isort for this project"),
        ("don't implement anything without my approval", "Don't implement anything without my approval"),
    ],
)
def test_the_sentence_of_the_person_is_stored_without_what_only_introduces_it(text: str, stored: str) -> None:
    assert sentences(text) == [stored]


@pytest.mark.parametrize(
    ("text", "stored", "kind"),
    [
        ("save in memory: the staging server has no cache", "The staging server has no cache", Kind.CONVENTION),
        ("please add to AGENTS.md that all scripts are POSIX sh", "All scripts are POSIX sh", Kind.CONVENTION),
        ("Remember this: prices are in cents.", "Prices are in cents.", Kind.CONVENTION),
        ("update CLAUDE.md: never run the e2e tests", "Never run the e2e tests", Kind.CONSTRAINT),
        ("decision: we keep sqlite for the cache", "We keep sqlite for the cache", Kind.DECISION),
        ("merk dir: der Testserver heißt kiwi", "Der Testserver heißt kiwi", Kind.CONVENTION),
        ("запомни: тестовый сервер без кеша", "Тестовый сервер без кеша", Kind.CONVENTION),
        ("记住：生产环境的数据库不能直接修改", "生产环境的数据库不能直接修改", Kind.CONVENTION),
        ("提交之前先运行测试，记住", "提交之前先运行测试", Kind.CONVENTION),
        ("remember the vault is in docs/notes", "The vault is in docs/notes", Kind.CONVENTION),
        ("ok, commit it, do not add co-authors", "Do not add co-authors", Kind.CONSTRAINT),
    ],
)
def test_an_order_to_remember_is_heard_and_its_own_words_are_left_out(text: str, stored: str, kind: Kind) -> None:
    (lesson,) = learnt(text)
    assert (lesson.sentence, lesson.kind) == (stored, kind)
    assert not lesson.everywhere


@pytest.mark.parametrize(
    "order", ["Save that to memory.", "Please add this to CLAUDE.md too!", "Remember this for the future"]
)
def test_an_order_to_remember_what_was_just_said_keeps_the_sentence_before(order: str) -> None:
    (lesson,) = learnt(f"The staging server has no cache. {order}")
    assert lesson.sentence == "The staging server has no cache."
    assert lesson.quote == f"The staging server has no cache. {order}"
    assert learnt(order) == learnt(f"{order} Please fix the test then.") == []


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("remember this everywhere: I use fish, not bash", "I use fish, not bash"),
        ("remember for all projects: never use force push", "Never use force push"),
        ("global: I prefer pnpm over npm", "I prefer pnpm over npm"),
        ("in all my projects, use uv instead of pip", "Use uv instead of pip"),
    ],
)
def test_what_is_to_be_remembered_everywhere_holds_in_all_projects(text: str, stored: str) -> None:
    (lesson,) = learnt(reply("It is done as you asked."), text)
    assert lesson.everywhere and lesson.sentence == stored
    assert lesson.provenance is Provenance.USER_DIRECT


def test_what_sounds_like_a_rule_and_may_be_none_is_doubtful() -> None:
    for text in (
        "keep in mind that the demo data is thrown away at night",
        "I don't want article saving in the importer",
        "we never use a modal when the user clicks",
        "always use the logger. " + "I want each layer of it to be told here. " * 50,
    ):
        assert learnt(text) == [] and len(doubted(text)) == 1
    assert doubted("never edit the generated clients by hand", "fix the typo please") == []


def test_no_card_is_as_sure_as_every_other() -> None:
    texts = ("always use the logger here", "ask me before you push anything", "no, use httpx instead of requests")
    confidences = [lesson.confidence for text in texts for lesson in learnt(text)]
    assert len(set(confidences)) == len(texts)
    (order,) = learnt("save in memory: the staging server has no cache")
    assert order.confidence >= max(confidences)


def test_the_sentence_before_is_a_hint_and_not_a_part_of_the_quote() -> None:
    (lesson,) = learnt("You ran the review. Never do that again without my permission.")
    assert lesson.quote == "Never do that again without my permission."
    assert lesson.sentence == "Never do that again without my permission. (about: You ran the review.)"
    assert lesson.provenance is Provenance.USER_DIRECT


def test_what_the_agent_did_before_is_a_hint_of_a_model() -> None:
    (lesson,) = learnt(reply("I pushed the branch to origin."), "never do that again without asking me")
    assert lesson.sentence == "Never do that again without asking me (about: I pushed the branch to origin.)"
    assert lesson.provenance is Provenance.MODEL  # learn.accept takes only what the person typed


@pytest.mark.parametrize(
    "text",
    [
        "You must not edit the migrations that are released",
        "For this project, use vitest instead of jest.",
        "We decided that the API is versioned",
    ],
)
def test_what_names_its_subject_needs_no_hint(text: str) -> None:
    (lesson,) = learnt(reply("I pushed the branch to origin."), text)
    assert lesson.sentence == text and lesson.provenance is Provenance.USER_DIRECT


def test_words_with_a_rejection_name_the_call_that_was_rejected() -> None:
    (lesson,) = learnt(prompt("never run this without asking me", PromptKind.REJECTION, "rm -rf build"))
    assert "rm -rf build" in lesson.sentence


def test_a_reference_is_not_sure_enough_to_be_accepted_at_once() -> None:
    (lesson,) = learnt("good. from now on always do it that way")
    assert lesson.confidence < 0.75


@pytest.mark.parametrize(
    "text",
    [
        "never npm",
        "never push to the main branch directly, " + "and neither to this one, " * 20,
        "always log in with password=hunter2-Xk93jd82 on staging",
    ],
    ids=["two words", "too long for a card", "a secret"],
)
def test_a_sentence_that_no_card_can_hold_makes_none(text: str) -> None:
    (sentence,) = prompt_sentences(text)
    assert word_statement(sentence).text == "" and learnt(text) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("never use default exports in components", "please never use default exports in components"),
        ("please always run the whole linter first", "always run the whole linter first"),
    ],
)
def test_the_same_rule_with_another_introduction_is_one_claim(first: str, second: str) -> None:
    (one,), (other,) = learnt(first), learnt(second)
    assert claim_from(one.sentence, GLOBAL).id == claim_from(other.sentence, GLOBAL).id


def test_a_wish_against_something_is_not_read_as_a_wish_for_it() -> None:
    against, wish = claim_from("I don't want tailwind here", GLOBAL), claim_from("I want tailwind here", GLOBAL)
    assert against.triple.predicate == "does not want"
    assert against.id != wish.id


WORDS = st.sampled_from(
    [
        *"never always we use I prefer don't commit the .env file instead of it that 必ず こと v1.2 e.g.".split(),
        *'.,?!\n-`"()',
    ]
)


@settings(max_examples=250, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_every_quote_is_a_part_of_the_prompt(text: str) -> None:
    for lesson in learnt(text):
        assert lesson.quote in text
        assert lesson.quote.strip()
        assert "\n" not in lesson.sentence
        assert 0 < lesson.confidence < 1


# Answers to questions of the agent, and choices that are repeated in one session


def test_an_answer_to_a_question_of_design_is_a_decision_that_one_session_does_not_teach() -> None:
    answer = prompt("Postgres (Recommended)", PromptKind.ANSWER, "Which database should we use?")
    decided = answered_question(answer)
    assert decided and (decided.sentence, decided.answer) == ("Decided on the database: Postgres.", "Postgres")
    assert learnt(answer) == []


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("yes", "Which database should we use?"),
        ("No, thanks", "Should I add a second database for the tests?"),
        ("The first file", "Which file should I start with?"),
        ("Commit now", "Do you want me to commit what we have?"),
        ("what do you mean?", "Which database should we use?"),
    ],
)
def test_an_answer_that_only_says_how_to_go_on_is_none(answer: str, question: str) -> None:
    assert learnt(prompt(answer, PromptKind.ANSWER, question)) == []


def test_a_rule_in_an_answer_is_learnt_as_a_rule() -> None:
    (one, *_) = learnt(prompt("never use an ORM in this project", PromptKind.ANSWER, "How should I query the tables?"))
    assert one.kind is Kind.CONSTRAINT


@pytest.mark.parametrize("outcome", [ToolOutcome.SUCCEEDED, ToolOutcome.REJECTED])
def test_a_plan_is_the_agents_and_teaches_nothing(outcome: ToolOutcome) -> None:
    text = "Use httpx rather than requests in the client. We decided on Postgres."
    assert learnt(ToolUsed("claude", "ExitPlanMode", ToolAction.PLANNED, text, "", outcome)) == []


def preferred(*texts: str) -> list[str]:
    return [one.sentence for one in learnt(*texts) if one.reason.startswith("chosen")]


def test_what_is_chosen_again_is_a_preference_with_all_its_evidence() -> None:
    found = learnt("use pnpm instead of npm", "hmm", "I said use pnpm, not npm")
    (one,) = [one for one in found if one.reason == "chosen 2 times"]
    assert one.kind is Kind.PREFERENCE
    assert one.sentence == "Prefer pnpm over npm."
    assert one.evidence == ("e0", "e2")
    assert one.quote == "use pnpm instead of npm"
    assert one.confidence < 0.75  # nobody said it in so many words: it waits for a review


def test_what_is_chosen_once_or_both_ways_is_no_preference() -> None:
    assert preferred("use pnpm instead of npm") == []
    assert preferred("use pnpm instead of npm", "use npm instead of pnpm", "use pnpm instead of npm") == []
    assert preferred("should I use pnpm instead of npm?", "why use pnpm instead of npm?") == []


@pytest.mark.parametrize(
    ("question", "text", "sentence"),
    [
        ("Which package manager should I use?", "pnpm", "Decided on the package manager: pnpm."),
        ("I can add it. **Which port should we use?**", "use 8080, please.", "Decided on the port: 8080."),
        ("Done.\n\nWhere should the tests live?", "Let's go with tests/unit", ""),
        ("Two options.\n- How should we name the branches?", "by ticket number", "Decided how to name the branches"),
    ],
)
def test_a_few_words_after_a_question_of_the_agent_answer_it(question: str, text: str, sentence: str) -> None:
    decided = answered_question(prompt(text), question)
    assert decided is not None and sentence in decided.sentence


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which package manager should I use?", "yes"),
        ("Which package manager should I use?", "what do you think?"),
        ("Which package manager should I use?", "first fix the failing test in the parser, please"),
        ("Which package manager should I use? I will wait.", "pnpm"),
        ("Which file should I change?", "the parser"),
        ("Does that work for you?", "the parser"),
        ("It is done.", "pnpm"),
    ],
)
def test_other_words_after_a_reply_answer_nothing(question: str, text: str) -> None:
    assert answered_question(prompt(text), question) is None


# What is decided alike in several sessions


QUESTION = "Which package manager should I use?"


def choices(*bodies: ConversationBody, session: str = "s") -> list[SessionChoice]:
    found = [decision.choice for decision in observed_decisions(conversation(*bodies))]
    return [choice._replace(event_id=EventId(f"{session}-{choice.event_id}")) for choice in found]


def repeated(session: list[ConversationBody], *others: list[SessionChoice]) -> list[Lesson]:
    return list(repeated_lessons(observed_decisions(conversation(*session)), others))


def test_one_session_is_not_several_however_often_it_is_said() -> None:
    again = [prompt("use pnpm instead of npm"), prompt("use pnpm instead of npm")]
    assert repeated(list(again)) == []


def test_a_choice_that_was_once_the_other_way_round_is_no_preference() -> None:
    own = [prompt("use pnpm instead of npm")]
    same, other = choices(*own), choices(prompt("use npm instead of pnpm"))
    assert len(repeated(list(own), same)) == 1
    assert repeated(list(own), same, other) == []
    assert repeated(list(own), other) == []
    assert repeated([prompt("use yarn instead of npm")], same) == []


def test_a_question_answered_differently_is_no_decision() -> None:
    own = [prompt("pnpm", PromptKind.ANSWER, QUESTION)]
    assert repeated(list(own), choices(prompt("yarn", PromptKind.ANSWER, QUESTION))) == []
    assert repeated(list(own), choices(*own), choices(prompt("yarn", PromptKind.ANSWER, QUESTION))) == []


def test_a_question_is_answered_by_the_next_prompt_alone() -> None:
    used = ToolUsed("claude", "Bash", ToolAction.RAN, "ls")
    assert len(choices(reply(QUESTION), used, prompt("pnpm"))) == 1
    assert choices(reply(QUESTION), prompt("wait"), prompt("pnpm")) == []
    assert choices(reply(QUESTION), prompt("pnpm", PromptKind.SHELL)) == []
