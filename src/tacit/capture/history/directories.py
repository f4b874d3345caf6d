"""The directories of a history that names none, read from its `cd` lines.

Before the first `cd` to a whole path the directory is unknown, and it becomes unknown again where a line leaves it
open: a variable, a jump (`z app`), a `cd` inside a condition. Subshells, pipelines and background jobs change nothing.
It is better to know no directory than a wrong one.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from shlex import shlex

UNKNOWN = ""
_MAY_CHANGE = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd|exit|logout|z|zi|j|autojump|\.\.)(?:$|[\s;&|)}])")
_HOME = re.compile(r"\$HOME(?=/|$)|\$\{HOME\}")
_OPEN = re.compile(r"[$`*?\[{\ufffd]")  # what only the shell of that moment could have expanded
_JUMPS = frozenset("z zi j autojump".split())
_BLOCKS = frozenset("if then elif else for while until do case select function { !".split())
_OPERATORS = ("&&", "||", "|&", ";;", ";", "|", "&", "(", ")", "<", ">")
_AHEAD = frozenset(("builtin", "command"))
_LONGEST = 4096


class Directories:
    """Where each line of a history was started, one line after the other.

    `home` is the person's folder. `is_directory` looks at the disk: a `cd` to a folder that is not there, although its
    parent is, failed or is out of date, and the directory is unknown from then on.
    """

    def __init__(self, home: str, is_directory: Callable[[str], bool]) -> None:
        self._home = home
        self._is_directory = is_directory
        self.forget()

    def forget(self) -> None:
        """A new session begins."""
        self._here = self._before = self._failed_from = UNKNOWN
        self._stack: list[str] = []

    def started(self, line: str) -> str:
        """The directory in which this line was started, or UNKNOWN; the line then changes it for the next."""
        here = self._here
        if _MAY_CHANGE.search(line):
            self._follow(line)
        return here

    def _follow(self, line: str) -> None:
        for words in _commands(line):
            name, *rest = words or [""]
            if name in ("cd", ".."):
                self._go(self._target([".."] if name == ".." else rest))
            elif name == "pushd":
                self._push(rest)
            elif name == "popd":
                self._go(self._stack.pop() if self._stack and not rest else UNKNOWN)
            elif name in _JUMPS or not name:
                self._failed_from = UNKNOWN
                self._go(UNKNOWN)
            elif name in ("exit", "logout"):  # what follows is of another shell
                self.forget()

    def _push(self, rest: list[str]) -> None:
        top = self._stack.pop() if self._stack and not rest else UNKNOWN  # without words the two on top change places
        there = self._target(rest) if rest else top
        self._stack.append(self._here)
        self._go(there)

    def _go(self, there: str) -> None:
        self._before, self._here = self._here, there

    def _target(self, rest: list[str]) -> str:
        """Where `cd` with these words leads. Behind one that seems to have failed, a folder that is there will do."""
        base = self._here or self._failed_from
        self._failed_from = UNKNOWN
        words = [word for word in rest if word not in ("-L", "-P", "-e", "-q", "-s", "--")]
        if not words or words == ["-"]:
            return self._before if words else self._home
        target = _HOME.sub(lambda _: self._home, words[0])
        if target == "~" or target.startswith("~/"):
            target = self._home + target[1:]
        is_open = len(words) > 1 or target.startswith(("~", "-", "+")) or _OPEN.search(target)
        if is_open or len(target) > _LONGEST or not (base or target.startswith("/")):
            return UNKNOWN
        is_relative = not target.startswith("/")
        there = posixpath.normpath(posixpath.join(base, target))
        if self._is_directory(there):
            return there
        has_failed = self._is_directory(posixpath.dirname(there))
        if has_failed:
            self._failed_from = base
        return UNKNOWN if has_failed or (is_relative and not self._here) else there


def _commands(line: str) -> Iterator[list[str] | None]:
    """The commands that the shell itself runs, as words; None where a block or an open quote hides what it does."""
    reader = shlex(line.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        tokens = list(reader)
    except ValueError:
        yield None
        return
    words: list[str] = []
    depth, is_own = 0, True
    for token in [*(sign for run in tokens for sign in _split(run)), ";"]:
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth > 0:
            continue
        elif token in ("|", "|&", "&"):
            words, is_own = [], token == "&"
        elif token in (";", "&&", "||", ";;"):
            if words and words[0] in _BLOCKS:
                yield None
                return
            while words and words[0] in _AHEAD:
                del words[0]
            if words and is_own:
                yield words
            words, is_own = [], token != "||"  # behind `||` stands what is done on failure
        elif token not in ("<", ">"):
            words.append(token)


def _split(token: str) -> Iterator[str]:
    """A run of signs as operators; a word as it is."""
    while token and token[0] in "();<>|&":
        operator = next(one for one in _OPERATORS if token.startswith(one))
        yield operator
        token = token[len(operator) :]
    if token:
        yield token
