"""Names that would like to be paths: of folders, sessions, agents, tasks and remotes. No file is made outside the home
and the project, and no two names are taken for one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.model.observation import WorkLogged
from tacit.vault import Vault
from tests.chaos.outcome import Outcome, Row, assert_held, together

_LONG = "n" * 200
OUTSIDE = "outside there are now"
# As folders they lack what no folder can have; as texts they are taken as they are.
NAMES = (
    *("..", "../..", "../../outside/x", "....//....//outside", "..\\..\\outside", "/outside", "//outside//x"),
    *("．．／．．／outside", "‥/outside", "․․/outside", "%2e%2e%2foutside", "..%00/outside", "~", "~root", "$HOME"),
    *("`id`", "CON", "nul", "com1.txt", "aux.", "LPT1", ".", " ", "-", "--", "-rf", "--home=outside", "*", "?", "|"),
    *("a;b", "a&&b", "line\nbreak", "tab\there", "carriage\rreturn", "bell\a", "escape\x1b[2J", "\u202egpj", "\u200b"),
    *("\ufeff", "\x7f", "café", "cafe\u0301", "ＣＡＦＥ", "İstanbul", "ß", "ﬁ", "名前", "🙂", "a" * 255),
    *(_LONG + "/" + _LONG, "." + _LONG, "memory", ".tacit", ".git", "index.sqlite", "events.jsonl"),
    *("docs/memory/memories.ndjson", "2026-03-02", "global", "name ", " name", "name.", "name", "NAME", "Name"),
    *("na\u00adme", "git@host:a/b.git", "https://u:p@host/../..", "C:\\x"),
)

# Each of them again: deeper, as a hidden file, with an ending, in capitals, with a mark nobody sees.
_DRESSES: tuple[Callable[[str], str], ...] = (
    lambda name: f"../{name}",
    lambda name: f"a/../../{name}",
    lambda name: f".{name}",
    lambda name: f"{name}.md",
    lambda name: f"{name}/",
    lambda name: name.swapcase() + "x",
    lambda name: f"{name}\u200d",
)
ALL = tuple(dict.fromkeys((*NAMES, *(dress(name) for dress in _DRESSES for name in NAMES))))
_IN_ONE_HOME = 40  # every page is drawn again for each of them


class Scene:
    """A home, a place for projects, and everything else, which must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "scene"
        self.home, self.projects = self.folder / "home", self.folder / "projects"
        self.projects.mkdir(parents=True)
        (self.folder / "outside").mkdir()
        (self.folder / "outside" / "x").write_text("mine\n")
        self._before = self.elsewhere()

    def elsewhere(self) -> set[str]:
        found = {str(path) for path in self.folder.rglob("*")}
        return {path for path in found if not path.startswith((str(self.home), str(self.projects)))}

    def vault(self, cwd: Path, **environment: str) -> Vault:
        return Vault(Home(self.home, cwd=cwd, environment={"HOME": str(self.folder), **environment}))

    def faults(self, name: str) -> Iterator[str]:
        if (now := self.elsewhere()) != self._before:
            yield f"{name!r}: {OUTSIDE} {sorted(now ^ self._before)}"
            self._before = now
        ours = (str(path.relative_to(self.home)) for path in self.home.rglob("*"))
        if strange := [path for path in ours if not path.isascii() or ".." in path or "\n" in path]:
            yield f"{name!r}: the home has files named {strange}"


def hostile_names(folder: Path, names: Sequence[str]) -> Outcome:
    """Each name in every part that a name can play; then each project is asked what it knows."""
    homes = range(0, len(names), _IN_ONE_HOME)
    return together(_home_of(folder / str(first), names[first : first + _IN_ONE_HOME]) for first in homes)


def _home_of(folder: Path, names: Sequence[str]) -> Outcome:
    scene = Scene(folder)
    scene.vault(scene.projects).setup.init()
    return together(_one(scene, name) for name in names) + together(_projects(scene, names))


def _one(scene: Scene, name: str) -> Outcome:
    """As session and agent, as task, tag and evidence."""
    with scene.vault(scene.projects, TACIT_SESSION=name, TACIT_ACTOR=name) as vault:
        for act in (
            lambda: vault.memories.remember(f"remembered by {name}", evidence=name),
            lambda: vault.memories.log(WorkLogged(name, f"done by {name}", changes=name)),
            lambda: vault.memories.add(f"never trust {name}", tags=[name], evidence=name),
            lambda: vault.maintenance.improve(force=True),
        ):
            try:
                act()
            except TacitError:  # some are no texts; that is an answer too
                continue
    return Outcome(1, 0, 0, tuple(scene.faults(name)))


def _projects(scene: Scene, names: Sequence[str]) -> Iterator[Outcome]:
    """As the folder of a project and as the address it came from: what one project learns, no other knows.

    Addresses that differ in case or in blanks at their ends are the same address, so these are not asked.
    """
    made: list[tuple[str, Path, str]] = []
    for number, name in enumerate(names):
        plain = name.replace("/", "_").replace("\x00", "_")
        is_folder = plain not in (".", "..", "") and len(plain.encode()) <= 255
        folders = [(scene.projects / plain, "")] if is_folder else []
        for root, remote in (*folders, (scene.projects / f"remote-{number}", name)):
            if root.exists():
                continue
            (root / ".git").mkdir(parents=True)
            if remote:
                config = f'[remote "origin"]\n\turl = {remote.splitlines()[0]}\n'
                (root / ".git" / "config").write_text(config, "utf-8")
            with scene.vault(root) as vault:
                vault.add(f"never drop thing-{len(made)} here")
            if not remote:
                made.append((name, root, f"thing-{len(made)}"))
            yield Outcome(1, 0, 0, tuple(scene.faults(name)))
    for name, root, own in made:
        text = (root / "docs" / "memory" / "memories.ndjson").read_text()
        others = [other for _, _, other in made if other != own and f"{other} " in text]
        missing = [] if own in text else [f"{name!r}: its own memory is not in its file"]
        yield Outcome(0, 0, 0, (*missing, *(f"{name!r} is taken for another: it knows {other}" for other in others)))


def test_no_name_makes_a_file_elsewhere_and_no_two_are_taken_for_one(tmp_path: Path) -> None:
    assert_held(hostile_names(tmp_path, ALL[::30]), runs=len(ALL[::30]))


def test_a_page_named_by_what_somebody_said_is_caught(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    (scene.folder / "outside" / "y").write_text("a page\n")
    assert any(OUTSIDE in fault for fault in scene.faults("../../outside/y"))


def rows(short: bool) -> Iterator[Row]:
    yield Row("T28 hostile names", lambda at: hostile_names(at, ALL[:: 30 if short else 1]))
