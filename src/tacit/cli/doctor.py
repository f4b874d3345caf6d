"""`tacit doctor`: check a home, its log alone, or rebuild its index."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.install import TARGETS, InstallState, install_place, install_state
from tacit.cli.output import ENCODE_SECONDS, confirm, echo, echo_encoded, echo_json, pluralize, red, short_path, yellow
from tacit.errors import UsageError
from tacit.log.rewrite import QuarantinedLine
from tacit.log.verify import Finding
from tacit.text.display import printable


def report_findings(call: Invocation, findings: Sequence[Finding], all_well: str) -> int:
    """Print findings, and `all_well` if none is serious. Return 3 if one is, else 0."""
    serious = [finding for finding in findings if finding.serious]
    if call.flag("--json"):
        echo_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            mark = red("✗") if finding.serious else yellow("·")
            echo(f"{mark} {printable(finding.where)}: {printable(finding.what)}")
            echo(f"    → {printable(finding.mend)}")
        echo(f"{len(serious)} to mend." if serious else all_well)
    return 3 if serious else 0


_NOT_CHECKED = "Not checked: every line of the log, the index against the log, the pages (tacit doctor checks these)."
_LOG_OPTIONS = ("--mend", "--quarantine-unsigned", "--accept-unsigned")


def run_doctor(call: Invocation) -> int:
    call.refuse_args()
    if call.flag("--reindex"):
        return _reindex(call)
    if any(call.flag(option) for option in ("--log", *_LOG_OPTIONS)):
        if call.flag("--quick"):
            raise UsageError("--quick does not read the log", "tacit doctor --quick, or tacit doctor --log")
        return _verify_log(call)
    is_quick = call.flag("--quick")
    place = install_place(call.value("--home"))
    states = [state for target in TARGETS.values() if (state := install_state(target, place))]
    captures = call.vault.configuration.setting("autocapture.enabled").value is True
    if states and not call.flag("--json"):
        echo(f"Installed in {', '.join(printable(state.name) for state in states)}.")
    if not is_quick and (encoded := call.vault.embeddings.count_encoded()) and not call.flag("--json"):
        echo(f"Meaning: {encoded} texts can be compared.")
    findings = [
        *(call.vault.doctor.quick() if is_quick else call.vault.doctor.doctor()),
        *(finding for state in states for finding in _target_findings(state)),
        *_capture_findings(states, captures=captures),
    ]
    if is_quick:
        return report_findings(call, findings, f"Nothing is wrong as far as it was checked. {_NOT_CHECKED}")
    return report_findings(call, findings, "The home is well.")


def _target_findings(state: InstallState) -> Iterator[Finding]:
    """Yield what keeps an installation from working, so that nobody is surprised that nothing is captured."""
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
    if state.doubt:
        yield Finding(path, state.doubt, f"change that setting, or take Tacit out: tacit uninstall {name}", False)


def _capture_findings(states: Sequence[InstallState], *, captures: bool) -> Iterator[Finding]:
    """Yield hooks without capture, or capture without hooks. Both may be meant, or overlooked."""
    agents = [state.name for state in states if state.is_agent]
    if agents and not captures:
        what = f"sessions with {', '.join(agents)} are given memories, but not recorded"
        yield Finding("autocapture", what, "tacit autocapture on", False)
    if captures and not agents:
        what = "it is on, but no agent has the hooks that it needs"
        yield Finding("autocapture", what, "tacit install claude, or another: tacit install", False)


# The log alone


def _verify_log(call: Invocation) -> int:
    if call.flag("--quarantine-unsigned") and call.flag("--accept-unsigned"):
        raise UsageError("either set aside what this home did not write, or vouch for it", "tacit doctor --log")
    if call.flag("--mend"):
        _echo_quarantined(call, call.vault.purger.mend())
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
        raise UsageError(
            f"{pluralize(len(decisions), 'decision')} would be changed, and there is nobody to ask",
            "look at them, then add --yes",
        )
    for decision in decisions:
        echo(f"{printable(decision.segment)}:{decision.number}: {printable(decision.summary)}")
    return confirm(question)


# The index


def _reindex(call: Invocation) -> int:
    number = call.vault.doctor.reindex()
    if call.flag("--json"):
        call.vault.embeddings.encode(ENCODE_SECONDS)
        return report_findings(call, [], "")
    echo(f"Made the index and all views again: {number} {'memory' if number == 1 else 'memories'}.")
    echo_encoded(call.vault.embeddings.encode(ENCODE_SECONDS))
    return 0


DOCTOR = Command(
    name="doctor",
    usage="",
    help=(
        "Check the log line by line, the index against a fresh replay, the pages against a fresh rendering, who may\n"
        "read the files, and what was installed into shells and agents. Says what to type for each finding; changes\n"
        "nothing. Exit code 3 if something is wrong.\n"
        "\n"
        "--quick takes less than a second, however large the home is: permissions, locks, free space, the last lines\n"
        "of the log, whether the index can be used, and what was installed.\n"
        "\n"
        "--log checks only the log: the checksum and form of every line, and whether this home wrote it. Exit code 3\n"
        "if a line is damaged, or a decision was written by something else; only a person sets such decisions aside.\n"
        "--reindex makes the index and all pages again from the log; hand edits of pages stay."
    ),
    example="tacit doctor",
    run=run_doctor,
    options=(
        Option("--quick", help="only what takes less than a second; says what it leaves out"),
        Option("--log", help="check only the log"),
        Option("--mend", help="first move lines that cannot be read to quarantine/, byte for byte; all others stay"),
        Option(
            "--quarantine-unsigned", help="move decisions that this home did not write to quarantine/, byte for byte"
        ),
        Option("--accept-unsigned", help="vouch for all lines that are in the log now: they count as this home's"),
        Option("--yes", help="do not ask"),
        Option("--reindex", help="make the index and all pages again"),
        JSON_OPTION,
    ),
)
