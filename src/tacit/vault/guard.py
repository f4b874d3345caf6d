"""The guard of a home: rules are made of active memories, tried on captured commands, and switched on by the person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, timedelta
from functools import partial

from tacit import guard
from tacit.commandline.executions import executions
from tacit.commandline.patterns import (
    AsksBefore,
    ForbidsCommand,
    ProtectsFiles,
    RequiresBefore,
    RunsAfter,
    TiesFiles,
    forbids,
    parse_patterns,
)
from tacit.commandline.words import ScanError
from tacit.disk.lock import FileLock
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.guard import Decision, Enforceable, GuardRule, RuleScopes, StoppedCall
from tacit.home.home import HomePart
from tacit.home.input import checked_member
from tacit.index import sessions
from tacit.index.commands import StoredCommand, commands_since
from tacit.model.claim import GLOBAL, Provenance, Status
from tacit.model.event import timestamp
from tacit.model.expectations import read_expectations
from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.vault.listing import ListedMemory
from tacit.vault.search import Search

REPLAY_DAYS = 90  # of captured commands that a new rule is tried on
_LOCK_TIMEOUT_SECONDS = 10
_MAX_RULES = 100  # of a home: each is compared with every command that has its needle


class GuardPlan(Record):
    """The rules that a memory would have, before they are switched on."""

    memory: ListedMemory
    rules: tuple[GuardRule, ...]


class ReplayedCommand(Record):
    """A captured command that a rule matches."""

    command: StoredCommand
    matched: str

    @property
    def is_agents(self) -> bool:
        """Whether an agent ran it. The guard never stops the person."""
        return self.command.actor.startswith("agent:")


class GuardEntry(Record):
    """A rule that is switched on, and its memory; None if that does not exist or is not active any more."""

    rule: GuardRule
    memory: ListedMemory | None


class Guard(HomePart):
    """Rules that stop agents before they act."""

    def plan(
        self, reference: str, stated: Enforceable | None = None, decision: Decision | str = Decision.ASK
    ) -> GuardPlan:
        """Return the rules of a memory: those that its sentence states, or the one that is given.

        Raises:
            NotFoundError: there is no such memory.
            RefusedError: it is not active, nobody has reviewed it, or its sentence cannot be compiled.
            UsageError: there is no such decision.
        """
        wanted = checked_member(Decision, decision, "decision")
        listed = Search(self._home).show(reference)
        memory = listed.memory
        if memory.status is not Status.ACTIVE or memory.is_unreviewed:
            raise RefusedError(
                f"[{listed.short}] is not accepted, and only an accepted memory can be a guard",
                f"tacit accept {listed.short}",
            )
        if listed.overruled_by:
            raise RefusedError(f"[{listed.short}] is overruled by another memory", f"tacit show {listed.short}")
        expectations = (stated,) if stated else enforceable(memory.claim.sentence)
        if not expectations:
            is_read = bool(read_expectations(memory.claim.sentence))
            why = (
                "is about calls that need not show it" if is_read else "states no command or path that could be checked"
            )
            raise RefusedError(
                f"[{listed.short}] {why}: {memory.claim.sentence}",
                f'state it, for example: tacit guard on {listed.short} --forbid "npm" --instead pnpm; '
                '--before "git commit" --run "make test"; --protect migrations/',
            )
        origin = self._origin(listed)
        rules = (GuardRule(memory.id, expectation, wanted, memory.claim.scope, origin) for expectation in expectations)
        return GuardPlan(listed, tuple(rules))

    def switch_on(self, plan: GuardPlan) -> None:
        """Write the rules of a plan, in place of those that the memory had. A trial of the memory ends.

        Raise RefusedError if an agent asks.
        """
        short = plan.memory.short
        self._store.actor.require_person("switches a guard on", f"tacit guard on {short}")
        others = [rule for rule in self._rules() if rule.id != plan.memory.memory.id]
        if len(others) + len(plan.rules) > _MAX_RULES:
            raise RefusedError(f"there are {len(others)} rules already", "tacit guard list, and tacit guard off ID")
        from tacit.vault.trials import Trials

        trials = Trials(self._home)
        if trials.is_on_trial(plan.memory.memory.id):  # what guards is told in every session
            trials.stop(plan.memory.memory.id, is_guarded=True)
        self._save([*others, *plan.rules])

    def switch_off(self, reference: str) -> list[GuardRule]:
        """Remove the rules of a memory. Return them.

        Raises:
            NotFoundError: no rule has this id.
            RefusedError: an agent asks.
        """
        self._store.actor.require_person("switches a guard off", f"tacit guard off {reference}")
        rules = self._rules()
        removed = [rule for rule in rules if rule.id.startswith(reference)]
        if not reference or not removed:
            raise NotFoundError(f"no guard has the id {reference!r}", "tacit guard list")
        if len({rule.id for rule in removed}) > 1:
            raise UsageError(f"{reference!r} fits several guards", "tacit guard list")
        self._save([rule for rule in rules if rule not in removed])
        return removed

    def entries(self) -> list[GuardEntry]:
        """Return the rules that are switched on."""
        return [GuardEntry(rule, self._active_memory(rule.id)) for rule in self._rules()]

    def allow(self, code: str) -> tuple[StoppedCall, ListedMemory | None]:
        """Allow a stopped call once, within ten minutes. Return it and the memory of the rule that stopped it.

        Raises:
            NotFoundError: no call of the last ten minutes has this code.
            RefusedError: an agent asks.
        """
        self._store.actor.require_person("allows what a guard stopped", f"tacit guard allow {code}")
        stopped = guard.find_stopped(self._home.root, code)
        if stopped is None:
            raise NotFoundError(
                f"no call of the last ten minutes has the code {code!r}",
                "let the agent try again: it is told a new one",
            )
        guard.allow_call(self._home.root, stopped)
        return stopped, self._active_memory(stopped.rule)

    def replay(self, rules: Sequence[GuardRule], days: int | None = None) -> list[ReplayedCommand]:
        """Return the captured commands that the rules match, the latest run of each; of the last `days` or of all.

        Edits of protected files are not in it, only commands that change one.
        """
        since = ""
        if days is not None:
            since = timestamp(self._store.actor.clock().astimezone(UTC) - timedelta(days=days))
        wanted = guard.needles(rules)
        replayed: list[ReplayedCommand] = []
        sessions_with_run: set[tuple[str, int]] = set()  # rule and session in which the required command was run
        with self._store.snapshot() as connection:
            for command in commands_since(connection, since):
                if not any(needle in command.text for needle in wanted):
                    continue
                try:
                    found = executions(command.text)
                except ScanError:
                    continue
                applies = partial(self._applied_in, command)
                ran = {rule for rule in rules if (rule.id, command.session_number) in sessions_with_run}
                matches = guard.match_commands(rules, found, applies, ran.__contains__)
                replayed += [ReplayedCommand(command, match.matched) for match in matches[:1]]
                for rule in rules:
                    if (fulfils := guard.fulfils_last(rule, found)) is not None:
                        key = (rule.id, command.session_number)
                        (sessions_with_run.add if fulfils else sessions_with_run.discard)(key)
        return replayed

    def _applied_in(self, command: StoredCommand, rule: GuardRule, directory: str | None) -> bool:
        """Return whether a rule held where a captured command ran."""
        if rule.scope == GLOBAL or (directory == "" and rule.scope == command.scope):
            return True
        return RuleScopes(command.directory or "/", self._home.user_folder).applies(rule, directory)

    def _rules(self) -> list[GuardRule]:
        """Return the rules of this home. Raise RefusedError if their file is damaged or others can write it."""
        try:
            return guard.load_rules(self._home.root)
        except (OSError, ValueError, KeyError, TypeError) as error:
            path = self._store.paths.path(".tacit", "guard.json")
            raise RefusedError(f"{path} cannot be used: {error}", f"look at it, or remove it: rm {path}") from None

    def _save(self, rules: Sequence[GuardRule]) -> None:
        with FileLock(self._store.paths.write_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            guard.save_rules(self._home.root, rules)

    def _active_memory(self, claim: str) -> ListedMemory | None:
        try:
            listed = Search(self._home).show(ClaimId(claim))
        except (NotFoundError, UsageError):
            return None
        return listed if listed.memory.status is Status.ACTIVE and not listed.overruled_by else None

    def _origin(self, listed: ListedMemory) -> str:
        """Return when and where the person said it."""
        memory = listed.memory
        events = [*listed.quoting_events]
        agents = self._store.read(lambda connection: sessions.agents_of(connection, events)) if events else set()
        where = f" in a session with {', '.join(sorted(agents))}" if agents else ""
        verb = "said" if agents or memory.provenance is Provenance.USER_DIRECT else "accepted"
        return f"{verb} on {memory.first_at.astimezone().date().isoformat()}{where}"


def enforceable(sentence: str) -> tuple[Enforceable, ...]:
    """Return what a sentence expects, if a hook can tell before a call whether it is broken; else ()."""
    expectations = read_expectations(sentence)
    for expectation in expectations:
        if isinstance(expectation, TiesFiles):
            return ()
    enforced = tuple(_without_asking(one) for one in expectations if not isinstance(one, TiesFiles | RunsAfter))
    forbidden = (pattern for one in enforced if isinstance(one, ForbidsCommand) for pattern in one.forbidden)
    return () if any(pattern.may_be_implied or pattern.lacking for pattern in forbidden) else enforced


def _without_asking(expectation: Enforceable | AsksBefore) -> Enforceable:
    """Return what an expectation forbids until the person has agreed."""
    if not isinstance(expectation, AsksBefore):
        return expectation
    return ForbidsCommand(expectation.commands) if expectation.commands else ProtectsFiles(expectation.paths)


def stated_rule(forbid: str, instead: str, before: str, run: str, protect: Sequence[str]) -> Enforceable | None:
    """Return the rule that options state; None without options. Raise UsageError if they do not go together."""
    chosen = [name for name, value in (("--forbid", forbid), ("--before", before), ("--protect", protect)) if value]
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} are two rules", "tacit guard on ID --forbid COMMAND")
    if bool(before) != bool(run):
        raise UsageError("--before and --run go together", 'tacit guard on ID --before "git commit" --run "make test"')
    if instead and not forbid:
        raise UsageError("--instead goes with --forbid", "tacit guard on ID --forbid npm --instead pnpm")
    patterns = {text: parse_patterns(text) for text in (forbid, instead, before, run) if text}
    for text, parsed in patterns.items():
        if not parsed:
            raise UsageError(f"{text!r} is not one plain command", "a program, its words and flags: git push --force")
    if protect:
        return ProtectsFiles(tuple(protect))
    if before:
        return RequiresBefore(patterns[run], patterns[before])
    return forbids(patterns[forbid], patterns.get(instead, ())) if forbid else None
