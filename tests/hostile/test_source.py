"""The source holds no SQL made from what somebody typed, no pattern that can be made to run for ever, and opens no
file that others could have replaced but through the disk layer."""

from __future__ import annotations

import ast
import re
from types import ModuleType

import pytest

from tests.hostile.backtracking import nested_repeats, pumped
from tests.hostile.source import Source, file_uses, is_fixed, patterns, sources, sql_uses

# The source is the same for every interpreter.
pytestmark = pytest.mark.same_everywhere
pytest.importorskip("pyrage", reason="all modules are imported, also those of the extras")
# Who opens a file by itself, and why nothing can lie in its place that keeps it waiting.
OPENERS = {
    "tacit.index.database": "its own index: looked at with lstat before; files of the package",
    "tacit.log.spool": "relative to its own folder, O_NONBLOCK, and only plain files are read",
    "tacit.meaning": "the table of vectors that is installed with it",
    "tacit.home.settings": "below the disk layer's sight; O_NONBLOCK, and only a plain file of bounded size is read",
    "tacit.cli": "/dev/null",
    "tacit.cli.pick": "the terminal of this process, which may keep it waiting for a key",
    "tacit.cli.edit": "a temporary file that it just made for the editor",
    "tacit.hooks.agent": "/dev/null, /proc; the guard's rule file: O_NOFOLLOW, O_NONBLOCK, a bounded number of bytes",
    "tacit.hooks.ready_rules": "files of the home: O_NOFOLLOW, O_NONBLOCK, a bounded number of bytes",
    "tacit.hooks.guard": "the index was opened as a plain file before",
    "tacit.secrets.rows": "files of the package",
    "tacit.contradiction.lexicon": "a file of the package",
    "tacit.mcp.tools": "a file of the package",
    "tacit.shell.install": "files of the package",
    "tacit.learn": "files of the package",
    "tacit.team.schema": "files of the package",
    "tacit.commandline.programs": "a file of the package",
    "tacit.web": "files of the package",
    "tacit.web.rendering": "files of the package",
    "tacit.web.security": "/proc of the connections of this machine",
    "tacit.install": "a new file, to be written",
    "tacit.home.settings_file": "files of the package",
    "tacit.home.actor": "/proc of the processes above, a bounded number of bytes",
    "tacit.hosts.registration": "files of the package",
    "tacit.hosts.skill": "a file of the package",
    "tacit.vault.checks": "/proc/self/mounts, and a lock, which is opened O_NONBLOCK and never read",
    "tacit.log.signing": "a new file, to be written",
    "tacit.learn.judge.child": "/dev/null, and a descriptor of its own",
}


def made_up(text: str, **constants: object) -> Source:
    module = ModuleType("made_up")
    vars(module).update(constants, re=re)
    return Source("made_up", ast.parse(text), module)


def test_no_sql_is_put_together_from_input() -> None:
    uses = [use for source in sources() for use in sql_uses(source)]
    assert len(uses) > 40
    assert [str(use) for use in uses if not is_fixed(use)] == []


@pytest.mark.parametrize(
    "text",
    [
        "def ask(connection, word): connection.execute(f'SELECT {word}')",
        "def ask(connection, word): connection.execute('SELECT ' + word)",
        "def ask(connection, word): connection.execute(word.TEXT)",
        "def ask(connection, word):\n    query = f'SELECT {word}'\n    connection.execute(query)",
        "def ask(connection, order): connection.execute('SELECT 1 ORDER BY %s' % order)",
        "def ask(connection, word): connection.execute('SELECT {}'.format(word))",
        "def ask(connection, words):\n    for word in words:\n        connection.execute(word)",
        "def _run(connection, query): connection.execute(query)\ndef ask(connection, word): _run(connection, word)",
        "def run_what_nobody_calls(connection, query): connection.execute(query)",
        "def ask(self, word):\n    run = self.connection.execute\n    run(f'{FIXED} {word}')",
    ],
)
def test_sql_that_is_put_together_from_input_is_noticed(text: str) -> None:
    (use,) = sql_uses(made_up(text, FIXED="SELECT"))
    assert not is_fixed(use)


