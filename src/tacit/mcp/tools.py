"""What the server offers, in which form arguments must come, the calling client, and what the tools do.

`catalog.json` has the tools, prompts and templates of resources as clients get them. Only their examples, which are
arguments that fit, are not sent, and a description is one text there. No tool accepts, dismisses, forgets, purges,
trusts, undoes or configures anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from tacit.errors import NotFoundError, StoreError, TacitError, UsageError
from tacit.mcp.protocol import Json
from tacit.record import Record
from tacit.text.display import fenced_lines, harmless_line

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypedDict

    from tacit.home.actor import Actor
    from tacit.model.claim import Scope
    from tacit.vault import Vault
    from tacit.vault.evidence import MemoryEvent
    from tacit.vault.hits import Hit

    # What `tools/list` and `prompts/list` show, as far as the server looks at it. Arguments have a JSON Schema.

    class Property(TypedDict, total=False):
        type: str
        description: str
        enum: list[str]
        minimum: int
        maximum: int

    class InputSchema(TypedDict, total=False):
        properties: dict[str, Property]
        required: list[str]

    class Tool(TypedDict):
        name: str
        inputSchema: InputSchema

    class PromptArgument(TypedDict):
        name: str
        description: str
        required: bool

    class Prompt(TypedDict, total=False):
        name: str
        description: str
        arguments: list[PromptArgument]

    class Catalog(TypedDict):
        tools: list[Tool]
        prompts: list[Prompt]
        resourceTemplates: list[dict[str, str]]


# What clients get

CATALOG_PATH = os.path.join(os.path.dirname(__file__), "catalog.json")


@cache
def load_catalog() -> Catalog:
    """Return the lists that clients get."""
    with open(CATALOG_PATH, encoding="utf-8") as file:
        catalog: Catalog = json.load(file, object_hook=_without_example)
    return catalog


def _without_example(value: dict[str, object]) -> dict[str, object]:
    if "example" in value and isinstance(lines := value["description"], list):
        del value["example"]
        value["description"] = " ".join(lines)
    return value


# Arguments

_PYTHON_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}
_TYPE_LABELS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


class McpArguments:
    """Arguments that were checked."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str, default: int) -> int:
        value = self._values.get(name)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def texts(self, name: str) -> list[str]:
        values = self._values.get(name)
        return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []


