"""The directories of a history are read from its `cd` lines, and unknown where the lines do not tell."""

from __future__ import annotations

import pytest

from tacit.shell.history_lines import UNKNOWN_DIRECTORY, DirectoryTracker


def after(*lines: str, there: tuple[str, ...] = ()) -> str:
    """Where a person is after these lines, on a disk that has these folders alone."""
    known = DirectoryTracker("/home/me", lambda path: path in there)
    for line in lines:
        known.directory_of(line)
    return known.directory_of("make")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ((), UNKNOWN_DIRECTORY),
        (("cd /srv/app",), "/srv/app"),
        (("cd ~/src/app",), "/home/me/src/app"),
        (("cd $HOME/src", "cd app"), "/home/me/src/app"),
        (("cd",), "/home/me"),
        (("cd /srv/app/", "cd ../lib/./x"), "/srv/lib/x"),
        (("cd /srv", "cd app", "cd -"), "/srv"),
        (("cd /srv", "cd /tmp", "cd -", "cd -"), "/tmp"),
        (("cd /srv", "pushd /var/www", "pushd x", "popd"), "/var/www"),
        (("cd /srv", "pushd /var/www", "popd"), "/srv"),
        (("cd /srv", "pushd /var/www", "pushd"), "/srv"),
        (("cd -- /srv",), "/srv"),
        (("cd -P /srv",), "/srv"),
        (("cd 'my app'",), UNKNOWN_DIRECTORY),
        (("cd /srv && cd 'my app' && make",), "/srv/my app"),
        (("cd /srv; make; cd app",), "/srv/app"),
        (("git pull && cd /srv",), "/srv"),
        (("cd /srv || exit 1",), "/srv"),
        (("cd /srv\ncd app",), "/srv/app"),
        (("builtin cd /srv",), "/srv"),
        (("cd /srv", ".."), "/"),
        (("cd /srv", "sleep 9 & cd app"), "/srv/app"),
        (("cd /srv && cat <<'EOF'\nit's; cd x\nEOF",), "/srv"),
        (("cd /srv && ls | while read x; do cd $x; done",), "/srv"),
        (("{ cd /srv; make; }",), "/srv"),
    ],
)
def test_a_cd_line_tells_where_the_next_line_is_run(lines: tuple[str, ...], place: str) -> None:
    assert after(*lines) == place


@pytest.mark.parametrize(
    "line",
    [
        "(cd /tmp && tar xf x)",
        "cd /tmp | cat",
        "cd /tmp &",
        "echo 'cd /tmp'",
        "git commit -m 'cd /tmp; now'",
        "ssh host cd /tmp",
        "x=$(cd /tmp && pwd)",
        "make || cd /tmp",
        "{ cd /tmp; make; } &",
        "(make; cd /tmp) > log",
        "f() { cd /tmp; }",
    ],
)
def test_what_another_shell_does_changes_nothing_here(line: str) -> None:
    assert after("cd /srv/app", line) == "/srv/app"


@pytest.mark.parametrize(
    "line",
    [
        "cd $WORK",
        "cd $(git root)",
        "cd `x`",
        "cd ~other",
        "z app",
        "cd a b",
        "if x; then cd /y; fi",
        "cd 'open",
        "exit",
    ],
)
def test_where_nobody_can_tell_it_is_unknown(line: str) -> None:
    assert after("cd /srv/app", line) == UNKNOWN_DIRECTORY
    assert after("cd /srv/app", line, "cd lib") == UNKNOWN_DIRECTORY
    assert after("cd /srv/app", line, "cd /srv") == "/srv"


def test_a_line_is_run_where_it_was_started() -> None:
    known = DirectoryTracker("/home/me", lambda _path: False)
    known.directory_of("cd /srv")
    assert known.directory_of("cd app && make") == "/srv"
    assert known.directory_of("ls") == "/srv/app"


def test_a_folder_that_is_not_there_was_mistyped_or_is_gone() -> None:
    there = ("/home/me/src", "/home/me/src/app")
    assert after("cd ~/src", "cd apq", there=there) == UNKNOWN_DIRECTORY
    assert after("cd ~/src", "cd apq", "cd app", there=there) == "/home/me/src/app"


def test_a_new_session_begins_nowhere() -> None:
    known = DirectoryTracker("/home/me", lambda _path: False)
    known.directory_of("cd /srv")
    known.reset()
    assert known.directory_of("make") == UNKNOWN_DIRECTORY
