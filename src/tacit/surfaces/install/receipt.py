"""What was done to a file of somebody else's, kept in the home so that it can be taken out exactly.

It holds no text of theirs but white space and comments: which containers we made, and what stood in those that were
empty. Taking out works without it, too; then containers that are empty afterwards go with our entries.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256

from tacit.disk.ops import OsDisk, make_folder
from tacit.disk.replace import read_file, replace_file
from tacit.record import Record

Steps = tuple[str, ...]


class Receipt(Record):
    """`was` is the whole text where there was none but white space; nothing stands for no file."""

    path: str
    before: str  # what the file was known by, and what it is known by since
    after: str
    is_blank: bool = False
    was: str | None = None
    made: tuple[Steps, ...] = ()
    empty: tuple[tuple[Steps, str], ...] = ()
    lead: str = ""
    folders: tuple[str, ...] = ()  # that were made for it, the inner ones first


def known_by(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def kept(home: str, target: str) -> dict[str, Receipt]:
    """The receipts of a target by the file they are for. Whatever is wrong with them: none."""
    try:
        content = read_file(_file(home, target))
        return {one.path: one for one in map(_read, json.loads(content or b"[]"))}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def keep(home: str, target: str, receipts: Iterable[Receipt]) -> None:
    """Before anything is changed: a receipt too many does no harm."""
    lines = json.dumps([one._asdict() for one in receipts], indent=1) + "\n"
    make_folder(os.path.dirname(_file(home, target)), below=home)
    replace_file(OsDisk(home), _file(home, target), lines.encode())


def drop(home: str, target: str) -> None:
    """And the folders that were made for it, if nothing else is in them."""
    folder = os.path.dirname(_file(home, target))
    with suppress(OSError):
        OsDisk(home).remove(_file(home, target))
        for empty in (folder, os.path.dirname(folder), home):
            if not os.path.islink(empty):
                os.rmdir(empty)


def _file(home: str, target: str) -> str:
    return os.path.join(home, ".tacit", "installed", f"{target}.json")


def _read(value: dict[str, object]) -> Receipt:
    made, empty = value.get("made"), value.get("empty")
    return Receipt(
        path=_text(value["path"]),
        before=_text(value["before"]),
        after=_text(value["after"]),
        is_blank=value.get("is_blank") is True,
        was=None if value.get("was") is None else _text(value["was"]),
        made=tuple(map(_steps, made)) if isinstance(made, list) else (),
        empty=tuple((_steps(path), _text(inside)) for path, inside in empty) if isinstance(empty, list) else (),
        lead=_text(value.get("lead", "")),
        folders=_steps(value.get("folders", [])),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _steps(value: object) -> Steps:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_text, value))
