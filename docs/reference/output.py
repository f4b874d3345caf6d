"""The vocabulary of `--json`: what each name means, which names each object has, and what each command prints.

`generate.py` writes json.md and the JSON Schema json.schema.json from it. Tests hold the commands to the schema.
"""

from __future__ import annotations

from tacit.cli.status import SCHEMA_VERSION

# A type is one of JSON, an object below, or one of `ID`, `TIME`, `DAY`, `SCOPE`; in brackets a list of such; with a
# question mark it may be null. `numbers` is an object of names and numbers.
ID, TIME, DAY, SCOPE = "id", "time", "day", "scope"
FIELDS: dict[str, tuple[str, str]] = {
    "about": ("string", "what kind of command or notice a prompt was, where it was not typed"),
    "accepted": ("boolean", "whether the person accepted these steps"),
    "accepted_by": ("string", "the curator who accepted a memory for the team; empty while it waits"),
    "accepted_count": ("integer", "how many were accepted"),
    "act": ("string", "what a tool did: `read`, `changed`, `ran`, `searched` or `called`"),
    "action": ("string", "what is to be sent to the team, or was done: `proposed`, `accepted`, `purge`, `removed`, …"),
    "active": ("integer", "memories that hold"),
    "actor": ("string", "who did or said it: `user`, `policy`, an agent, or a member of a team"),
    "adherence": ("adherence?", "in how many sessions it was told and followed; null on cards that are not about that"),
    "agent": ("string", "the agent of a session, for example `claude`"),
    "alike": ("integer", "how many other sessions asked the same"),
    "answer": ("string", "what the turn came to, where the passage does not tell"),
    "apart": ("[trial_apart]", "sessions that are left out of a trial, by the reason: `asked`, `told` or `resumed`"),
    "applied_count": ("integer", "sessions of a trial in which the memory applied"),
    "aside": ("boolean", "whether a helper of the agent did it"),
    "asked": ("integer", "questions that `tacit recall` was asked"),
    "at": (
        f"{TIME}?",
        "when it was last said, done or changed (a memory: judged); null for a command of a history without times",
    ),
    "author": ("string", "whose words it is; of a memory that a team accepted, with who accepted it; else empty"),
    "bad_count": (
        "integer",
        "sessions of a trial that went badly: the memory was violated, or the person corrected the agent",
    ),
    "branch": ("string", "the git branch of a session"),
    "calls": ("[call]", "tools that the agent used in a turn"),
    "candidate": (
        "string",
        "the short id of the memory that says it now, whether it waits or holds; empty if there is none",
    ),
    "candidates": ("[reference]", "suggestions that were made of weak measures"),
    "captures": ("boolean", "whether sessions are captured here"),
    "card": (
        "string",
        "what a card asks about: a `candidate`, a memory that was `not followed` or `tried`, or what is `missing`",
    ),
    "category": (
        "string",
        "what is wrong in a rule file: `secret`, `contradiction`, `gone`, `never loaded`, `duplicate`, `unreadable`",
    ),
    "change": ("string", "what was changed in a file, in short"),
    "changed": ("[changed_rule]", "memories whose line is no longer in the rule file they were imported from"),
    "clock_seconds": (
        "integer",
        "how far the clock of a machine is ahead of this one's at least; negative: behind, 0: not known",
    ),
    "command_count": ("integer", "how many commands were run"),
    "commands": ("[command]", "commands; of a habit, the latest that it was seen in"),
    "commit": ("breaking_commit?", "the commit since which the work tree says otherwise; null where git does not say"),
    "compacted": ("boolean", "whether the conversation was compacted before this turn"),
    "compactions": ("integer", "how often the conversation was compacted"),
    "completed": ("boolean", "whether every step went well"),
    "confidence": ("number", "from 0 to 1"),
    "conditions": ("[tree_condition]", "what must be true of the work tree for a memory to hold"),
    "conflict": ("boolean", "whether another memory contradicts it and no rule decides"),
    "contradicts": (f"[{ID}]", "memories that a suggestion contradicts or may contradict"),
    "corrected_count": ("integer", "sessions in which the person repeated or contradicted it"),
    "correction_count": ("integer", "prompts in which the person corrected the agent"),
    "corrections": ("[adherence_evidence]", "prompts in which the person repeated or contradicted what was told"),
    "count": ("integer", "how many"),
    "created": ("boolean", "whether it was made now, rather than earlier today"),
    "curator": ("boolean", "whether a member of a team decides in their projects"),
    "damaged": ("numbers", "lines that cannot be read, by the reason"),
    "damaged_count": ("integer", "files of other machines on remotes that are damaged or lost, and asked for again"),
    "daily_judge": ("daily_judge?", "how the judge that is asked once a day stands; null if none is"),
    "day": (DAY, "a day; of a week, its Monday"),
    "decision": ("string", "what a guard does: `warn`, `ask` or `deny`"),
    "default": ("any", "the value a setting has when nobody sets it"),
    "details": ("[string]", "of an entry of the worklog: its changes, evidence and next step"),
    "difference": ("string", "where two memories contradict each other"),
    "directories": ("[reference]", "directories that the person works in"),
    "directory": ("string", "the folder; empty where it is not known"),
    "directory_count": ("integer", "how many directories"),
    "dismissed": ("integer", "suggestions that were dismissed"),
    "dropped": ("integer", "commands that could not be kept while the home was busy"),
    "earlier": ("moment?", "where it was said or mended before; null if it was remembered"),
    "edit_count": ("integer", "hand edits that were found on pages"),
    "effect": ("string", 'what accepting a habit does; "" for other memories'),
    "enabled": ("setting", "the setting autocapture.enabled"),
    "ended": (f"[{SCOPE}]", "projects of the team that the person is no member of any more"),
    "ended_at": (f"{TIME}?", "when a trial ended; null while it runs"),
    "estimate": ("number", "how many fewer of 1 session go badly if the memory is told; negative: more"),
    "evaluated": (f"{DAY}?", "the day of the last evaluation"),
    "evaluation": ("evaluation", "today's evaluation"),
    "event_ids": (f"[{ID}]", "the events it was learned from"),
    "events": ("[event]", "what a memory is made of, the oldest first"),
    "evidence": ("[string]", "what was given as evidence"),
    "exit_status": ("integer?", "of a command; null where unknown, -2 where it failed with an unknown one"),
    "fact_conflicts": ("integer", "conflicts that a git merge left in fact files"),
    "failed_count": ("integer", "how many of them failed, or how often in a row"),
    "file_count": ("integer", "how many files"),
    "files": ("[string]", "files that were changed"),
    "fingerprint": ("string", "a number that machines with the same keys have in common"),
    "first_at": (TIME, "when it was first recorded or seen, or when a session began"),
    "first_day": ("string", "the day of the first command; empty where there is none"),
    "first_step": ("integer", "the step that a run began with, from 1"),
    "followed_count": ("integer", "sessions whose tool calls followed it"),
    "foreign": ("[string]", "machines on a remote whose keys this one does not have"),
    "forgotten": ("integer", "memories that were forgotten"),
    "forgotten_count": ("integer", "memories that were forgotten in this time"),
    "guarded": ("boolean", "whether a guard enforces the memory now"),
    "green_count": ("integer", "memories of the project that its work tree confirms"),
    "guards": ("string", "what a guard is about: `forbid`, `prefer`, `require_before` or `protect`"),
    "habits": ("[reference]", "commands that the person accepted as usual"),
    "hash": ("string", "a commit, by the short name that git gives it"),
    "has_old_keys": ("boolean", "whether a machine has not synced since the keys of a remote were changed"),
    "has_times": ("boolean", "false where a habit comes from a history without times"),
    "held_count": (
        "integer",
        "lines of a machine that are held back: of a newer Tacit, or of a clock that is years ahead",
    ),
    "high": ("number", "the upper end of an interval"),
    "highlights": ("[highlight]", "of each thing that happened, the memory to name, and how often it happened"),
    "home": ("string", "the folder of the home"),
    "how": ("string", "how a prompt came: `typed`, or what the host says"),
    "id": (ID, "the whole id of the memory, session, event or operation that the object is about"),
    "ignored": ("string", "a variable that asks for what it may not, as it is set"),
    "ignored_count": ("integer", "incidents of which the agent had been told the memory"),
    "imported": ("[imported_rule]", "candidates that were imported from rule files"),
    "inactive": (
        "boolean",
        "whether it has no effect: a guard whose memory is not active, a member of a team whose role was revoked",
    ),
    "idle_count": ("integer", "memories that were told often and had to do with nothing: keep telling?"),
    "incidents": ("[incident]", "corrections and failures that a memory would have prevented, the latest first"),
    "ineffective_count": ("integer", "memories that agents were told and violated twice, or that were corrected"),
    "injected_count": ("integer", "sessions in which an agent was told it; of a week, over all memories"),
    "input": ("string", "what a tool was given"),
    "instead": ("string", "the sentence that took its place"),
    "interrupted": ("boolean", "whether the person interrupted the turn"),
    "interval": (
        "trial_interval?",
        "the difference between the arms of a trial with its interval; null while it is too early",
    ),
    "into": (ID, "the memory that it was merged into"),
    "is_checkable": (
        "boolean",
        "whether tool calls show if the memory was followed; else corrections and failures decide",
    ),
    "is_incomplete": ("boolean", "whether another machine has seen more of a machine than a remote has now"),
    "is_of_all": ("boolean", "whether all sessions were compared, because the memory did not apply equally often"),
    "is_open": ("boolean", "whether a trial ended with a verdict and the person has not decided on the memory since"),
    "is_resting": ("boolean", "whether the memory does not hold now, so that no agent is told it"),
    "is_rolled_back": ("boolean", "whether what a remote has of a machine is older than what this one saw before"),
    "judge": ("string", "the client that was asked last, or empty"),
    "judge_tokens": ("integer", "what judges cost in this time, on this machine"),
    "key": ("string", "what makes two memories the same; of a setting, its name"),
    "kept": ("boolean", "whether somebody decided to keep a memory although the work tree says otherwise"),
    "kind": ("string", "the kind of a memory, or `worklog`, `evaluation`, `session`, `command`"),
    "kinds": ("[count_of_kind]", "how many memories or habits there are of each kind"),
    "known": ("string", "what was known then: `ignored` (told), `untold` (remembered) or `unremembered`"),
    "known_count": ("integer", "statements that were known before"),
    "label": ("string", "the same as `text`"),
    "last_change": ("last_change?", "the latest session that changed such a file; null if none did or nobody knows"),
    "last_day": ("string", "the day of the last command; empty where there is none"),
    "last_run": ("run?", "its last run; null where it never ran"),
    "last_seen": (TIME, "when a machine wrote to a remote last, by its own clock"),
    "learned": ("[conclusion]", "what was newly suggested"),
    "learned_count": ("integer", "memories that hold and are new, or were accepted, in this time"),
    "left_out": ("string", "the entry of agents.ignore_directories that this folder is in"),
    "line": ("integer", "the line of `path`"),
    "loaded_by": ("[string]", "the agents that load a rule file when a session starts"),
    "log_bytes": ("integer", "the size of the log"),
    "low": ("number", "the lower end of an interval"),
    "machine": ("string", "the id of a machine"),
    "machines": ("[machine]", "the other machines on a remote"),
    "matched": ("string", "the command or path that a guard stops"),
    "may_be_same": (f"[{ID}]", "memories that may say the same as a suggestion in other words"),
    "mean_failures": ("number", "failed commands of the agent in an average session"),
    "mean_tokens": ("number", "tokens that an average session was told in all"),
    "mean_turns": ("number", "turns of an average session"),
    "meant": ("string", "the command with its aliases written out, where the shell told"),
    "memories": ("[memory_told]", "memories, each with at least id and text"),
    "member": ("string", "who was added to a project of the team or removed from it, or empty"),
    "memory": ("string", "the id of the memory that a workflow was made from or a curator decided on, or empty"),
    "memory_ids": (f"[{ID}]", "the memories that an operation changed"),
    "mend": ("string", "what to type or do"),
    "merged": ("[merging]", "memories that said the same as another"),
    "milliseconds": ("integer", "how long it took"),
    "more": ("[more_passage]", "other passages of the session that may answer; a later one may overrule the passage"),
    "missed": ("integer", "questions without an answer"),
    "missing": ("[missing_name]", "what it says that is not true of the work tree"),
    "missing_count": ("integer", "files of a machine that have not arrived yet"),
    "model": ("string", "the model that summed up"),
    "modes": ("[string]", "permission modes in which sessions are captured; empty for all"),
    "moment": (
        "string",
        "when: startup, resume, clear, compact, prompt, edit, failure, proposal, or empty where it was asked for",
    ),
    "most": ("integer", "sessions in which the memory applies that a trial may take"),
    "name": ("string", "of a workflow, score, shell or role; of a session, what its host calls it"),
    "new_count": (
        "integer",
        "things said and done that were not captured before; of a digest, suggestions of this time",
    ),
    "not_applicable_count": ("integer", "sessions that did nothing it is about"),
    "notes": ("[string]", "what else happened to a remote"),
    "object": ("string", "of a statement"),
    "offered": (f"[{SCOPE}]", "projects of the team that the person was added to and has not joined"),
    "often": ("[often]", "commands that are run most"),
    "on_demand_by": ("[string]", "the agents that load a rule file when they work on files it is about"),
    "open": ("string", "the command that opens the session there"),
    "origin": ("string", "where a setting's value comes from: default, file or environment"),
    "other_place": ("string", "the file and line that a rule contradicts or repeats, or empty"),
    "other_sentence": ("string", "what that line says"),
    "other_sessions": ("trial_arm", "the sessions from which the memory was withheld"),
    "others": ("[reference]", "candidates of other projects that say the same"),
    "outcome": ("string", "how it ended"),
    "outdated_count": ("integer", "other memories of the project that its work tree contradicts"),
    "outdated_memories": ("[outdated_memory]", "memories of the project that its work tree contradicts"),
    "overdue": ("boolean", "whether the last sync was so long ago that the person is told"),
    "overruled_by": (f"{ID}?", "the memory that holds instead of it"),
    "passage": ("string", "what answers: of a session, the lines that match"),
    "pages": ("page_sync?", "what became of hand edits of pages; null where they were left alone"),
    "path": ("string", "the file"),
    "patterns": ("[pattern]", "candidates that were observed again and again"),
    "pending": ("integer", "suggestions that wait for a decision"),
    "places": ("[often]", "directories that are visited most"),
    "planned": ("string", "what a command was before the person edited it"),
    "points": ("integer", "0, 1 or 2"),
    "predicate": ("string", "of a statement"),
    "problem": ("string?", "why it could not be read, or the server not be asked; null where it could"),
    "project": ("string?", "the folder of the project one stands in"),
    "promote": ("string", "the command that makes it a memory"),
    "prompt_count": ("integer", "prompts that were read"),
    "prompts": ("[prompt]", "what the person said in a turn"),
    "proposal_count": ("integer", "proposals that wait for the person, who is a curator"),
    "protected": ("[string]", "files and folders that a guard protects"),
    "provenance": ("string", "who is behind it: `user`, `user_file`, `model`, `tool_local` or `external`"),
    "purged_count": ("integer", "purges of other machines that were done here, too"),
    "queued": ("[queued_event]", "what waits to be sent to the team"),
    "queued_count": ("integer", "how much waits to be sent to the team"),
    "quote": ("string", "the words it was learned from"),
    "read_count": ("integer", "things said and done that were read"),
    "ran": ("string", "the command that the agent ran after it said this; empty where it ran none"),
    "read_only": ("boolean", "whether the team's server takes nothing, as a replica does"),
    "reason": (
        "string",
        "why a memory is suggested or was forgotten, why an answer was found, which rule decided, what a work tree has",
    ),
    "reasons": ("[string]", "why sessions are captured here, or are not"),
    "received_count": ("integer", "what came from a machine or the team in this sync"),
    "refused": ("[refused_event]", "what the team's server did not take"),
    "refused_count": ("integer", "statements that were not taken: with a secret, too long, or purged"),
    "relevance": ("number", "how well an answer fits, from 0 to 1"),
    "remaining": ("integer", "how many more sessions in which the memory applies a trial may take"),
    "remembered": ("reference?", "the memory that was active then; null if there was none"),
    "replacement": ("[string]", "commands that a guard wants instead"),
    "replies": ("[string]", "what the agent said in a turn"),
    "requests": ("[string]", "what the person asked for in a session"),
    "requires": ("[string]", "commands of which a guard wants one to be run before"),
    "restored": ("boolean", "whether the team's server was restored from a backup and read again"),
    "result": ("string", "what a tool answered, in short"),
    "results": ("[step]", "the steps that ran, and how each ended"),
    "removed_count": ("integer", "memories of the team that were taken back"),
    "remote_syncs": ("[remote_sync]", "when the home last met each of its remotes"),
    "remotes": ("[remote]", "where the person's machines meet"),
    "rule": (
        "string",
        "which decides: `newest` or `constraint`; `undecided` or `may_contradict`: the person does",
    ),
    "rule_files": ("[rule_file]", "files that agents take rules and memories from"),
    "rule_findings": ("[rule_finding]", "what is wrong in rule files"),
    "run_count": ("integer", "how often it ran or was seen"),
    "said": ("boolean?", "what was said of this session; null where nothing was"),
    "said_at": (f"{TIME}?", "when a passage or a memory was last said, which may be long before it was learned"),
    "schema": ("integer", "the version of this vocabulary"),
    "scope": (SCOPE, "`global`, or `project:` and the project's name"),
    "scopes": (f"[{SCOPE}]", "the scopes that hold in a folder, the nearest first"),
    "scores": ("[score]", "the measures of an evaluation"),
    "searched": ("boolean", "whether the whole project was searched; a very large one is not"),
    "seed": ("string", "what the coin of a trial is made of: see FORMAT.md"),
    "sent_count": ("integer", "what went to a remote or the team in this sync"),
    "sentence": ("string", "what a line of a rule file says, in short"),
    "serious": ("boolean", "whether the home is unwell because of it"),
    "server": ("string", "the server of the team, without credentials"),
    "session": ("string", "the whole id of a session, or empty"),
    "session_count": ("integer", "how many sessions"),
    "session_ids": (f"[{ID}]", "sessions of a transcript"),
    "sessions": ("[session_told]", "earlier sessions that an agent was told of"),
    "shared": ("boolean", "whether it stands in the project's docs/memory/memories.ndjson"),
    "shell": ("string", "the shell"),
    "shells": ("[count_of_shell]", "how many commands were run in each shell"),
    "short": ("string", "the beginning of the id that people type"),
    "since": (TIME, "the beginning of the time that a digest is about"),
    "source": ("string", "where a memory comes from"),
    "sources": ("[source]", "what was said and done that an event was learned from"),
    "spared_count": ("integer", "sessions in which a memory that came from a correction was told and followed"),
    "speaker": ("string", "who said the passage: an agent, or `you`; empty where there is none"),
    "spooled": ("integer", "commands that wait to be recorded"),
    "stale": ("[reference]", "memories that were not seen for long"),
    "start_loads": ("[start_load]", "what each agent loads when a session starts"),
    "started_at": (TIME, "when a trial began"),
    "state": (
        "string",
        "whether a conclusion is new, known, dismissed before, …; what a work tree says: `red`, `green` or `unknown`",
    ),
    "statement": ("string", "what could be remembered; empty if it was"),
    "status": (
        "string",
        "pending, active, dismissed or retired; of what is no memory, recorded; in a team waiting or accepted",
    ),
    "skipped": ("[skipped_edit]", "edits that stay on the page as they are"),
    "steps": ("[string]", "the steps of a workflow"),
    "stops": ("[string]", "commands that a guard stops"),
    "stopped_count": ("integer", "sessions in which a guard stopped what would have violated it"),
    "stopped_calls": ("[adherence_evidence]", "tool calls that a guard stopped"),
    "strength": ("integer", "how often it was observed"),
    "subject": ("string", "of a statement"),
    "suggestion_count": ("integer", "suggestions that came of it"),
    "summarized_by": ("string", "the model whose words `outcome` is in, or empty"),
    "summary": ("summary?", "what a model said of a session"),
    "synced_at": (
        f"{TIME}?",
        "when a remote or the team's server was last asked; null if never",
    ),
    "tags": ("[string]", "tags"),
    "task": ("string", "what it was chosen for"),
    "team": ("team_summary?", "the team of this home; null without one"),
    "team_sync": ("team_sync?", "what was exchanged with the team's server; null without a team"),
    "team_memories": ("[team_memory]", "what the team holds, and what waits for a curator"),
    "team_projects": ("[team_project]", "projects of the team that the person joined"),
    "text": ("string", "what it says: the sentence of a memory, the command line, the words of a prompt"),
    "title": ("string", "what a session was about"),
    "tokens": ("integer", "what it costs in a prompt, estimated"),
    "told_sessions": ("trial_arm", "the sessions that were told the memory"),
    "tool": ("string", "the tool that an agent used"),
    "tools": ("numbers", "how often each tool was used"),
    "trial": ("trial?", "the latest trial of the memory; null without one, and on cards that are not about that"),
    "trial_id": (ID, "the event that began a trial"),
    "tried_count": ("integer", "trials that ended in this time"),
    "triple": ("triple", "the statement in three parts"),
    "turn": ("integer?", "the turn of a session, from 1; null where there is none"),
    "turn_count": ("integer", "turns of a session"),
    "turns": ("[turn_told]", "the turns of a session"),
    "turns_since": ("integer", "turns that came after the summary"),
    "unchanged": ("boolean", "whether a transcript is as it was when it was last read"),
    "unconfirmed_count": ("integer", "purges that a machine has not confirmed"),
    "undecided": ("integer", "pairs of memories that contradict each other or may do so, where no rule decides"),
    "undone": ("boolean", "whether it was taken back"),
    "unchecked_count": ("integer", "memories of the project of which its work tree says nothing"),
    "unfit": ("[unfit_line]", "lines of the repository's file that cannot be used"),
    "unfit_count": ("integer", "rows of the team's server that were not believed"),
    "unjudged_count": ("integer", "sessions that no judge has read as they are now"),
    "unknown": ("numbers", "records of a type that this version does not know"),
    "unknown_count": ("integer", "sessions of which tool calls cannot show whether they followed it"),
    "unpurged": ("[unpurged_memory]", "memories that were purged here, and that only others can purge on the server"),
    "unpurged_count": ("integer", "purges that the team's server has not confirmed"),
    "unremembered_count": ("integer", "incidents of what had been said or mended before, and was not remembered"),
    "unsent_count": ("integer", "lines that the next sync sends"),
    "untold_count": ("integer", "incidents of which a memory was active, and not told"),
    "untrusted": ("integer", "facts of the repository that wait for trust"),
    "url": ("string", "the address or folder of a remote, or the address of the team's server"),
    "value": ("any", "the value that holds"),
    "variable": ("string", "the variable that may change a setting, and how far"),
    "verdict": (
        "string",
        "how a trial ended: `helps`, `no_difference`, `harms`, `undecided`, `stopped`, `guarded`; empty while it runs",
    ),
    "verdict_count": ("integer", "trials that ended, of which the person has not decided on the memory since"),
    "violated_count": ("integer", "sessions with a tool call that violates it"),
    "violations": ("[adherence_evidence]", "tool calls that violate it, the latest first"),
    "waiting": ("[waiting_line]", "lines of the repository's file that wait for trust"),
    "waiting_count": ("integer", "lines of a machine that the next sync takes in"),
    "week": ("recent_adherence", "what agents were told in the last seven days, and did with it"),
    "weeks": ("[week]", "commands of the last weeks"),
    "what": (
        "string",
        "what was found; of a highlight: `learned`, `followed`, `violated`, `stopped`, `tried` or `forgotten`; of an"
        " incident: `correction`, `failure` or `violation`",
    ),
    "where": ("string", "the file and line, or the variable"),
    "winner": (f"{ID}?", "the memory that holds; null where the person is asked"),
    "withheld": ("[memory_told]", "memories on trial that were not told"),
    "workflows": ("[workflow]", "workflows"),
    "work_tree": ("tree_check?", "what the work tree says of a memory; null where it was not asked"),
    "worklog": ("integer", "entries of the worklog"),
}

