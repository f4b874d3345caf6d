"""What is worth a question: a change, a permission, "only", a degree, a reversal or another value of one subject."""

from __future__ import annotations

import pytest

from tacit.contradiction.relation import relate
from tacit.model.conflict import RelationKind


def kind(one: str, other: str) -> RelationKind:
    assert relate(one, other) == relate(other, one)
    return relate(one, other).kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SSH to the bastion works with a password", "Password login on the bastion is disabled, keys only"),
        ("All services run on our own Kubernetes cluster", "We left Kubernetes, everything runs on Nomad now"),
        ("Henrike is on call for the Sardine cluster", "Henrike handed Sardine on-call over to Mbali"),
        ("The config file of Mosswood is config/mosswood.yaml", "mosswood.yaml was renamed to mosswood.toml"),
        ("API keys are rotated every 90 days", "Key rotation changed: it's now 30 days and not 90"),
    ],
)
def test_a_change_of_what_another_statement_is_about_is_asked_about(one: str, other: str) -> None:
    assert kind(one, other) is RelationKind.MAY_CONTRADICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don't talk to customers about the Pelican rollout yet", "It's fine to mention Pelican to clients"),
        ("Anyone on the team can trigger a production rollback", "Only Ingrid is permitted to roll back prod"),
        ("Keep comments in the code to a minimum", "I want every function thoroughly commented"),
        ("Feature flags in Quillbox are on by default", "Feature flags in Quillbox are off by default"),
    ],
)
def test_the_opposite_in_other_words_is_asked_about(one: str, other: str) -> None:
    assert kind(one, other) is RelationKind.MAY_CONTRADICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Terraform state is kept in the bucket heron-tfstate-eu",
            "Terraform state is kept in the bucket heron-tfstate-us",
        ),
        ("Secrets are stored in Vault", "All our credentials live in AWS Secrets Manager, nowhere else"),
        ("Redis holds the job queue for Tamarind", "Tamarind's background jobs are queued in RabbitMQ"),
        ("Deploys to production happen on Wednesdays only", "Friday morning is when we ship to prod"),
    ],
)
def test_another_value_with_a_verb_of_the_same_kind_is_asked_about(one: str, other: str) -> None:
    assert kind(one, other) is RelationKind.MAY_CONTRADICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We switched from Webpack to Vite", "The bundler in this repo is Vite"),
        ("web1 no longer runs nginx", "web2 runs nginx"),
        (
            "Logs of gateway are in /var/log/gateway/a.log on heron",
            "Logs of mailer are in /var/log/mailer/b.log on heron",
        ),
        ("Dates are stored in UTC", "Dates are shown to users in their local time zone"),
        ("Never commit .env files", "The file .env.example may be committed, it has no secrets"),
        ("I prefer small commits in cart, one change each", "Run the cart tests with ruff before every commit"),
        ("Never merge your own pull request", "Somebody else has to merge your PR"),
    ],
)
def test_another_subject_place_or_case_is_not(one: str, other: str) -> None:
    assert kind(one, other) is RelationKind.UNRELATED


def test_a_text_without_any_term_is_against_nothing() -> None:
    assert kind("it is gone now", "we are here") is RelationKind.UNRELATED
