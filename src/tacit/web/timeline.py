"""What was done: a calendar of days, one session, habits and workflows, and what memory was worth in each week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.model.claim import Kind, Status
from tacit.model.ids import EventId
from tacit.model.observation import ReplyGiven, ToolUsed
from tacit.model.recap import session_outcome, turn_title
from tacit.model.session import Turn
from tacit.record import Record
from tacit.vault.sessions import InjectionRecord, ListedSession
from tacit.vault.timeline import Timeline
from tacit.vault.workflows import EXPORT_FORMATS
from tacit.web.charts import bar_chart, calendar, week_hours
from tacit.web.rendering import Notice, PageRequest, count_text, page_count

# The calendar, and one day with its sessions, turns, commands and files

_CALENDAR_WEEKS = 48
_MAX_SHOWN_TURNS = 12  # of a session on the page of a day


class DaySession(Record):
    """A session of a day with its first turns, what was injected, and how many of that was followed or violated."""

    listed: ListedSession
    turns: list[tuple[int, str]]
    injections: list[InjectionRecord]
    followed: int
    violated: int


def timeline_page(call: PageRequest) -> Response:
    timeline = Timeline(call.vault.home)
    days = timeline.days(_CALENDAR_WEEKS * 7)
    busy = [count for count in days if count.sessions or count.commands]
    chosen = busy[-1].day if busy else None
    if text := call.value("day"):
        try:
            chosen = date.fromisoformat(text)
        except ValueError:
            raise UsageError(f"{text!r} is no day", "choose one in the calendar") from None
    view = timeline.day(chosen) if chosen else None
    squares = []
    for count in days:
        done = f"{count_text(count.sessions, 'session')}, {count_text(count.commands, 'command')}"
        squares.append((count.day, count.sessions * 8 + count.commands, f"{count.day:%-d %B %Y}: {done}"))

    def data() -> object:
        listed = call.as_json("sessions", view.sessions) if view else []
        commands = [ran._asdict() for ran in view.commands] if view else []
        return {"days": [count._asdict() for count in busy], "day": chosen, "sessions": listed, "commands": commands}

    return call.page(
        "timeline.html",
        "Timeline",
        data,
        map=calendar(squares, "/timeline?day="),
        weeks=_CALENDAR_WEEKS,
        days=busy[::-1],
        view=view,
        chosen=chosen,
        count=next((count for count in days if count.day == chosen), None),
        sessions=_day_sessions(call, view.sessions) if view else (),
        time_of=call.local_time,
        previous=max((count.day for count in busy if chosen and count.day < chosen), default=None),
        following=min((count.day for count in busy if chosen and count.day > chosen), default=None),
        max_turns=_MAX_SHOWN_TURNS,
    )


def _day_sessions(call: PageRequest, listed: Sequence[ListedSession]) -> list[DaySession]:
    shown = []
    injections = call.vault.sessions.injected_by_session([entry.row.id for entry in listed])
    for entry, injected in zip(listed, injections, strict=True):
        _, session = call.vault.sessions.session(entry.row.id)
        turns = [(turn.number, turn_title(turn)) for turn in session.turns[:_MAX_SHOWN_TURNS]]
        results = [result.value for result in call.vault.adherence.results_of_session(entry.row.id).values()]
        shown.append(DaySession(entry, turns, injected, results.count("followed"), results.count("violated")))
    return shown


# The sessions of some time, and those that a figure counts

_MAX_COUNTED = 500


def sessions_page(call: PageRequest) -> Response:
    outcome, memory = call.value("result"), call.value("memory")
    times = {name: call.value(name) or None for name in ("since", "before")}
    listing = call.vault.value.sessions(outcome, **times, memory=memory or None, limit=_MAX_COUNTED)
    counted = list(listing)
    return call.page(
        "sessions.html",
        "Sessions",
        lambda: call.as_json("counted sessions", counted),
        counted=counted,
        total=listing.total,
        number=sum(len(one.memories) for one in counted),
        outcome=outcome,
        spans={name: time or "" for name, time in times.items()},
    )


# One session: its turns with prompts, replies, tool calls and files, what was injected and whether it was followed

_TURNS_PER_PAGE = 20
_MAX_CALLS_IN_A_ROW = 4  # that are shown unfolded


def session_page(call: PageRequest) -> Response:
    listed, session = call.vault.sessions.session(call.parameters["reference"])
    turns, event = session.turns, call.value("event")
    # The turn of an event is the last one before it: ids are in the order of time.
    chosen = call.number("turn", default=0) or max((turn.number for turn in turns if turn.event <= event), default=0)
    page = (chosen - 1) // _TURNS_PER_PAGE + 1 if 0 < chosen <= len(turns) else call.number("page")
    first = (page - 1) * _TURNS_PER_PAGE
    injections = call.vault.sessions.injected(session=listed.row.id, limit=500)
    return call.page(
        "session.html",
        listed.row.title,
        lambda: call.as_json("session", listed, session),
        listed=listed,
        session=session,
        outcome=session_outcome(turns),
        turns=_with_injections(turns, injections)[first : first + _TURNS_PER_PAGE],
        runs_of=_runs_of,
        chosen=chosen,
        results=call.vault.adherence.results_of_session(listed.row.id),
        page_number=page,
        page_count=page_count(len(turns), _TURNS_PER_PAGE),
    )


class CallRun(Record):
    """Tool calls one after the other. Many are folded, with the names of the tools and how many were not well."""

    calls: list[ToolUsed]

    @property
    def is_long(self) -> bool:
        return len(self.calls) > _MAX_CALLS_IN_A_ROW

    @property
    def tools(self) -> list[tuple[str, int]]:
        return Counter(call.tool for call in self.calls).most_common()

    @property
    def bad(self) -> list[tuple[str, int]]:
        """How many calls ended in another way than well."""
        return Counter(call.outcome.value for call in self.calls if call.outcome.value).most_common()


def _runs_of(turn: Turn) -> list[ReplyGiven | CallRun]:
    """Return the steps of a turn, with calls that follow each other as one."""
    runs: list[ReplyGiven | CallRun] = []
    for step in turn.steps:
        if isinstance(step, ReplyGiven):
            runs.append(step)
        elif runs and isinstance(runs[-1], CallRun):
            runs[-1].calls.append(step)
        else:
            runs.append(CallRun([step]))
    return runs


def _with_injections(
    turns: Sequence[Turn], injections: Sequence[InjectionRecord]
) -> list[tuple[Turn, list[InjectionRecord]]]:
    """Return each turn with the injections up to its end that no earlier turn has."""
    waiting = sorted(injections, key=lambda injection: injection.event.id)
    shown = []
    for number, turn in enumerate(turns, 1):
        is_last = number == len(turns)
        own = [injection for injection in waiting if is_last or injection.event.at <= turn.ended_at]
        waiting = waiting[len(own) :]
        shown.append((turn, own))
    return shown


# Habits and workflows: what is run where and when, and the steps that were accepted under a name

_HABIT_DAYS = 90
_HABIT_KINDS = (Kind.WORKFLOW_PATTERN.label, Kind.RECURRING_COMMAND.label, Kind.PREFERRED_CWD.label)
_MAX_HABITS = 50


def habits_page(call: PageRequest) -> Response:
    queries = call.vault.search
    habits = [
        (status, row)
        for status in (Status.ACTIVE, Status.PENDING)
        for row in queries.latest(status=status, kinds=_HABIT_KINDS, limit=_MAX_HABITS)[0]
    ]
    hours = Timeline(call.vault.home).hours(_HABIT_DAYS)
    listed, workflows = [row for _, row in habits], call.vault.workflows.workflows()
    return call.page(
        "habits.html",
        "Habits",
        lambda: {"habits": call.as_json("rows", listed), "workflows": call.as_json("workflows", workflows)},
        used=call.vault.suggestions.most_used(),
        map=week_hours([(count.weekday, count.hour, count.commands) for count in hours]),
        rows_by_day=[[count.commands for count in hours if count.weekday == weekday] for weekday in range(7)],
        time_of=call.local_time,
        days=_HABIT_DAYS,
        habits=habits,
        workflows=workflows,
    )


def workflow_page(call: PageRequest) -> Response:
    workflows, form = call.vault.workflows, call.value("as")
    workflow = workflows.workflow(call.parameters["name"])
    runs = workflows.workflow_runs(workflow.name)[:20]
    export = workflows.export_text(workflow.name, form) if form else ""
    values = {"workflow": workflow, "runs": runs, "formats": EXPORT_FORMATS, "form": form, "export": export}
    return call.page("workflow.html", workflow.name, lambda: call.as_json("workflow", workflow), **values)


def change_workflow(call: PageRequest) -> Response:
    """Save the steps, name and directory of a workflow as it was shown, or remove it."""
    workflows = call.vault.workflows
    name = call.parameters["name"]
    if call.field("action") == "remove":
        workflows.drop_workflow(name)
        return call.redirect("/habits", Notice(f"Removed the workflow {name}.", can_undo=True))
    if call.field("action") != "save":
        raise UsageError(f"there is no action {call.field('action')!r}")
    seen = workflows.workflow(name)._replace(saved_event=EventId(call.field("seen")))  # refused if changed since
    steps = [step.replace("\r\n", "\n").strip("\n") for step in call.fields("step") if step.strip()]
    changed = workflows.change_workflow(
        seen, name=call.field("name").strip(), steps=steps, directory=call.field("directory").strip()
    )
    return call.redirect(f"/habits/{changed.name}", Notice(f"Saved the workflow {changed.name}.", can_undo=True))


# Value: what agents were told each week, whether they followed it, and what it cost

_VALUE_WEEKS = 12
_MAX_MEMORIES = 15


def value_page(call: PageRequest) -> Response:
    timeline = Timeline(call.vault.home)
    weeks = timeline.weeks(_VALUE_WEEKS)
    labels = [f"{week.monday:%-d %b}" if at % 3 == 0 else "" for at, week in enumerate(weeks)]
    last = weeks[-1]
    followed = bar_chart(labels, [week.followed for week in weeks], [week.violated for week in weeks])
    both = (("followed", last.followed), ("violated", last.violated))
    charts = (  # the title, the numbers of the last week by what they count, the chart, and the names of its series
        ("Told", (("told", last.injected),), bar_chart(labels, [week.injected for week in weeks]), ()),
        ("Followed and violated", both, followed, ("followed", "violated")),
        ("Tokens", (("told", last.tokens),), bar_chart(labels, [week.tokens for week in weeks]), ()),
        ("Minutes in sessions", (("", last.minutes),), bar_chart(labels, [week.minutes for week in weeks]), ()),
    )
    is_empty = not any(week.injected or week.sessions for week in weeks)
    memories = timeline.most_injected(_MAX_MEMORIES)
    late = call.vault.sessions.late_answers().text
    unused = [item.listed.memory for item in call.vault.adherence.ineffective() if item.is_idle]

    def data() -> object:
        most = [{"memory": call.as_json("rows", [item.row]), **item.counts._asdict()} for item in memories]
        never = call.as_json("rows", [memory.claim for memory in unused])
        return {"weeks": [week._asdict() for week in weeks], "memories": most, "unused": never}

    values = {"charts": charts, "weeks": weeks[::-1], "is_empty": is_empty, "memories": memories, "late": late}
    return call.page("value.html", "Value", data, **values, unused=unused)
