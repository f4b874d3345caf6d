"""What is done at an agent's hooks: give memory to the model, tell the person that suggestions wait, or capture the
transcript.

The host waits for `inject`. Nobody waits for `capture` and `process_queue`, which run in a process of their own.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from tacit.errors import StoreError, UsageError
from tacit.home import daily_judge
from tacit.home.capture_policy import is_session_captured, matching_ignore_entry, refuse_session
from tacit.home.home import Home
from tacit.home.paths import HomePaths, find_home
from tacit.home.project import find_project, main_work_tree
from tacit.home.rule_files import is_rule_file_current
from tacit.home.settings import Settings, settings_in_environment, settings_or_defaults, variable_of
from tacit.home.store import StoreOptions
from tacit.hooks.proposals import note_unproposed, unproposed_place
from tacit.hosts import HOSTS, HookInput, HookKind, Host, queue
from tacit.hosts.queue import REINDEX, CaptureRequest, enqueue, has_pending, mark_ended, mark_unfinished

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.inject import AgentSession, Injector

_HURRY_SECONDS = 0.2  # that the host may have to wait for another process
_DEADLINE_SECONDS = 9  # then the kernel ends a process that captures; what it has not read stays in the queue
_MAX_LEARNED_SESSIONS = 10  # per hook
_JUDGE_NICENESS = 10  # nobody waits for it
_DRAIN_TIMEOUT_SECONDS = 0.8  # to wait for the capture of what this session did until now
_NEW_SESSION_SOURCES = ("startup", "")  # a session that is resumed, cleared or compacted had its notice when it began


def inject(name: str, event: str, payload: bytes, home: str | None) -> str | None:
    """Return what a hook prints; "" if there is nothing to say, None if that cannot be found out."""
    hook_input = None
    with suppress(Exception):
        hook_input = _parse_payload(name, event, payload)
    if hook_input is None:
        return ""
    with suppress(Exception):
        return _hook_output(HOSTS[name], event, hook_input, home)
    return None


def _hook_output(host: Host, event: str, hook_input: HookInput, home: str | None) -> str:
    """Return a text for the model and a line for the person, in the format of the host."""
    paths = find_home(home, dict(os.environ))
    settings = settings_or_defaults(paths.settings, os.environ)
    if not os.path.isdir(paths.root):
        return ""
    is_start = hook_input.kind is HookKind.START
    if _is_refused(settings):
        refuse_session(paths, hook_input.session)
    if is_start:  # captured sessions whose transcript has grown although no hook said so
        any_mode = settings._replace(autocapture_on_modes=())
        for request in queue.grown_transcripts(paths):
            if is_session_captured(any_mode, paths, request.session, ""):
                enqueue(paths, request)
    from tacit.inject import Injector

    options = StoreOptions(hurry_seconds=_HURRY_SECONDS)
    with Home(paths.root, cwd=hook_input.directory or None, settings=settings, options=options) as opened:
        output = host.format_output(event, _model_text(host, hook_input, paths, Injector(opened)))
        is_new = is_start and hook_input.source in _NEW_SESSION_SOURCES
        if is_new and host.notice_field and settings.agents_notice:
            with suppress(Exception):  # the text for the model counts more
                notice = _notice_line(opened)
                output = host.add_notice(output, notice) if notice else output
    return output


def _notice_line(home: Home) -> str:
    """Return lines for the person without the text of any memory: what a judge did, and what waits; "" for nothing.

    Suggestions of all projects count, but in an ignored folder none does.
    """
    return "\n".join(filter(None, (_judge_line(home), _waiting_line(home))))


def _judge_line(home: Home) -> str:
    """Return what the daily judge did since the person was told last, and note that they are told now."""
    paths = home.store.paths
    if not daily_judge.is_chosen(home.settings) or (state := daily_judge.read_state(paths)).is_told:
        return ""
    daily_judge.write_state(paths, state._replace(is_told=True))
    stopped = " It is not asked again; type: tacit config set learn.when daily" if state.has_stopped else ""
    return f"Tacit: {state.receipt.text}{'.' if stopped else ''}{stopped}"


def _waiting_line(home: Home) -> str:
    suggestions, untrusted = 0, home.count_untrusted()
    if not matching_ignore_entry(home.settings, home.user_folder, home.cwd):
        suggestions = home.count_pending()
    waiting, commands = [], []
    if suggestions:
        waiting.append("1 suggestion" if suggestions == 1 else f"{suggestions} suggestions")
        commands.append("tacit review")
    if untrusted:
        waiting.append("1 fact of this repository" if untrusted == 1 else f"{untrusted} facts of this repository")
        commands.append("tacit trust")
    if not waiting:
        return ""
    verb = "waits" if suggestions + untrusted == 1 else "wait"
    return f"Tacit: {' and '.join(waiting)} {verb} for you. In a terminal of your own, type: {', '.join(commands)}"


def _model_text(host: Host, hook_input: HookInput, paths: HomePaths, injector: Injector) -> str:
    """Return the text for the model; "" at a session start that the host does not pass on."""
    from tacit.inject import AgentSession

    is_start, source = hook_input.kind is HookKind.START, hook_input.source
    if hook_input.kind is HookKind.HELPER:
        return injector.rules_for_helper(AgentSession(host.name, hook_input.session))
    # Whether the model gets what is printed at the start of a session. If not, the first prompt has to do.
    has_start_output = any(hook.kind is HookKind.START and host.format_output(hook.event, "x") for hook in host.hooks)
    if is_start and not has_start_output:
        return ""
    session = AgentSession(host.name, hook_input.session, source, host.resume_replaces_start and source == "resume")
    if source in ("compact", "resume"):
        _queue_session(paths, host.name, hook_input)
        drain_now(paths, _DRAIN_TIMEOUT_SECONDS)
    try:
        start = is_start or (not has_start_output and injector.is_first(session))
        text = injector.inject(session, start=start, prompt=hook_input.prompt)
        return text + _proposal_text(session, hook_input, paths, injector)
    except StoreError:
        enqueue(paths, REINDEX)  # whoever drains the queue builds the index, too
        raise


def _proposal_text(session: AgentSession, hook_input: HookInput, paths: HomePaths, injector: Injector) -> str:
    """Return the line that asks the agent to propose what the person typed before, once a session; mostly ""."""
    if not hook_input.prompt or not os.path.isdir(paths.unproposed):
        return ""
    if not injector.may_tell_at_prompt() or not (place := unproposed_place(paths, session.agent, session.session)):
        return ""
    return injector.ask_to_propose(session, place.event_id, place.sentence_in)


def capture(name: str, event: str, payload: bytes, home: str | None) -> None:
    """Queue the session that a hook names, and capture the queue unless another process does. Learn when it ends."""
    _set_deadline()
    hook_input = _parse_payload(name, event, payload)
    paths = find_home(home, dict(os.environ))
    if hook_input and (request := _queue_session(paths, name, hook_input)):
        if hook_input.kind is HookKind.END:
            mark_ended(paths, request)
            _drain_and_learn(paths)
        else:
            mark_unfinished(paths, request)
            drain_now(paths)
            if hook_input.kind is HookKind.STOP:
                note_unproposed(paths, request)


def work(name: str, event: str, home: str | None, payload: bytes) -> None:
    """Do what nobody has to wait for: capture what other processes left in the queue, learn from it, have the standing
    rules of this project ready for a hook that is late, and once a day let a judge read what was said."""
    _set_deadline()
    paths = find_home(home, dict(os.environ))
    if has_pending(paths):
        _drain_and_learn(paths)
    if not _has_rules_ready(paths, payload):
        with Home(paths.root, cwd=_directory_in(payload) or "/") as opened:
            opened.store.write_rule_files()
    if _is_judge_due(name, event, paths):
        _become_judge(paths)


def has_work(name: str, event: str, home: str | None, payload: bytes) -> bool:
    paths = find_home(home, dict(os.environ))
    if has_pending(paths) or _is_judge_due(name, event, paths):
        return True
    return os.path.isdir(paths.root) and not _has_rules_ready(paths, payload)


def _is_judge_due(name: str, event: str, paths: HomePaths) -> bool:
    """Return whether a session begins and the daily judge was not asked today. Of files only the settings are read."""
    if not any(hook.kind is HookKind.START and hook.event == event for hook in HOSTS[name].hooks):
        return False
    return daily_judge.is_due(paths) and daily_judge.is_chosen(settings_or_defaults(paths.settings, os.environ))


def _become_judge(paths: HomePaths) -> None:
    """Replace this process by `tacit learn --quiet`, which has its own deadline and is seen by its name in a list of
    processes. It decides whether anybody is asked."""
    import signal
    import sys

    signal.alarm(0)
    os.nice(_JUDGE_NICENESS)
    os.chdir("/")
    os.execv(sys.executable, [sys.executable, "-I", "-m", "tacit", "--home", paths.root, "learn", "--quiet"])


def _has_rules_ready(paths: HomePaths, payload: bytes) -> bool:
    project = find_project(_directory_in(payload) or "/", os.path.expanduser("~"))
    return is_rule_file_current(paths, main_work_tree(project.root) if project else "")


def _directory_in(payload: bytes) -> str:
    with suppress(ValueError):
        fields = json.loads(payload)
        directory = fields.get("cwd") if isinstance(fields, dict) else ""
        return directory if isinstance(directory, str) else ""
    return ""


def _set_deadline() -> None:
    """Let the kernel end this process at its deadline. A host that ignores SIGALRM passes that on, so it is reset."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE_SECONDS)


