"""`tacit recall` and `tacit brief`."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from itertools import pairwise

from tacit.cli.command import EXIT_CODE_OPTION, JSON_OPTION, Command, Invocation, Option, text_or_stdin
from tacit.cli.json_output import JsonObject, entry_reference
from tacit.cli.output import echo, echo_json, short_path, trust_hint, warn
from tacit.errors import UsageError
from tacit.index.commands import FAILED_STATUS
from tacit.model.claim import is_project_scope, scope_label
from tacit.search.rank import COMMAND, PAGE_KINDS
from tacit.text.display import clip, printable
from tacit.vault.hits import Hit, SessionQuote
from tacit.vault.labels import STATUS_LABELS

# tacit brief.


def run_brief(call: Invocation) -> int:
    call.refuse_args()
    brief = call.vault.queries.brief(task=call.text_value("--for"), tags=call.all_values("--tag"))
    if call.flag("--json"):
        echo_json(
            {
                "memories": [entry_reference(entry) for entry in brief.entries],
                "tokens": brief.tokens,
                "text": brief.text,
            }
        )
    else:
        sys.stdout.write(brief.text)
    warn(f"Memory loaded: {len(brief.entries)} entries ({printable(call.vault.queries.scope_text)}).")
    if untrusted := call.vault.home.count_untrusted():
        warn(trust_hint(untrusted))
    return 0


BRIEF = Command(
    name="brief",
    usage="",
    help=(
        "At most seven memories that an agent should know now, within a budget of tokens, fenced. The project's\n"
        "constraints and rules are always among them, and are introduced as your standing rules."
    ),
    example='tacit brief --for "write the release notes"',
    run=run_brief,
    options=(
        Option("--for", "TASK", "what the work is about"),
        Option("--tag", "TAG", "prefer memories with this tag", repeatable=True),
        JSON_OPTION,
    ),
)


# tacit recall.

_MAX_TITLE_CHARS, _MAX_ANSWER_CHARS = (
    60,
    300,
)  # characters of a session's title, and of what this turn or a later one came to
_BOLD, _RESET = "\x1b[1m", "\x1b[0m"
_ACT_LABELS = {"ran": "ran this", "changed": "changed this", "read": "read this", "searched": "searched for this"}


def run_recall(call: Invocation) -> int:
    hits = _search_hits(call)
    if call.flag("--json"):
        echo_json([_hit_json(hit) for hit in hits])
    else:
        echo(f"Recall Results ({len(hits)})")
        highlight = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        for hit in hits:
            echo("\n".join(hit_lines(hit, highlight=highlight)))
            if call.flag("--explain"):
                echo(f"    why: {printable(hit.why)}")
        if not hits:
            echo("- No matches.")
    return call.exit_code(found=bool(hits))


def _search_hits(call: Invocation) -> list[Hit]:
    if like := call.value("--like"):
        if call.args or call.value("--query"):
            raise UsageError("--like takes an id and no query", f"tacit recall --like {like}")
        return call.vault.queries.recall_like(like, limit=call.number("--limit"))
    query = _query_text(call)
    if call.value("--kind") in (None, COMMAND):
        call.vault.queries.index_new_commands()
    return call.vault.queries.recall(
        query,
        limit=call.number("--limit"),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        since=call.value("--since"),
        as_of=call.value("--as-of"),
        everything=call.flag("--all"),
    )


def _query_text(call: Invocation) -> str:
    """Any text is a query, also an empty one; only no text at all is a mistake."""
    given = call.value("--query")
    if given is None and not call.args:
        return call.text()
    return text_or_stdin(" ".join([*([given] if given else []), *call.args]))


def hit_lines(hit: Hit, *, highlight: bool = False) -> list[str]:
    """An answer as people read it: what answers, who said it and when, how to open it, where it stands."""
    said = hit.said
    if hit.kind == COMMAND:
        told, marks = [f"$ {printable(line)}" for line in hit.text.split("\n")], _command_marks(hit)
    elif said is not None and hit.kind == "session":
        told, marks = _passage_lines(said, highlight=highlight), _session_marks(hit, said)
    else:
        name = f"[{hit.short}] " if hit.kind not in PAGE_KINDS else ""
        told, marks = [f"{name}{printable(hit.text)}"], _memory_marks(hit)
    opens = [f"open: {said.open_command}"] if said else []
    below = [f"    {line}" for line in (*marks, *opens, f"{printable(hit.path)}:{hit.line}")]
    return [f"- {told[0]}", *(f"  {line}" for line in told[1:]), *below]


def _memory_marks(hit: Hit) -> list[str]:
    marks = [hit.kind, STATUS_LABELS.get(hit.status, hit.status), printable(scope_label(hit.scope)), hit.at[:10]]
    if hit.conflict:
        marks.append("conflict")
    if hit.overruled_by:
        marks.append(f"overruled by {hit.overruled_by}")
    learned = [f"learned from what {_speaker_name(hit.said)} said, {_quote_time(hit.said)}"] if hit.said else []
    return [", ".join(marks), *learned]


def _session_marks(hit: Hit, said: SessionQuote) -> list[str]:
    """Who said it, when and where; what was asked, and what it came to."""
    label = f", {printable(scope_label(hit.scope))}" if is_project_scope(hit.scope) else ""
    told = [
        f"{_speaker_text(said)}, {_quote_time(said)}, session {said.short} "
        f"“{printable(clip(said.title, _MAX_TITLE_CHARS))}”{label}"
    ]
    if said.speaker and hit.text != said.title:
        told.append(f"asked: {printable(hit.text)}")
    if said.answer:
        told.append(
            f"{'then' if said.speaker else 'answer'}: "
            f"{printable(clip(' '.join(said.answer.split()), _MAX_ANSWER_CHARS))}"
        )
    if said.later:
        told.append(
            f"later, in turn {said.later_turn}: {printable(clip(' '.join(said.later.split()), _MAX_ANSWER_CHARS))}"
        )
    return told


def _speaker_text(said: SessionQuote) -> str:
    if not said.act:
        return f"{_speaker_name(said)} said"
    where = f" in {printable(short_path(said.directory))}" if said.act == "ran" and said.directory else ""
    outcome = f", {said.outcome}" if said.outcome else ""
    return f"{_speaker_name(said)} {_ACT_LABELS.get(said.act, 'called a tool')}{where}{outcome}"


def _command_marks(hit: Hit) -> list[str]:
    known = {None: "outcome unknown", 0: "exit status 0", FAILED_STATUS: "failed"}
    ended = known.get(hit.exit_status, f"failed with exit status {hit.exit_status}")
    where = f" in {printable(short_path(hit.directory))}" if hit.directory else ""
    who = _speaker_name(hit.said) if hit.said else "you"
    return [f"{who} ran this{where}, {_local_minute(hit.at)}, {ended}"]


def _speaker_name(said: SessionQuote) -> str:
    return printable(said.speaker) or "you"


def _quote_time(said: SessionQuote) -> str:
    return _local_minute(said.at)


def _local_minute(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _passage_lines(said: SessionQuote, *, highlight: bool) -> list[str]:
    """The lines of a passage, with its matches in bold where that is asked for."""
    told, start = [], 0
    for line in said.text.split("\n"):
        end = start + len(line)
        inside = [(first, last) for first, last in said.matches if start <= first and last <= end] if highlight else []
        cuts = [start, *(cut for span in inside for cut in span), end]
        pieces = [printable(said.text[first:last]) for first, last in pairwise(cuts)]
        told.append("".join(f"{_BOLD}{piece}{_RESET}" if at % 2 else piece for at, piece in enumerate(pieces)))
        start = end + 1
    return told


def _hit_json(hit: Hit) -> JsonObject:
    """One object for every kind of answer; fields that do not apply are empty."""
    told, said = hit._asdict(), hit.said
    told.pop("said")
    reason = told.pop("why")
    return {
        **told,
        "reason": reason,
        "passage": hit.passage,
        "speaker": (said.speaker or "you") if said else "",
        "said_at": said.at if said else None,
        "session": said.session if said else "",
        "title": said.title if said else "",
        "turn": said.turn if said else None,
        "answer": said.answer if said else "",
        "later": said.later if said else "",
        "later_turn": said.later_turn if said else None,
        "open": said.open_command if said else "",
    }


RECALL = Command(
    name="recall",
    usage="QUERY",
    help=(
        "Search memories, candidates, sessions, commands, the worklog and evaluations. Any text is a query; words are\n"
        "enough, and - reads it from standard input. In a project you see its memories and the global ones, elsewhere\n"
        "all. Of a session the passage that matched is shown, and the command that opens it."
    ),
    example='tacit recall "implementation work"',
    run=run_recall,
    options=(
        Option("--query", "TEXT", "the query, where it cannot be given as words"),
        Option("--limit", "N", "at most so many answers (default 10); fewer are the first of more"),
        Option("--kind", "KIND", "only this kind: constraint, rule, …, worklog, evaluation, session, command"),
        Option("--scope", "SCOPE", "local, global or all"),
        Option("--since", "TIME", "only what was said since, for example 7d or 2026-11-15"),
        Option("--as-of", "TIME", "as memory was then, for example yesterday"),
        Option("--all", help="also what was forgotten, dismissed or overruled"),
        Option("--like", "ID", "more like this memory, instead of a query"),
        Option("--explain", help="what matched, and what it weighed"),
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
    takes_any_text=True,
)
