"""Days and weeks of a home."""

from __future__ import annotations

from datetime import date, datetime

from harness.example_home import END, make_example_home
from harness.person import Person

from tacit.vault.timeline import Timeline


def test_days_and_weeks_add_up(person: Person) -> None:
    example = make_example_home(person.folder)
    with example.vault(END) as vault:
        timeline = Timeline(vault.home)
        days, weeks = timeline.days(100), timeline.weeks(15)
        assert days[-1].day == END.date() and len(days) == 100
        assert sum(day.sessions for day in days) == sum(week.sessions for week in weeks) == vault.status().sessions
        assert sum(day.commands for day in days) == vault.suggestions.most_used().activity.commands
        assert all(week.injected and week.tokens and week.minutes for week in weeks[-11:])
        assert sum(week.violated for week in weeks) > 0 and sum(week.followed for week in weeks) > 0
        most = timeline.most_injected(3)
        assert most[0].counts.injected >= most[-1].counts.injected > 0


def test_a_day_has_its_sessions_and_commands_in_order(person: Person) -> None:
    example = make_example_home(person.folder)
    with example.vault(END) as vault:
        view = Timeline(vault.home).day(date(2026, 11, 16))
        assert [session.row.title for session in view.sessions] == [
            "A prompt that shows the branch",
            "Migrations fail on an empty database",
        ]
        assert [command.ran_at for command in view.commands] == sorted(command.ran_at for command in view.commands)
        assert sum(count.commands for count in Timeline(vault.home).hours(1)) == len(view.commands)


def test_an_empty_home_has_days_without_anything(person: Person) -> None:
    with person.vault() as vault:
        timeline = Timeline(vault.home)
        assert [day.commands + day.sessions for day in timeline.days(3)] == [0, 0, 0]
        assert timeline.weeks(2)[-1].injected == 0 and timeline.most_injected(5) == []
        assert timeline.day(datetime.fromisoformat(person.now).date()).sessions == ()
