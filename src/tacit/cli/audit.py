"""`tacit audit`: check the rule files of coding agents. Nothing is written, and no home is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.cli.commands import JSON_OPTION, Command, Invocation
from tacit.cli.json_output import JsonObject, entry_reference, missing_json
from tacit.cli.output import bold, dim, echo, echo_json, pluralize
from tacit.errors import NotFoundError, TacitError, UsageError
from tacit.rules.audit import AuditReport, FindingKind, RuleFinding, audit
from tacit.rules.files import LoadTime, RuleFile, RuleOrigin, rule_place
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.vault.outdated import OutdatedRow

_PROVENANCES = {RuleOrigin.USER: "user_file", RuleOrigin.AGENT: "model", RuleOrigin.FOREIGN: "external"}


def run_audit(call: Invocation) -> int:
    if len(call.args) > 1:
        raise UsageError("tacit audit takes one folder", "tacit audit PATH")
    folder = os.path.expanduser(call.args[0]) if call.args else os.curdir
    if not os.path.isdir(folder):
        raise NotFoundError(f"there is no folder {folder}", "tacit audit PATH")
    report = audit(rule_place(folder, os.environ))
    outdated = _outdated_memories(call, folder)
    if call.flag("--json"):
        echo_json(_report_json(report, outdated))
    else:
        for line in report_lines(report, outdated):
            echo(line)
    return 1 if report.findings or outdated else 0


def _outdated_memories(call: Invocation, folder: str) -> list[OutdatedRow]:
    """Return the memories of the home that name what is gone. Without a usable home there are none."""
    from tacit.home.home import Home
    from tacit.vault.outdated import outdated_rows_as_is

    try:
        with Home(call.value("--home"), cwd=os.path.abspath(folder)) as home:
            return outdated_rows_as_is(home)
    except TacitError:
        if call.flag("--home"):
            raise
        return []


def report_lines(report: AuditReport, outdated: Sequence[OutdatedRow] = ()) -> Iterator[str]:
    """Yield the findings as `file:line: kind: …`, then memories, the tokens of each host and the totals."""
    if not report.files and not outdated:
        yield "There are no rule files here: no CLAUDE.md, AGENTS.md, GEMINI.md or rules of Cursor and Copilot."
        return
    for finding in report.findings:
        yield from _finding_lines(finding)
    for memory, missing in outdated:
        names = printable(", ".join(reference.text for reference in missing))
        yield f"{bold(f'memory {memory.id}')}: gone: it names what is not in this work tree: {names}; see: tacit review"
        yield dim(f"    “{printable(memory.sentence)}”")
    if report.findings or outdated:
        yield ""
    if report.tokens:
        hosts = (f"{each.host} {each.tokens:,} ({pluralize(each.files, 'file')})" for each in report.tokens)
        yield f"Tokens at session start, about: {', '.join(hosts)}"
    if not report.is_complete:
        yield "Not every folder was searched: missing paths and scripts are not reported."
    findings = pluralize(len(report.findings), "finding") if report.findings else "No findings"
    memories = f", {pluralize(len(outdated), 'outdated memory', 'outdated memories')}" if outdated else ""
    yield f"{findings} in {pluralize(len(report.files), 'file')}{memories}."


def _finding_lines(finding: RuleFinding) -> Iterator[str]:
    place = f"{printable(finding.path)}:{finding.line}"
    link = {FindingKind.CONTRADICTION: "with", FindingKind.DUPLICATE: "of"}.get(finding.kind, "")
    other = f" {link} {printable(finding.other)}" if finding.other else ""
    yield f"{bold(place)}: {finding.kind.value}{other}: {printable(finding.message)}"
    if finding.quote:
        yield dim(f"    “{printable(finding.quote)}”")
    if finding.other_quote and finding.kind is FindingKind.CONTRADICTION:
        yield dim(f"    “{printable(finding.other_quote)}”")


def _report_json(report: AuditReport, outdated: Sequence[OutdatedRow]) -> JsonObject:
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
        "outdated_memories": [
            {**entry_reference(row.memory), "missing": missing_json(name.text for name in row.missing)}
            for row in outdated
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
        "If there is a home, its memories of the project that name what is not in the work tree are listed, too.\n"
        "\n"
        "The exit code is 1 if there are findings or such memories, else 0."
    ),
    example="tacit audit",
    run=run_audit,
    options=(JSON_OPTION,),
)
