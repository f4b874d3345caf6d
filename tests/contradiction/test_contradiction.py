"""Two statements are the same, overrule each other, may do so, or are unrelated (S9, S13, C7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.contradiction import oppose, relate
from tacit.contradiction.profile import is_restatement, restatement_key
from tacit.model.conflict import RelationKind
from tests.laws.strategies import law

SEEN = Path(__file__).parents[2] / "bench" / "contradicting" / "seen.jsonl"
ROWS = [json.loads(line) for line in SEEN.read_text("utf-8").splitlines()]


def kind(one: str, other: str) -> RelationKind:
    assert relate(one, other) == relate(other, one)
    return relate(one, other).kind


# What relates two statements in a certain way, with pairs of them that do so.
PAIRS_BY_KIND: dict[RelationKind, dict[str, tuple[tuple[str, str], ...]]] = {
    RelationKind.OVERRULES: {
        "another value, polarity or order of the same subject": (
            ("always retry 3 times", "always retry 5 times"),
            ("use 2 spaces for indentation", "use 4 spaces for indentation"),
            ("the cache TTL is 5 minutes", "the cache TTL is 1 hour"),
            ("the staging server is web1.example.com", "the staging server is web2.example.com"),
            ("commit messages are in English", "commit messages are in German"),
            ("run the formatter before the linter", "run the linter before the formatter"),
            ("run the migrations before deploying", "run the migrations after deploying"),
            ("copy files from staging to prod", "copy files from prod to staging"),
            ("prefer composition over inheritance", "prefer inheritance over composition"),
            ("use f-strings", "avoid f-strings"),
            ("the VPN is required for staging access", "the VPN is not required for staging access"),
            ("telemetry is enabled by default", "telemetry is disabled by default"),
            ("we use Webpack", "we moved from Webpack to Vite"),
            ("tickets are tracked in Jira", "Jira is gone, tickets are in Linear"),
        ),
        "the sentence says itself what is over": (
            ("Use npm", "Use pnpm instead of npm"),
            ("we use Jira", "we no longer use Jira"),
            ("our CI runs on Jenkins", "we moved our CI from Jenkins to Buildkite"),
            ("the wiki is open to guests", "the wiki is no longer open to guests"),
        ),
    },
    RelationKind.MAY_CONTRADICT: {
        "more than a value differs": (
            ("passwords are hashed with bcrypt", "passwords are hashed with argon2"),
            ("Team A owns billing", "Team B owns billing"),
            ("two reviewers must approve each change", "the two-reviewers rule is gone"),
            ("Die Tests laufen mit Mocha", "Mocha wurde durch Vitest ersetzt"),
            ("Node 18 is required", "Node 20 is required"),
            ("deploy billing to eu-1", "deploy billing to us-1"),
            ("errors go to Sentry", "errors go to Loki"),
            ("we use MySQL", "we moved billing from MySQL to Postgres"),
            ("use npm", "use pnpm instead of npm for the docs"),
            ("only maintainers may restart the workers", "anyone can restart the workers"),
            ("no deploys on Fridays", "Friday afternoon is our regular deploy slot"),
            ("the clusters run on Azure", "we left Azure, the clusters run on Hetzner now"),
        ),
        "what the other is about has changed": (
            ("SSH to the bastion works with a password", "Password login on the bastion is disabled, keys only"),
            ("All services run on our own Kubernetes cluster", "We left Kubernetes, everything runs on Nomad now"),
            ("Henrike is on call for the Sardine cluster", "Henrike handed Sardine on-call over to Mbali"),
            ("The config file of Mosswood is config/mosswood.yaml", "mosswood.yaml was renamed to mosswood.toml"),
            ("API keys are rotated every 90 days", "Key rotation changed: it's now 30 days and not 90"),
        ),
        "the opposite in other words": (
            ("Don't talk to customers about the Pelican rollout yet", "It's fine to mention Pelican to clients"),
            ("Anyone on the team can trigger a production rollback", "Only Ingrid is permitted to roll back prod"),
            ("Keep comments in the code to a minimum", "I want every function thoroughly commented"),
            ("Feature flags in Quillbox are on by default", "Feature flags in Quillbox are off by default"),
        ),
        "another value with a verb of the same kind": (
            (
                "Terraform state is kept in the bucket heron-tfstate-eu",
                "Terraform state is kept in the bucket heron-tfstate-us",
            ),
            ("Secrets are stored in Vault", "All our credentials live in AWS Secrets Manager, nowhere else"),
            ("Redis holds the job queue for Tamarind", "Tamarind's background jobs are queued in RabbitMQ"),
            ("Deploys to production happen on Wednesdays only", "Friday morning is when we ship to prod"),
        ),
    },
    RelationKind.UNRELATED: {
        "another name, path or number in the subject": (
            ("The server web1 is 10.1.0.1", "The server web2 is 10.1.0.2"),
            ("The server web1 is 10.1.0.1", "The server mail is 10.1.0.9"),
            ("backups of billing run at 02:00", "backups of search run at 04:00"),
            ("max_connections is 100 on db1", "max_connections is 200 on db2"),
            ("the owner of cart-sync is Hiro", "the owner of media-vault is Dana"),
            ("never deploy cart-sync on Fridays", "deploy media-vault on Fridays"),
            ("web1 no longer runs nginx", "web2 runs nginx"),
            ("billing moved from MySQL to Postgres", "search runs on MySQL"),
            ("the config of shop lives in conf/shop.toml", "the config of blog lives in conf/blog.toml"),
            (
                "Translations of cart-sync are pulled from north-archive by Hiro before each release",
                "Releases of media-vault are tagged pebble-YYYY.MM and signed by Hiro",
            ),
        ),
        "another subject, scope or condition": (
            ("the API listens on port 8080", "the admin UI listens on port 9090"),
            ("dev uses SQLite", "production uses Postgres"),
            ("never commit secrets", "never commit build artifacts"),
            ("we use Postgres", "Postgres runs on port 5432"),
            ("the build is slow", "the build is flaky"),
            ("Ana owns the frontend", "Bob owns the backend"),
            ("retry network calls 3 times", "do not retry database writes"),
            ("no print statements in production code", "print statements are fine in scripts"),
            ("never use npm", "use pnpm"),
            ("run step 3", "run step 5"),
            ("never run the build repeatedly", "prefer recall before repeating implementation work"),
            ("always feed walrus3 first", "always feed walrus5 first"),
            ("timeouts for reads are 5 s", "timeouts for writes are 30 s"),
            ("min password length is 8", "max password length is 64"),
            ("when the login fails, avoid the proxy", "the proxy speeds up downloads"),
        ),
        "another place or case": (
            ("We switched from Webpack to Vite", "The bundler in this repo is Vite"),
            (
                "Logs of gateway are in /var/log/gateway/a.log on heron",
                "Logs of mailer are in /var/log/mailer/b.log on heron",
            ),
            ("Dates are stored in UTC", "Dates are shown to users in their local time zone"),
            ("Never commit .env files", "The file .env.example may be committed, it has no secrets"),
            ("I prefer small commits in cart, one change each", "Run the cart tests with ruff before every commit"),
            ("Never merge your own pull request", "Somebody else has to merge your PR"),
        ),
        "one prohibition, twice": (("You must not delete migrations", "Don't ever remove migrations"),),
        "a text without any term": (("it is gone now", "we are here"),),
    },
    RelationKind.SAME: {
        "the same value in other words": (
            ("the timeout is 60 seconds", "the timeout is 1 minute"),
            ("use 4 spaces for indentation", "please use four spaces for indentation"),
            ("always run the linter before a commit", "you should always run the linter before committing"),
            ("our main database is Postgres", "we use PostgreSQL as the main db"),
        ),
    },
}


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    [
        pytest.param(expected, *pair, id=f"{why}: {pair[1]}")
        for expected, groups in PAIRS_BY_KIND.items()
        for why, pairs in groups.items()
        for pair in pairs
    ],
)
def test_two_statements_relate_by_what_differs_in_them(expected: RelationKind, one: str, other: str) -> None:
    assert kind(one, other) is expected


def test_of_the_table_that_may_be_looked_at_most_contradictions_are_noticed_and_no_correction_confirms() -> None:
    kinds = [(row["label"], kind(row["older"], row["newer"])) for row in ROWS]
    said = [label for label, found in kinds if found in (RelationKind.OVERRULES, RelationKind.MAY_CONTRADICT)]
    right = said.count("opposes")
    assert len(ROWS) >= 120
    assert right >= 0.9 * len(said)
    assert right >= 0.8 * sum(label == "opposes" for label, _ in kinds)
    assert {label for label, found in kinds if found is RelationKind.OVERRULES} == {"opposes"}
    assert {label for label, found in kinds if found is RelationKind.SAME} <= {"same"}


# Sentences with a place for whatever may tell two rules apart.
FRAMES = (
    "always retry the upload {} times",
    "the gateway listens on port {}",
    "indent the templates with {} spaces",
    "team {} owns the billing service",
    "deploy the worker with option {}",
    "pin the compiler to version {}",
    "use schema {} in the importer",
)
VALUES = st.integers(0, 99999).map(str) | st.sampled_from("BCDEFGHKMXYZ") | st.sampled_from(("v2", "v3", "-x", "1.2"))
NAMES = st.lists(
    st.sampled_from("alpha beta gamma delta scheduler worker parser Redis Kafka".split()),
    min_size=2,
    max_size=2,
    unique=True,
)
PAIRS = (
    "run the {} before the {}",
    "start {} after {}",
    "copy the rows from {} to {}",
    "{} calls {} at night",
    "prefer {} over {}",
    "use {} instead of {}",
    "the {} writes to the {}",
)
ACTS = st.sampled_from(
    ("commit the lockfile", "run the linter after every edit", "squash the commits", "use feature flags")
)
REFUSALS = st.sampled_from(("never {}", "do not {}", "don't {}", "no longer {}", "we do not {} anymore", "avoid to {}"))


@law
@given(st.sampled_from(FRAMES), VALUES, VALUES)
def test_statements_that_differ_in_a_digit_or_a_letter_are_never_the_same(frame: str, one: str, other: str) -> None:
    assert is_restatement(frame.format(one), frame.format(other)) <= (one == other)


@law
@given(st.sampled_from(PAIRS), NAMES)
def test_statements_in_which_two_names_changed_places_are_never_the_same(frame: str, names: list[str]) -> None:
    assert not is_restatement(frame.format(*names), frame.format(*reversed(names)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploy if the tests are green", "deploy unless the tests are green"),
        ("everybody may merge but the intern", "everybody may merge, the intern too"),
        (
            "edit the schema only after a review, except for typos",
            "edit the schema only after a review, also for typos",
        ),
        ("the freeze lasts until Friday", "the freeze lasts from Friday"),
        ("handlers may block", "handlers must block"),
        ("you can squash the commits", "squash the commits"),
        ("the leak is in the pool", "the leak might be in the pool"),
        ("I answer tickets on Monday", "we answer tickets on Monday"),
        ("ask me before a release", "ask us before a release"),
        ("the release branch is called ship", "the release branch is called ships"),
    ],
)
def test_small_words_that_turn_the_sense_make_another_statement(one: str, other: str) -> None:
    assert not is_restatement(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("you should run the linter before a push", "run the linter before a push"),
        ("can you always answer in German", "always answer in German"),
        ("we never force-push to main", "never force-push to main"),
        ("you may not edit generated files", "never edit generated files"),
    ],
)
def test_a_request_and_an_order_say_the_same(one: str, other: str) -> None:
    assert is_restatement(one, other)


@law
@given(NAMES)
def test_before_and_after_are_never_the_same(names: list[str]) -> None:
    one, other = names
    assert not is_restatement(f"run {one} before {other}", f"run {one} after {other}")
    assert kind(f"run {one} before {other}", f"run {one} after {other}") is RelationKind.OVERRULES


@law
@given(ACTS, REFUSALS)
def test_a_rule_and_its_negation_are_opposed_and_never_the_same(act: str, refusal: str) -> None:
    assert not is_restatement(act, refusal.format(act))
    assert relate(act, refusal.format(act)).is_noticed


@law
@given(st.sampled_from((*FRAMES, *PAIRS)), st.sampled_from((*FRAMES, *PAIRS)), VALUES, VALUES)
def test_restatements_have_the_same_key(first: str, second: str, one: str, other: str) -> None:
    rooted = "always run the linter before a commit", "Always run linters before commits."
    assert is_restatement(*rooted) and restatement_key(rooted[0]) == restatement_key(rooted[1])
    texts = first.format(one, other), second.format(one, other)
    assert restatement_key(texts[0]) == restatement_key(texts[1]) or not is_restatement(*texts)


@law
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared_in_either_order(one: str, other: str) -> None:
    assert relate(one, other) == relate(other, one)
    assert oppose(one, other).is_noticed == relate(one, other).is_noticed


def test_the_difference_is_told_as_it_was_written() -> None:
    found = relate("the cache TTL is 5 minutes", "the cache TTL is 1 hour")
    assert found.reason == "another value: 1 hour and 5 minutes"


@pytest.mark.parametrize(
    ("other", "is_opposed"),
    [
        ("Always use pnpm, never npm.", False),
        ("use pnpm instead of npm", False),
        ("Use pnpm, not npm", False),
        ("use npm instead of pnpm", True),
        ("use npm, not pnpm", True),
        ("Use npm for scripts.", True),
    ],
)
def test_a_choice_between_commands_is_opposed_if_it_wants_what_the_other_forbids(other: str, is_opposed: bool) -> None:
    assert relate("never npm here, use pnpm", other).is_noticed is is_opposed
