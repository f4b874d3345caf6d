"""Sessions for the pages to show."""

from __future__ import annotations

from datetime import datetime

from harness.person import NOW, Person
from harness.transcripts import Claude, Turn, lines, name_of, place


def write_session(person: Person, *asked: str, reply: str = "It is done.", ran: str = "make test") -> str:
    """Capture a session in which this was asked. Return its id."""
    name = name_of(*asked)
    writer = Claude(name, str(person.folder), datetime.fromisoformat(NOW))
    for text in asked:
        writer.turn(Turn(text, ran, "ok", "src/main.py", reply, ""))
    file = place(person.folder, "claude", name)
    file.write_bytes(lines(writer.records))
    person.tacit("import", "transcripts", str(file))
    with person.vault() as vault:
        return vault.sessions.session(name)[0].row.id
