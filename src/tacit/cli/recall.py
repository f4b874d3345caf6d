"""`tacit recall` and `tacit brief`: answers to a query, and what an agent should know now."""

from __future__ import annotations

import sys
from itertools import pairwise

from tacit.cli import output
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Invocation, Option, command, text_or_stdin
from tacit.cli.output import JsonObject, bold, dim, echo, echo_json, echo_wrapped, local_minute, trust_hint, warn
from tacit.errors import UsageError
from tacit.index.commands import FAILED_STATUS
from tacit.model.claim import is_project_scope, scope_label
from tacit.search.rank import COMMAND, PAGE_KINDS
from tacit.text.display import clip, printable
from tacit.vault.hits import Hit, MorePassage, SessionQuote
from tacit.vault.listing import STATUS_LABELS


@command(
    "",
    'tacit brief --for "write the release notes"',
    Option("--for", "TASK", "what the work is about"),
    Option("--tag", "TAG", "prefer memories with this tag", repeatable=True),
    JSON_OPTION,
)
def run_brief(call: Invocation) -> None:
    """At most seven memories that an agent should know now, within a budget of tokens, fenced. The project's
    constraints and rules are always among them, and are introduced as your standing rules.
    """
    brief = call.vault.search.brief(task=call.text_value("--for"), tags=call.all_values("--tag"))
    if call.flag("--json"):
        from tacit.cli.cards import reference_json

        entries = [reference_json(entry) for entry in brief.entries]
        echo_json({"memories": entries, "tokens": brief.tokens, "text": brief.text})
    else:
        sys.stdout.write(brief.text)
    warn(f"Memory loaded: {len(brief.entries)} entries ({printable(call.vault.search.scope_text)}).")
    if untrusted := call.vault.home.count_untrusted():
        warn(trust_hint(untrusted))


_MAX_TITLE_CHARS = 60
_MAX_ANSWER_CHARS = 300  # of the conclusion of this turn or of a later one
_ACT_LABELS = {"ran": "ran this", "changed": "changed this", "read": "read this", "searched": "searched for this"}


@command(
    "QUERY",
    'tacit recall "implementation work"',
    Option("--query", "TEXT", "the query, where it cannot be given as words"),
    Option("--limit", "N", "at most so many answers (default 10); fewer are the first of more", short="-n"),
    Option("--kind", "KIND", "only this kind: constraint, rule, …, worklog, evaluation, session, command"),
    Option("--scope", "SCOPE", "local, global or all"),
    Option("--since", "TIME", "only what was said since, for example 7d or 2026-11-15"),
    Option("--as-of", "TIME", "as memory was then, for example yesterday"),
    Option("--all", help="also what was forgotten, dismissed or overruled"),
    Option("--like", "ID", "more like this memory, instead of a query"),
    Option("--explain", help="what matched, and what it weighed"),
    EXIT_CODE_OPTION,
    JSON_OPTION,
    takes_any_text=True,
)
def run_recall(call: Invocation) -> int:
    """Search memories, candidates, sessions, commands, the worklog and evaluations. Any text is a query; words are
    enough, and - reads it from standard input. In a project you see its memories and the global ones, elsewhere
    all. Of a session the passage that matched is shown, and the command that opens it.
    """
    hits = _search(call)
    if not call.shows_json(lambda: [hit_json(hit) for hit in hits]):
        echo(bold(f"Recall Results ({len(hits)})"))
        for hit in hits:
            echo_wrapped(*hit_lines(hit))
            if call.flag("--explain"):
                echo(f"    why: {printable(hit.why)}")
        if not hits:
            echo("- No matches.")
    return call.exit_code(found=bool(hits))


def _search(call: Invocation) -> list[Hit]:
    if like := call.value("--like"):
        if call.args or call.value("--query"):
            raise UsageError("--like takes an id and no query", f"tacit recall --like {like}")
        return call.vault.search.recall_like(like, limit=call.number("--limit"))
    option = call.value("--query")
    if option is None and not call.args:
        query = call.text()  # any text is a query, also an empty one; only no text at all is an error
    else:
        query = text_or_stdin(" ".join([*([option] if option else []), *call.args]))
    if call.value("--kind") in (None, COMMAND):
        call.vault.search.index_new_commands()
    return call.vault.search.recall(
        query,
        limit=call.number("--limit"),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        since=call.value("--since"),
        as_of=call.value("--as-of"),
        everything=call.flag("--all"),
    )


def hit_lines(hit: Hit) -> list[str]:
    """Return the lines of an answer: the text, who said it and when, how to open it, and its file and line."""
    text, details = hit_parts(hit)
    details.append(f"{printable(hit.path)}:{hit.line}")
    return [f"- {text[0]}", *(f"  {line}" for line in text[1:]), *(dim(f"    {line}") for line in details)]


