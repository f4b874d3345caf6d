"""What may reach an agent and what stops one: trust in the facts of a repository, and guards."""

from __future__ import annotations

from starlette.responses import Response

from tacit.errors import RefusedError, UsageError
from tacit.guard.rules import Decision
from tacit.vault.guard import REPLAY_DAYS
from tacit.web.rendering import count_text
from tacit.web.request import Notice, PageRequest

# Facts that the current repository brought


def trust_page(call: PageRequest) -> Response:
    project = call.vault.home.store.project
    facts = call.vault.repository.inspect() if project else None
    return call.page(
        "trust.html", "Trust", {"facts": facts, "project": project.root if project else call.vault.home.cwd}
    )


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
    stopped = [run for run in replayed if run.is_agents]
    return call.page(
        "guards.html",
        "Guards",
        {
            "entries": guard.entries(),
            "plan": plan,
            "stopped": stopped[-_MAX_SHOWN:],
            "stopped_count": len(stopped),
            "own_count": len(replayed) - len(stopped),
            "days": REPLAY_DAYS,
            "decisions": [decision.value for decision in Decision],
        },
    )


def change_guard(call: PageRequest) -> Response:
    """Switch the guard of a memory on or off."""
    guard, reference = call.vault.guard, call.field("id")
    match call.field("action"):
        case "on":
            plan = guard.plan(reference, decision=_parse_decision(call.field("decision")))
            guard.switch_on(plan)
            hint = "If an agent has no hook before tool calls yet: tacit install claude, or another agent."
            notice = Notice(f"Switched on: {plan.memory.memory.claim.sentence}", hint=hint)
        case "off":
            rules = guard.switch_off(reference)
            notice = Notice(f"Switched off {len(rules)} of the rules.")
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/guards", notice)


def _parse_decision(text: str) -> Decision:
    try:
        return Decision(text)
    except ValueError:
        raise UsageError(f"there is no decision {text!r}") from None
