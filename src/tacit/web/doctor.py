"""Doctor: counts of what the home holds, and its checks, which run when they are asked for."""

from __future__ import annotations

from starlette.responses import Response

from tacit.web.request import PageRequest


def doctor_page(call: PageRequest) -> Response:
    is_run = bool(call.value("run"))
    findings = sorted(call.vault.doctor.doctor(), key=lambda finding: not finding.serious) if is_run else []
    values = {"status": call.vault.status(), "findings": findings, "is_run": is_run}
    return call.page("doctor.html", "Doctor", values)