_REFERENCE = "id kind scope text"
_MEMORY = (
    f"{_REFERENCE} short key label confidence status evidence shared triple tags strength run_count session_count"
    " has_times steps effect source author provenance first_at at said_at conflict overruled_by reason contradicts"
    " may_be_same work_tree"
)
_PROPOSAL = f"{_REFERENCE} tags author at evidence"
_SESSION = "id short agent name scope at first_at turn_count title outcome summarized_by files alike"
OBJECTS: dict[str, str] = {
    "adherence": (
        "injected_count followed_count violated_count not_applicable_count stopped_count unknown_count violations"
        " stopped_calls corrections"
    ),
    "adherence_evidence": "id session at text",
    "answer": (
        "id short kind status scope text passage at strength relevance path line tags conflict overruled_by reason"
        " speaker said_at session title turn ran answer more open directory exit_status author details"
    ),
    "audit": "rule_files rule_findings outdated_memories start_loads searched",
    "autocapture": "captures enabled name said modes left_out reasons",
    "brief": "memories tokens text",
    "call": "tool act input result outcome files change aside",
    "card": f"{_MEMORY} card others adherence missing trial",
    "changed_rule": "id text where instead",
    "command": "id text at directory exit_status milliseconds shell meant planned",
    "conclusion": f"{_REFERENCE} quote session event_ids reason confidence state contradicts",
    "conflict": "difference scope rule reason winner memories",
    "context": "directory scopes directories habits places often workflows memories",
    "counted_session": f"{_SESSION} memories",
    "count_of_kind": "kind count",
    "count_of_shell": "shell count",
    "daily_judge": "judge at session_count suggestion_count tokens problem failed_count",
    "evaluation": "day path created scores candidates",
    "event": "id text at actor provenance undone path line sources evidence reason instead",
    "explained": f"{_MEMORY} events commands adherence trial",
    "digest": (
        "since highlights learned_count followed_count violated_count stopped_count spared_count forgotten_count"
        " tried_count pending new_count verdict_count ineffective_count idle_count outdated_count undecided untrusted"
        " proposal_count injected_count tokens judge_tokens"
    ),
    "finding": "where what mend serious",
    "imported_rule": f"{_REFERENCE} path line",
    "guard": "id short text guards decision scope stops replacement requires protected inactive",
    "highlight": f"{_REFERENCE} what count",
    "improvement": "evaluation patterns learned merged stale undecided",
    "incident": "what known session short turn at text remembered earlier candidate statement guarded",
    "injection": "id at agent session moment task tokens memories withheld sessions",
    "last_change": "session at",
    "machine": (
        "machine name last_seen received_count waiting_count missing_count held_count unconfirmed_count clock_seconds"
        " has_old_keys damaged_count is_rolled_back is_incomplete"
    ),
    "memory": _MEMORY,
    "memory_told": f"{_REFERENCE} reason missing",
    "merging": "id into",
    "moment": "session short turn at text",
    "missing_name": "text reason commit last_change",
    "breaking_commit": "hash day text",
    "checked_memory": f"{_MEMORY} missing",
    "tree_check": "state reason conditions",
    "tree_condition": "text state reason kept",
    "more_passage": "turn speaker passage ran",
    "often": "text run_count session_count",
    "operation": "id at actor text memory_ids",
    "outdated_memory": f"{_REFERENCE} missing",
    "page_sync": "edit_count accepted_count suggestion_count skipped fact_conflicts",
    "pattern": f"{_REFERENCE} strength promote",
    "prompt": "text how about",
    "queued_event": "id action scope text",
    "recent_adherence": "injected_count tokens followed_count violated_count stopped_count",
    "reference": _REFERENCE,
    "refused_event": "id action scope text problem",
    "remote": "name url fingerprint synced_at sent_count unsent_count purged_count machines foreign notes problem",
    "remote_sync": "name synced_at problem overdue damaged_count",
    "replay": (
        "since session_count correction_count failed_count ignored_count untold_count unremembered_count incidents"
    ),
    "repository": "path accepted_count waiting unfit",
    "rule_file": "path provenance loaded_by on_demand_by problem",
    "rule_finding": "path line category what sentence other_place other_sentence",
    "rule_import": "imported changed known_count refused_count",
    "run": "at completed exit_status directory first_step results",
    "score": "name points reason",
    "session": _SESSION,
    "session_told": "id title reason",
    "setting": "key value default origin where variable ignored",
    "skipped_edit": "path text reason",
    "source": "id text path line",
    "start_load": "agent tokens file_count",
    "statistics": (
        "command_count failed_count session_count directory_count first_day last_day shells weeks often places kinds"
        " pending accepted_count dismissed"
    ),
    "status": (
        "schema home project active pending forgotten dismissed worklog undecided asked missed log_bytes spooled"
        " dropped untrusted fact_conflicts kinds session_count evaluated week ineffective_count"
        " idle_count"
        " outdated_count verdict_count green_count unchecked_count unjudged_count daily_judge team remote_syncs"
    ),
    "step": "text exit_status milliseconds",
    "stopped_command": "text matched actor directory at",
    "summary": "text model turns_since",
    "team": "url name synced_at problem team_projects offered unfit_count team_memories queued unpurged",
    "team_change": "at actor action scope memory member reason",
    "team_member": "name scope curator inactive",
    "team_memory": f"{_PROPOSAL} status accepted_by",
    "team_project": "scope curator",
    "team_proposal": _PROPOSAL,
    "sync": "pages remotes team_sync",
    "team_sync": (
        "server received_count removed_count sent_count queued_count refused ended offered proposal_count unfit_count"
        " read_only restored problem"
    ),
    "team_summary": "server synced_at problem queued_count proposal_count unpurged_count overdue",
    "transcript": "path agent session_ids prompt_count read_count new_count unchanged unknown damaged problem",
    "triple": "subject predicate object",
    "turn_told": "turn at prompts replies calls interrupted compacted",
    "unfit_line": "line problem",
    "unpurged_memory": "id scope author",
    "waiting_line": "line kind text strength tags",
    "trial": (
        f"{_REFERENCE} trial_id short started_at ended_at verdict is_open is_checkable is_resting seed most remaining"
        " told_sessions other_sessions apart interval"
    ),
    "trial_apart": "reason count",
    "trial_arm": (
        "session_count applied_count bad_count violated_count corrected_count mean_failures mean_turns mean_tokens"
    ),
    "trial_interval": "estimate low high is_of_all",
    "week": "day command_count",
    "whole_session": f"{_SESSION} directory branch requests tools compactions tags summary turns",
    "workflow": "name steps directory memory at accepted run_count last_run",
}
# Objects of which some names may be missing, with those that are always there. A whole memory stands for one, too.
PARTIAL = {"memory_told": ("memory", "id text")}
# What each command prints: an object, or in brackets a list of them.
OUTPUTS: dict[str, str] = {
    "audit": "audit",
    "autocapture status": "autocapture",
    "brief": "brief",
    "check": "[checked_memory]",
    "config get": "any",
    "config show": "[setting]",
    "conflicts": "[conflict]",
    "context": "context",
    "doctor --log": "[finding]",
    "doctor": "[finding]",
    "import rules": "rule_import",
    "guard list": "[guard]",
    "guard test": "[stopped_command]",
    "import transcripts": "[transcript]",
    "improve --evaluate": "evaluation",
    "improve": "improvement",
    "injected": "[injection]",
    "learn": "[conclusion]",
    "list --pending": "[memory]",
    "list": "[memory]",
    "recall": "[answer]",
    "remote list": "[remote]",
    "replay": "replay",
    "review --doubtful": "[conclusion]",
    "review": "[card]",
    "sessions show": "whole_session",
    "sessions --result": "[counted_session]",
    "sessions --since": "[counted_session]",
    "sessions": "[session]",
    "show": "memory",
    "status --commands": "statistics",
    "status": "status",
    "sync": "sync",
    "sync --status": "[remote]",
    "team": "team",
    "team log": "[team_change]",
    "team members": "[team_member]",
    "team review": "[team_proposal]",
    "trust": "repository",
    "trial": "[trial]",
    "undo --list": "[operation]",
    "week": "digest",
    "why": "explained",
    "workflow list": "[workflow]",
    "workflow runs": "[run]",
    "workflow show": "workflow",
}
PATTERNS = {
    ID: r"^([0-9a-hjkmnp-tv-z]{12}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
    TIME: r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$",
    DAY: r"^\d{4}-\d\d-\d\d$",
    SCOPE: r"^(global|project:.+)$",
}
_PLAIN = ("string", "integer", "number", "boolean")
_RULES = (
    f"""This is version {SCHEMA_VERSION} of the vocabulary, which `tacit status --json` tells as `schema`.
The number rises when a field is removed or changes its meaning. New fields may come at any time: ignore names that you
do not know.
[json.schema.json](json.schema.json) is the same for programs, as JSON Schema.""",
    """A name means the same in every output. Ids are whole; `short` is what people type, and every command takes both.
Times are UTC with microseconds, as in `2026-03-02T11:00:00.000000Z`, and days are `2026-03-02`. A scope is `global`, or
`project:` and the project's name. Every field of an object is there, also where it is empty or null; of a memory inside
another object only `id` and `text` always are.""",
    """Lists of memories, candidates, cards, conflicts, sessions and injections have the first 50 entries. `--limit N`
prints as many as you say, and `--all` prints all; how many are left out is told on standard error. Entries are written
as they are read. If that is interrupted, the list is closed, and the exit code is not 0.""",
    """An empty result is a result: the exit code is 0. With `--exit-code`, where a command has that option, it is 1
when nothing was found.""",
)