def _drain_and_learn(paths: HomePaths) -> None:
    """Capture the queue, and propose what ended sessions said."""
    drain_now(paths)
    from tacit.learn.sessions import SessionLearning

    with Home(paths.root, cwd="/") as home:
        learning = SessionLearning(home)
        for _ in learning.learn_from_sessions(learning.unlearned_sessions()[:_MAX_LEARNED_SESSIONS]):
            pass


def drain_now(paths: HomePaths, timeout: float = 0.0) -> None:
    """Capture the queue, unless another process does and is not done within `timeout` seconds."""
    from tacit.hosts.capture import TranscriptCapture

    with Home(paths.root, cwd="/") as home:
        # The index is updated so that the next query need not wait for it; else the other process updates it, too.
        if queue.drain(paths, TranscriptCapture(home).capture_request, timeout):
            home.store.catch_up()


def _is_refused(settings: Settings) -> bool:
    """Return whether a variable turns capture off, as `tacit without` does."""
    variable = variable_of("autocapture_enabled")
    if settings.autocapture_enabled or variable not in os.environ:
        return False
    with suppress(UsageError):
        return settings_in_environment({variable: os.environ[variable]}).get("autocapture_enabled") is False
    return False


def _queue_session(paths: HomePaths, agent: str, hook_input: HookInput) -> CaptureRequest | None:
    """Queue a session that has something new. None if it is not to be captured."""
    settings = settings_or_defaults(paths.settings, os.environ)
    if not is_session_captured(settings, paths, hook_input.session, hook_input.mode):
        if _is_refused(settings):
            refuse_session(paths, hook_input.session)
        return None
    request = CaptureRequest(agent, hook_input.session, hook_input.transcript)
    enqueue(paths, request)
    return request


def _parse_payload(name: str, event: str, payload: bytes) -> HookInput | None:
    host, fields = HOSTS.get(name), json.loads(payload)
    return host.parse_input(event, fields) if host and isinstance(fields, dict) else None
