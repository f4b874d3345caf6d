"""tacit doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.core.text import show
from tacit.log.verify import Finding
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.findings import report
from tacit.surfaces.cli.words import say, short_path
from tacit.surfaces.install.condition import Condition, condition
from tacit.surfaces.install.target import here
from tacit.surfaces.install.targets import TARGETS


def run(call: Call) -> int:
    call.no_words()
    place = here(call.value("--home"))
    found = [one for target in TARGETS.values() if (one := condition(target, place))]
    captures = call.vault.configuration.setting("autocapture.enabled").value is True
    if found and not call.flag("--json"):
        say(f"Installed in {', '.join(show(one.name) for one in found)}.")
    if (compared := call.vault.embeddings.meanings()) and not call.flag("--json"):
        say(f"Meaning: {compared} texts can be compared.")
    of_targets = [finding for one in found for finding in _findings(one)]
    return report(
        call,
        [*call.vault.doctor.doctor(), *of_targets, *_about_capturing(found, captures=captures)],
        "The home is well.",
    )


def _findings(one: Condition) -> Iterator[Finding]:
    """What keeps an installation from working. Whoever captures nothing because a program is gone should know."""
    again = f"tacit install {one.name}"
    if one.problem:
        yield Finding(one.path, one.problem, one.hint or again)
    elif one.gone:
        files = ", ".join(map(short_path, one.gone))
        harm = "" if one.is_guarded else f"; {one.name} may refuse every prompt because of it"
        yield Finding(one.path, f"what {one.name} should start is no longer there: {files}{harm}", again)
    elif not one.is_guarded:
        what = f"its hooks are from an earlier version: were Tacit removed, {one.name} might refuse every prompt"
        yield Finding(one.path, what, again, False)
    elif not one.is_current:
        yield Finding(one.path, f"{one.name} starts another installation, or works on another home", again, False)
    if one.doubt:
        yield Finding(one.path, one.doubt, f"change that setting, or take Tacit out: tacit uninstall {one.name}", False)


def _about_capturing(found: Sequence[Condition], *, captures: bool) -> Iterator[Finding]:
    """Hooks without capturing, and capturing without hooks: both may be meant, and both may have been overlooked."""
    agents = [one.name for one in found if one.is_agent]
    if agents and not captures:
        what = f"sessions with {', '.join(agents)} are given memories, but not recorded"
        yield Finding("autocapture", what, "tacit autocapture on", False)
    if captures and not agents:
        what = "it is on, but no agent has the hooks that it needs"
        yield Finding("autocapture", what, "tacit install claude, or another: tacit install", False)


COMMAND = Command(
    name="doctor",
    words="",
    help=(
        "Check the log line by line, the index against a fresh replay, the views against a fresh drawing, who may\n"
        "read the files, and what was installed into shells and agents. Says what to type for each finding; changes\n"
        "nothing. Exit code 3 when unwell."
    ),
    example="tacit doctor",
    run=run,
    options=(JSON,),
)
