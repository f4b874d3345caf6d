-- Everything here is derived from the log. Changed statements need a new INDEX_VERSION, never a migration.
-- Comments stand outside of statements, because SQLite stores those as they are written. In tables without row ids the
-- columns of the key come first: SQLite 3.40 and 3.41.0 call others damaged, as they check the wrong columns of them.

-- Identifies copies of the index, whatever their names: see purge/files.py.
PRAGMA application_id = 0x54414349;

-- A row is one value of the index as a whole: `version`; `doc_count` and `total_length`, the number of documents and of
-- their words; `last_learned_command_id`, the row of shell_commands up to which learners have read; and
-- `complete FOLDER`, when a folder of pages was changed that had all its pages afterwards (may be lost).
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A row is how far a segment of the log was read. `tail` is the last bytes before that point.
CREATE TABLE log_cursors (
  segment TEXT PRIMARY KEY,
  offset INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  tail TEXT NOT NULL
) WITHOUT ROWID;

-- A row is an event that memories, pages, workflows or trust are folded from, with the position of its line in the log.
-- The log is not copied: `raw` is the line only if tombstones changed the event. `operation_id` is the first event of
-- the operation, NULL for that event itself. `is_background` marks events of background learners and of the team.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  operation_id TEXT,
  type TEXT NOT NULL,
  is_background INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
) WITHOUT ROWID;
CREATE INDEX events_operation ON events (operation_id) WHERE operation_id IS NOT NULL;
CREATE INDEX events_undone ON events (id) WHERE type = 'judgement.undone';
CREATE INDEX events_trust ON events (id) WHERE type IN ('repository.trusted', 'repository.distrusted');
CREATE INDEX events_workflow ON events (id) WHERE type IN ('workflow.saved', 'workflow.dropped');
CREATE INDEX events_workflow_run ON events (id) WHERE type = 'workflow.ran';
CREATE INDEX events_trial ON events (id) WHERE type IN ('trial.started', 'trial.ended');

-- A row is a claim and an event that touches it.
CREATE TABLE claim_events (
  claim_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (claim_id, event_id)
) WITHOUT ROWID;

-- A row is what lists, ranking and conflicts need of a memory; the whole memory is folded from its events. `id` is the
-- id of its claim, and `doc_id` is the same as an integer, so that rows are in the order of ids. `kept_event_id` is the
-- decision to keep it beside what it contradicts. `said_at` is when it was last said, `updated_at` when it was last
-- judged. `question`, `answer`, `is_positive` and `is_exclusive` are its stance
-- (model/conflict.py). `author` is who said it for the team and who accepted it. `is_habit` marks what was counted in
-- commands. `confidence` orders the candidates. The indexes of this table are created after the first rows: see writer.py.
CREATE TABLE memories (
  doc_id INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  sentence TEXT NOT NULL,
  tags TEXT NOT NULL,
  strength INTEGER NOT NULL,
  provenance INTEGER NOT NULL,
  last_event_id TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  said_at TEXT NOT NULL,
  question TEXT,
  answer TEXT NOT NULL,
  is_positive INTEGER NOT NULL,
  is_exclusive INTEGER NOT NULL,
  first_event_id TEXT NOT NULL,
  kept_event_id TEXT,
  is_shared INTEGER NOT NULL,
  author TEXT NOT NULL,
  is_habit INTEGER NOT NULL,
  confidence REAL NOT NULL,
  overruled_by_id TEXT,
  is_conflicting INTEGER NOT NULL DEFAULT 0
);

-- A row is how many memories have this scope, status and kind, and are habits or not. Rows of 0 are deleted.
CREATE TABLE memory_counts (
  scope TEXT NOT NULL,
  status TEXT NOT NULL,
  kind TEXT NOT NULL,
  is_habit INTEGER NOT NULL,
  memory_count INTEGER NOT NULL,
  PRIMARY KEY (scope, status, kind, is_habit)
) WITHOUT ROWID;

-- A row is an agent and a memory that it had a part in, by an event of its own.
CREATE TABLE memory_agents (
  agent TEXT NOT NULL,
  doc_id INTEGER NOT NULL,
  PRIMARY KEY (agent, doc_id)
) WITHOUT ROWID;

-- A row is an active memory and one of its topics (contradiction/terms.py), hashed together with the scope.
CREATE TABLE memory_topics (
  topic_hash INTEGER NOT NULL,
  doc_id INTEGER NOT NULL,
  PRIMARY KEY (topic_hash, doc_id)
) WITHOUT ROWID;

