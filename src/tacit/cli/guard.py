"""`tacit guard`: rules that stop agents before they act."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, utc_timestamp
from tacit.cli.output import bold, confirm, cyan, dim, echo, echo_json, echo_wrapped, pluralize, short_path
from tacit.errors import RefusedError, UsageError
from tacit.guard.rules import Decision
from tacit.hosts.tool_calls import GUARD_HOOKS
from tacit.model.claim import Scope, scope_label
from tacit.text.display import clip, printable
from tacit.vault.guard import REPLAY_DAYS, GuardEntry, GuardPlan, ReplayedCommand, stated_rule

_MAX_SHOWN, _MAX_COMMAND_CHARS = 10, 160
_DECISIONS = {"--warn": Decision.WARN, "--ask": Decision.ASK, "--deny": Decision.DENY}
_EFFECTS = {
    Decision.WARN: "the agent is told after the call; nothing is stopped",
    Decision.ASK: "you are asked; where an agent cannot ask, the call is stopped",
    Decision.DENY: "the call is stopped",
}


def run_guard(call: Invocation) -> int:
    subcommand, *args = call.args or ["list"]
    if subcommand == "list" and not args:
        return _run_list(call)
    runs = {"on": _run_on, "off": _run_off, "test": _run_test, "allow": _run_allow}
    if subcommand not in runs or len(args) != 1:
        raise UsageError(f"tacit guard wants {call.command.usage}", f"for example: {call.command.example}")
    return runs[subcommand](call, args[0])


def _run_list(call: Invocation) -> int:
    entries = call.vault.guard.entries()
    if call.flag("--json"):
        echo_json([_entry_json(entry) for entry in entries])
        return 0
    echo(bold(f"Guards ({len(entries)})"))
    for entry in entries:
        echo_wrapped(f"- {cyan(f'[{_short(entry)}]')} stops {printable(entry.rule.stops)}")
        sentence = entry.memory.memory.claim.sentence if entry.memory else ""
        state = f"“{printable(sentence)}”" if entry.memory else "its memory is not active any more, so it stops nothing"
        echo(dim(f"    {entry.rule.decision}, {printable(scope_label(Scope(entry.rule.scope)))}: {state}"))
    if not entries:
        echo("No rule stops an agent. To switch one on: tacit guard on ID")
    return 0


def _short(entry: GuardEntry) -> str:
    return entry.memory.short if entry.memory else entry.rule.id[:6]


def _plan(call: Invocation, reference: str) -> GuardPlan:
    chosen = [flag for flag in _DECISIONS if call.flag(flag)]
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} do not go together", f"tacit guard on ID {chosen[0]}")
    stated = stated_rule(
        call.value("--forbid") or "",
        call.value("--instead") or "",
        call.value("--before") or "",
        call.value("--run") or "",
        call.all_values("--protect"),
    )
    return call.vault.guard.plan(reference, stated, _DECISIONS[chosen[0]] if chosen else Decision.ASK)


def _run_on(call: Invocation, reference: str) -> int:
    plan = _plan(call, reference)
    decision = plan.rules[0].decision
    _echo_plan(plan)
    _echo_replay(call.vault.guard.replay(plan.rules, REPLAY_DAYS), f"in the last {REPLAY_DAYS} days")
    if not call.flag("--yes"):
        if not sys.stdin.isatty():
            raise RefusedError(
                "nothing was switched on: there is no terminal to ask on", f"tacit guard on {reference} --yes"
            )
        question = "Switch it on?"
        if decision is Decision.DENY:
            question = "Switch it on? Such calls are stopped at once, and you are not asked."
        if not confirm(question):
            echo("Nothing was switched on.")
            return 0
    call.vault.guard.switch_on(plan)
    echo(f"Switched on. To switch it off: tacit guard off {plan.memory.short}")
    _update_hooks(call)
    return 0


def _echo_plan(plan: GuardPlan) -> None:
    memory = plan.memory.memory
    echo_wrapped(f"{cyan(f'[{plan.memory.short}]')} {printable(memory.claim.sentence)}")
    for rule in plan.rules:
        echo_wrapped(f"  stops: {printable(rule.stops)} ({printable(scope_label(memory.claim.scope))})")
    decision = plan.rules[0].decision
    echo(f"  {decision}: {_EFFECTS[decision]}")


def _echo_replay(replayed: Sequence[ReplayedCommand], when: str, limit: int | None = _MAX_SHOWN) -> None:
    agents = [run for run in replayed if run.is_agents]
    echo(f"It would have stopped {pluralize(len(agents), 'command')} of agents {when}.")
    for run in agents[-(limit or len(agents)) :]:
        command = run.command
        where = f" in {short_path(command.directory)}" if command.directory else ""
        echo_wrapped(f"  {command.at[:10]} {command.actor.removeprefix('agent:')}{printable(where)}")
        echo(f"    {printable(clip(command.text, _MAX_COMMAND_CHARS))}")
    if own := len(replayed) - len(agents):
        echo(f"You ran {pluralize(own, 'such command')} yourself; a guard never stops you.")


def _run_test(call: Invocation, reference: str) -> int:
    guard = call.vault.guard
    entries = guard.entries()
    switched_on = [entry.rule for entry in entries if entry.rule.id.startswith(reference)]
    has_options = any(call.flag(name) for name in ("--forbid", "--before", "--protect"))
    rules = switched_on if switched_on and not has_options else list(_plan(call, reference).rules)
    replayed = guard.replay(rules)
    if call.flag("--json"):
        echo_json([_replayed_json(run) for run in replayed])
        return 0
    for rule in rules:
        echo_wrapped(f"stops: {printable(rule.stops)}")
    _echo_replay(replayed, "among all that were captured", None)
    return 0


def _run_off(call: Invocation, reference: str) -> int:
    for rule in call.vault.guard.switch_off(reference):
        echo(f"Switched off: {printable(rule.stops)}")
    _update_hooks(call)
    return 0


def _run_allow(call: Invocation, code: str) -> int:
    if not sys.stdin.isatty():
        raise RefusedError(
            "a call is allowed only at a terminal", f"in a terminal of your own: tacit guard allow {code}"
        )
    _, memory = call.vault.guard.allow(code)
    rule = f" although [{memory.short}] says: {printable(memory.memory.claim.sentence)}" if memory else ""
    echo_wrapped(f"Allowed once, within ten minutes{rule}")
    echo("Tell the agent to try the same call again.")
    return 0


def _update_hooks(call: Invocation) -> None:
    """Add the hook before tool calls to the agents that Tacit is installed in, or take it out, if the person agrees."""
    from tacit.cli.install import TARGETS, confirm_and_apply, install_place, install_state, keep_receipts

    place = install_place(call.value("--home"))
    states = {name: install_state(TARGETS[name], place) for name in GUARD_HOOKS}
    outdated = [name for name, state in states.items() if state and not state.problem and not state.is_current]
    if not any(states.values()):
        echo("  no agent runs it yet: tacit install claude (or codex, gemini, copilot, opencode)")
    for name in outdated:
        target = TARGETS[name]
        changes = target.plan_install(place)
        echo(f"\n{name} has to run a hook before tool calls:" if call.args[0] == "on" else f"\n{name}:")
        if call.flag("--yes") or sys.stdin.isatty():
            if confirm_and_apply(call, changes, lambda: keep_receipts(place, target, changes)):  # noqa: B023 (at once)
                echo(f"  {target.next_step}")
        else:
            echo(f"  tacit install {name}")


def _entry_json(entry: GuardEntry) -> JsonObject:
    rule = entry.rule
    return {
        "id": rule.id,
        "short": _short(entry),
        "text": entry.memory.memory.claim.sentence if entry.memory else "",
        "guards": rule.kind.value,
        "decision": rule.decision.value,
        "scope": rule.scope,
        "stops": list(rule.commands),
        "replacement": list(rule.instead),
        "requires": list(rule.before),
        "protected": list(rule.paths),
        "inactive": entry.memory is None,
    }


def _replayed_json(run: ReplayedCommand) -> JsonObject:
    command = run.command
    return {
        "text": command.text,
        "matched": run.matched,
        "actor": command.actor,
        "directory": command.directory,
        "at": utc_timestamp(command.at),
    }


GUARD = Command(
    name="guard",
    usage="[list | on ID | off ID | test ID | allow CODE]",
    help=(
        "Stop an agent before it breaks a rule. A guard is made of an accepted memory whose sentence names a command\n"
        "or a path: never npm here, use pnpm; run make test before committing; never edit migrations/. A hook checks\n"
        "every command and edit of claude, codex, gemini, copilot and opencode. Commands are found behind sudo, env,\n"
        "xargs and bash -c, in pipes and chains; quotes, comments and here-documents never match. What cannot be\n"
        "parsed is allowed. Your own commands are never stopped.\n\n"
        "on shows what the rule would have stopped, and asks. test tries it on all captured commands and changes\n"
        "nothing. off switches it off. allow lets one stopped call through, once and within ten minutes; the agent is\n"
        "told the code. A new guard asks you; where an agent cannot ask, the call is stopped."
    ),
    example="tacit guard on 7k2m",
    run=run_guard,
    options=(
        Option("--ask", help="ask before such a call (the default)"),
        Option("--deny", help="stop such a call without asking"),
        Option("--warn", help="only tell the agent that it broke the rule"),
        Option("--forbid", "COMMAND", 'the command to stop, for example "git push --force"'),
        Option("--instead", "COMMAND", "what to run instead of it"),
        Option(
            "--protect", "PATH", "a file or folder that is not to be changed, for example migrations/", repeatable=True
        ),
        Option("--before", "COMMAND", 'the command that needs another one first, for example "git commit"'),
        Option("--run", "COMMAND", 'what has to be run before it, for example "make test"'),
        Option("--yes", help="switch it on or off, and change the settings of agents, without being asked"),
        JSON_OPTION,
    ),
)
