"""How findings of verify and doctor are told."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.text import show
from tacit.log.verify import Finding
from tacit.surfaces.cli.command import Call
from tacit.surfaces.cli.words import say, say_json


def report(call: Call, findings: Sequence[Finding], all_well: str) -> int:
    serious = [finding for finding in findings if finding.serious]
    if call.flag("--json"):
        say_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            say(f"{'✗' if finding.serious else '·'} {show(finding.where)}: {show(finding.what)}")
            say(f"    → {show(finding.mend)}")
        say(f"{len(serious)} to mend." if serious else all_well)
    return 3 if serious else 0
