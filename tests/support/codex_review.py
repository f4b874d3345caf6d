"""The review of hooks that Codex wants from a person."""

from __future__ import annotations

from harness.person import Person

from tacit.hosts import obstacles


def trust_hooks(person: Person) -> None:
    """Write what Codex writes when the person trusts all hooks of Tacit; tests/clients compares that with Codex."""
    folder = person.folder / ".codex"
    states = {keys[0]: digest for keys, digest in obstacles.codex_hooks(str(folder / "hooks.json"))}
    lines = [f'[hooks.state."{key}"]\ntrusted_hash = "{digest}"\n' for key, digest in states.items()]
    (folder / "config.toml").write_text("\n".join(lines))