-- A row is a pair of active memories that contradict each other, or may do so if it is not certain. Each pair is stored
-- in both directions.
CREATE TABLE opposed_pairs (
  doc_id INTEGER NOT NULL,
  opponent_doc_id INTEGER NOT NULL,
  is_certain INTEGER NOT NULL,
  PRIMARY KEY (doc_id, opponent_doc_id)
) WITHOUT ROWID;

-- A row is a ruling between two opposed memories (model/conflict.py), in the order in which conflicts are listed.
-- `group_doc_id` is the first memory of a connected group that lost or is in an open conflict, `position` the place
-- of the ruling in the group. `rule` is the name of a ConflictRule.
CREATE TABLE rulings (
  group_doc_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  winner_doc_id INTEGER NOT NULL,
  loser_doc_id INTEGER NOT NULL,
  rule TEXT NOT NULL,
  PRIMARY KEY (group_doc_id, position)
) WITHOUT ROWID;
CREATE INDEX rulings_winner ON rulings (winner_doc_id);
CREATE INDEX rulings_loser ON rulings (loser_doc_id);
CREATE INDEX rulings_rule ON rulings (rule);

-- A row is an entry of a readable page: an entry of the worklog, an evaluation, or a turn of a session. `page_name` is
-- the day, or the name of the session's page. Hidden entries were undone or superseded.
CREATE TABLE pages (
  doc_id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  page_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  title TEXT NOT NULL,
  is_hidden INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX pages_name ON pages (kind, page_name, is_hidden);

-- A row is a directory in which a project was seen.
CREATE TABLE project_roots (scope TEXT NOT NULL, root TEXT NOT NULL, PRIMARY KEY (scope, root)) WITHOUT ROWID;

-- A row is what one event adds to a usage metric of the evaluation: queries, queries without hits, briefs or their
-- tokens.
CREATE TABLE metrics (
  event_id TEXT NOT NULL,
  name TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (event_id, name)
) WITHOUT ROWID;

-- A row is the sum of a metric over all events.
CREATE TABLE metric_totals (name TEXT PRIMARY KEY, amount INTEGER NOT NULL) WITHOUT ROWID;

-- A row is a trusted fact file of a repository as it was when it was last compared with what was trusted.
CREATE TABLE fact_files (path TEXT PRIMARY KEY, signature TEXT NOT NULL) WITHOUT ROWID;

-- A row is a readable view that must be written again.
CREATE TABLE stale_views (name TEXT PRIMARY KEY) WITHOUT ROWID;

-- A row is a document: the words (text/words.py) of a memory, page or message, separated by blanks. `text` is what it
-- says, `extra` what describes it. See postings.py for `doc_id`.
CREATE TABLE documents (doc_id INTEGER PRIMARY KEY, text TEXT NOT NULL, extra TEXT NOT NULL);

-- A row is the number of words of a message.
CREATE TABLE doc_lengths (doc_id INTEGER PRIMARY KEY, length INTEGER NOT NULL);

-- A row is the number of words of a session, by its first document id.
CREATE TABLE session_lengths (start_id INTEGER PRIMARY KEY, length INTEGER NOT NULL);

-- A row is a block of the posting list of a term: sorted document ids, eight bytes each; for messages also frequencies,
-- one byte each. A block holds the ids from `first_doc_id` to before the next block.
CREATE TABLE postings (
  term TEXT NOT NULL,
  first_doc_id INTEGER NOT NULL,
  doc_ids BLOB NOT NULL,
  term_freqs BLOB NOT NULL,
  PRIMARY KEY (term, first_doc_id)
) WITHOUT ROWID;

-- A row is a term and the number of documents that contain it.
CREATE TABLE terms (term TEXT PRIMARY KEY, doc_freq INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('doc_count', 0), ('total_length', 0);

-- A row is a command that a person ran in a shell; ids are in the order in which commands were stored. `ran_at` is in
-- milliseconds, 0 if nobody knows when that was. `expanded_command` has its aliases expanded, `unedited_command` is the line before the person edited
-- it.
CREATE TABLE shell_commands (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  shell_session_id INTEGER NOT NULL,
  ran_at INTEGER NOT NULL,
  command TEXT NOT NULL,
  directory TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  shell TEXT NOT NULL,
  expanded_command TEXT NOT NULL,
  unedited_command TEXT NOT NULL
);
CREATE INDEX shell_commands_session ON shell_commands (shell_session_id, event_id);

-- A row is a shell session, with the last command that was learned from, the state of the learners after it, and the
-- ids of the habits that were seen in it, eight bytes each.
CREATE TABLE shell_sessions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  last_event_id TEXT NOT NULL DEFAULT '',
  learner_state TEXT NOT NULL DEFAULT '',
  habit_ids BLOB NOT NULL DEFAULT x''
);

-- A row is a habit and how often it was seen, over all shell sessions.
CREATE TABLE habits (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  runs INTEGER NOT NULL DEFAULT 0,
  sessions INTEGER NOT NULL DEFAULT 0,
  last_event_id TEXT NOT NULL DEFAULT '',
  UNIQUE (kind, key)
);
CREATE INDEX habits_runs ON habits (kind, runs DESC, key);
-- By all but the first line of the key: finds the longer sequences that end with a given one.
CREATE INDEX habits_suffix ON habits (kind, substr(key, instr(key, char(10)) + 1));

-- A row is the number of runs of all habits of a kind.
CREATE TABLE habit_totals (kind TEXT PRIMARY KEY, runs INTEGER NOT NULL) WITHOUT ROWID;

-- A row is how often a habit was seen in one shell session and directory.
CREATE TABLE habit_session_counts (
  habit_id INTEGER NOT NULL,
  shell_session_id INTEGER NOT NULL,
  directory TEXT NOT NULL,
  runs INTEGER NOT NULL,
  last_event_id TEXT NOT NULL,
  PRIMARY KEY (habit_id, shell_session_id, directory)
) WITHOUT ROWID;

-- A row is how often a habit was seen in one directory, over all shell sessions.
CREATE TABLE habit_directory_counts (
  habit_id INTEGER NOT NULL,
  directory TEXT NOT NULL,
  runs INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  last_event_id TEXT NOT NULL,
  PRIMARY KEY (habit_id, directory)
) WITHOUT ROWID;

-- A row is an event of a session with an agent, with the position of its line in the log as in `events`. A session is
-- folded from its events.
CREATE TABLE session_events (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  session_number INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
);
CREATE INDEX session_events_session ON session_events (session_number, event_id);

-- A row is a message of a session. `event_ids` are its events, separated by blanks: one, or all tool calls between two
-- replies. `is_reply` marks replies of the agent.
CREATE TABLE messages (doc_id INTEGER PRIMARY KEY, event_ids TEXT NOT NULL, is_reply INTEGER NOT NULL);

-- A row is a claim and an event of a session that it was learned from.
CREATE TABLE claim_sources (
  claim_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (claim_id, event_id)
) WITHOUT ROWID;

-- A row is a command that a person or an agent ran in a directory, with its last run. `id` is a hash of actor,
-- directory and text. `exit_status` is -1 if it is unknown, -2 if the command is only known to have failed.
-- `session_number` is 0 for commands of a shell. `last_run_at` is '' if nobody knows when that was.
CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  actor TEXT NOT NULL,
  directory TEXT NOT NULL,
  text TEXT NOT NULL,
  scope TEXT NOT NULL,
  last_event_id TEXT NOT NULL,
  last_run_at TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  session_number INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL
);