@pytest.mark.parametrize(
    "text",
    [
        "def ask(connection, word): connection.execute('SELECT ?', (word,))",
        "def ask(connection): connection.execute(f'{FIXED} 1')",
        "def ask(connection):\n    for table in ('a', 'b'):\n        connection.execute(f'SELECT * FROM {table}')",
        "def _run(connection, query): connection.execute(query)\ndef ask(connection): _run(connection, 'SELECT 1')",
    ],
)
def test_sql_from_the_source_alone_is_taken_as_such(text: str) -> None:
    (use,) = sql_uses(made_up(text, FIXED="SELECT"))
    assert is_fixed(use)


def test_files_are_opened_by_the_disk_layer_or_for_a_reason() -> None:
    uses = [use for source in sources() for use in file_uses(source) if not source.name.startswith("tacit.disk")]
    assert [str(use) for use in uses if use.source.name not in OPENERS] == []
    assert {use.source.name for use in uses} == OPENERS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "def read(path): return open(path).read()",
        "def read(path): return open(path, 'rb').read()",
        "import os\ndef read(path): return os.open(path, os.O_RDONLY)",
        "def read(path): return path.read_text()",
        "import sqlite3\ndef read(path): return sqlite3.connect(path)",
    ],
)
def test_a_file_that_is_opened_by_its_path_is_noticed(text: str) -> None:
    assert len(list(file_uses(made_up(text)))) == 1


def test_a_file_that_is_only_written_is_none_of_those() -> None:
    assert list(file_uses(made_up("def write(path): return open(path, 'x')"))) == []


def test_no_pattern_repeats_a_repeat() -> None:
    found, unseen = patterns(sources())
    assert unseen == []
    for module, least in {"statements.sentences": 15, "fixes.pairs": 50}.items():
        assert sum(one.place.startswith(f"tacit.learn.{module}") for one in found) > least  # of data files
    assert len(found) > 25
    assert {one.place: bad for one in found if (bad := nested_repeats(one.text, one.flags))} == {}


@pytest.mark.parametrize(
    "pattern",
    [
        r"(\w+\s?)*$",
        r"(a*)*b",
        r"(?:x+y?)+",
        r"((?:a|b+)c*)*",
        r"(?P<x>[^,]+,?)+z",
        r"(?:a+ *, *| *b)*",
        r"(?:, *\w{1,4}(?:-\w*)?\w?)*",
        r"(?:'[^']*'|'[^\"]*\")*",
    ],
)
def test_a_pattern_that_repeats_a_repeat_is_noticed(pattern: str) -> None:
    assert nested_repeats(pattern)
    (found,), _ = patterns([made_up(f"import re\ndef f(x): re.search({pattern!r}, x, re.MULTILINE)")])
    assert (found.text, found.flags, found.methods) == (pattern, int(re.MULTILINE), frozenset({"search"}))
    assert any(len(text) > 4000 for text in pumped(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+\s*$",
        r"(?:ab?){0,9}c+",
        r"(?:\\.|[^\\])*",
        r"(?:a|b)+",
        r"(?=a+)b*",
        r'"[^"\\]*(?:\\.[^"\\]*)*"',
        r'\["[^"]*"(?:,"[^"]*")*\]',
        r"(?:, *[a-z]+)*",
    ],
)
def test_a_plain_pattern_is_none_of_those(pattern: str) -> None:
    assert nested_repeats(pattern) == []


def test_a_pattern_that_comes_from_elsewhere_is_noticed() -> None:
    _, unseen = patterns([made_up("import re\ndef a_search_nobody_asks_for(pattern, x): return re.search(pattern, x)")])
    assert len(unseen) == 1
