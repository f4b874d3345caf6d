"""Queries over days: the day is that of the person's clock."""

from __future__ import annotations

from harness.person import Person

from tacit.index import habits


def test_a_command_shortly_before_midnight_is_of_the_next_day_further_east(person: Person) -> None:
    history = person.folder / ".bash_history"
    history.write_text("#1772407800\nmake test\n")  # 2026-03-01 23:30 UTC, a Sunday
    person.tacit("import", "history", "--file", str(history), "--shell", "bash")
    with person.vault() as vault:
        read = vault.home.store.read
        assert read(lambda connection: habits.commands_by_day(connection, 0, 0)) == {20513: 1}
        assert read(lambda connection: habits.commands_by_day(connection, 0, 60)) == {20514: 1}
        assert read(lambda connection: habits.commands_by_hour(connection, 0, 0)) == {(6, 23): 1}
        assert read(lambda connection: habits.commands_by_hour(connection, 0, 60)) == {(0, 0): 1}
        (ran,) = read(lambda connection: habits.commands_between(connection, 0, 2**53, 10))
        assert (ran.command, ran.exit_status) == ("make test", -1)
