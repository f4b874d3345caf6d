"""`tacit audit`: check the rule files of coding agents. Nothing is written, and no home is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tacit.cli.commands import JSON_OPTION, Command, Invocation
from tacit.cli.json_output import JsonObject
from tacit.cli.output import bold, dim, echo, echo_json, pluralize
from tacit.errors import NotFoundError, UsageError
from tacit.rules.audit import AuditReport, FindingKind, RuleFinding, audit
from tacit.rules.files import LoadTime, RuleFile, RuleOrigin, rule_place
from tacit.text.display import printable

_PROVENANCES = {RuleOrigin.USER: "user_file", RuleOrigin.AGENT: "model", RuleOrigin.FOREIGN: "external"}


def run_audit(call: Invocation) -> int:
    if len(call.args) > 1:
        raise UsageError("tacit audit takes one folder", "tacit audit PATH")
    folder = os.path.expanduser(call.args[0]) if call.args else os.curdir
    if not os.path.isdir(folder):
        raise NotFoundError(f"there is no folder {folder}", "tacit audit PATH")
    report = audit(rule_place(folder, os.environ))
    if call.flag("--json"):
        echo_json(_report_json(report))
    else:
        for line in report_lines(report):
            echo(line)
    return 1 if report.findings else 0


def report_lines(report: AuditReport) -> Iterator[str]:
    """Yield the findings as `file:line: kind: …`, then the tokens of each host and the totals."""
    if not report.files:
        yield "There are no rule files here: no CLAUDE.md, AGENTS.md, GEMINI.md or rules of Cursor and Copilot."
        return
    for finding in report.findings:
        yield from _finding_lines(finding)
    if report.findings:
        yield ""
    if report.tokens:
        hosts = (f"{each.host} {each.tokens:,} ({pluralize(each.files, 'file')})" for each in report.tokens)
        yield f"Tokens at session start, about: {', '.join(hosts)}"
    if not report.is_complete:
        yield "Not every folder was searched: missing paths and scripts are not reported."
    findings = pluralize(len(report.findings), "finding") if report.findings else "No findings"
    yield f"{findings} in {pluralize(len(report.files), 'file')}."


def _finding_lines(finding: RuleFinding) -> Iterator[str]:
    place = f"{printable(finding.path)}:{finding.line}"
    link = {FindingKind.CONTRADICTION: "with", FindingKind.DUPLICATE: "of"}.get(finding.kind, "")
    other = f" {link} {printable(finding.other)}" if finding.other else ""
    yield f"{bold(place)}: {finding.kind.value}{other}: {printable(finding.message)}"
    if finding.quote:
        yield dim(f"    “{printable(finding.quote)}”")
    if finding.other_quote and finding.kind is FindingKind.CONTRADICTION:
        yield dim(f"    “{printable(finding.other_quote)}”")


def _report_json(report: AuditReport) -> JsonObject:
    paths = {file.name: file.path for file in report.files}
    return {
        "rule_files": [_file_json(file) for file in report.files],
        "rule_findings": [
            {
                "path": paths.get(finding.path, finding.path),
                "line": finding.line,
                "category": finding.kind.value,
                "what": finding.message,
                "sentence": finding.quote,
                "other_place": finding.other,
                "other_sentence": finding.other_quote,
            }
            for finding in report.findings
        ],
        "start_loads": [
            {"agent": each.host, "tokens": each.tokens, "file_count": each.files} for each in report.tokens
        ],
        "searched": report.is_complete,
    }


def _file_json(file: RuleFile) -> JsonObject:
    return {
        "path": file.path,
        "provenance": _PROVENANCES[file.origin],
        "loaded_by": [load.host for load in file.loads if load.when is LoadTime.START],
        "on_demand_by": [load.host for load in file.loads if load.when is LoadTime.ON_DEMAND],
        "problem": file.problem or None,
    }


AUDIT = Command(
    name="audit",
    usage="[PATH]",
    help=(
        "Check the files that agents take rules and memories from, as a session in this folder or in PATH would load\n"
        "them: CLAUDE.md with its imports and rules, CLAUDE.local.md, AGENTS.md, GEMINI.md, rules of Cursor and\n"
        "Copilot, and what Claude Code, Codex and Gemini CLI remember by themselves. Files are only read, and no home\n"
        "is needed.\n"
        "\n"
        "Findings are rules that contradict each other, rules that a host loads twice, paths, scripts and targets\n"
        "that do not exist, secrets (never shown), and what is never loaded: beyond a host's limit, in a wrong place,\n"
        "or an import that leads nowhere. The last lines say how many tokens each host loads at session start.\n"
        "\n"
        "The exit code is 1 if there are findings, else 0."
    ),
    example="tacit audit",
    run=run_audit,
    options=(JSON_OPTION,),
)
