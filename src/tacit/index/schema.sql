-- Everything here is derived from the log. A change of this file means a new INDEX_VERSION, never a migration.

-- Copies of this file are known by it, whatever they are called: see log/strays.py.
PRAGMA application_id = 0x54414349;

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- How far each segment of the log has been read.
CREATE TABLE applied (
  segment TEXT PRIMARY KEY,
  offset INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  mark TEXT NOT NULL
) WITHOUT ROWID;

-- The events that memories and pages are folded from: where their lines stand in the log. The log is not copied; `raw` is
-- there only where what counts is not what stands there. `op` is that of another event, if it belongs to one, and
-- `passing` says that it was learned in passing.
CREATE TABLE event (
  id TEXT PRIMARY KEY,
  op TEXT,
  type TEXT NOT NULL,
  passing INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
) WITHOUT ROWID;
CREATE INDEX event_op ON event (op) WHERE op IS NOT NULL;
CREATE INDEX event_undone ON event (id) WHERE type = 'judgement.undone';
CREATE INDEX event_trust ON event (id) WHERE type IN ('repository.trusted', 'repository.distrusted');
CREATE INDEX event_workflow ON event (id) WHERE type IN ('workflow.saved', 'workflow.dropped');
CREATE INDEX event_run ON event (id) WHERE type = 'workflow.ran';

CREATE TABLE touch (claim TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (claim, event)) WITHOUT ROWID;

-- One row a memory: what lists, ranking and conflicts look at. The whole memory is folded from its events.
-- `number` is the claim's id as an integer, so the order of rows is the order of ids.
CREATE TABLE memory (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  sentence TEXT NOT NULL,
  tags TEXT NOT NULL,
  strength INTEGER NOT NULL,
  provenance INTEGER NOT NULL,
  last TEXT NOT NULL,
  at TEXT NOT NULL,
  question TEXT,
  answer TEXT NOT NULL,
  positive INTEGER NOT NULL,
  exclusive INTEGER NOT NULL,
  first TEXT NOT NULL,
  kept TEXT,
  shared INTEGER NOT NULL,
  overruled_by TEXT,
  conflict INTEGER NOT NULL DEFAULT 0
);
-- Its indexes (memory_ruled, memory_scope) are made when the first rows are in: see writer.py.

-- What active memories are about (core/topics.py), as numbers, scope by scope; and which of them are opposed, both ways.
CREATE TABLE topic (topic INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (topic, number)) WITHOUT ROWID;
CREATE TABLE opposed (one INTEGER NOT NULL, other INTEGER NOT NULL, PRIMARY KEY (one, other)) WITHOUT ROWID;

