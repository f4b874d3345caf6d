"""`tacit doctor`, `audit`, `purge` and `redact`: check a home or rule files, and remove texts and secrets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from tacit.cli import output
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, dim, echo, echo_lines, pluralize, red, short_path, warn, yellow
from tacit.errors import NotFoundError, TacitError, UsageError
from tacit.text.display import printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.cli.install import InstallState
    from tacit.install import InstallContext
    from tacit.log.rewrite import QuarantinedLine
    from tacit.log.verify import Finding
    from tacit.rules.audit import AuditReport
    from tacit.vault.conditions import CheckedMemory
    from tacit.vault.purging import PurgeReport

_NOT_CHECKED = "Not checked: every line of the log, the index against the log, the pages (tacit doctor checks these)."


def report_findings(call: Invocation, findings: Sequence[Finding], all_well: str) -> int:
    """Print findings, and `all_well` if none is serious. Return 3 if one is, else 0."""
    serious = [finding for finding in findings if finding.serious]
    if not call.shows_json(lambda: [finding._asdict() for finding in findings]):
        for finding in findings:
            mark = red("✗") if finding.serious else yellow("·")
            echo(f"{mark} {printable(finding.where)}: {printable(finding.what)}")
            echo(f"    → {printable(finding.mend)}")
        echo(f"{len(serious)} to mend." if serious else all_well)
    return 3 if serious else 0


@command(
    "",
    "tacit doctor",
    Option("--quick", help="only what takes less than a second; says what it leaves out"),
    Option("--log", help="check only the log"),
    Option("--mend", help="first move lines that cannot be read to quarantine/, byte for byte; all others stay"),
    Option("--quarantine-unsigned", help="move decisions that this home did not write to quarantine/, byte for byte"),
    Option("--accept-unsigned", help="vouch for all lines that are in the log now: they count as this home's"),
    Option("--yes", help="do not ask"),
    Option("--reindex", help="make the index and all pages again"),
    JSON_OPTION,
)
def run_doctor(call: Invocation) -> int:
    """Check the log line by line, the index against a fresh replay, the pages against a fresh rendering, who may
    read the files, and what was installed into shells and agents. Says what to type for each finding; changes
    nothing. Exit code 3 if something is wrong.

    --quick takes less than a second, however large the home is: permissions, locks, free space, the last lines
    of the log, whether the index can be used, and what was installed.

    --log checks only the log: the checksum and form of every line, and whether this home wrote it. Exit code 3
    if a line is damaged, or a decision was written by something else; only a person sets such decisions aside.
    --reindex makes the index and all pages again from the log; hand edits of pages stay.
    """
    from tacit.cli.install import TARGETS, install_place, install_state
    from tacit.log.verify import Finding

    if call.flag("--reindex"):
        number = call.vault.doctor.reindex()
        if not call.flag("--json"):
            echo(f"Made the index and all views again: {pluralize(number, 'memory', 'memories')}.")
        call.shows_json(list)
        return 0
    if any(call.flag(option) for option in ("--log", "--mend", "--quarantine-unsigned", "--accept-unsigned")):
        if call.flag("--quick"):
            raise UsageError("--quick does not read the log", "tacit doctor --quick, or tacit doctor --log")
        return _verify_log(call)
    is_quick = call.flag("--quick")
    place = install_place(call.value("--home"))
    states = [state for target in TARGETS.values() if (state := install_state(target, place))]
    captures = call.vault.configuration.setting("autocapture.enabled").value is True
    if states and not call.flag("--json"):
        echo(f"Installed in {', '.join(printable(state.name) for state in states)}.")
    findings = [
        *(call.vault.doctor.quick() if is_quick else call.vault.doctor.doctor()),
        *(finding for state in states for finding in _target_findings(state)),
    ]
    # Hooks without capture, or capture without hooks. Both may be meant, or overlooked.
    agents = [state.name for state in states if state.is_agent]
    if agents and not captures:
        what = f"sessions with {', '.join(agents)} are given memories, but not recorded"
        findings.append(Finding("autocapture", what, "tacit autocapture on", False))
    if captures and not agents:
        what = "it is on, but no agent has the hooks that it needs"
        findings.append(Finding("autocapture", what, "tacit install claude, or another: tacit install", False))
    findings += _timer_findings(call, place)
    all_well = f"Nothing is wrong as far as it was checked. {_NOT_CHECKED}" if is_quick else "The home is well."
    return report_findings(call, findings, all_well)


def _timer_findings(call: Invocation, place: InstallContext) -> Iterator[Finding]:
    """Yield why the timer of `tacit sync` that was switched on does not run."""
    from tacit.home.sync_timer import read_timer
    from tacit.log.verify import Finding

    if found := read_timer(call.vault.home.store.paths):
        from tacit.cli.timer import SWITCH_ON, timer_problem

        if problem := timer_problem(found, place):
            yield Finding("the timer of tacit sync", problem, SWITCH_ON, False)


def _target_findings(state: InstallState) -> Iterator[Finding]:
    """Yield what keeps an installation from working, so that nobody is surprised that nothing is captured."""
    from tacit.log.verify import Finding

    name, path, again = state.name, state.path, f"tacit install {state.name}"
    if state.problem:
        yield Finding(path, state.problem, state.hint or again)
    elif state.missing:
        files = ", ".join(map(short_path, state.missing))
        harm = "" if state.is_guarded else f"; {name} may refuse every prompt because of it"
        yield Finding(path, f"what {name} should start is no longer there: {files}{harm}", again)
    elif not state.is_guarded:
        what = f"its hooks are from an earlier version: were Tacit removed, {name} might refuse every prompt"
        yield Finding(path, what, again, False)
    elif state.is_moved:
        yield Finding(path, "its hooks are from an earlier version; they still work", again, False)
    elif not state.is_current:
        yield Finding(path, f"{name} starts another installation, or works on another home", again, False)
    if state.old_skill:
        what = f"the skill that tells {name} when to propose a memory is missing, or another version's"
        yield Finding(state.old_skill, what, again, False)
    if state.doubt and not state.missing:
        yield Finding(
            path, state.doubt, f"do that, change the setting, or take Tacit out: tacit uninstall {name}", False
        )


def _verify_log(call: Invocation) -> int:
    if call.flag("--quarantine-unsigned") and call.flag("--accept-unsigned"):
        raise UsageError("either set aside what this home did not write, or vouch for it", "tacit doctor --log")
    if call.flag("--mend"):
        _echo_quarantined(call, call.vault.doctor.mend())
    if call.flag("--quarantine-unsigned") and _confirm_unsigned(call, "Set these aside?"):
        _echo_quarantined(call, call.vault.doctor.quarantine_unsigned())
    if call.flag("--accept-unsigned") and _confirm_unsigned(call, "Are these, and all other lines of the log, yours?"):
        call.vault.doctor.accept_unsigned()
    return report_findings(call, call.vault.doctor.verify(), "Every line of the log can be read.")


def _echo_quarantined(call: Invocation, lines: Sequence[QuarantinedLine]) -> None:
    if not call.flag("--json"):
        for line in lines:
            echo(f"Set aside {line.segment}:{line.number} as it was: {printable(line.path)}")


def _confirm_unsigned(call: Invocation, question: str) -> bool:
    """Show the decisions that this home did not write, and return whether the person agrees."""
    if call.flag("--yes") or not call.vault.home.is_person:  # an agent is refused by the vault
        return True
    decisions = call.vault.doctor.unvouched()
    if not sys.stdin.isatty():
        count = pluralize(len(decisions), "decision")
        raise UsageError(f"{count} would be changed, and there is nobody to ask", "look at them, then add --yes")
    for decision in decisions:
        echo(f"{printable(decision.segment)}:{decision.number}: {printable(decision.summary)}")
    return output.confirm(question)


@command("[PATH]", "tacit audit", JSON_OPTION)
def run_audit(call: Invocation) -> int:
    """Check the files that agents take rules and memories from, as a session in this folder or in PATH would load
    them: CLAUDE.md with its imports and rules, CLAUDE.local.md, AGENTS.md, GEMINI.md, rules of Cursor and
    Copilot, and what Claude Code, Codex and Gemini CLI remember by themselves. Files are only read, and no home
    is needed.

    Findings are rules that contradict each other, rules that a host loads twice, paths, scripts and targets
    that do not exist, secrets (never shown), and what is never loaded: beyond a host's limit, in a wrong place,
    or an import that leads nowhere. The last lines say how many tokens each host loads at session start.
    If there is a home, its memories of the project that its work tree contradicts are listed, too.

    The exit code is 1 if there are findings or such memories, else 0.
    """
    from tacit.home.home import Home
    from tacit.rules import rule_place
    from tacit.rules.audit import audit
    from tacit.vault.conditions import red_memories_as_is

    if len(call.args) > 1:
        raise UsageError("tacit audit takes one folder", "tacit audit PATH")
    folder = os.path.expanduser(call.args[0]) if call.args else os.curdir
    if not os.path.isdir(folder):
        raise NotFoundError(f"there is no folder {folder}", "tacit audit PATH")
    report = audit(rule_place(folder, os.environ))
    outdated: list[CheckedMemory] = []
    try:
        with Home(call.value("--home"), cwd=os.path.abspath(folder)) as home:
            outdated = red_memories_as_is(home)
    except TacitError:  # without a usable home there are no memories; one that was named must be there
        if call.flag("--home"):
            raise
    if not call.shows_json(lambda: _audit_json(report, outdated)):
        echo_lines(_audit_lines(report, outdated))
    return 1 if report.findings or outdated else 0


def _audit_lines(report: AuditReport, outdated: Sequence[CheckedMemory]) -> Iterator[str]:
    """Yield the findings as `file:line: kind: …`, then memories, the tokens of each host and the totals."""
    from tacit.rules.audit import FindingKind

    if not report.files and not outdated:
        yield "There are no rule files here: no CLAUDE.md, AGENTS.md, GEMINI.md or rules of Cursor and Copilot."
        return
    for finding in report.findings:
        is_contradiction = finding.kind is FindingKind.CONTRADICTION
        link = "with" if is_contradiction else "of" if finding.kind is FindingKind.DUPLICATE else ""
        other = f" {link} {printable(finding.other)}" if finding.other else ""
        place = output.bold(f"{printable(finding.path)}:{finding.line}")
        yield f"{place}: {finding.kind.value}{other}: {printable(finding.message)}"
        for quote in (finding.quote, finding.other_quote if is_contradiction else ""):
            if quote:
                yield dim(f"    “{printable(quote)}”")
    for checked in outdated:
        place = output.bold(f"memory {checked.memory.id}")
        yield f"{place}: gone: {printable(checked.verdict.why)}; see: tacit review"
        yield dim(f"    “{printable(checked.memory.sentence)}”")
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


def _audit_json(report: AuditReport, outdated: Sequence[CheckedMemory]) -> JsonObject:
    from tacit.cli.cards import missing_json, reference_json
    from tacit.rules import LoadTime, RuleOrigin

    provenances = {RuleOrigin.USER: "user_file", RuleOrigin.AGENT: "model", RuleOrigin.FOREIGN: "external"}
    paths = {file.name: file.path for file in report.files}
    return {
        "rule_files": [
            {
                "path": file.path,
                "provenance": provenances[file.origin],
                "loaded_by": [load.host for load in file.loads if load.when is LoadTime.START],
                "on_demand_by": [load.host for load in file.loads if load.when is LoadTime.ON_DEMAND],
                "problem": file.problem or None,
            }
            for file in report.files
        ],
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
            {
                **reference_json(row.memory),
                "missing": missing_json((one.condition.text, one.outcome.why) for one in row.verdict.red),
            }
            for row in outdated
        ],
        "start_loads": [
            {"agent": each.host, "tokens": each.tokens, "file_count": each.files} for each in report.tokens
        ],
        "searched": report.is_complete,
    }


# Removing texts and secrets


@command(
    "ID",
    'tacit purge --text "the words that must go" --reason "said by mistake"',
    Option("--text", "TEXT", "a text, wherever and however it is written; - reads it from the standard input"),
    Option("--reason", "TEXT", "why, for the tombstone; not the text itself"),
    Option("--yes", help="do not ask"),
    Option("--again", help="purge once more all that was ever purged: after an interruption, or when it came back"),
)
def run_purge(call: Invocation) -> int:
    """Take a text, or a memory with all its wordings, out of every file of this home: log, index, views, copies,
    quarantine. Not to be undone; a tombstone says when and why, and keeps old copies from bringing it back.
    Lists what it cannot reach. Only a person purges.
    """
    try:
        return _purge(call)
    except KeyboardInterrupt:
        call.interrupted()
        if call.vault.purger.is_interrupted:
            warn("Interrupted before all files were changed. To complete it, run it again, or: tacit purge --again")
        else:
            warn("Interrupted. Nothing was changed.")
        raise


def _purge(call: Invocation) -> int:
    purger = call.vault.purger
    if call.flag("--again"):
        return _echo_purge(call, purger.purge_again())
    if len(call.args) > 1 or (call.args and call.flag("--text")):  # neither is repeated in the message
        raise UsageError("tacit purge wants one id, or --text", "tacit purge 7k2m, or tacit purge --text '…'")
    reference, text = (call.args[0] if call.args else None), call.value("--text")
    if text == "-":
        if sys.stdin.isatty():
            text = output.ask_unseen("The text to purge")
        else:
            text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    if not call.flag("--yes"):
        preview = purger.preview(reference, text=text)
        if sys.stdin.isatty():
            pages = sum("/worklog/" in path or "/evaluations/" in path for path in preview.files)
            files = f"{pluralize(len(preview.files), 'file')} ({pluralize(pages, 'page')})"
            memories = pluralize(len(preview.memories), "memory", "memories")
            events = pluralize(preview.events, "event")
            echo(f"This would change {events} and {files} and take away {memories}, and cannot be undone.")
    if not call.agrees("Purge?", UsageError("purging cannot be undone, and there is nobody to ask", "add --yes")):
        return 1
    return _echo_purge(call, purger.purge(reference, text=text, reason=call.text_value("--reason")))


def _echo_purge(call: Invocation, report: PurgeReport) -> int:
    memories = pluralize(len(report.memories), "memory", "memories")
    files = f"{pluralize(len(report.files), 'other file')} changed. The tombstone is in memory/purged.jsonl."
    echo(f"Purged: {pluralize(report.events, 'event')} changed, {memories} gone, {files}")
    if report.damaged:
        echo(f"  {pluralize(report.damaged, 'line')} that could not be read held it and went as a whole")
    if report.similar_memories:
        echo(f"  other memories hold the same words and stay: {', '.join(report.similar_memories)}")
    for path in report.index_copies:
        echo(f"  removed {printable(path)}, a copy of the index")
    for path in report.remaining_files:
        echo(f"  ✗ {printable(path)} still holds it: change it by hand")
    echo_lines(f"  {line}" for line in list(_copy_lines(call)))
    echo("  what no purge can reach:")
    echo_lines(f"    · {printable(copy)}" for copy in report.unreachable)
    return 1 if report.remaining_files else 0


def _copy_lines(call: Invocation) -> Iterator[str]:
    """Yield which remotes, machines and servers still have it, as far as this home knows. Nobody is asked.

    The purge of what was shared with a team is queued.
    """
    machines = call.vault.exchange.machines
    if machines.is_used:
        for report in machines.remotes():
            names = [printable(machine.name) for machine in report.machines if machine.unconfirmed]
            others = f", then on {', '.join(names)} when they sync" if names else ""
            yield f"encrypted on the remote {report.name}: gone from there with the next tacit sync{others}"
        yield "tacit sync --status says who has not confirmed yet"
    if call.vault.home.has_team:
        team = call.vault.exchange.team
        team.queue_purges()
        overview = team.overview()
        for entry in overview.purges if overview else ():
            yield f"on the team's server until the next tacit sync: {entry.memory}"
        for memory in overview.unpurged if overview else ():
            author = printable(memory.first_author)
            yield f"✗ on the team's server: {memory.id}; {author} or a curator can purge it there"


_CHUNK_BYTES = 1 << 20


@command(
    "",
    "tacit redact < session.log > shareable.log",
    Option("--count", help="say on standard error how many of each kind were hidden"),
)
def run_redact(call: Invocation) -> None:
    """Hide secrets in what is read from standard input: each becomes [redacted:KIND:MARK], everything else is
    written as it was, byte for byte. Equal secrets have equal marks in one run. No home is needed or made.
    A secret longer than 20,000 characters is not found. Known formats are; no list of formats is complete.
    """
    import hmac
    from codecs import iterdecode
    from collections import Counter

    from tacit.secrets import redact_stream

    if sys.stdin.isatty():
        hint = f"for example: {call.command.example}"
        raise UsageError("tacit redact reads what is given to it, and nothing was", hint)
    key = os.urandom(32)  # it is not stored, so that no secret can be guessed from its mark

    def mark(secret: str) -> str:
        return hmac.digest(key, secret.encode("utf-8", "surrogateescape"), "sha256").hex()[:8]

    counts: Counter[str] = Counter()
    blocks = iter(lambda: sys.stdin.buffer.read(_CHUNK_BYTES), b"")
    chunks = iterdecode(blocks, "utf-8", "surrogateescape")  # bytes that are no UTF-8 come out as they went in
    for chunk in redact_stream(chunks, mark, lambda secret: counts.update([secret.kind])):
        sys.stdout.buffer.write(chunk.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    if call.flag("--count"):
        for kind, count in sorted(counts.items()):
            warn(f"{count} {kind}")
        warn(f"{counts.total()} in all")