-- A row is a block of the posting list of a term of commands, or of names of their directories: sorted ids, eight bytes
-- each, of which `first_id` is the lowest. Blocks may overlap: those of many commands that are stored at once are added
-- without reading any.
CREATE TABLE command_postings (
  term TEXT NOT NULL,
  first_id INTEGER NOT NULL,
  command_ids BLOB NOT NULL,
  PRIMARY KEY (term, first_id)
) WITHOUT ROWID;

-- A row is what lists and prompts show of a session with an agent. `number` is its id as an integer, `host_session_id`
-- the id that its host gave it. `files` are separated by line ends. `request_key` is the normalized prompts, and
-- `request_hash` the hash of what makes two sessions of a scope one entry of a list; NULL if no list shows the session.
-- `compacted_at` is the last time. `model` is the model that wrote `outcome` as a summary of the whole session, '' if
-- none did. `branch` is the one that it began on.
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  host_session_id TEXT NOT NULL,
  page_name TEXT NOT NULL,
  scope TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  turn_count INTEGER NOT NULL,
  title TEXT NOT NULL,
  outcome TEXT NOT NULL,
  files TEXT NOT NULL,
  request_key TEXT NOT NULL,
  compacted_at TEXT NOT NULL,
  model TEXT NOT NULL,
  request_hash INTEGER,
  branch TEXT NOT NULL
);
CREATE INDEX sessions_scope ON sessions (scope, ended_at);
CREATE INDEX sessions_ended_at ON sessions (ended_at);
CREATE INDEX sessions_request ON sessions (scope, request_hash, ended_at DESC, number) WHERE request_hash IS NOT NULL;

