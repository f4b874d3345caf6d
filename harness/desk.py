"""A person with shells: their files, their terminals, and what was captured from them."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from harness.person import Person
from harness.shell_terminal import Terminal

_PATIENCE = 60.0
FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
# A prompt that counts. In bash the counting is in the prompt itself, in the others in a hook of the person's own.
PROMPTS = {
    "bash": "counted=0; PS1='<#$((++counted))#> '\nPS2='> '\n",
    "zsh": "setopt prompt_subst; unsetopt prompt_sp\nPS1='<#$counted#> '; PS2='> '\n"
    "counted=0; count() { counted=$((counted + 1)) }; precmd_functions+=(count)\nHISTSIZE=1000\n",
    "fish": 'set -g fish_greeting\nset -g counted 0\nfunction fish_prompt; echo -n "<#$counted#> "; end\n'
    "function count --on-event fish_prompt; set -g counted (builtin math $counted + 1); end\n"
    "function fish_title; end\n",
}
HOOKS = {
    "bash": 'eval "$({program} hook bash)"\n',
    "zsh": 'eval "$({program} hook zsh)"\n',
    "fish": "{program} hook fish | source\n",
}


class Ran(NamedTuple):
    """A command as the log holds it."""

    command: str
    directory: str
    status: int
    milliseconds: int
    meant: str
    planned: str
    shell: str
    session: str
    actor: str
    scope: str
    at: str


class Desk:
    def __init__(self, person: Person, shell: str) -> None:
        self.person, self.shell = person, shell
        self.folder = person.folder
        self.terminals: list[Terminal] = []
        self._bin = person.folder / "bin"
        self._bin.mkdir()
        self.program = self._bin / "tacit"
        self.program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tacit "$@"\n')
        self.program.chmod(0o755)
        # Else fish begins its life by reading all manual pages.
        (person.folder / ".local/share/fish/generated_completions").mkdir(parents=True)
        self.write()

    @property
    def file(self) -> Path:
        """What the shell reads when it starts."""
        return self.folder / FILES[self.shell]

    @property
    def hook(self) -> str:
        return HOOKS[self.shell].format(program=self.program)

    def write(self, before: str = "", after: str = "", hook: str | None = None) -> None:
        """The person's file: a prompt, what they have before, Tacit, and what they have after."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(PROMPTS[self.shell] + before + (self.hook if hook is None else hook) + after)

    def recorded_by(self, command: str) -> str:
        """A line of the person's file that puts something else in the recorder's place."""
        return f"set -g __tacit_recorder {command}\n" if self.shell == "fish" else f"__tacit_recorder=({command})\n"

    def open(self, **environment: str) -> Terminal:
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        terminal = Terminal(self.person, self.shell, **{"PATH": path, **environment})
        self.terminals.append(terminal)
        return terminal

    def captured(self) -> list[Ran]:
        """What was captured, in the order in which the commands began, as soon as nothing more can come."""
        until = time.monotonic() + _PATIENCE
        while busy := self.orphans():
            assert time.monotonic() < until, f"still there: {busy}"
            time.sleep(0.02)
        lines = [line for path in self.person.home.glob("activity/*.jsonl") for line in path.read_text().splitlines()]
        events = [json.loads(line) for line in lines]
        return sorted((_ran(event) for event in events if event["type"] == "command.ran"), key=lambda ran: ran.at)

    def lines(self) -> list[str]:
        return [ran.command for ran in self.captured()]

    def orphans(self) -> list[str]:
        """Programs that belong to this person and to none of their terminals: the recorders."""
        ours = {terminal.pid for terminal in self.terminals}
        found = [one for one in _processes(self.person) if not ours & one.ancestors]
        return [one.name for one in found if one.name != "sleep"]

    def close(self) -> None:
        for terminal in self.terminals:
            terminal.end()


class _Process(NamedTuple):
    name: str
    ancestors: frozenset[int]


def _processes(person: Person) -> list[_Process]:
    """Everything that runs with this person's home."""
    home = f"TACIT_HOME={person.home}".encode()
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with contextlib.suppress(OSError):
            if home in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(_Process(Path(f"/proc/{pid}/comm").read_text().strip(), frozenset(_line_of(pid))))
    return found


def _line_of(pid: int) -> list[int]:
    found = [pid]
    while found[-1] > 1:
        found.append(int(Path(f"/proc/{found[-1]}/stat").read_text().rpartition(")")[2].split()[1]))
    return found


def _ran(event: dict[str, Any]) -> Ran:
    body = event["body"]
    texts = {name: body.get(name, "") for name in ("command", "directory", "meant", "planned", "shell")}
    numbers = {name: body.get(name, 0) for name in ("status", "milliseconds")}
    about = {"session": event.get("sess", ""), "actor": event["actor"], "scope": event["scope"], "at": event["ts"]}
    return Ran(**texts, **numbers, **about)
