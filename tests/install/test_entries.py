"""The person goes on editing: what is left without us is exactly their file, whatever they wrote in it since."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.install.entries import (
    HOOK_SCRIPT_PATHS,
    DesiredConfig,
    HookEntry,
    McpServerEntry,
    has_our_hook,
    json_config_file,
)
from tacit.install.json_edit import parse_json, to_python

EVENTS = ("Stop", "SessionStart", "PreCompact")
SERVER = McpServerEntry(("mcpServers", "tacit"), {"command": "tacit", "args": ["mcp"]})


def wanted(in_groups: bool, version: int | None) -> DesiredConfig:
    entries = tuple(
        HookEntry(event, {"command": f"py /x/{HOOK_SCRIPT_PATHS[0]} {event}", "timeout": 5}) for event in EVENTS
    )
    return DesiredConfig(entries=entries, is_grouped=in_groups, version=version, server=SERVER)


class _Author:
    """Somebody who writes JSON in a manner of their own, and marks each object they write."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.marks = 0
        self.comments, self.commas = self.chance.random() < 0.5, self.chance.random() < 0.4
        self.unit = self.chance.choice(["  ", "    ", "\t", None])
        self.newline = self.chance.choice(["\n", "\r\n"])
        self.colon = self.chance.choice([": ", ":"])

    def file(self) -> str:
        members: dict[str, object] = {"model": "x", "env": {"A": "b", "C": []}, "z": None, "version": 1}
        chosen = {name: one for name, one in members.items() if self.chance.random() < 0.4}
        if self.chance.random() < 0.7:
            chosen["hooks"] = {event: self.items() for event in (*EVENTS, "Other") if self.chance.random() < 0.6}
        if self.chance.random() < 0.5:
            chosen["mcpServers"] = {f"s{n}": self.marked() for n in range(self.chance.randrange(3))}
        names = self.chance.sample(sorted(chosen), len(chosen))
        start = "\ufeff" if self.chance.random() < 0.2 else ""
        return start + self.written({name: chosen[name] for name in names}, "") + self.chance.choice(["", self.newline])

    def items(self) -> list[object]:
        return [self.chance.choice([self.marked, self.group])() for _ in range(self.chance.randrange(3))]

    def marked(self) -> object:
        self.marks += 1
        return {"command": f"mark-{self.marks}"}

    def group(self) -> object:
        return {"matcher": "*", "hooks": [self.marked() for _ in range(self.chance.randrange(3))]}

    def written(self, value: object, indent: str) -> str:
        if isinstance(value, dict):
            inner = [
                json.dumps(name) + self.colon + self.written(one, self.deeper(indent)) for name, one in value.items()
            ]
            return self.container("{", inner, "}", indent)
        if isinstance(value, list):
            return self.container("[", [self.written(one, self.deeper(indent)) for one in value], "]", indent)
        return json.dumps(value)

    def deeper(self, indent: str) -> str:
        return indent + (self.unit or "")

    def container(self, opening: str, inner: list[str], closing: str, indent: str) -> str:
        if not inner:
            return opening + self.chance.choice(["", "", " ", self.newline if self.unit else ""]) + closing
        if self.unit is None or self.chance.random() < 0.2:
            return opening + (", " if self.colon == ": " else ",").join(inner) + closing
        lead = self.newline + self.deeper(indent)
        lines = [f"{lead}{one}," + self.remark() for one in inner[:-1]]
        last = "," if self.commas else ""
        return opening + "".join(lines) + f"{lead}{inner[-1]}{last}" + self.remark() + self.newline + indent + closing

    def remark(self) -> str:
        return self.chance.choice(["", "", " // why, {not} so, ]", " /* so, */"]) if self.comments else ""


Edit = Callable[[str], str]


def edits(before: str, seed: int) -> list[Edit]:
    """Changes that mean the same in their file with us in it and without."""
    chance = random.Random(seed)
    marks = re.findall(r"mark-\d+", before)
    found: list[Edit] = []
    for mark in chance.sample(marks, min(len(marks), 3)):
        kind = chance.randrange(3)
        if kind == 0:
            found.append(partial(_with_more, mark=mark))
        elif kind == 1:
            found.append(partial(_before_object, mark=mark, added="/* new */ "))
        elif re.search(rf'\[[^\[\]]*"{mark}"', before):  # an item of a list: another one before it
            found.append(partial(_before_object, mark=mark, added='{"command": "another"}, '))
    if re.match(r'\ufeff?\{\s*"', before) and chance.random() < 0.5:
        found.append(lambda text: text.replace("{", '{ "first": {"a": []},', 1))
    if chance.random() < 0.3:
        found.append(lambda text: text + "\n// the end\n")
    return found


def _with_more(text: str, mark: str) -> str:
    return text.replace(f'"{mark}"', f'"{mark} edited",\n "more": [1, 2]')


def _before_object(text: str, mark: str, added: str) -> str:
    at = text.rindex("{", 0, text.index(f'"{mark}"'))
    return text[:at] + added + text[at:]


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9), in_groups=st.booleans(), version=st.sampled_from([None, 1]))
def test_taking_out_leaves_exactly_the_file_of_the_person(seed: int, in_groups: bool, version: int | None) -> None:
    author = _Author(seed)
    before = author.file()
    part = json_config_file("settings.json", wanted(in_groups, version))
    put = part.insert(before.encode(), None)
    assert put.content is not None
    text = put.content.decode()
    both = to_python(text, parse_json(text))
    assert isinstance(both, dict) and both["mcpServers"]["tacit"] == SERVER.value
    assert json.dumps(both).count(HOOK_SCRIPT_PATHS[0]) == len(EVENTS)
    assert part.insert(put.content, put.receipt).content == put.content
    assert part.remove(put.content, put.receipt) == before.encode()
    for edit in edits(before, seed):
        before, text = edit(before), edit(text)
    left = part.remove(text.encode(), put.receipt)
    assert left is not None and left.decode() == before
    assert part.remove(left, put.receipt) == left


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_without_the_receipt_nothing_of_theirs_is_lost(seed: int) -> None:
    before = _Author(seed).file()
    part = json_config_file("settings.json", wanted(in_groups=True, version=None))
    left = part.remove(part.insert(before.encode(), None).content, None)
    assert left is not None and not has_our_hook(left.decode())
    assert re.findall(r"mark-\d+|//|/\*", left.decode()) == re.findall(r"mark-\d+|//|/\*", before)
    parse_json(left.decode())