-- A row is an entry of the list of sessions: those of a scope in which the same was asked, and the latest of them.
CREATE TABLE session_groups (
  scope TEXT NOT NULL,
  request_hash INTEGER NOT NULL,
  session_count INTEGER NOT NULL,
  ended_at TEXT NOT NULL,
  session_number INTEGER NOT NULL,
  PRIMARY KEY (scope, request_hash)
) WITHOUT ROWID;
CREATE INDEX session_groups_latest ON session_groups (ended_at DESC, session_number);
CREATE INDEX session_groups_scope ON session_groups (scope, ended_at DESC, session_number);

-- A row is an injection into a prompt, with the position of its line in the log as in `events`.
CREATE TABLE injections (
  event_id TEXT PRIMARY KEY,
  host_session_id TEXT NOT NULL,
  segment TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
) WITHOUT ROWID;
CREATE INDEX injections_session ON injections (host_session_id, event_id);

-- A row is a memory that an injection put into a prompt of an agent.
CREATE TABLE injected_memories (
  claim_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  host_session_id TEXT NOT NULL,
  PRIMARY KEY (claim_id, event_id)
) WITHOUT ROWID;
CREATE INDEX injected_memories_event ON injected_memories (event_id);

-- A row is the latest check of a memory against a session that was told it. `event_id` is the check. `result` is
-- followed, violated, not_applicable or '' (model/adherence.py). `call_id` is the tool call that shows it, and
-- `correction_id` the prompt in which the person corrected the memory; '' if there is none.
CREATE TABLE memory_checks (
  claim_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  result TEXT NOT NULL,
  call_id TEXT NOT NULL,
  correction_id TEXT NOT NULL,
  PRIMARY KEY (claim_id, session_id)
) WITHOUT ROWID;
CREATE INDEX memory_checks_event ON memory_checks (event_id, result);
CREATE INDEX memory_checks_failed ON memory_checks (claim_id) WHERE result = 'violated' OR correction_id <> '';

-- A row is the latest check of a session that takes part in a trial. `event_id` is the check, and the other columns are
-- those of `TrialChecked`.
CREATE TABLE trial_sessions (
  trial_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  is_withheld INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  call_id TEXT NOT NULL,
  correction_id TEXT NOT NULL,
  apart TEXT NOT NULL,
  failures INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (trial_id, session_id)
) WITHOUT ROWID;
CREATE INDEX trial_sessions_event ON trial_sessions (event_id);

-- A row is how far a transcript was read. If this is lost, transcripts are read again, and no event is new. Neither its
-- path nor a byte of it is here: `path_digest` and `fingerprint` are hashes with the key of the home (log/signing.py).
CREATE TABLE transcript_cursors (
  path_digest TEXT PRIMARY KEY,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  fingerprint TEXT NOT NULL
) WITHOUT ROWID;

-- A row is a session that was learned from, by a model or without one (''), up to the time `ended_at`. May be lost,
-- too; what a model summarized is known from the log.
CREATE TABLE learned_sessions (
  session_number INTEGER NOT NULL,
  model TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  PRIMARY KEY (session_number, model)
) WITHOUT ROWID;

-- A row is something that a person chose in a session: of `subject` they took `value`, in the event. Written when the
-- session is learned from; may be lost, too.
CREATE TABLE session_choices (
  session_number INTEGER NOT NULL,
  subject TEXT NOT NULL,
  event_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session_number, subject, event_id)
) WITHOUT ROWID;
CREATE INDEX session_choices_subject ON session_choices (subject);

-- A row is the vector of the meaning of a memory or message, made from the text of that row (see `tacit.meaning`), and
-- the signs of its components.
CREATE TABLE vectors (doc_id INTEGER PRIMARY KEY, signs BLOB NOT NULL, vector BLOB NOT NULL);
