"""The first chapter: tell, ask, decide, forget, improve."""

from __future__ import annotations

from chapter import Chapter, Step

FIRST_STEPS = Chapter(
    "A memory of your own",
    (
        Step("A home for it. Everything Tacit knows lies in plain files below it.", ("tacit init",)),
        Step(
            "What you add holds at once. In a project it belongs to the project.",
            (
                'tacit add "never run the build repeatedly because it is heavy" --kind constraint',
                'tacit add "always run the tests with --frozen-lockfile"',
                'tacit add "global: I prefer pnpm"',
                'tacit add "release notes are written in plain English" --tag release',
            ),
        ),
        Step(
            "What you or an agent merely noticed is a candidate, until you decide.",
            ('tacit remember "Prefer recall before repeating implementation work" --evidence "user request"',),
        ),
        Step(
            "Ask with any words. Each answer is one fact and names the line it stands in.",
            ('tacit recall "implementation work"', "tacit recall --frozen-lockfile"),
        ),
        Step(
            "What waits for you (in a terminal, tacit review goes through it card by card):", ("tacit list --pending",)
        ),
        Step(
            "What an agent gets to read before it starts: few lines, constraints first, fenced as data.",
            ('tacit brief --for "write the release notes"',),
        ),
        Step(
            "You change your mind: the newest answer wins, and you can see which rule decided.",
            ('tacit add "global: I prefer npm"', "tacit conflicts"),
        ),
        Step(
            "Forgetting deletes no history. It is gone from every answer, and can be taken back.",
            (
                'tacit forget --text "I prefer npm" --reason "was a mistake" --evidence "this tour"',
                "tacit undo",
                "tacit redo",
                'tacit why "I prefer npm"',
            ),
        ),
        Step(
            "The worklog, and what memory makes of it all.",
            (
                'tacit log --task TOUR-1 --summary "Walked through the verbs" --evidence "this terminal"',
                "tacit improve",
                "tacit doctor",
            ),
        ),
        Step(
            "The page a person reads, and the file a project commits:",
            ("grep -v '^$' ~/.agents/memory/long-term.md", "cat docs/memory/memories.ndjson"),
        ),
    ),
)
