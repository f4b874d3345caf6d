"""`tacit doctor` and `tacit verify`: checking a home and its log."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.install import TARGETS, InstallState, install_place, install_state
from tacit.cli.output import echo, echo_json, short_path
from tacit.cli.terminal import confirm
from tacit.errors import UsageError
from tacit.log.rewrite import QuarantinedLine
from tacit.log.verify import Finding
from tacit.text.display import printable

# How findings of verify and doctor are told.


def report_findings(call: Invocation, findings: Sequence[Finding], all_well: str) -> int:
    serious = [finding for finding in findings if finding.serious]
    if call.flag("--json"):
        echo_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            echo(f"{'✗' if finding.serious else '·'} {printable(finding.where)}: {printable(finding.what)}")
            echo(f"    → {printable(finding.mend)}")
        echo(f"{len(serious)} to mend." if serious else all_well)
    return 3 if serious else 0


# tacit doctor.


def run_doctor(call: Invocation) -> int:
    call.refuse_args()
    place = install_place(call.value("--home"))
    found = [one for target in TARGETS.values() if (one := install_state(target, place))]
    captures = call.vault.configuration.setting("autocapture.enabled").value is True
    if found and not call.flag("--json"):
        echo(f"Installed in {', '.join(printable(one.name) for one in found)}.")
    if (compared := call.vault.embeddings.count_encoded()) and not call.flag("--json"):
        echo(f"Meaning: {compared} texts can be compared.")
    of_targets = [finding for one in found for finding in _target_findings(one)]
    return report_findings(
        call,
        [*call.vault.doctor.doctor(), *of_targets, *_capture_findings(found, captures=captures)],
        "The home is well.",
    )


def _target_findings(one: InstallState) -> Iterator[Finding]:
    """What keeps an installation from working. Whoever captures nothing because a program is gone should know."""
    again = f"tacit install {one.name}"
    if one.problem:
        yield Finding(one.path, one.problem, one.hint or again)
    elif one.missing:
        files = ", ".join(map(short_path, one.missing))
        harm = "" if one.is_guarded else f"; {one.name} may refuse every prompt because of it"
        yield Finding(one.path, f"what {one.name} should start is no longer there: {files}{harm}", again)
    elif not one.is_guarded:
        what = f"its hooks are from an earlier version: were Tacit removed, {one.name} might refuse every prompt"
        yield Finding(one.path, what, again, False)
    elif one.is_moved:
        yield Finding(one.path, "its hooks are from an earlier version; they still work", again, False)
    elif not one.is_current:
        yield Finding(one.path, f"{one.name} starts another installation, or works on another home", again, False)
    if one.doubt:
        yield Finding(one.path, one.doubt, f"change that setting, or take Tacit out: tacit uninstall {one.name}", False)


def _capture_findings(found: Sequence[InstallState], *, captures: bool) -> Iterator[Finding]:
    """Hooks without capturing, and capturing without hooks: both may be meant, and both may have been overlooked."""
    agents = [one.name for one in found if one.is_agent]
    if agents and not captures:
        what = f"sessions with {', '.join(agents)} are given memories, but not recorded"
        yield Finding("autocapture", what, "tacit autocapture on", False)
    if captures and not agents:
        what = "it is on, but no agent has the hooks that it needs"
        yield Finding("autocapture", what, "tacit install claude, or another: tacit install", False)


DOCTOR = Command(
    name="doctor",
    usage="",
    help=(
        "Check the log line by line, the index against a fresh replay, the views against a fresh drawing, who may\n"
        "read the files, and what was installed into shells and agents. Says what to type for each finding; changes\n"
        "nothing. Exit code 3 when unwell."
    ),
    example="tacit doctor",
    run=run_doctor,
    options=(JSON_OPTION,),
)


# tacit verify.


def run_verify(call: Invocation) -> int:
    call.refuse_args()
    if call.flag("--quarantine-unsigned") and call.flag("--accept-unsigned"):
        raise UsageError("either set aside what this home did not write, or vouch for it", "tacit verify")
    if call.flag("--mend"):
        _echo_quarantined(call, call.vault.purger.mend())
    if call.flag("--quarantine-unsigned") and _confirm_unsigned(call, "Set these aside?"):
        _echo_quarantined(call, call.vault.doctor.quarantine_unsigned())
    if call.flag("--accept-unsigned") and _confirm_unsigned(call, "Are these, and all other lines of the log, yours?"):
        call.vault.doctor.accept_unsigned()
    return report_findings(call, call.vault.doctor.verify(), "Every line of the log can be read.")


def _echo_quarantined(call: Invocation, moved: Sequence[QuarantinedLine]) -> None:
    if not call.flag("--json"):
        for aside in moved:
            echo(f"Set aside {aside.segment}:{aside.number} as it was: {printable(aside.path)}")


def _confirm_unsigned(call: Invocation, question: str) -> bool:
    """Whether a person agrees, who is shown what it is about."""
    if call.flag("--yes") or not call.vault.home.is_person:  # an agent is refused by the vault
        return True
    found = call.vault.doctor.unvouched()
    if not sys.stdin.isatty():
        raise UsageError(
            f"{len(found)} decisions are concerned, and there is nobody to ask", "look at them, then add --yes"
        )
    for one in found:
        echo(f"{printable(one.segment)}:{one.number}: {printable(one.summary)}")
    return confirm(question)


VERIFY = Command(
    name="verify",
    usage="",
    help=(
        "Check the checksum and form of every line of the log, and whether this home wrote it. Exit code 3 when a\n"
        "line is damaged, or a decision was written by something else. Only a person sets such decisions aside."
    ),
    example="tacit verify",
    run=run_verify,
    options=(
        Option("--mend", help="first move lines that cannot be read to quarantine/, byte for byte; all others stay"),
        Option(
            "--quarantine-unsigned", help="move decisions that this home did not write to quarantine/, byte for byte"
        ),
        Option("--accept-unsigned", help="vouch for all lines that are in the log now: they count as this home's"),
        Option("--yes", help="do not ask"),
        JSON_OPTION,
    ),
)
