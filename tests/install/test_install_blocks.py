"""A block of ours in a text file of somebody else, and files that are ours as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.errors import RefusedError
from tacit.install import (
    EXPORT_MARKERS,
    WRAPPER_MARKERS,
    BlockMarkers,
    content_hash,
    install_markers,
    owned_file,
    with_block,
    without_block,
)

LINES = "eval tacit\n"
BASH, ZSH, FISH = map(install_markers, ("bash", "zsh", "fish"))
FILES = {
    "no file": None,
    "an empty file": b"",
    "a file with lines": b"alias ll='ls -l'\n",
    "a last line without an end": b"alias ll='ls -l'",
    "lines of a Windows editor": b"alias a=b\r\nexport C=d",
    "no UTF-8": b"export NAME=\xff\xfe\n",
    "the block of another shell": b"# >>> tacit install fish (ended) >>> x\ny\n# <<< tacit install fish <<<\n",
}


@pytest.mark.parametrize("before", FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize(("markers", "other"), [(BASH, EXPORT_MARKERS), (EXPORT_MARKERS, BASH)], ids=["shell", "rules"])
def test_a_file_without_our_block_is_the_file_before_it(
    before: bytes | None, markers: BlockMarkers, other: BlockMarkers
) -> None:
    after = with_block(before, markers, LINES)
    assert after.startswith(before or b"")
    assert after.count(f"\n{LINES}{markers.closing}\n".encode()) == 1
    assert with_block(after, markers, LINES) == after
    assert without_block(after, markers) == before
    assert without_block(after, other) == after


def test_a_block_is_updated_where_it_is_and_lines_after_it_keep_the_line_feed_before_it() -> None:
    after = with_block(b"first", BASH, LINES)
    newer = with_block(after + b"last\n", BASH, "eval tacit --new\n")
    assert newer == (after + b"last\n").replace(b"eval tacit\n", b"eval tacit --new\n")
    assert without_block(newer, BASH) == b"first\nlast\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (None, b"<!-- tacit:begin created -->\n"),
        (b"", b"<!-- tacit:begin first -->\n"),
        (b"mine\n", b"mine\n\n<!-- tacit:begin after -->\n"),
        (b"mine", b"mine\n\n<!-- tacit:begin unended -->\n"),
    ],
)
def test_the_block_of_init_is_separated_by_an_empty_line(before: bytes | None, expected: bytes) -> None:
    after = with_block(before, WRAPPER_MARKERS, "be kind\n")
    assert after == expected + b"be kind\n<!-- tacit:end -->\n"
    assert without_block(after, WRAPPER_MARKERS) == before
    rest = without_block(after + b"last\n", WRAPPER_MARKERS)
    assert rest == (before or b"") + b"\n" * (before == b"mine") + b"last\n"


def test_a_file_that_we_created_stays_if_the_person_added_lines() -> None:
    created = with_block(None, BASH, LINES)
    assert without_block(created, BASH) is None
    assert without_block(b"mine\n" + created, BASH) == b"mine\n"


def test_only_the_block_of_the_name_is_removed() -> None:
    both = with_block(with_block(b"mine\n", BASH, LINES), ZSH, LINES)
    assert without_block(both, ZSH) == with_block(b"mine\n", BASH, LINES)
    assert without_block(both, FISH) == both and without_block(None, BASH) is None


def test_a_block_whose_end_is_gone_is_refused_and_not_guessed() -> None:
    cut = with_block(b"mine\n", BASH, LINES).replace(b"# <<< tacit install bash <<<\n", b"") + b"theirs\n"
    with pytest.raises(RefusedError, match="have no end"):
        with_block(cut, BASH, LINES)
    with pytest.raises(RefusedError, match="have no end"):
        without_block(cut, BASH)


def test_the_block_may_name_a_path_that_is_no_utf8() -> None:
    path = b"/home/\xff/tacit".decode("utf-8", "surrogateescape")
    after = with_block(b"mine\n", BASH, f"source {path}\n")
    assert b"source /home/\xff/tacit\n" in after and without_block(after, BASH) == b"mine\n"


def test_a_file_of_our_own_is_written_updated_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "tacit.js"
    file = owned_file(str(path), "// taken out by: tacit uninstall opencode\nnew\n")
    change = file.plan_install(None)
    assert (change.before, change.after) == (None, b"// taken out by: tacit uninstall opencode\nnew\n")
    assert change.receipt is not None and change.receipt.after == content_hash(change.after)
    path.write_bytes(b"// tacit uninstall opencode\nolder\n")
    assert file.plan_install(None).after == change.after
    assert file.plan_removal(None).after is None


def test_a_file_of_somebody_else_is_neither_replaced_nor_deleted(tmp_path: Path) -> None:
    path = tmp_path / "tacit.js"
    path.write_bytes(b"// my own plugin\n// do not tacit uninstall\n")
    file = owned_file(str(path), "// tacit uninstall opencode\n")
    with pytest.raises(RefusedError, match="not from Tacit"):
        file.plan_install(None)
    assert not file.plan_removal(None).is_needed


def test_a_file_of_our_own_must_be_utf8() -> None:
    with pytest.raises(RefusedError, match="no UTF-8"):
        owned_file("/x/tacit.js", "// tacit uninstall\n\udcff").insert(None, None)
