"""Lines of another form, a clock behind the log, and links in the spool."""

from __future__ import annotations

import json

from harness.person import Person

from tacit.log.codec import with_checksum
from tests.support.findings import findings


def test_an_event_that_another_program_wrote_in_another_form_is_told(home: Person) -> None:
    lines = home.events.read_bytes().splitlines(keepends=True)
    fields = {name: value for name, value in json.loads(lines[0]).items() if name != "c"}
    home.events.write_bytes(with_checksum(json.dumps(fields, sort_keys=True).encode()) + b"".join(lines[1:]))
    (one,) = [one for one in findings(home) if "another form" in str(one["what"])]
    assert not one["serious"]


def test_a_clock_behind_the_log_is_told(home: Person) -> None:
    with home.at(now="2020-01-01T00:00:00+00:00"):
        said = home.tacit("doctor", now="2020-01-01T00:00:00+00:00").out
    assert "the clock says 2020-01-01" in said


def test_a_link_in_the_reserve_of_the_spool_is_named(person: Person) -> None:
    person.tacit("add", "never force push")
    reserve = person.home / ".tacit" / "spool" / ".reserve"
    reserve.mkdir(exist_ok=True)
    (reserve / "zz").symlink_to(person.folder / "elsewhere")
    assert str(reserve / "zz") in person.tacit("doctor", code=3).out
