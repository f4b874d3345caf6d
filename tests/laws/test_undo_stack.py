"""Whatever is done in whatever order, undo and redo walk through the same states as a plain stack would."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import RefusedError, TacitError
from tacit.home.home import Home
from tacit.model.observation import WorkLogged
from tacit.vault import Vault

TEXTS = ("use ruff", "use mypy", "never force push", "I prefer tabs")
CHANGES = ("add", "remember", "accept", "accept all", "forget", "dismiss", "restore", "edit", "share", "unshare", "log")
State = tuple[object, ...]
steps = st.lists(
    st.tuples(st.sampled_from((*CHANGES, *["undo"] * 6, *["redo"] * 4)), st.integers(0, len(TEXTS) - 1)),
    min_size=3,
    max_size=14,
)


def _state(vault: Vault) -> State:
    listed = list(vault.search.listing(status=None, scope="all"))
    memories = sorted((one.memory for one in listed), key=lambda memory: memory.id)
    worklog = vault.status().worklog
    return (worklog, *(memory._replace(last_at=memory.first_at) for memory in memories))


def _recorded(vault: Vault) -> int:
    """How many bytes the log has."""
    return sum(map(vault.home.store.log.size, vault.home.store.log.segments()))


def _change(vault: Vault, verb: str, number: int) -> None:
    told: dict[str, tuple[object, dict[str, object]]] = {
        "add": (TEXTS[number], {"private": bool(number % 2)}),
        "remember": (TEXTS[number], {"evidence": f"seen {number}"}),
        "accept all": (TEXTS[:2], {}),
        "edit": (TEXTS[number], {"tags": [f"tag{number}"]}),
        "log": (WorkLogged("T-1", f"did {number}"), {}),
    }
    about, more = told.get(verb, (TEXTS[number], {}))
    getattr(vault.memories, verb.replace(" ", "_"))(about, **more)


def _walk(vault: Vault, walk: Sequence[tuple[str, int]]) -> None:
    past: list[State] = []
    future: list[State] = []
    now = _state(vault)
    for verb, number in walk:
        before = _recorded(vault)
        try:
            getattr(vault.changes, verb)() if verb in ("undo", "redo") else _change(vault, verb, number)
        except TacitError as error:
            assert _state(vault) == now
            if verb in ("undo", "redo"):
                assert isinstance(error, RefusedError) and not (past if verb == "undo" else future)
            continue
        if verb in ("undo", "redo"):
            behind, ahead = (past, future) if verb == "undo" else (future, past)
            ahead.append(now)
            now = behind.pop()
            assert _state(vault) == now, verb
        elif _recorded(vault) > before:  # else there was nothing to record
            past.append(now)
            future.clear()
            now = _state(vault)
    assert len(vault.changes.undo_stack().steps) == len(past)
    assert len(vault.changes.undo_stack().redo_labels) == len(future)
    vault.home.store.rebuild()
    assert _state(vault) == now


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_undo_and_redo_are_a_stack(walk: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "work"
        (root / ".git").mkdir(parents=True)
        environment = {"HOME": folder, "TACIT_HOME": f"{folder}/home", "TACIT_NOW": "2026-03-02T12:00:00+00:00"}
        with Vault(Home(f"{folder}/home", cwd=root, environment=environment)) as vault:
            _walk(vault, walk)
