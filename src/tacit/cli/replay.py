"""`tacit replay`: which corrections and failures a memory would have prevented, each with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from shlex import quote

from tacit.cli.cards import LIMIT_OPTIONS, echo_remaining, list_limit, reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, ProgressBar, bold, cyan, echo, echo_wrapped
from tacit.model.claim import is_project_scope, project_name
from tacit.model.event import timestamp
from tacit.text.display import clip, printable
from tacit.vault.incidents import Answer, IncidentKind
from tacit.vault.replay import Incident, Moment, Replay, empty_line, summary_lines

_MAX_TEXT_CHARS = 100
_TITLES = {
    Answer.IGNORED: "Told and ignored",
    Answer.UNTOLD: "Remembered, and not told",
    Answer.UNREMEMBERED: "Said or mended before, and not remembered",
}


@command(
    "",
    "tacit replay --since 90d",
    Option("--since", "TIME", "since when, for example 90d or 2026-11-15 (default: 30d)"),
    *LIMIT_OPTIONS,
    JSON_OPTION,
)
def run_replay(call: Invocation) -> None:
    """What memory would have spared you: every time you corrected an agent, or a command of an agent failed, that is
    in the recorded sessions, against what was known then. A correction counts if it repeats a memory that was active,
    or what you had said in an earlier session of the project; a failure if a memory or an earlier session had its fix;
    and so does a rule that the agent was told and broke. Each line says whether it was told, and ends with what to type
    to see it. What is doubtful is left out, and nothing is written.
    """
    limit = list_limit(call)
    with ProgressBar("sessions") as bar:
        replay = call.vault.replays.replay(call.value("--since"), progress=bar)
    shown = replay.incidents if limit is None else replay.incidents[:limit]
    if call.shows_json(lambda: _replay_json(replay, shown)):
        return
    if not replay.incidents:
        echo_wrapped(empty_line(replay))
        return
    echo(f"Since {replay.since:%A, %Y-%m-%d}")
    echo_wrapped(*summary_lines(replay))
    for answer, title in _TITLES.items():
        groups: dict[str, list[Incident]] = {}  # by the memory, or by what could be one
        for incident in shown:
            if incident.answer is answer:
                groups.setdefault(incident.memory.id if incident.memory else incident.sentence, []).append(incident)
        if groups:
            echo()
            echo(bold(title))
        for incidents in groups.values():
            echo_wrapped(*(f"  {line}" for line in _known_lines(incidents[0])), hang=4)
            echo_wrapped(*(f"    {_moment_line(one.moment, one.kind)}" for one in incidents), hang=4)
            for moment, kind in dict.fromkeys((one.earlier, one.kind) for one in incidents if one.earlier):
                before = "said" if kind is IncidentKind.CORRECTION else "mended"
                echo_wrapped(f"    {before} before, {_moment_line(moment, kind)}", hang=4)
    echo_remaining(call, len(shown), len(replay.incidents), "line")


def _known_lines(incident: Incident) -> Iterator[str]:
    """Yield what was known, and what to do about it, each with the command."""
    if incident.memory is None:
        yield f"“{printable(incident.sentence)}”"
        yield _keep_line(incident)
        return
    yield f"“{printable(incident.memory.sentence)}”: {cyan(f'tacit why {incident.short}')}"
    if incident.is_guarded:
        yield f"a guard stops it now: {cyan('tacit guard list')}"
    elif incident.answer is Answer.UNTOLD:
        yield f"what was told instead: {cyan(f'tacit injected --session {incident.moment.short}')}"
    elif incident.can_guard:
        yield f"to stop it: {cyan(f'tacit guard on {incident.short}')}"


def _moment_line(moment: Moment, kind: IncidentKind) -> str:
    text = printable(clip(moment.text, _MAX_TEXT_CHARS))
    shown = f"“{text}”" if kind is IncidentKind.CORRECTION else f"`{text}`"
    day = datetime.fromisoformat(moment.at).astimezone()
    return f"{day:%Y-%m-%d} {shown}: {cyan(f'tacit sessions {moment.short} --turn {moment.turn}')}"


def _keep_line(incident: Incident) -> str:
    """Return how to remember what was not, unless it is since."""
    if incident.short:
        to_do, verb = ("to keep it", "accept") if incident.is_pending else ("remembered since", "why")
        return f"{to_do}: {cyan(f'tacit {verb} {incident.short}')}"
    scope = incident.moment.scope
    where = f", in {printable(project_name(scope))}" if is_project_scope(scope) else ""
    return f"to keep it{where}: {cyan(f'tacit add {quote(printable(incident.sentence))}')}"


def _replay_json(replay: Replay, shown: tuple[Incident, ...]) -> JsonObject:
    return {
        "since": timestamp(replay.since),
        "session_count": replay.session_count,
        "correction_count": replay.correction_count,
        "failed_count": replay.failure_count,
        "ignored_count": sum(one.answer is Answer.IGNORED for one in replay.incidents),
        "untold_count": sum(one.answer is Answer.UNTOLD for one in replay.incidents),
        "unremembered_count": sum(one.answer is Answer.UNREMEMBERED for one in replay.incidents),
        "incidents": [_incident_json(incident) for incident in shown],
    }


def _incident_json(incident: Incident) -> JsonObject:
    return {
        "what": incident.kind.value,
        "known": incident.answer.value,
        **_moment_json(incident.moment),
        "remembered": reference_json(incident.memory) if incident.memory else None,
        "earlier": _moment_json(incident.earlier) if incident.earlier else None,
        "candidate": "" if incident.memory else incident.short,
        "statement": incident.sentence,
        "guarded": incident.is_guarded,
    }


def _moment_json(moment: Moment) -> JsonObject:
    fields = {"session": moment.session, "short": moment.short, "turn": moment.turn, "at": moment.at}
    return {**fields, "text": moment.text}
