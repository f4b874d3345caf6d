"""The home itself: its settings, whether it is sound, which facts of a repository it trusts, and its guards."""

from __future__ import annotations

from itertools import groupby
from urllib.parse import urlencode

from starlette.responses import Response

from tacit.errors import RefusedError, UsageError
from tacit.guard import Decision
from tacit.home.settings_file import DESCRIPTIONS
from tacit.model.event import timestamp
from tacit.model.session import Outcome
from tacit.vault.guard import REPLAY_DAYS
from tacit.vault.week import DigestLine, digest_lines
from tacit.web.rendering import Notice, PageRequest, count_text, value_text

# The week: what happened in the last seven days, on the first screen. What waits stands beside it.

_WEEK_PAGES = {  # the page that shows more of a line; those of sessions are the list of what it counts
    "Learned": "/search",
    **{outcome.value.capitalize(): f"/sessions?result={outcome.value}" for outcome in Outcome},
    "Forgotten": "/search?status=retired",
    "Judge": "/settings",
}


def week_lines(call: PageRequest) -> list[tuple[DigestLine, str]]:
    """Return the lines of the digest about what happened, each with a page that shows more."""
    digest = call.vault.digests.digest(learn=False)
    since = f"&{urlencode({'since': timestamp(digest.since)})}"
    pages = {title: path + since if path.startswith("/sessions") else path for title, path in _WEEK_PAGES.items()}
    return [(line, pages[line.title]) for line in digest_lines(digest, "7d") if line.title in pages]


# Settings: each with its value, where that comes from, and a field to change it


def settings_page(call: PageRequest) -> Response:
    sections = groupby(call.vault.configuration.config(), lambda setting: setting.key.split(".")[0])
    return call.page(
        "settings.html",
        "Settings",
        lambda: call.as_json("config", call.vault.configuration.config()),
        sections=[(section, list(settings)) for section, settings in sections],
        descriptions=DESCRIPTIONS,
        unknown=call.vault.configuration.strays(),
        path=call.vault.home.store.paths.settings,
    )


def change_setting(call: PageRequest) -> Response:
    """Write a setting into the home's file, or take it out so that the default holds."""
    configuration, key = call.vault.configuration, call.field("key")
    match call.field("action"):
        case "set":
            value: str | list[str] = call.field("value")
            if isinstance(configuration.setting(key).value, tuple):
                value = [line.strip() for line in call.field("value").split("\n") if line.strip()]
            change = configuration.configure(key, value)
        case "unset":
            change = configuration.unconfigure(key)
        case action:
            raise UsageError(f"there is no action {action!r}")
    hint = f"A variable restricts it: {change.overruled_by}" if change.overruled_by else ""
    verb = "is" if change.changed else "was already"
    return call.redirect("/settings", Notice(f"{key} {verb} {value_text(change.value)!r}.", hint=hint))


# Doctor: counts of what the home holds, and its checks, which run beside the pages when they are asked for


def doctor_page(call: PageRequest) -> Response:
    """Return the page, only the state of the checks for the script that asks again and again, or begin to check."""
    checkup = call.visit.checkup
    if call.value("run"):
        checkup.stop() if call.value("run") == "stop" else checkup.start()
        return call.redirect("/doctor")
    state, values = checkup.state, {"state": checkup.state, "is_running": checkup.is_running}
    if call.value("fragment"):
        return call.render("checks.html", values)
    status = call.vault.status()

    def data() -> object:
        return call.as_json("status", status) if state.findings is None else call.as_json("doctor", state.findings)

    return call.page("doctor.html", "Doctor", data, status=status, **values)


# Facts that the current repository brought


def trust_page(call: PageRequest) -> Response:
    project = call.vault.home.store.project
    facts = call.vault.repository.inspect() if project else None
    root = project.root if project else call.vault.home.cwd
    return call.page("trust.html", "Trust", lambda: facts and call.as_json("trust", facts), facts=facts, project=root)


def change_trust(call: PageRequest) -> Response:
    """Accept the lines that were shown, or end the trust in the file."""
    repository = call.vault.repository
    match call.field("action"):
        case "trust":
            facts = repository.inspect()
            if facts.fingerprint != call.field("fingerprint"):
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was accepted", "look again"
                )
            text = f"Accepted {count_text(len(repository.trust(facts)), 'fact')} of the repository."
        case "revoke":
            text = f"No longer trusted: {count_text(repository.distrust(), 'line')}."
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/trust", Notice(text, can_undo=True))


# Guards: rules that stop an agent before it acts

_MAX_SHOWN = 20


def guards_page(call: PageRequest) -> Response:
    """Return the list, and the plan for a memory if one is chosen: what its rules would have stopped."""
    guard = call.vault.guard
    reference = call.value("memory")
    plan = guard.plan(reference) if reference else None
    replayed = guard.replay(plan.rules, REPLAY_DAYS) if plan else []
    stopped, entries = [run for run in replayed if run.is_agents], guard.entries()
    return call.page(
        "guards.html",
        "Guards",
        lambda: call.as_json("guards", entries),
        entries=entries,
        plan=plan,
        stopped=stopped[-_MAX_SHOWN:],
        stopped_count=len(stopped),
        own_count=len(replayed) - len(stopped),
        days=REPLAY_DAYS,
    )


def change_guard(call: PageRequest) -> Response:
    """Switch the guard of a memory on or off."""
    guard, reference = call.vault.guard, call.field("id")
    match call.field("action"):
        case "on":
            try:
                decision = Decision(call.field("decision"))
            except ValueError:
                raise UsageError(f"there is no decision {call.field('decision')!r}") from None
            plan = guard.plan(reference, decision=decision)
            guard.switch_on(plan)
            hint = "If an agent has no hook before tool calls yet: tacit install claude, or another agent."
            notice = Notice(f"Switched on: {plan.memory.memory.claim.sentence}", hint=hint)
        case "off":
            rules = guard.switch_off(reference)
            notice = Notice(f"Switched off {len(rules)} of the rules.")
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/guards", notice)
