"""`tacit setup`: find what there is, show every change, ask once, and end with an answer from the person's past."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from tacit.cli import timer
from tacit.cli.commands import Invocation, Option, command
from tacit.cli.import_ import capture_lines, history_lines
from tacit.cli.install import (
    TARGETS,
    confirm_and_apply,
    echo_changes,
    install_place,
    install_state,
    state_text,
    store_receipts,
)
from tacit.cli.output import (
    ProgressBar,
    ask,
    bold,
    confirm,
    cyan,
    echo,
    echo_lines,
    echo_wrapped,
    pluralize,
    short_path,
)
from tacit.cli.recall import hit_lines
from tacit.errors import TacitError, UsageError
from tacit.home import daily_judge
from tacit.home.settings_file import SettingOrigin
from tacit.hosts.registration import host_folder
from tacit.install import FileChange, InstallContext, Target, apply_change, check_writable, delete_receipts
from tacit.record import Record
from tacit.shell.install import SUGGESTED_KEY
from tacit.text.display import printable
from tacit.text.words import STOP_WORDS
from tacit.vault.replay import summary_lines

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.vault import Vault

_NAME_WIDTH = 12
_MEGABYTE = 1_000_000
_MIN_QUERY_WORDS, _MAX_QUERY_WORDS = 3, 5  # of the question that is answered in the end
_ANSWER_AGE_DAYS = 2  # what was done today needs no memory
_MAX_ANSWER_LINES = 6
_REPLAYED = "5y"  # of the past, in which is looked for what a memory would have prevented
# Settings that this command changes.
_SETTINGS = ("autocapture.enabled", "learn.agent", "learn.when", "shell.key")
_OTHER_PARTS = ("sessions", "key", "history", "transcripts", "timer")


class Part(Record):
    """A part of the set-up that the person can decline: what it does, the files it changes, and what else it runs."""

    name: str
    purpose: str
    changes: tuple[FileChange, ...] = ()
    run: Callable[[Vault], None] | None = None


@command(
    "",
    "tacit setup",
    Option("--yes", help="do all of it without being asked, except for the judge"),
    Option("--without", "PART", "leave this part out, such as codex or transcripts", repeatable=True),
    Option("--check", help="say what is set up, and what is missing; the exit code is 1 if something is"),
    Option("--remove", help="take everything back: every file of a shell or an agent is as it was, byte for byte"),
)
def run_setup(call: Invocation) -> int:
    """Set Tacit up on this machine: find the shells and agents that you use, and what they have kept; show every file
    that would change; ask once, and any part can be left out. Then your histories and transcripts are read, and
    the agent that you use is offered as a judge. What was recorded stays on this machine. Without a terminal it
    only prints what it would do. Run it again after you have installed another agent.

    The parts are the shells and agents by name; sessions: record sessions with agents from now on; key: a key that
    opens tacit pick; history: the commands that your shells have kept; transcripts: the sessions of your agents;
    timer: if you have a remote or a team, a sync every hour (tacit sync --timer).
    """
    call.only_one(("--check", "--remove"), "tacit setup --check", "exclude each other")
    place = install_place(call.value("--home"))
    if call.flag("--check"):
        return _check(call, place)
    if call.flag("--remove"):
        _remove(call, place)
        return 0
    left_out, vault = call.all_values("--without"), call.vault
    _must_be_parts(left_out)
    parts = [part for part in _missing_parts(vault, place) if part.name not in left_out]
    if parts:
        is_folded = _show_plan(parts)
        if chosen := _chosen_parts(call, parts, is_folded=is_folded):
            _carry_out(vault, place, chosen)
            _offer_judge(call)
            _show_answer(vault)
    elif any(install_state(target, place) for target in TARGETS.values()):
        echo("Everything is set up. To see what there is: tacit setup --check")
        _offer_judge(call)
    else:
        echo("There is no shell and no agent here that Tacit knows. To connect one by its name: tacit install")
    return 0


# What there is


def _missing_parts(vault: Vault, place: InstallContext) -> list[Part]:
    """Return the parts that are not set up yet, in the order in which they are carried out."""
    targets = [*_shells(vault, place), *_agents(place)]
    parts = [part for target in targets if (part := _target_part(target, place))]
    if any(target.is_agent for target in targets) and not vault.home.settings.autocapture_enabled:
        purpose = "record your sessions with agents from now on: prompts, replies and the names of changed files"
        parts.append(Part("sessions", purpose, run=_record_sessions))
    # Only with the first shell: whoever declined it is not asked again.
    if not vault.home.settings.shell_key and any(not TARGETS[part.name].is_agent for part in parts if part.changes):
        purpose = f"{SUGGESTED_KEY} in your shell searches what you did, as you type; nothing is run (tacit pick)"
        parts.append(Part("key", purpose, run=_choose_key))
    if histories := _unread_histories(vault):
        names = ", ".join(printable(short_path(path)) for path in histories)
        parts.append(Part("history", f"read what your shells have kept: {names}", run=_import_history))
    if transcripts := _unread_transcripts(vault):
        purpose = f"read what your agents have kept: {_size(transcripts)}"
        parts.append(Part("transcripts", purpose, run=_import_transcripts))
    if part := _timer_part(vault, place):
        parts.append(part)
    return parts


def _unread_histories(vault: Vault) -> list[str]:
    """Return the histories that have something in them, [] if commands are known already."""
    if vault.suggestions.statistics().used.activity.commands:
        return []
    return [history.path for history in vault.histories.find_histories() if _bytes_in([history.path])]


def _unread_transcripts(vault: Vault) -> list[str]:
    """Return what agents have kept of their sessions, [] if sessions are known already."""
    if vault.sessions.sessions(limit=1):
        return []
    return vault.transcripts.transcripts_in(vault.transcripts.transcript_paths())


def _timer_part(vault: Vault, place: InstallContext) -> Part | None:
    """Return the timer of `tacit sync`, if there is something to sync with and it does not run."""
    if not timer.is_wanted(vault.home, place):
        return None
    try:
        plan = timer.plan_timer(place)
    except (TacitError, OSError) as error:
        echo(f"timer is left out: {printable(str(error))}")
        return None

    def start(vault: Vault) -> None:
        timer.start_timer(vault.home, place, plan)
        echo(f"timer: {timer.timer_text(vault.home, place)[0]}")

    purpose = f"sync with your machines and your team every hour, by {plan.scheduler.where}"
    return Part("timer", purpose, tuple(change for change in plan.changes if change.is_needed), start)


def _shells(vault: Vault, place: InstallContext) -> Iterator[Target]:
    """Yield the shells that are used here: the login shell, and those that have kept a history."""
    used = {history.shell for history in vault.histories.find_histories()}
    used.add(os.path.basename(place.environment.get("SHELL", "")))
    yield from (target for name, target in TARGETS.items() if not target.is_agent and name in used)


def _agents(place: InstallContext) -> Iterator[Target]:
    """Yield the agents that are used here: those that have a folder of their own."""
    yield from (
        target for name, target in TARGETS.items() if target.is_agent and os.path.isdir(host_folder(name, place))
    )


def _target_part(target: Target, place: InstallContext) -> Part | None:
    purpose = "tell it what is remembered, when it matters" if target.is_agent else "record the commands that you run"
    changes = _planned(target, target.plan_install, place)
    return Part(target.name, purpose, changes) if changes else None


def _planned(
    target: Target, plan: Callable[[InstallContext], Sequence[FileChange]], place: InstallContext
) -> tuple[FileChange, ...]:
    """Return the changes of files that are needed; none, after saying why, if a file cannot be understood."""
    try:
        return tuple(change for change in plan(place) if change.is_needed)
    except (TacitError, OSError) as error:
        echo(f"{target.name} is left out: {printable(str(error))}")
        return ()


def _size(paths: Sequence[str]) -> str:
    return f"{pluralize(len(paths), 'file')}, {max(_bytes_in(paths) / _MEGABYTE, 0.1):,.1f} MB"


def _bytes_in(paths: Sequence[str]) -> int:
    total = 0
    for path in paths:
        with suppress(OSError):  # an agent tidies up meanwhile
            total += os.path.getsize(path)
    return total


# Asking


def _show_plan(parts: Sequence[Part]) -> bool:
    """Show every change of a file, then what all of it is for: what is asked about stands last.

    Return whether lines of the changes were left out.
    """
    is_folded = echo_changes(_changes(parts))
    echo()
    echo(bold("Tacit would do this:"))
    echo()
    for number, part in enumerate(parts, 1):
        files = ", ".join(printable(short_path(change.path)) for change in part.changes)
        line = f"  {number}  {part.name:{_NAME_WIDTH}} {part.purpose}{f' ({files})' if files else ''}"
        echo_wrapped(line, hang=_NAME_WIDTH + 4)
    echo()
    sent = "" if any(part.name == "timer" for part in parts) else "Nothing leaves this machine. "
    echo(f"{sent}tacit setup --remove takes it out of these files again, byte for byte.")
    return is_folded


def _changes(parts: Sequence[Part]) -> list[FileChange]:
    """Return the changes of files, each file once: some agents share one."""
    return list({change.path: change for part in parts for change in part.changes}.values())


def _chosen_parts(call: Invocation, parts: Sequence[Part], *, is_folded: bool) -> Sequence[Part]:
    """Return the parts to carry out, [] for none, after saying so."""
    if call.flag("--yes"):
        return parts
    if not sys.stdin.isatty():
        echo("Nothing was changed: there is no terminal to ask on. Type tacit setup in one, or: tacit setup --yes")
        return []
    chosen = _ask_parts(parts, is_folded=is_folded)
    if not chosen:
        echo("Nothing was changed.")
    return chosen


def _ask_parts(parts: Sequence[Part], *, is_folded: bool) -> list[Part]:
    """Ask until there is an answer. Return the parts that the person wants; [] for none."""
    show = " [d] shows every line," if is_folded else ""
    prompt = f"Do all of this? [Y]es, [n]o,{show} or the numbers to leave out > "
    while True:
        try:
            answer = ask(prompt).strip().lower()
        except EOFError:
            return []
        if answer in ("", "y", "yes"):
            return list(parts)
        if answer in ("n", "no", "q"):
            return []
        if answer in ("d", "diff"):
            echo_changes(_changes(parts), in_full=True)
            continue
        words = answer.replace(",", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= len(parts) for word in words):
            return [part for number, part in enumerate(parts, 1) if str(number) not in words]


def _must_be_parts(names: Sequence[str]) -> None:
    known = (*TARGETS, *_OTHER_PARTS)
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no part {unknown[0]!r}", f"one of: {', '.join(known)}")


# Carrying it out


def _carry_out(vault: Vault, place: InstallContext, parts: Sequence[Part]) -> None:
    changes = _changes(parts)
    for change in changes:
        check_writable(change)
    vault.setup.init()
    for part in parts:
        store_receipts(place, part.name, part.changes)
    for change in changes:
        apply_change(change)
    for part in parts:
        if part.run:
            part.run(vault)
        elif part.changes:
            target = TARGETS[part.name]
            echo(f"{part.name}: installed. {target.next_step}")
            if doubt := target.warning(place):
                echo(f"  {doubt}")


def _record_sessions(vault: Vault) -> None:
    vault.configuration.autocapture(True)
    echo("sessions: recorded from now on; stop it with tacit autocapture off")


def _choose_key(vault: Vault) -> None:
    vault.configuration.configure("shell.key", SUGGESTED_KEY)
    echo(f"key: {SUGGESTED_KEY} opens tacit pick in shells that you start from now on; tacit config unset shell.key")


def _import_history(vault: Vault) -> None:
    with ProgressBar() as bar:
        imported = vault.histories.import_history(vault.histories.find_histories(), progress=bar)
        bar.show_message("learning from them …")
        vault.suggestions.learn()
    echo_lines(history_lines(imported))


def _import_transcripts(vault: Vault) -> None:
    with ProgressBar("things said and done") as bar:
        files = vault.transcripts.transcripts_in(vault.transcripts.transcript_paths())
        captured = vault.transcripts.capture(files, progress=bar)
        bar.show_message("learning from them …")
        for _ in vault.learning.learn_from_sessions(vault.learning.unlearned_sessions()):
            pass  # each is recorded as it comes
    echo_lines(capture_lines(captured))


def _offer_judge(call: Invocation) -> None:
    """Ask whether an agent may read what the person typed, once a day. It is off unless they say so at a terminal."""
    vault = call.vault
    name = daily_judge.preferred_client(vault.home.settings, vault.home.environment)
    can_ask = sys.stdin.isatty() and not call.flag("--yes") and vault.home.is_person
    if not (name and can_ask) or daily_judge.is_chosen(vault.home.settings):
        return
    echo()
    echo_wrapped(
        f"Let {name} read what you typed, once a day, and suggest what to remember? About 5,000 tokens a day; nothing"
        " becomes active by itself, and tacit learn --show-prompt prints what is sent."
    )
    if confirm(f"Let {name} do that?"):
        vault.configuration.configure("learn.agent", name)
        vault.configuration.configure("learn.when", daily_judge.DAILY)
        echo(f"{name} is asked when a session begins, and the next session says what came of it. Stop it with:")
        echo("  tacit config unset learn.when")


# The end: an answer


def _show_answer(vault: Vault) -> None:
    """Say what memory would have spared the person, answer a question from their past, and say what to do next."""
    echo()
    replay = vault.replays.replay(_REPLAYED)
    if replay.incidents:
        echo("In the sessions that your agents have kept:")
        echo_wrapped(*(f"  {line}" for line in summary_lines(replay)))
        echo(f"To see each: {cyan(f'tacit replay --since {_REPLAYED}')}")
        echo()
    query = _past_question(vault)
    hits = vault.search.recall(query, limit=1) if query else []
    if hits:
        echo("Something from your own past:")
        echo()
        echo(f"$ {cyan(f'tacit recall {query}')}")
        echo_lines(line for hit in hits for line in hit_lines(hit)[:_MAX_ANSWER_LINES])
        echo()
    waiting = vault.status().pending
    if waiting:
        echo(f"{pluralize(waiting, 'suggestion waits', 'suggestions wait')} for you: {cyan('tacit review')}")
    echo(f"All of it in the browser: {cyan('tacit web')}")


def _past_question(vault: Vault) -> str:
    """Return words that find something the person did a while ago; "" if they did nothing that is known."""
    from datetime import timedelta

    from tacit.model.event import timestamp

    earlier = timestamp(vault.home.store.actor.clock() - timedelta(days=_ANSWER_AGE_DAYS))
    rows = [listed.row for listed in vault.sessions.sessions(limit=200) if listed.row.title and listed.row.outcome]
    old = [row for row in rows if row.ended_at < earlier] or rows
    for row in old:
        words = [word.strip(",.:;!?") for word in row.title.split()]
        words = [word for word in words if word.isalpha() and word.lower() not in STOP_WORDS]
        if len(words) >= _MIN_QUERY_WORDS:
            return " ".join(words[:_MAX_QUERY_WORDS])
    commands = vault.suggestions.statistics().used.commands
    return commands[0].key if commands else ""


# What is set up


def _check(call: Invocation, place: InstallContext) -> int:
    """Print the state of every part. Return 1 if one is missing."""
    vault, missing = call.vault, 0
    agents = [*_agents(place)]
    for target in (*_shells(vault, place), *agents):
        text, is_well = state_text(target, place, "missing: tacit setup")
        missing += not is_well
        echo(f"  {target.name:{_NAME_WIDTH}} {text}")
    now, is_recording = vault.status(), vault.home.settings.autocapture_enabled
    commands = vault.suggestions.statistics().used.activity.commands
    texts = (
        ("sessions", is_recording, "recorded", agents and "not recorded: tacit autocapture on"),
        ("history", commands, f"{commands:,} commands", _unread_histories(vault) and "not read: tacit import history"),
        (
            "transcripts",
            now.sessions,
            pluralize(now.sessions, "session"),
            _unread_transcripts(vault) and "not read: tacit import transcripts",
        ),
    )
    for name, is_there, text, lack in texts:
        missing += bool(lack and not is_there)
        echo(f"  {name:{_NAME_WIDTH}} {text if is_there else lack or 'none here'}")
    if timer.can_sync(vault.home):
        text, is_well = timer.timer_text(vault.home, place)
        missing += not is_well
        echo(f"  {'timer':{_NAME_WIDTH}} {text}")
    from tacit.cli.status import judge_text

    echo(f"  {'judge':{_NAME_WIDTH}} {judge_text(now) or 'none, and nothing to judge'}")
    return 1 if missing else 0


# Taking it back


def _remove(call: Invocation, place: InstallContext) -> None:
    """Take Tacit out of every shell and agent, and turn off what setting up turned on. What was recorded stays."""
    vault = call.vault
    vault.home.store.actor.require_person("takes Tacit out", "tacit setup --remove")
    planned = {target: _planned(target, target.plan_removal, place) for target in TARGETS.values()}
    changes = {change.path: change for removal in planned.values() for change in removal}
    timer_changes = timer.plan_timer_removal(place)
    settings = [key for key in _SETTINGS if vault.configuration.setting(key).origin is SettingOrigin.HOME]
    if not (changes or settings or timer_changes):
        echo("Nothing of Tacit is in a shell or an agent.")
        return
    all_changes = [*changes.values(), *timer_changes]

    def stop_timer() -> None:
        if timer_changes:
            timer.stop_timer(vault.home, place)

    if all_changes and not confirm_and_apply(call, all_changes, stop_timer):
        return
    if timer_changes:
        timer.end_timer(place)
    for target, removal in planned.items():
        if removal:
            delete_receipts(place.home, target.name)
    for key in settings:
        vault.configuration.unconfigure(key)
    echo("Taken out. Shells and sessions that run already go on until they end.")
    echo(f"What was recorded stays in {printable(short_path(vault.home.root))}.")