-- Entries of the worklog and evaluations.
CREATE TABLE page (
  number INTEGER PRIMARY KEY,
  event TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  day TEXT NOT NULL,
  at TEXT NOT NULL,
  title TEXT NOT NULL,
  void INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX page_day ON page (kind, day);

CREATE TABLE project (scope TEXT NOT NULL, root TEXT NOT NULL, PRIMARY KEY (scope, root)) WITHOUT ROWID;

-- Tallies for the evaluation: what was asked and found, what was handed out.
CREATE TABLE tally (event TEXT NOT NULL, name TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (event, name)) WITHOUT ROWID;

-- What the trusted fact files of repositories looked like when they were last compared with what was trusted.
CREATE TABLE seen (path TEXT PRIMARY KEY, signature TEXT NOT NULL) WITHOUT ROWID;

-- What changed since the readable views were last written.
CREATE TABLE stale (what TEXT PRIMARY KEY) WITHOUT ROWID;

-- The words that memories, pages and messages of sessions are found by (core/text.py), separated by blanks: what they
-- say, and what stands beside it. All numbers of one sort lie together: see parts.py.
CREATE TABLE wording (number INTEGER PRIMARY KEY, text TEXT NOT NULL, extra TEXT NOT NULL);
-- How many words a message of a session has, and a session, by the number where its messages begin.
CREATE TABLE measure (number INTEGER PRIMARY KEY, size INTEGER NOT NULL);
CREATE TABLE length (first INTEGER PRIMARY KEY, words INTEGER NOT NULL);
-- Where each root stands, in blocks: numbers in order, eight bytes each; of
-- messages also how often it is there, a byte each.
-- `first` is where a block begins; all before the next one belongs to it.
CREATE TABLE place (
  root TEXT NOT NULL,
  first INTEGER NOT NULL,
  numbers BLOB NOT NULL,
  counts BLOB NOT NULL,
  PRIMARY KEY (root, first)
) WITHOUT ROWID;
-- In how many it stands. How many there are in all, and how many words they have, is in meta.
CREATE TABLE root (root TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('texts', 0), ('words', 0);

-- Commands that were run. `number` is the order in which they were filed; what learners have taken in is in meta.
CREATE TABLE ran (
  number INTEGER PRIMARY KEY,
  event TEXT NOT NULL UNIQUE,
  terminal INTEGER NOT NULL,
  at INTEGER NOT NULL,
  command TEXT NOT NULL,
  directory TEXT NOT NULL,
  status INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  shell TEXT NOT NULL,
  meant TEXT NOT NULL,
  planned TEXT NOT NULL
);
CREATE INDEX ran_terminal ON ran (terminal, event);

-- A session of a shell: its last command that was learned from, and what learners keep of it.
CREATE TABLE terminal (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  last TEXT NOT NULL DEFAULT '',
  trail TEXT NOT NULL DEFAULT ''
);

-- What was seen again and again, in all sessions together and in each.
CREATE TABLE habit (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  runs INTEGER NOT NULL DEFAULT 0,
  sessions INTEGER NOT NULL DEFAULT 0,
  last TEXT NOT NULL DEFAULT '',
  UNIQUE (kind, key)
);
CREATE INDEX habit_runs ON habit (kind, runs DESC, key);
-- By all but its first line: the longer sequences that end in a given one.
CREATE INDEX habit_ending ON habit (kind, substr(key, instr(key, char(10)) + 1));
-- All that was seen of a kind.
CREATE TABLE habit_total (kind TEXT PRIMARY KEY, runs INTEGER NOT NULL) WITHOUT ROWID;
-- By session and place (see `Seen` in learn/habits/habit.py), and the sums of a place over all sessions.
CREATE TABLE habit_in (
  terminal INTEGER NOT NULL,
  habit INTEGER NOT NULL,
  place TEXT NOT NULL,
  runs INTEGER NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY (terminal, habit, place)
) WITHOUT ROWID;
CREATE INDEX habit_in_habit ON habit_in (habit, last);
CREATE TABLE habit_at (
  habit INTEGER NOT NULL,
  place TEXT NOT NULL,
  runs INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY (habit, place)
) WITHOUT ROWID;

-- What agents' transcripts told. `session` is the number of a row below; the whole session is folded from its events.
CREATE TABLE said (
  number INTEGER PRIMARY KEY,
  event TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
);
CREATE INDEX said_session ON said (session, event);

-- The events that each message of a session was made of, separated by blanks: one, or all calls between two replies.
-- `reply` says that it is a reply of the agent.
CREATE TABLE message (number INTEGER PRIMARY KEY, events TEXT NOT NULL, reply INTEGER NOT NULL);

-- The events of sessions that memories were learned from.
CREATE TABLE source (claim TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (claim, event)) WITHOUT ROWID;

-- Commands that a person or an agent ran, each once per actor and directory, as it went the last time. `number` is made
-- of these three. `status` is the exit status, -1 where it is unknown, -2 where it only is known to have failed;
-- `session` is the number of a row below, 0 where the command was typed in a shell.
CREATE TABLE command (
  number INTEGER PRIMARY KEY,
  actor TEXT NOT NULL,
  directory TEXT NOT NULL,
  text TEXT NOT NULL,
  scope TEXT NOT NULL,
  last TEXT NOT NULL,
  at TEXT NOT NULL,
  status INTEGER NOT NULL,
  session INTEGER NOT NULL,
  segment TEXT NOT NULL,
  line INTEGER NOT NULL
);
-- The roots that commands are found by: their own, and those of the folder they ran in.
CREATE TABLE command_root (root TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (root, number)) WITHOUT ROWID;

-- One row a session: what lists and prompts show. `number` is its id as an integer, `key` the name of its page.
CREATE TABLE session (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  scope TEXT NOT NULL,
  began TEXT NOT NULL,
  at TEXT NOT NULL,
  turns INTEGER NOT NULL,
  title TEXT NOT NULL,
  outcome TEXT NOT NULL,
  files TEXT NOT NULL,
  alike TEXT NOT NULL,
  compacted TEXT NOT NULL,  -- when that was last
  model TEXT NOT NULL  -- whose words the outcome is in, where a model summed up the whole session
);
CREATE INDEX session_scope ON session (scope, at);
CREATE INDEX session_at ON session (at);

-- What was put into prompts, by the agent's session.
CREATE TABLE given (
  event TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  segment TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  raw BLOB
) WITHOUT ROWID;
CREATE INDEX given_session ON given (session, event);

-- How far each transcript was read: only to be sooner done. Where this is lost, all is read again, and nothing is new.
CREATE TABLE transcript (
  path TEXT PRIMARY KEY,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  mark TEXT NOT NULL
) WITHOUT ROWID;

-- Sessions that were learned from, and how far they went then: by a model, or without one (''). Forgotten without harm, as
-- above; what a model summed up is known from the log.
CREATE TABLE concluded (
  number INTEGER NOT NULL,
  model TEXT NOT NULL,
  id TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (number, model)
) WITHOUT ROWID;

-- What texts mean, where the extra for it is installed: one row a memory or message, by the number its words have.
-- `print` is that of the text: where another text stands there, or none, the row goes.
CREATE TABLE vector (number INTEGER PRIMARY KEY, print BLOB NOT NULL, vector BLOB NOT NULL);
-- Sessions of which every message has one.
CREATE TABLE meant (number INTEGER PRIMARY KEY);