def schema() -> dict[str, object]:
    """The JSON Schema of all outputs: `$defs` has one named `output.` and the command for each."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"What Tacit's commands print with --json, version {SCHEMA_VERSION}",
        "version": SCHEMA_VERSION,
        "$defs": {
            **{name: {"type": "string", "pattern": pattern} for name, pattern in PATTERNS.items()},
            **{f"field.{name}": {**_typed(kind), "description": told} for name, (kind, told) in FIELDS.items()},
            **{f"object.{name}": _object(name) for name in OBJECTS},
            **{f"output.{command}": _typed(kind) for command, kind in OUTPUTS.items()},
        },
    }


def _object(name: str) -> dict[str, object]:
    whole, always = PARTIAL.get(name, ("", OBJECTS[name]))
    names = dict.fromkeys([*OBJECTS[name].split(), *OBJECTS.get(whole, "").split()])
    return {
        "type": "object",
        "properties": {field: {"$ref": f"#/$defs/field.{field}"} for field in names},
        "required": always.split(),
        "additionalProperties": False,
    }


def _typed(kind: str) -> dict[str, object]:
    if kind.endswith("?"):
        return {"anyOf": [_typed(kind[:-1]), {"type": "null"}]}
    if kind.startswith("["):
        return {"type": "array", "items": _typed(kind[1:-1])}
    if kind == "any":
        return {}
    if kind == "numbers":
        return {"type": "object", "additionalProperties": {"type": "integer"}}
    if kind in _PLAIN:
        return {"type": kind}
    return {"$ref": f"#/$defs/{kind}" if kind in PATTERNS else f"#/$defs/object.{kind}"}


def page() -> str:
    """json.md: the rules, what each command prints, the objects, and the names."""
    rows = [f"| `tacit {command} --json` | {_words(kind)} |" for command, kind in OUTPUTS.items()]
    objects = [
        f"| {name.replace('_', ' ')} | {', '.join(f'`{field}`' for field in OBJECTS[name].split())} |"
        for name in OBJECTS
    ]
    fields = [f"| `{name}` | {_words(kind)} | {told} |" for name, (kind, told) in FIELDS.items()]
    return (
        "\n\n".join(
            [
                "# JSON output",
                "Made by `make docs` from `docs/reference/output.py`; do not edit.",
                *_RULES,
                "## Commands",
                "\n".join(["| command | prints |", "|---|---|", *rows]),
                "## Objects",
                "\n".join(["| object | fields |", "|---|---|", *objects]),
                "## Fields",
                "\n".join(["| field | type | meaning |", "|---|---|---|", *fields]),
            ]
        )
        + "\n"
    )


def _words(kind: str) -> str:
    if kind.endswith("?"):
        return f"{_words(kind[:-1])} or null"
    if kind.startswith("["):
        return f"list of {_words(kind[1:-1])}"
    known = {"any": "any value", "numbers": "object of numbers"}
    return known.get(kind, kind.replace("_", " "))