def hit_parts(hit: Hit) -> tuple[list[str], list[str]]:
    """Return the lines of the text of an answer, and those that say who said it and when, and how to open it."""
    quote = hit.quote
    if hit.kind == COMMAND:
        text = [f"$ {printable(line)}" for line in hit.text.split("\n")]
        outcomes = {None: "outcome unknown", 0: "exit status 0", FAILED_STATUS: "failed"}
        outcome = outcomes.get(hit.exit_status, f"failed with exit status {hit.exit_status}")
        where = f" in {printable(output.short_path(hit.directory))}" if hit.directory else ""
        who = _speaker_name(quote) if quote else "you"
        when = local_minute(hit.at) if hit.at else "nobody knows when"
        details = [f"{who} ran this{where}, {when}, {outcome}"]
    elif quote is not None and hit.kind == "session":
        text, details = _passage_lines(quote), _session_details(hit, quote)
    else:
        name = f"{output.cyan(f'[{hit.short}]')} " if hit.kind not in PAGE_KINDS else ""
        marks = [hit.kind, STATUS_LABELS.get(hit.status, hit.status), printable(scope_label(hit.scope)), hit.at[:10]]
        if hit.author:
            marks.append(f"from the team: {printable(hit.author)}")
        if hit.conflict:
            marks.append("conflict")
        if hit.overruled_by:
            marks.append(f"overruled by {hit.overruled_by}")
        text, details = [f"{name}{printable(hit.text)}"], [", ".join(marks)]
        details += map(_one_line, hit.details)
        if quote:
            did = "did" if quote.act else "said"
            details.append(f"learned from what {_speaker_name(quote)} {did}, {local_minute(quote.at)}")
    if quote:
        details.append(f"open: {quote.open_command}")
    return text, details


def _session_details(hit: Hit, quote: SessionQuote) -> list[str]:
    """Return who said it, when and where; the request, and the conclusion."""
    label = f", {printable(scope_label(hit.scope))}" if is_project_scope(hit.scope) else ""
    title = printable(clip(quote.title, _MAX_TITLE_CHARS))
    if quote.act:
        where = f" in {printable(output.short_path(quote.directory))}" if quote.act == "ran" and quote.directory else ""
        outcome = f", {quote.outcome}" if quote.outcome else ""
        did = f"{_ACT_LABELS.get(quote.act, 'called a tool')}{where}{outcome}"
    else:
        did = "said"
    speaker = _speaker_name(quote)
    lines = [f"{speaker} {did}, {local_minute(quote.at)}, session {quote.short} “{title}”{label}"]
    if quote.speaker and hit.text != quote.title:
        lines.append(f"asked: {printable(hit.text)}")
    if quote.ran:
        lines.append(f"ran: {_one_line(quote.ran)}")
    if quote.answer:
        lines.append(f"{'then' if quote.speaker else 'answer'}: {_one_line(quote.answer)}")
    lines += [f"{_place(other, quote)}: {_one_line(other.text)}{_then_ran(other)}" for other in quote.more]
    return lines


def _then_ran(other: MorePassage) -> str:
    return f" – ran: {_one_line(other.ran)}" if other.ran else ""


def _place(other: MorePassage, quote: SessionQuote) -> str:
    """Return where another passage was said, and by whom if not by the same."""
    place = "also" if other.turn == quote.turn else "later" if other.turn > quote.turn else "before"
    speaker = f" {_speaker_name(other)}" if other.speaker != quote.speaker else ""
    return f"{place}{speaker}, in turn {other.turn}"


def _one_line(text: str) -> str:
    return printable(clip(" ".join(text.split()), _MAX_ANSWER_CHARS))


def _speaker_name(quote: SessionQuote | MorePassage) -> str:
    return printable(quote.speaker) or "you"


def _passage_lines(quote: SessionQuote) -> list[str]:
    """Return the lines of a passage, with its matches in bold."""
    lines, start = [], 0
    for line in quote.text.split("\n"):
        end = start + len(line)
        spans = [(first, last) for first, last in quote.matches if start <= first and last <= end]
        cuts = [start, *(cut for span in spans for cut in span), end]
        pieces = [printable(quote.text[first:last]) for first, last in pairwise(cuts)]
        lines.append("".join(bold(piece) if at % 2 else piece for at, piece in enumerate(pieces)))
        start = end + 1
    return lines


def hit_json(hit: Hit) -> JsonObject:
    """Return an answer as JSON. Fields that do not apply to its kind are empty."""
    fields, quote = hit._asdict(), hit.quote
    fields.pop("quote")
    reason = fields.pop("why")
    return {
        **fields,
        "at": hit.at or None,
        "reason": reason,
        "passage": hit.passage,
        "speaker": (quote.speaker or "you") if quote else "",
        "said_at": quote.at if quote else None,
        "session": quote.session if quote else "",
        "title": quote.title if quote else "",
        "turn": quote.turn if quote else None,
        "answer": quote.answer if quote else "",
        "ran": quote.ran if quote else "",
        "more": [
            {"turn": other.turn, "speaker": other.speaker or "you", "passage": other.text, "ran": other.ran}
            for other in (quote.more if quote else ())
        ],
        "open": quote.open_command if quote else "",
    }
