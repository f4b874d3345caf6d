"""What pages give as JSON: the same objects that commands print with `--json`, by the names of the commands.

`tacit web` hands them to the pages, which are below the command line and do not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.cards import memory_json, reference_json
from tacit.cli.guard import guard_json
from tacit.cli.recall import hit_json
from tacit.cli.review import card_json
from tacit.cli.sessions import full_session_json, session_json
from tacit.cli.show import conflict_json, why_json
from tacit.cli.status import status_json
from tacit.cli.sync import repository_json
from tacit.cli.workflow import workflow_json

if TYPE_CHECKING:
    from tacit.record import Record


def _each(form: Callable[[Any], object]) -> Callable[[Iterable[Any]], object]:
    return lambda values: [form(value) for value in values]


def _fields(value: Record) -> object:
    return value._asdict()


JSON_FORMS: Mapping[str, Callable[..., object]] = {
    "review": _each(card_json),
    "list": _each(memory_json),
    "rows": _each(reference_json),
    "recall": _each(hit_json),
    "why": why_json,
    "conflicts": _each(conflict_json),
    "sessions": _each(session_json),
    "session": full_session_json,
    "workflows": _each(workflow_json),
    "workflow": workflow_json,
    "guards": _each(guard_json),
    "trust": repository_json,
    "status": status_json,
    "doctor": _each(_fields),
    "config": _each(_fields),
}
