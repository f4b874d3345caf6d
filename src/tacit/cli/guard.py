"""`tacit guard`: rules that stop agents before they act."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, bold, cyan, dim, echo, echo_wrapped, pluralize, short_path, utc_timestamp
from tacit.errors import RefusedError
from tacit.guard import Decision
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


def list_guards(call: Invocation) -> None:
    entries = call.vault.guard.entries()
    if call.shows_json(lambda: [guard_json(entry) for entry in entries]):
        return
    echo(bold(f"Guards ({len(entries)})"))
    for entry in entries:
        echo_wrapped(f"- {cyan(f'[{_short(entry)}]')} stops {printable(entry.rule.stops)}")
        sentence = entry.memory.memory.claim.sentence if entry.memory else ""
        state = f"“{printable(sentence)}”" if entry.memory else "its memory is not active any more, so it stops nothing"
        echo(dim(f"    {entry.rule.decision}, {printable(scope_label(Scope(entry.rule.scope)))}: {state}"))
    if not entries:
        echo("No rule stops an agent. To switch one on: tacit guard on ID")


def _short(entry: GuardEntry) -> str:
    return entry.memory.short if entry.memory else entry.rule.id[:6]


def _plan(call: Invocation, reference: str) -> GuardPlan:
    first = next((flag for flag in _DECISIONS if call.flag(flag)), "--ask")
    chosen = call.only_one(_DECISIONS, f"tacit guard on ID {first}") or first
    forbidden, instead, before, run = (call.value(f"--{name}") or "" for name in ("forbid", "instead", "before", "run"))
    stated = stated_rule(forbidden, instead, before, run, call.all_values("--protect"))
    return call.vault.guard.plan(reference, stated, _DECISIONS[chosen])


def switch_on(call: Invocation, reference: str) -> None:
    plan = _plan(call, reference)
    memory, decision = plan.memory.memory, plan.rules[0].decision
    echo_wrapped(f"{cyan(f'[{plan.memory.short}]')} {printable(memory.claim.sentence)}")
    for rule in plan.rules:
        echo_wrapped(f"  stops: {printable(rule.stops)} ({printable(scope_label(memory.claim.scope))})")
    echo(f"  {decision}: {_EFFECTS[decision]}")
    _echo_replay(call.vault.guard.replay(plan.rules, REPLAY_DAYS), f"in the last {REPLAY_DAYS} days")
    warning = " Such calls are stopped at once, and you are not asked." if decision is Decision.DENY else ""
    nobody = "nothing was switched on: there is no terminal to ask on"
    refusal = RefusedError(nobody, f"tacit guard on {reference} --yes")
    if call.agrees(f"Switch it on?{warning}", refusal, "Nothing was switched on."):
        call.vault.guard.switch_on(plan)
        echo(f"Switched on. To switch it off: tacit guard off {plan.memory.short}")
        _update_hooks(call)


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


def replay_guard(call: Invocation, reference: str) -> None:
    guard = call.vault.guard
    entries = guard.entries()
    switched_on = [entry.rule for entry in entries if entry.rule.id.startswith(reference)]
    has_options = any(call.flag(name) for name in ("--forbid", "--before", "--protect"))
    rules = switched_on if switched_on and not has_options else list(_plan(call, reference).rules)
    replayed = guard.replay(rules)
    runs = [
        {
            "text": run.command.text,
            "matched": run.matched,
            "actor": run.command.actor,
            "directory": run.command.directory,
            "at": utc_timestamp(run.command.at),
        }
        for run in replayed
    ]
    if call.shows_json(lambda: runs):
        return
    for rule in rules:
        echo_wrapped(f"stops: {printable(rule.stops)}")
    _echo_replay(replayed, "among all that were captured", None)


def switch_off(call: Invocation, reference: str) -> None:
    for rule in call.vault.guard.switch_off(reference):
        echo(f"Switched off: {printable(rule.stops)}")
    _update_hooks(call)


def allow_call(call: Invocation, code: str) -> None:
    if not sys.stdin.isatty():
        hint = f"in a terminal of your own: tacit guard allow {code}"
        raise RefusedError("a call is allowed only at a terminal", hint)
    _, memory = call.vault.guard.allow(code)
    rule = f" although [{memory.short}] says: {printable(memory.memory.claim.sentence)}" if memory else ""
    echo_wrapped(f"Allowed once, within ten minutes{rule}")
    echo("Tell the agent to try the same call again.")


def _update_hooks(call: Invocation) -> None:
    """Add the hook before tool calls to the agents that Tacit is installed in, or take it out, if the person agrees."""
    from tacit.cli.install import TARGETS, confirm_and_install, install_place, install_state

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
            if confirm_and_install(call, place, {target: changes}):
                echo(f"  {target.next_step}")
                if doubt := target.warning(place):
                    echo(f"  {doubt}")
        else:
            echo(f"  tacit install {name}")


def guard_json(entry: GuardEntry) -> JsonObject:
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


@command(
    "[list | on ID | off ID | test ID | allow CODE]",
    "tacit guard on 7k2m",
    Option("--ask", help="ask before such a call (the default)"),
    Option("--deny", help="stop such a call without asking"),
    Option("--warn", help="only tell the agent that it broke the rule"),
    Option("--forbid", "COMMAND", 'the command to stop, for example "git push --force"'),
    Option("--instead", "COMMAND", "what to run instead of it"),
    Option("--protect", "PATH", "a file or folder that is not to be changed, for example migrations/", repeatable=True),
    Option("--before", "COMMAND", 'the command that needs another one first, for example "git commit"'),
    Option("--run", "COMMAND", 'what has to be run before it, for example "make test"'),
    Option("--yes", help="switch it on or off, and change the settings of agents, without being asked"),
    JSON_OPTION,
    subcommands=(
        Subcommand("list", list_guards),
        Subcommand("on", switch_on, 1),
        Subcommand("off", switch_off, 1),
        Subcommand("test", replay_guard, 1),
        Subcommand("allow", allow_call, 1),
    ),
)
def run_guard(call: Invocation) -> int | None:
    """Stop an agent before it breaks a rule. A guard is made of an accepted memory whose sentence names a command
    or a path: never npm here, use pnpm; run make test before committing; never edit migrations/. A hook checks
    every command and edit of claude, codex, gemini, copilot and opencode. Commands are found behind sudo, env,
    xargs and bash -c, in pipes and chains; quotes, comments and here-documents never match. What cannot be
    parsed is allowed. Your own commands are never stopped.

    on shows what the rule would have stopped, and asks. test tries it on all captured commands and changes
    nothing. off switches it off. allow lets one stopped call through, once and within ten minutes; the agent is
    told the code. A new guard asks you; where an agent cannot ask, the call is stopped.
    """
    return call.run_subcommand("list")
