"""What a work tree says of the tools of a project and of texts below a folder. What is not certain is unknown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.home.conditions import look
from tacit.home.work_tree import WorkTree, tracked_files
from tacit.model.condition_compiler import compile_sentence
from tacit.model.conditions import LookupResult, State
from tacit.model.references import Reference
from tests.home.test_work_tree import git

PNPM, UV, COMPOSE = "use pnpm, not npm", "we use uv, not pip", "Never run `docker-compose`, use `docker compose`."
CONSOLE, MOMENT = "No `console.log` in src/", "Never import `moment` in `src/`."


def ask(root: Path, sentence: str, programs: tuple[str, ...] = (), path: str = "/usr/bin:/bin") -> LookupResult:
    """Look up the only condition of a sentence that is no name."""
    tree = WorkTree(str(root), str(root), {"PATH": path}, listing=tracked_files(str(root)), seconds=10)
    (condition,) = (each for each in compile_sentence(sentence).conditions if not isinstance(each, Reference))
    return look(tree, condition, help_programs=programs)


def make(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def steps(*lines: str) -> str:
    return "jobs:\n  test:\n    steps:\n" + "".join(f"      - {line}\n" for line in lines)


LOCK = {"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}
CI = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("sentence", "files", "wanted"),
    [
        (PNPM, {**LOCK, CI: steps("run: npm ci")}, f"{CI}:4 runs npm ci"),
        (PNPM, {**LOCK, CI: steps("run: |\n          pnpm -v\n          npm test")}, f"{CI}:6 runs npm test"),
        (PNPM, {**LOCK, "Dockerfile": "FROM node\nRUN npm ci \\\n  --omit x\n"}, "Dockerfile:2 runs npm ci --omit x"),
        (PNPM, {**LOCK, "package.json": '{\n"scripts": {"b": "npm run a"}}'}, "package.json:2 runs npm run a"),
        (PNPM, {"package-lock.json": "{}"}, "package-lock.json is there, and no pnpm-lock.yaml"),
        (UV, {"uv.lock": "", "Makefile": "all:\n\t@pip install -r x.txt\n"}, "Makefile:2 runs pip install -r x.txt"),
        (COMPOSE, {"scripts/up.sh": "# docker-compose\ndocker-compose up\n"}, "scripts/up.sh:2 runs docker-compose up"),
        (CONSOLE, {"src/a/b.ts": "const x = 1\nconsole.log(x)\n"}, "src/a/b.ts:2 has console.log"),
        (MOMENT, {"src/a.ts": "import m from 'moment/min'\n"}, "src/a.ts:1 has moment"),
        (MOMENT, {"src/a.js": "const m = require('moment')\n"}, "src/a.js:1 has moment"),
        ("Never import `requests` in `src/`.", {"src/a.py": "from requests import get\n"}, "src/a.py:1 has requests"),
        ("Do not use `print()` in `src/`.", {"src/a.py": "x = 1\nprint(x)\n"}, "src/a.py:2 has print"),
    ],
)  # fmt: skip
def test_red_says_where_the_work_tree_does_otherwise(
    tmp_path: Path, sentence: str, files: dict[str, str], wanted: str
) -> None:
    outcome = ask(make(tmp_path, files), sentence)
    assert (outcome.state, outcome.why) == (State.RED, wanted)
    assert outcome.trace and outcome.trace.path == wanted.split(":", maxsplit=1)[0].split(" ", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("sentence", "files"),
    [
        (PNPM, {**LOCK, CI: steps("run: npm i -g pnpm", "run: npm i pnpm@9", "run: npm publish", "# run: npm ci")}),
        (PNPM, {**LOCK, CI: steps("run: echo 'npm ci'", "run: pnpm test # not npm test")}),
        (PNPM, {**LOCK, CI: steps("run: npm ci\n        working-directory: docs")}),
        (PNPM, {**LOCK, CI: steps("run: cd docs && npm ci")}),
        (UV, {"uv.lock": "", CI: steps("run: pip install uv", "run: pip install -U pip", "run: uv pip list")}),
        (COMPOSE, {"Makefile": "up:\n\tdocker compose -f docker-compose.yml up\n"}),
        (CONSOLE, {"src/a.ts": "// console.log(x)\n/*\nconsole.log(x)\n*/\nlet a = 'console.log'\n"}),
        (CONSOLE, {"src/a.ts": "// eslint-disable-next-line no-console\nconsole.log(1)\n", "b.ts": "console.log(1)"}),
        (CONSOLE, {"src/a.ts": "my.console.log(1); console.logger(1)\n", "src/a.test.ts": "console.log(1)\n"}),
        (MOMENT, {"src/a.ts": "import m from 'moment-mini'\nimport x from './moment'\n// import m from 'moment'\n"}),
    ],
)  # fmt: skip
def test_green_is_what_only_looks_like_it(tmp_path: Path, sentence: str, files: dict[str, str]) -> None:
    assert ask(make(tmp_path, files), sentence).state is State.GREEN


@pytest.mark.parametrize(
    ("sentence", "files", "why"),
    [
        (PNPM, {}, "no lock file, script or CI file uses pnpm"),
        (PNPM, {**LOCK, "docs/package-lock.json": "{}", CI: steps("run: npm ci")}, "and so does another folder"),
        (CONSOLE, {"lib/a.ts": ""}, "there is no folder src"),
        (CONSOLE, {"src/a.txt": "console.log(1)"}, "there is no code in src"),
    ],
)
def test_unknown_says_why(tmp_path: Path, sentence: str, files: dict[str, str], why: str) -> None:
    make(tmp_path, files)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    outcome = ask(tmp_path, sentence)
    assert outcome.state is State.UNKNOWN and why in outcome.why


def test_links_that_lead_out_of_the_work_tree_are_not_followed(tmp_path: Path) -> None:
    outside, root = (
        make(tmp_path / "outside", {"a.ts": "console.log(1)", "ci.yml": steps("run: npm ci")}),
        tmp_path / "in",
    )
    make(root, {**LOCK, "src/b.ts": "x"})
    os.symlink(outside, root / "src" / "out")
    os.symlink(outside / "a.ts", root / "src" / "a.ts")
    (root / ".github").mkdir()
    os.symlink(outside, root / ".github" / "workflows")
    assert ask(root, CONSOLE).state is State.GREEN
    assert ask(root, PNPM).state is State.GREEN


def test_a_folder_with_too_many_files_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.home.conditions._MAX_FILES", 2)
    make(tmp_path, {f"src/{number}.ts": "" for number in range(4)})
    assert ask(tmp_path, CONSOLE).why == "src is too large to be searched"


def test_tracked_files_are_those_of_the_index(tmp_path: Path) -> None:
    make(tmp_path, {"a/b/c.txt": "", "a/é.txt": "", "top.txt": ""})
    assert tracked_files(str(tmp_path)) is None
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    listing = tracked_files(str(tmp_path))
    assert listing and {name: sorted(folders) for name, folders in listing.folders_by_name.items()} == {
        "c.txt": [str(tmp_path / "a" / "b")],
        "é.txt": [str(tmp_path / "a")],
        "top.txt": [str(tmp_path)],
        "b": [str(tmp_path / "a")],
        "a": [str(tmp_path)],
    }
    git(tmp_path, "add", "--intent-to-add", ".")
    git(tmp_path, "update-index", "--index-version", "4")
    assert tracked_files(str(tmp_path)) is None  # names are shortened
