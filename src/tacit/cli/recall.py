"""`tacit recall` and `tacit brief`."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from itertools import pairwise

from tacit.cli.command import EXIT_CODE, JSON, Call, Command, Option, from_input
from tacit.cli.json_forms import Form, entry_reference
from tacit.cli.output import say, say_json, short_path, waiting_for_trust, warn
from tacit.errors import WrongUse
from tacit.index.commands import FAILED
from tacit.model.claim import is_local, scope_label
from tacit.search.rank import COMMAND, PAGE_KINDS
from tacit.text.display import clip, show
from tacit.vault.hits import Hit, Said
from tacit.vault.wording import STATUS_WORDS

# tacit brief.


def run_brief(call: Call) -> int:
    call.no_words()
    brief = call.vault.queries.brief(task=call.text_value("--for"), tags=call.all_values("--tag"))
    if call.flag("--json"):
        say_json(
            {
                "memories": [entry_reference(entry) for entry in brief.entries],
                "tokens": brief.tokens,
                "text": brief.text,
            }
        )
    else:
        sys.stdout.write(brief.text)
    warn(f"Memory loaded: {len(brief.entries)} entries ({show(call.vault.queries.scope_words)}).")
    if untrusted := call.vault.home.untrusted():
        warn(waiting_for_trust(untrusted))
    return 0


BRIEF = Command(
    name="brief",
    words="",
    help=(
        "At most seven memories that an agent should know now, within a budget of tokens, fenced. The project's\n"
        "constraints and rules are always among them, and are introduced as your standing rules."
    ),
    example='tacit brief --for "write the release notes"',
    run=run_brief,
    options=(
        Option("--for", "TASK", "what the work is about"),
        Option("--tag", "TAG", "prefer memories with this tag", many=True),
        JSON,
    ),
)


# tacit recall.

_TITLE, _ANSWER = 60, 300  # characters of a session's title, and of what this turn or a later one came to
_BOLD, _RESET = "\x1b[1m", "\x1b[0m"
_DID = {"ran": "ran this", "changed": "changed this", "read": "read this", "searched": "searched for this"}


def run_recall(call: Call) -> int:
    hits = _hits(call)
    if call.flag("--json"):
        say_json([_form(hit) for hit in hits])
    else:
        say(f"Recall Results ({len(hits)})")
        highlight = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        for hit in hits:
            say("\n".join(hit_lines(hit, highlight=highlight)))
            if call.flag("--explain"):
                say(f"    why: {show(hit.why)}")
        if not hits:
            say("- No matches.")
    return call.exit_code(found=bool(hits))


def _hits(call: Call) -> list[Hit]:
    if like := call.value("--like"):
        if call.words or call.value("--query"):
            raise WrongUse("--like takes an id and no query", f"tacit recall --like {like}")
        return call.vault.queries.recall_like(like, limit=call.number("--limit"))
    query = _query(call)
    if call.value("--kind") in (None, COMMAND):
        call.vault.queries.file_waiting_commands()
    return call.vault.queries.recall(
        query,
        limit=call.number("--limit"),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        since=call.value("--since"),
        as_of=call.value("--as-of"),
        everything=call.flag("--all"),
    )


def _query(call: Call) -> str:
    """Any text is a query, also an empty one; only no text at all is a mistake."""
    given = call.value("--query")
    if given is None and not call.words:
        return call.text()
    return from_input(" ".join([*([given] if given else []), *call.words]))


def hit_lines(hit: Hit, *, highlight: bool = False) -> list[str]:
    """An answer as people read it: what answers, who said it and when, how to open it, where it stands."""
    said = hit.said
    if hit.kind == COMMAND:
        told, marks = [f"$ {show(line)}" for line in hit.text.split("\n")], _command_marks(hit)
    elif said is not None and hit.kind == "session":
        told, marks = _passage_lines(said, highlight=highlight), _session_marks(hit, said)
    else:
        name = f"[{hit.short}] " if hit.kind not in PAGE_KINDS else ""
        told, marks = [f"{name}{show(hit.text)}"], _memory_marks(hit)
    opens = [f"open: {said.opens}"] if said else []
    below = [f"    {line}" for line in (*marks, *opens, f"{show(hit.path)}:{hit.line}")]
    return [f"- {told[0]}", *(f"  {line}" for line in told[1:]), *below]


def _memory_marks(hit: Hit) -> list[str]:
    marks = [hit.kind, STATUS_WORDS.get(hit.status, hit.status), show(scope_label(hit.scope)), hit.at[:10]]
    if hit.conflict:
        marks.append("conflict")
    if hit.overruled_by:
        marks.append(f"overruled by {hit.overruled_by}")
    learned = [f"learned from what {_who(hit.said)} said, {_when(hit.said)}"] if hit.said else []
    return [", ".join(marks), *learned]


def _session_marks(hit: Hit, said: Said) -> list[str]:
    """Who said it, when and where; what was asked, and what it came to."""
    label = f", {show(scope_label(hit.scope))}" if is_local(hit.scope) else ""
    told = [f"{_spoke(said)}, {_when(said)}, session {said.short} “{show(clip(said.title, _TITLE))}”{label}"]
    if said.speaker and hit.text != said.title:
        told.append(f"asked: {show(hit.text)}")
    if said.answer:
        told.append(f"{'then' if said.speaker else 'answer'}: {show(clip(' '.join(said.answer.split()), _ANSWER))}")
    if said.later:
        told.append(f"later, in turn {said.later_turn}: {show(clip(' '.join(said.later.split()), _ANSWER))}")
    return told


def _spoke(said: Said) -> str:
    if not said.did:
        return f"{_who(said)} said"
    where = f" in {show(short_path(said.directory))}" if said.did == "ran" and said.directory else ""
    return f"{_who(said)} {_DID.get(said.did, 'called a tool')}{where}{', ' + said.outcome if said.outcome else ''}"


def _command_marks(hit: Hit) -> list[str]:
    known = {None: "outcome unknown", 0: "exit status 0", FAILED: "failed"}
    ended = known.get(hit.exit_status, f"failed with exit status {hit.exit_status}")
    where = f" in {show(short_path(hit.directory))}" if hit.directory else ""
    who = _who(hit.said) if hit.said else "you"
    return [f"{who} ran this{where}, {_local(hit.at)}, {ended}"]


def _who(said: Said) -> str:
    return show(said.speaker) or "you"


def _when(said: Said) -> str:
    return _local(said.at)


def _local(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _passage_lines(said: Said, *, highlight: bool) -> list[str]:
    """The lines of a passage, with its matches in bold where that is asked for."""
    told, start = [], 0
    for line in said.text.split("\n"):
        end = start + len(line)
        inside = [(first, last) for first, last in said.matches if start <= first and last <= end] if highlight else []
        cuts = [start, *(cut for span in inside for cut in span), end]
        pieces = [show(said.text[first:last]) for first, last in pairwise(cuts)]
        told.append("".join(f"{_BOLD}{piece}{_RESET}" if at % 2 else piece for at, piece in enumerate(pieces)))
        start = end + 1
    return told


def _form(hit: Hit) -> Form:
    """One object for every kind of answer; fields that do not apply are empty."""
    told = hit._asdict()
    said, reason = told.pop("said"), told.pop("why")
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
        "open": said.opens if said else "",
    }


RECALL = Command(
    name="recall",
    words="QUERY",
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
        EXIT_CODE,
        JSON,
    ),
    any_words=True,
)