def check_arguments(
    properties: Mapping[str, Property], required: Collection[str], arguments: Mapping[str, object]
) -> McpArguments:
    """Return the checked arguments. Null counts as missing. Raise UsageError if one does not fit."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given.keys() - properties.keys():
        raise UsageError(f"there is no argument {name[:40]!r}", f"the arguments are: {', '.join(properties) or 'none'}")
    for name, schema in properties.items():
        if name not in given:
            if name in required:
                raise UsageError(f"the argument {name} is missing", f"{name}: {schema['description']}")
            continue
        kind, value = schema["type"], given[name]
        fits = isinstance(value, _PYTHON_TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")
        if not fits or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
            raise UsageError(f"{name} must be {_TYPE_LABELS[kind]}", f"{name}: {schema['description']}")
        if "enum" in schema and value not in schema["enum"]:
            raise UsageError(f"{name} must be one of: {', '.join(schema['enum'])}")
        if isinstance(value, int) and "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
            raise UsageError(f"{name} must be from {schema['minimum']} to {schema['maximum']}")
    return McpArguments(given)


# The client: always an agent, whatever the environment says

_MAX_NAME_CHARS = 48


class ClientContext(Record):
    """The name of a client, and the home it uses. Each request opens the home anew."""

    name: str
    home: str | None = None

    def open_vault(self) -> Vault:
        from tacit.home.home import Home
        from tacit.home.store import Following, StoreOptions
        from tacit.vault import Vault

        return Vault(Home(self.home, actor=client_actor(self.name, os.environ), options=StoreOptions(Following.THREAD)))


def client_actor(name: str, environment: Mapping[str, str]) -> Actor:
    """Return the agent of this name. The environment gives session, host and clock, never the actor."""
    from tacit.home.actor import current_actor
    from tacit.text.display import clean, clip, printable

    label = clip(printable(clean(name)).strip(), _MAX_NAME_CHARS) or "unknown"
    return current_actor(environment)._replace(name=f"agent:{label}")


# Running a tool


# What a tool answers is one text, and no values beside it. Of an answer with both, some hosts give their model the
# values alone: without the fence, and without what to do next.


def run_tool(name: str, arguments: Mapping[str, object], caller: ClientContext) -> Json:
    """Run a tool and return its result. Errors are results too, so that the model can correct itself.

    Raise KeyError if there is no such tool.
    """
    run = TOOLS[name]
    schema = next(tool["inputSchema"] for tool in load_catalog()["tools"] if tool["name"] == name)
    try:
        checked = check_arguments(schema["properties"], schema.get("required", ()), arguments)
        with caller.open_vault() as vault:
            text = run(vault, checked)
    except NotFoundError as error:
        return _error_result(NotFoundError(error.message, _FIND_ID.get(name, error.hint)))
    except TacitError as error:
        return _error_result(error)
    except OSError as error:
        message = error.strerror or type(error).__name__
        return _error_result(StoreError(message, "tacit doctor"))
    return {"content": [{"type": "text", "text": text}], "isError": False}


_FIND_ID = {
    "why": "find its id with recall, or take it from the brief",
    "open_session": "find its id with recent_sessions or recall",
}


def _error_result(error: TacitError) -> Json:
    # A command is for the person: no tool of the agent does what it does.
    hint = f"ask the person to type: {error.hint}" if error.hint.startswith("tacit ") else error.hint
    hint = f"\nWhat to do: {harmless_line(hint, 500)}" if hint else ""
    content = {"type": "text", "text": f"Not done: {harmless_line(error.message, 500)}{hint}"}
    return {"content": [content], "isError": True}


# Tools that read memories

NO_MEMORIES = "Nothing is remembered here yet."
_MAX_ANSWER_CHARS = 400
_MAX_QUERY_CHARS = 4096
_MAX_EVENTS = 40  # of a history, the latest


def run_brief(vault: Vault, arguments: McpArguments) -> str:
    brief = vault.search.brief(task=arguments.text("task")[:_MAX_QUERY_CHARS])
    return brief.text.rstrip("\n") or NO_MEMORIES


def run_recall(vault: Vault, arguments: McpArguments) -> str:
    hits = vault.search.recall(
        arguments.text("query")[:_MAX_QUERY_CHARS],
        limit=arguments.number("limit", 10),
        kind=arguments.text_or_none("kind"),
        scope=arguments.text_or_none("scope"),
        since=arguments.text_or_none("since"),
    )
    return fenced_lines(map(_hit_line, hits)) if hits else "Nothing is remembered about this."


def _hit_line(hit: Hit) -> str:
    quote = hit.quote
    marks = [hit.kind, _scope_text(hit.scope), *filter(None, (hit.at[:10], "disputed" if hit.conflict else ""))]
    if quote is None or hit.kind != "session":
        where = hit.short
        if hit.kind == "command":
            ended = "outcome unknown" if hit.exit_status is None else "failed" if hit.exit_status else "went well"
            where = f"in {harmless_line(hit.directory, 200) or 'an unknown folder'}, {ended}"
        details = [f"; {harmless_line(text, _MAX_ANSWER_CHARS)}" for text in hit.details]
        return f"- [{', '.join(marks)}] {harmless_line(hit.text)}{''.join(details)} ({where})"
    marks.append(f"said by {harmless_line(quote.speaker, 64) or 'the person'}")
    ran = f" (ran: {harmless_line(quote.ran, _MAX_ANSWER_CHARS)})" if quote.ran else ""
    answer = f" … {harmless_line(quote.answer, _MAX_ANSWER_CHARS)}" if quote.answer else ""
    text = f"{harmless_line(hit.passage)}{ran}{answer}"
    line = f"- [{', '.join(marks)}] {text} (session {quote.short}, turn {quote.turn})"
    more = (f" Turn {other.turn}: {harmless_line(other.text, _MAX_ANSWER_CHARS)}" for other in quote.more)
    return line + "".join(more)


def run_why(vault: Vault, arguments: McpArguments) -> str:
    listed, reasons = vault.search.why(arguments.text("id")[:400])
    memory = listed.memory
    author = f", from the team: {harmless_line(memory.author, 200)}" if memory.author else ""
    counted = f"observed {memory.strength} times, confidence {memory.confidence:.2f}"
    about = f"{memory.kind.label}, {memory.status.value}, {_scope_text(memory.claim.scope)}{author}; {counted}"
    heading = f"[{listed.short}] {harmless_line(memory.claim.sentence)} ({about})"
    return fenced_lines([heading, *map(_event_line, reasons[-_MAX_EVENTS:])])


def _event_line(reason: MemoryEvent) -> str:
    from tacit.vault.evidence import describe_event, event_details

    origin, what = reason.event.origin, describe_event(reason) + (", undone" if reason.undone else "")
    details = [f"; {label}: {harmless_line(text, 500)}" for label, text in event_details(reason)]
    actor = harmless_line(origin.actor, 64)
    return f"- {origin.at:%Y-%m-%dT%H:%M} {actor}: {harmless_line(what, 100)}{''.join(details)}"


def _scope_text(scope: Scope) -> str:
    from tacit.model.claim import scope_label

    return harmless_line(scope_label(scope), 100)


# Tools that record something: proposals, which wait for the person, and the worklog

_LOCK_TIMEOUT_SECONDS = 3.0  # an agent waits for the answer, and a person for the agent
_MAX_SCANNED_CHARS = 20_000  # of an argument that are searched for secrets
_DECIDED_ADVICE = {
    "active": "The person accepted this before: it holds already. Nothing is left to do.",
    "dismissed": "The person turned this down before. Do not bring it up again.",
    "retired": "The person had this forgotten before. Do not bring it up again unless they do.",
}


def wait_for_write_lock(vault: Vault) -> None:
    """Wait until nobody writes to the home, for a shorter time than the command line does. Raise StoreError."""
    from tacit.disk.lock import FileLock

    home = vault.home.store.paths
    if os.path.isdir(home.root):
        with FileLock(home.write_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            pass


def clip_evidence(text: str) -> str:
    """Return evidence clipped to what the home stores. Raise RefusedError if the text before the cut has a secret."""
    from tacit.home.input import MAX_EVIDENCE_CHARS
    from tacit.secrets import refuse_secrets
    from tacit.text.display import clip

    refuse_secrets(text[:_MAX_SCANNED_CHARS])
    return clip(text.strip(), MAX_EVIDENCE_CHARS)


def _decision_advice(short: str) -> str:
    return (
        "It is a candidate and holds only when the person accepts it. They decide with tacit review, or by typing "
        f"tacit accept {short} or tacit dismiss {short}."
    )


def run_suggest(vault: Vault, arguments: McpArguments) -> str:
    evidence, quote = arguments.text("evidence").strip(), arguments.text("quote").strip()
    wait_for_write_lock(vault)
    outcome = vault.memories.suggest(
        arguments.text("text"),
        evidence=clip_evidence(evidence),
        quote=quote,
        reason=arguments.text("reason").strip(),
        everywhere=arguments.flag("everywhere"),
    )
    if not quote:
        question = (
            "Put this to the person, in their language, and go on with the work whatever they answer:\n"
            f"  I noticed: {harmless_line(evidence, 300)}. Should I remember: "
            f"“{harmless_line(outcome.memory.claim.sentence)}”?\n"
            f"If they want it, they type: tacit accept {outcome.short}\n"
            f"If not: tacit dismiss {outcome.short}\n"
            "Only they can do that; do not type it for them."
        )
    elif outcome.is_quoted:
        question = f"The quote was found; the person sees it as their words.\n{_decision_advice(outcome.short)}"
    else:
        question = (
            "The quote is in no recorded prompt of this project, so the person sees this as your own conclusion. If "
            f"you changed their words, call suggest again with the exact ones.\n{_decision_advice(outcome.short)}"
        )
    memory, status = outcome.memory, outcome.memory.status.value
    sentence = harmless_line(memory.claim.sentence)
    heading = f"{'Noted' if outcome.changed else 'Known'} [{outcome.short}] ({memory.kind.label}, {status}): {sentence}"
    return f"{heading}\n{_DECIDED_ADVICE.get(status) or question}"


def run_log_work(vault: Vault, arguments: McpArguments) -> str:
    from tacit.model.observation import WorkLogged

    entry = WorkLogged(**{name: clip_evidence(arguments.text(name)) for name in WorkLogged._fields})
    wait_for_write_lock(vault)
    vault.memories.log(entry)
    task, summary = harmless_line(entry.task, 200), harmless_line(entry.summary, 400)
    return f"Logged: {task}: {summary}"


# Tools that read sessions. Their texts are fenced and clipped.

_MAX_FILES = 12
_MAX_LINE_CHARS, _MAX_TEXT_CHARS = 400, 20_000  # of one line of a session, and of all that are given


class RecentSession(Record):
    """A session as an agent is shown it. None of its texts can leave a fence."""

    id: str
    agent: str
    at: str
    title: str
    outcome: str
    files: list[str]
    scope: str

    @property
    def line(self) -> str:
        files = f"Files: {', '.join(self.files)}" if self.files else ""
        parts = [self.title, f"Outcome: {self.outcome}" if self.outcome else "", files]
        summary = " · ".join(part for part in parts if part)
        return f"- [{self.at[:16]}, {self.agent}, {self.scope}] {summary} ({self.id})"


def recent_sessions(vault: Vault, *, here: bool, limit: int) -> list[RecentSession]:
    """Return the latest sessions, newest first: of this project if `here`, else of all."""
    return [
        RecentSession(
            session.short,
            harmless_line(session.row.agent, 64),
            session.row.ended_at,
            harmless_line(session.row.title, 200),
            harmless_line(session.row.outcome, 300),
            [harmless_line(file, 200) for file in session.row.files[:_MAX_FILES]],
            harmless_line(session.label, 100),
        )
        for session in vault.sessions.sessions(project=here, limit=limit)
    ]


def session_page(vault: Vault, name: str) -> str | None:
    """Return a whole session of this project as Markdown in a fence; None if there is none of this name."""
    try:
        listed, session = vault.sessions.session(name)
    except (NotFoundError, UsageError):
        return None
    if not vault.sessions.is_of_this_project(listed):
        return None
    rest = "(The rest is left out. The person can read it with tacit session.)"
    return fenced_lines(_clipped_lines(vault.sessions.session_lines(session), rest))


def _clipped_lines(lines: Iterable[str], rest: str) -> list[str]:
    """Return harmless lines up to the limit. If some are left out, `rest` is the last line and says so."""
    clipped: list[str] = []
    size = 0
    for line in lines:
        clipped.append(harmless_line(line, _MAX_LINE_CHARS))
        size += len(clipped[-1])
        if size > _MAX_TEXT_CHARS:
            return [*clipped, rest]
    return clipped


def run_recent_sessions(vault: Vault, arguments: McpArguments) -> str:
    rows = recent_sessions(vault, here=not arguments.flag("everywhere"), limit=arguments.number("limit", 5))
    return fenced_lines(row.line for row in rows) if rows else "No earlier session is recorded here."


def run_open_session(vault: Vault, arguments: McpArguments) -> str:
    listed, session = vault.sessions.session(arguments.text("id"))
    if not arguments.flag("everywhere"):
        vault.sessions.must_be_of_this_project(listed)
    turn, around = arguments.number("turn", 1), arguments.number("around", 1)
    rest = "(The rest is left out: ask for one turn, with around 0.)"
    lines = _clipped_lines(vault.sessions.turn_lines(session, turn, around), rest)
    title, agent = harmless_line(listed.row.title, 200), harmless_line(session.agent, 64)
    place = f"{listed.row.ended_at[:16]}, turn {turn} of {len(session.turns)}"
    heading = f"Session {listed.short} with {agent}, {place}: {title}"
    return fenced_lines([heading, *lines])


TOOLS: dict[str, Callable[[Vault, McpArguments], str]] = {
    "brief": run_brief,
    "recall": run_recall,
    "suggest": run_suggest,
    "why": run_why,
    "log_work": run_log_work,
    "recent_sessions": run_recent_sessions,
    "open_session": run_open_session,
}
