"""A session as the file that Claude Code writes of it, which memories read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from harness.transcripts import BEGAN, Claude, lines, name_of, place

from bench.write_side.cases import PERSON, Turn

CLOSING = "Done."


def transcript(
    home: Path,
    turns: Sequence[Turn],
    *,
    project: str = "/home/ann/project",
    began: datetime = BEGAN,
    blocks: bool = False,
    closing: bool = False,
) -> Path:
    """Write a session into the folder for the transcripts of a home.

    What a person types is one string there, as in a terminal, or a list of `blocks`, as other front ends write it.
    With `closing` the agent has the last word: some memories take nothing else for a session.
    """
    teller = Claude(name_of("write side"), project, began)
    for who, text in turns:
        if who != PERSON:
            teller.reply(text)
        elif blocks:
            teller.say("user", {"role": "user", "content": [{"type": "text", "text": text}]})
        else:
            teller.ask(text)
    if closing and turns[-1].who == PERSON:
        teller.reply(CLOSING)
    file = place(home, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    return file
