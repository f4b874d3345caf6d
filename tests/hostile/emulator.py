"""A terminal that can be asked what became of it: its screen, its title, and what it typed by itself."""

from __future__ import annotations

import pyte

TITLE = "untouched"


class Terminal(pyte.Screen):
    """Wide and tall enough that nothing has to wrap or scroll."""

    def __init__(self, shown: str) -> None:
        lines = shown.split("\n")
        super().__init__(max(map(len, lines)) * 2 + 10, len(lines) + 10)
        self.title = self.icon_name = TITLE
        self.answers: list[str] = []
        self.bells = 0
        try:
            pyte.Stream(self).feed(shown.replace("\n", "\r\n"))
        except (TypeError, UnboundLocalError):  # a form of a request that real terminals know and pyte does not
            self.answers.append("something that a real terminal knows")

    def write_process_input(self, data: str) -> None:
        """What the program would read as typed by the person."""
        self.answers.append(data)

    def bell(self, *_: object) -> None:
        self.bells += 1

    def read(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.display).rstrip("\n")

    def is_unharmed_by(self, shown: str) -> bool:
        """Whether what was printed is what is to be seen, and nothing else happened."""
        plain = "\n".join(line.rstrip() for line in shown.split("\n")).rstrip("\n")
        quiet = not self.answers and not self.bells
        return quiet and (self.title, self.icon_name) == (TITLE, TITLE) and self.read() == plain
