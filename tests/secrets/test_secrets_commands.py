"""A secret told to Tacit is refused with its kind, and its value is nowhere afterwards: no file, no message."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.person import Person, tree

# Put together here, so that no scanner takes this file for a leak: kind, value, and a text around it.
KEY = "PRIVATE " + "KEY"
LOT = "q7Wz" + "R2mK9" + "xLp4TnV8"
SECRETS = [
    ("GitHub token", "ghp_" + "a1B2c3D4e5F6" * 3, "push with {}"),
    ("AWS access key", "AKIA" + "Z2Y3X4W5V6U7T2S3", "the account has {}"),
    ("private key", "MIIEpAIBAAKCAQEA7bq9Zk2x8Qz7" * 3, f"-----BEGIN RSA {KEY}-----\n{{}}\n-----END RSA {KEY}-----"),
    ("password in a command", "hunter2", "back up with mysqldump -u root -p{} app"),
    ("password in an address", "hunter2", "the data is at postgres://app:{}@db.example.org/app"),
    ("authorization header", LOT, "call it with Authorization: Bearer {}"),
    ("password", "hunter2", "the password is {}"),
    ("token", LOT, 'the settings have "client_secret": "{}"'),
    ("Heroku key", "1b4e28ba-2fa1-41d2-" + "883f-0016d3cca427", "export HEROKU_API_KEY={}"),
]  # fmt: skip

Telling = Callable[[str], list[str]]
PLACES: dict[str, Telling] = {
    "remember": lambda text: ["remember", text, "--evidence", "a talk"],
    "remember --text": lambda text: ["remember", "--text", text, "--evidence", "a talk"],
    "remember --evidence": lambda text: ["remember", "Prefer small steps", "--evidence", text],
    "add": lambda text: ["add", text],
    "add --global": lambda text: ["add", f"global: {text}"],
    "add --tag": lambda text: ["add", "Prefer small steps", "--tag", text],
    "note": lambda text: ["note", text],
    "log --task": lambda text: ["log", "--task", text, "--summary", "Done"],
    "log --summary": lambda text: ["log", "--task", "PROJ-1", "--summary", text],
    "log --changes": lambda text: ["log", "--task", "PROJ-1", "--summary", "Done", "--changes", text],
    "log --evidence": lambda text: ["log", "--task", "PROJ-1", "--summary", "Done", "--evidence", text],
    "log --next": lambda text: ["log", "--task", "PROJ-1", "--summary", "Done", "--next", text],
}


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_refused_wherever_it_is_told_and_is_nowhere_afterwards(person: Person, place: str) -> None:
    person.tacit("add", "Prefer recall before work")
    before = tree(person.folder)
    for kind, value, around in SECRETS:
        said = person.tacit(*PLACES[place](around.format(value)), code=1)
        assert f"({kind})" in said.err
        assert value not in said.out + said.err
    assert tree(person.folder) == before
    for name, content in before.items():
        for _, value, _ in SECRETS:
            assert value.encode() not in content, name


def test_a_refusal_says_what_to_do_instead(person: Person) -> None:
    said = person.process("remember", "the password is hunter2", "--evidence", "a talk", code=1)
    assert said.out == ""
    assert said.err == (
        "tacit: this looks like a secret (password), and Tacit stores none\n"
        "  → say it without the value, for example where the value is kept\n"
    )


def test_a_secret_in_a_question_is_not_recorded(person: Person) -> None:
    person.tacit("add", "Prefer recall before work")
    for _, value, around in SECRETS:
        person.tacit("recall", around.format(value), code=None)
        person.tacit("brief", "--for", around.format(value), code=None)
    for name, content in tree(person.folder).items():
        for kind, value, _ in SECRETS:
            assert value.encode() not in content, (name, kind)


def test_rules_about_secrets_are_remembered(person: Person) -> None:
    for rule in (
        "never commit .env files or API keys",
        "the password is stored in 1Password, ask the team lead",
        "read the token from $GITHUB_TOKEN, never from a file",
        "rotate the signing key before every release",
        "use --password-stdin with docker login",
    ):
        assert person.tacit("add", rule).code == 0
