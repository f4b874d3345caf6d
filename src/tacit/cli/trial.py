"""`tacit trial`: tell a memory in about every second session, until the log can say whether that helps."""

from __future__ import annotations

from tacit.cli.cards import reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, bold, cyan, echo, echo_wrapped
from tacit.model.event import timestamp
from tacit.model.trial import DEFAULT_SESSIONS, MIN_SESSIONS
from tacit.text.display import printable
from tacit.vault.trials import TrialArm, TrialReport


@command(
    "[ID]",
    "tacit trial 7k2m",
    Option("--stop", help="end the trial of this memory; it is told in every session again"),
    Option(
        "--sessions",
        "N",
        f"how many sessions in which it applies the trial may take at most (default {DEFAULT_SESSIONS})",
        least=MIN_SESSIONS,
    ),
    JSON_OPTION,
)
def run_trial(call: Invocation) -> None:
    """Put a memory on trial: from now on about every second session is told it. A coin decides, which is recorded,
    so that all hooks, subagents and machines of yours agree. When it has ended, or if you stop it, the memory is
    told again as before. Without ID: how all trials stand.

    Of the sessions in which it applied, those that were told it are compared with those that were not: how many
    violated it, or had to be corrected by you. Of what tool calls cannot show, corrections count, and commands that
    failed twice. Failures, turns and tokens are shown and decide nothing. The trial ends by itself: it helps, makes
    no difference, harms, or after the greatest number of sessions could not be decided. tacit review then asks
    whether to keep the memory.

    Safety rules are not tried: what a guard stops, what protects files or asks first, and what forbids without
    naming something else. Nor is what a rule file says anyway. Sessions whose agent asks Tacit by itself get the
    answer, and are left out.
    """
    trials, example = call.vault.trials, f"for example: {call.command.example}"
    if not call.args:
        call.require_with(("--stop", "--sessions"), "ID", example)
        reports = trials.reports()
        if call.shows_json(lambda: [trial_json(report) for report in reports]):
            return
        echo(bold(f"Trials ({len(reports)})"))
        for report in reports:
            _echo_report(report)
        if not reports:
            echo("No memory is on trial. To see whether telling one helps: tacit trial ID")
        return
    call.only_one(("--stop", "--sessions"), example)
    reference = call.vault.search.meant(call.text())
    if call.flag("--stop"):
        report = trials.stop(reference)
    else:
        report = trials.start(reference, call.number("--sessions") or DEFAULT_SESSIONS)
    if call.shows_json(lambda: trial_json(report)):
        return
    _echo_report(report)
    short = report.listed.short
    if report.trial.is_running:
        echo(f"  About every second session is told it from now on, by a coin. To end it: tacit trial {short} --stop")
    else:
        echo("  It is told in every session again.")


def _echo_report(report: TrialReport) -> None:
    echo_wrapped(f"- {cyan(f'[{report.listed.short}]')} {printable(report.listed.memory.claim.sentence)}")
    for line in report.lines:
        echo_wrapped(f"    {line}")


def trial_json(report: TrialReport) -> JsonObject:
    """Return a trial with its two arms."""
    trial, found = report.trial, report.difference
    return {
        **reference_json(report.listed.memory.claim),
        "trial_id": trial.id,
        "short": report.listed.short,
        "started_at": timestamp(trial.started_at),
        "ended_at": timestamp(trial.ended_at) if trial.ended_at else None,
        "verdict": trial.ending.value if trial.ending else "",
        "is_open": report.is_asked,
        "is_checkable": report.is_checkable,
        "is_resting": report.rests,
        "seed": trial.seed,
        "most": trial.most,
        "remaining": report.remaining,
        "told_sessions": _arm_json(report.treated),
        "other_sessions": _arm_json(report.control),
        "apart": [{"reason": name, "count": number} for name, number in report.apart],
        "interval": found._asdict() if found else None,
    }


def _arm_json(arm: TrialArm) -> JsonObject:
    return {
        "session_count": arm.sessions,
        "applied_count": arm.counts.applied,
        "bad_count": arm.counts.bad,
        "violated_count": arm.violated,
        "corrected_count": arm.corrected,
        "mean_failures": arm.failures,
        "mean_turns": arm.turns,
        "mean_tokens": arm.tokens,
    }
