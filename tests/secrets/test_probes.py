"""Where probes look: the options of a tool, up to the end of its command, and blocks of several lines."""

from __future__ import annotations

import pytest
from harness.secret_examples import OPTIONS, written

from tacit.secrets import probes, redacted
from tacit.secrets.probes import Probe

RANDOM = written("<a24>")
AWS_SECRET = "wJalr7XUtnFEMI" + "/K7MDENG+bPxRfiCY" + "a1B2c3D4e"


def found(probe: Probe, text: str, keyword: str) -> list[str]:
    return [text[start:end] for start, end, kind in probe(text, text.lower().index(keyword)) if kind]


def test_a_tool_is_probed_for_all_its_options_up_to_the_end_of_the_command() -> None:
    text = "snmpwalk -v3 -A hunter2hunter2 -X hunter3hunter3 host; other -A hunter4hunter4"
    assert found(probes.tool_probe("snmpwalk"), text, "snmpwalk") == ["hunter2hunter2", "hunter3hunter3"]


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


def key_block(kind: str = "RSA ") -> list[str]:
    body = ["MIIEpAIBAAKCAQEA7bq9Zk2x8Qz7vB3nM1pLr0sT4uWyXcVfHjKdEaZoRiQ2b7Na"] * 4
    return [f"-----BEGIN {kind}PRIVATE KEY-----", *body, f"-----END {kind}PRIVATE KEY-----"]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\\\\n"])
def test_a_private_key_is_hidden_from_its_first_line_to_its_last(kind: str, newline: str) -> None:
    text = f"before{newline}{newline.join(key_block(kind))}{newline}after"
    assert redacted(text) == f"before{newline}[redacted:private-key]{newline}after"


def test_a_private_key_without_its_end_is_hidden_as_far_as_it_goes() -> None:
    text = "\n".join(["before", *key_block()[:-1], "and then we talked on"])
    assert redacted(text) == "before\n[redacted:private-key]\nand then we talked on"


def test_the_first_line_of_a_private_key_is_enough() -> None:
    """The rest may have been cut off, or comes with the next line."""
    assert redacted(f"see {key_block()[0]} there") == "see [redacted:private-key] there"


def test_a_key_with_headers_is_hidden_with_them() -> None:
    begin, *rest = key_block()
    block = [begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B2C", "", *rest]
    assert redacted("\n".join(block)) == "[redacted:private-key]"
    assert redacted("\n".join(block[:-1])) == "[redacted:private-key]"


def test_public_keys_and_certificates_stay() -> None:
    for kind in ("CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST"):
        block = "\n".join(key_block()).replace("RSA PRIVATE KEY", kind)
        assert redacted(block) == block


def test_the_secret_beside_an_aws_key_is_hidden_in_either_order() -> None:
    key = "AKIA" + "Z2Y3X4W5V6U7T2S3"
    for text in (f"{key}\n{AWS_SECRET}", f"{AWS_SECRET} {key}", f"id {key}, it is {AWS_SECRET}."):
        hidden = redacted(text)
        assert key not in hidden and AWS_SECRET not in hidden
    assert redacted(f"digest {AWS_SECRET}") == f"digest {AWS_SECRET}"


def test_the_data_of_a_kubernetes_secret_is_hidden_and_its_names_stay() -> None:
    data = "data:\n  user: c29tZW9uZXM=\n  word: aHVudGVyMmh1bnRlcjI=\n"
    text = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n{data}"
    hidden = redacted(text)
    assert "c29tZW9uZXM" not in hidden and "aHVudGVyMmh1bnRlcjI" not in hidden
    assert "name: db" in hidden and "  user: [redacted:" in hidden
