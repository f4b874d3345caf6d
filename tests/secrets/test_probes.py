"""Passwords in commands: which option of which tool holds one, and in which form."""

from __future__ import annotations

import pytest
from harness.secret_examples import CONTEXTS, OPTIONS, written

from tacit.secrets import probes
from tacit.secrets.probes import Probe

RANDOM = written("<a24>")


def found(probe: Probe, text: str, keyword: str) -> list[str]:
    return [text[start:end] for start, end, kind in probe(text, text.lower().index(keyword)) if kind]


def in_option(keyword: str, text: str) -> list[str]:
    return found(probes.option_probe(keyword), text, keyword)


def in_context(keyword: str, text: str) -> list[str]:
    rows = [row for row in CONTEXTS if row.keywords == keyword]
    return [value for row in rows for value in found(probes.context_probe(row, keyword), text, keyword)]


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("-p", "mysql -phunter2 app"),
        ("-p", "cd x &&mysql -uroot -phunter2 app"),
        ("-p", "sshpass -p hunter2 ssh host"),
        ("-p", "sshpass -phunter2 ssh host"),
        ("-p", "docker login -u me -p=hunter2"),
        ("-p", "docker login -u me -p 'hunter2'"),
        ("-p", "unzip -P hunter2 a.zip"),
        ("-u", "curl -u me:hunter2 https://example.org"),
        ("-u", "smbclient //nas/x -U me%hunter2"),
        ("-u", "lftp -u me,hunter2 ftp.example.org"),
        ("/p:", "xfreerdp /v:host /u:me /p:hunter2"),
        ("--from-literal", "kubectl create secret generic x --from-literal=a=hunter2"),
    ],
)
def test_each_form_of_an_option_gives_its_value_alone(keyword: str, text: str) -> None:
    assert in_option(keyword, text) == ["hunter2"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mysql -p hunter2", "of MySQL only a glued value is one, and this is the database"),
        ("mysql -Phunter2", "the case of an option counts"),
        ("docker run -p hunter2", "another command of the tool"),
        ("mysql app; mkdir -phunter2", "the tool belongs to the command before"),
        ("mysql app | tee -phunter2", "the tool belongs to the command before"),
        ("docker login -p 12345", "a port"),
        ("docker login -p ab", "too short"),
        ("docker login -p $PASS", "a variable"),
        ("docker login -p @file", "a file"),
        ("docker login -p --password-stdin", "the next option"),
    ],
)
def test_an_option_without_a_password_yields_nothing(text: str, why: str) -> None:
    assert in_option("-p", text) == [], why


def test_a_number_of_six_digits_is_a_password_and_after_a_colon_four_are_enough() -> None:
    assert in_option("-p", "docker login -p 123456") == ["123456"]
    assert in_option("/p:", "xfreerdp /p:1234") == ["1234"] and in_option("/p:", "xfreerdp /p:123") == []


def test_a_tool_is_probed_for_all_its_options_up_to_the_end_of_the_command() -> None:
    text = "snmpwalk -v3 -A hunter2hunter2 -X hunter3hunter3 host; other -A hunter4hunter4"
    assert found(probes.tool_probe("snmpwalk"), text, "snmpwalk") == ["hunter2hunter2", "hunter3hunter3"]
    assert found(probes.tool_probe("openssl"), "myopenssl enc -k hunter2", "openssl") == []


def test_an_option_with_other_uses_needs_a_random_value() -> None:
    probe = probes.tool_probe("glab")
    assert found(probe, f"glab auth login -t {RANDOM}", "glab") == [RANDOM]
    assert found(probe, "glab auth login -t hunter2-staging", "glab") == []


def test_every_row_is_tried_either_at_its_options_or_at_its_tools() -> None:
    at_option, at_tool = probes.option_rows()
    for row in OPTIONS:
        is_at_options = all(row in at_option.get(option.lower(), []) for option in row.options.split())
        is_at_tools = any(row in rows for rows in at_tool.values())
        assert probes.is_tried_at_option(row) == is_at_options != is_at_tools, row.tools


@pytest.mark.parametrize("text", ["ls; MySQL x -p", "ls | MySQL x -p", "ls\nMySQL x -p", "MySQL x -p"])
def test_a_command_begins_after_the_one_before_it_and_is_read_in_lower_case(text: str) -> None:
    assert probes.command_before(text, text.index(" -p")).strip() == "mysql x"


def test_a_command_of_curl_goes_over_many_lines() -> None:
    assert in_option("-u", "curl https://example.org\n  -u me:hunter2") == ["hunter2"]
    assert in_option("-u", "lftp ftp.example.org\n  -u me,hunter2") == []


@pytest.mark.parametrize(
    ("keyword", "text", "values"),
    [
        ("htpasswd", "htpasswd -bc file me hunter2", ["hunter2"]),
        ("htpasswd", "htpasswd -nb me hunter2", ["hunter2"]),
        ("htpasswd", "htpasswd -c file me", []),
        ("sqlplus", "sqlplus scott/hunter2@db", ["hunter2"]),
        ("sqlplus", "sqlplus / as sysdba", []),
        ("password", "nmcli device wifi connect x password hunter2", ["hunter2"]),
        ("password", "the password hunter2", []),
        ("/user:", "net use Z: nas /user:me hunter2", ["hunter2"]),
        ("/user:", "app /user:me hunter2", []),
        ("login", "cargo login hunter2", ["hunter2"]),
        ("login", "cargo login registry", []),
        ("unseal", "vault operator unseal $KEY", []),
    ],
)
def test_a_plain_argument_is_a_password_only_in_its_place(keyword: str, text: str, values: list[str]) -> None:
    assert in_context(keyword, text) == values


@pytest.mark.parametrize(
    ("keyword", "text", "values"),
    [
        ("echo", "echo hunter2 | sudo -S apt update", ["hunter2"]),
        ("echo", "echo hunter2 | sudo tee file", []),
        ("echo", "echo 12345 | sudo -S apt update", []),
        ("echo", "echo $PASS | sudo -S apt update", []),
        ("echo", "echo 'me:hunter2' | chpasswd", ["hunter2"]),
        ("printf", "printf '%s' hunter2 | docker login --password-stdin", ["hunter2"]),
        ("echo", "echo hunter2 > ~/.vault_pass", ["hunter2"]),
        ("echo", "echo hunter2 > token.json", []),
        ("<<<", "kinit me <<< hunter2", ["hunter2"]),
        ("<<<", "chpasswd <<< me:hunter2", ["hunter2"]),
        ("<<<", "cat <<< hunter2", []),
    ],
)
def test_what_goes_into_a_command_that_reads_a_password_is_one(keyword: str, text: str, values: list[str]) -> None:
    assert in_context(keyword, text) == values
