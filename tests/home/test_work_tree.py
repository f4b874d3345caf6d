"""Whether what a memory names is in the work tree. What cannot be decided counts as present."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tacit.home.work_tree import FileListing, WorkTree
from tacit.model.conditions import State
from tacit.model.references import Reference, marked_references, named_references


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "setup.md").write_text("x")
    (root / "web").mkdir()
    return root


def missing(root: Path, sentence: str, cwd: str = "", path: str = "/usr/bin:/bin") -> list[str]:
    tree = WorkTree(str(root), str(root / cwd), {"PATH": path})
    return [reference.text for reference in red(tree, named_references(sentence))]


def red(tree: WorkTree, references: Iterable[Reference], folder: str = "") -> list[Reference]:
    return [each for each in references if tree.look(each, folder=folder).state is State.RED]


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def test_a_path_that_is_there_is_not_missing(root: Path) -> None:
    assert missing(root, "see docs/setup.md and docs/") == []
    assert missing(root, "see docs/other.md") == ["docs/other.md"]
    assert missing(root, "see docs/setup.md/inner.md") == ["docs/setup.md/inner.md"]


def test_a_path_may_be_relative_to_the_current_folder(root: Path) -> None:
    (root / "web" / "src").mkdir()
    (root / "web" / "src" / "app.ts").write_text("")

    assert missing(root, "see src/app.ts", cwd="web") == []
    assert missing(root, "see src/app.ts") == []  # no folder src, and no list of files: nobody knows
    assert missing(root, "see docs/app.ts") == ["docs/app.ts"]


def test_a_path_may_be_relative_to_any_folder_with_tracked_files(root: Path) -> None:
    (root / "web" / "src").mkdir()
    (root / "web" / "src" / "app.ts").write_text("")
    git(root, "init", "-q")
    git(root, "add", ".")

    assert missing(root, "see src/app.ts, not src/gone.ts") == ["src/gone.ts"]
    (root / "docs" / "setup.md").unlink()
    assert missing(root, "see docs/setup.md") == ["docs/setup.md"]
    (root / ".git" / "info" / "sparse-checkout").write_text("/web/")
    assert missing(root, "see lib/none.md") == []


def test_what_is_behind_a_link_is_not_looked_at(root: Path, tmp_path: Path) -> None:
    os.symlink(tmp_path, root / "link")

    assert missing(root, "see link/none.md") == []


def test_a_path_may_be_that_of_the_compiled_file(root: Path) -> None:
    (root / "web" / "src").mkdir()
    (root / "web" / "src" / "app.ts").write_text("")
    git(root, "init", "-q")
    git(root, "add", ".")

    assert missing(root, "see src/app.js, not src/app.css") == ["src/app.css"]


def test_what_git_ignores_is_not_missing(root: Path) -> None:
    (root / ".gitignore").write_text("# local files\n*.local.md\n/docs/own/\n!docs/gone.md\n")
    (root / "web" / ".gitignore").write_text("notes.md\n")

    assert missing(root, "see docs/a.local.md, docs/own/a.md, docs/gone.md") == ["docs/gone.md"]
    assert missing(root, "see docs/notes.md") == ["docs/notes.md"]
    assert missing(root, "see docs/notes.md", cwd="web") == []


def test_a_listing_has_files_of_all_folders(root: Path) -> None:
    (root / "web" / "package.json").write_text('{"scripts": {"lint": "eslint"}}')
    (root / "package.json").write_text('{"scripts": {}, "workspaces": ["web"]}')
    web, docs = str(root / "web"), str(root / "docs")
    listing = FileListing(str(root), {"package.json": [str(root), web], "setup.md": [docs], "web": [str(root)]})
    tree = WorkTree(str(root), str(root), {}, listing=listing)
    references = marked_references("`npm run lint`, `npm run e2e`, `docs/setup.md`, `docs/none.md`, `lib/v1.2`")

    assert [reference.name for reference in red(tree, references)] == ["e2e", "docs/none.md"]
    assert [reference.name for reference in red(tree, references, web)] == ["e2e", "docs/none.md"]
    (root / "web" / "docs").mkdir()
    (root / "web" / "docs" / "none.md").write_text("")
    assert [reference.name for reference in red(tree, references, web)] == ["e2e"]


def test_scripts_that_need_not_be_defined(root: Path) -> None:
    (root / "package.json").write_text('{"scripts": {}, "devDependencies": {"eslint": "1"}}')
    assert missing(root, "use yarn run eslint, npm run env and npm start") == ["npm start"]
    (root / "server.js").write_text("")
    assert missing(root, "use npm start") == []


def test_scripts_of_a_package(root: Path) -> None:
    assert missing(root, "use npm run lint") == []  # there is no package
    (root / "package.json").write_text('{"scripts": {"build": "tsc"}}')
    assert missing(root, "use npm run build, then npm run lint") == ["npm run lint"]
    (root / "web" / "package.json").write_text('{"scripts": {"lint": "eslint"}}')
    assert missing(root, "use npm run lint", cwd="web") == []
    (root / "package.json").write_text('{"scripts": {"build": "tsc"}, "workspaces": ["web"]}')
    assert missing(root, "use npm run test") == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": []}', "[" * 100_000])
def test_a_package_that_cannot_be_read_tells_nothing(root: Path, text: str) -> None:
    (root / "package.json").write_text(text)

    assert missing(root, "use npm run lint") == []


def test_a_changed_file_is_read_again(root: Path) -> None:
    (root / "package.json").write_text("{}")
    assert missing(root, "use npm run lint") == ["npm run lint"]
    (root / "package.json").write_text('{"scripts": {"lint": "eslint"}}')
    assert missing(root, "use npm run lint") == []


def test_targets_of_a_makefile(root: Path) -> None:
    makefile = root / "Makefile"
    makefile.write_text("X := 1\nall lint: dep\n\techo a: b\n# old: x\n.PHONY: check\n")
    assert missing(root, "`make lint`, `make all`, `make old`, `make check`") == ["make old", "make check"]
    makefile.write_text("include more.mk\nall:\n")
    assert missing(root, "`make old`") == []
    makefile.write_text("a \\\n  old: b\n")
    assert missing(root, "`make old`, `make a`, `make c`") == ["make c"]
    for text in ("%.o: %.c\n", "  -include x.mk\n", "$(call rules,old)\n", ".DEFAULT:\n", "$(NAMES): x\n"):
        makefile.write_text(text)
        assert missing(root, "`make old`") == []


def test_recipes_of_a_justfile(root: Path) -> None:
    (root / "justfile").write_text("# deploy\nbuild target='x': dep\n  echo ship: it\n@lint:\nalias b := build\n")
    assert missing(root, "`just build`, `just lint`, `just b`, `just ship`") == ["just ship"]
    for text in ("import 'more.just'\n", "mod? web\n"):
        (root / "justfile").write_text(text)
        assert missing(root, "`just ship`") == []


def test_a_hostile_makefile_takes_no_time(root: Path) -> None:
    (root / "Makefile").write_text("a" + " " * 400_000)

    assert missing(root, "`make old`") == ["make old"]


def test_programs_are_looked_up_on_the_path_and_in_the_project(root: Path) -> None:
    assert missing(root, "run `sh -c x`") == []
    assert missing(root, "run `no-such-program-here -x`") == ["no-such-program-here"]
    assert missing(root, "run `no-such-program-here -x`", path="") == []
    (root / "node_modules" / ".bin").mkdir(parents=True)
    (root / "node_modules" / ".bin" / "no-such-program-here").write_text("")
    assert missing(root, "run `no-such-program-here -x`") == []


def test_branches_of_the_repository_and_its_remotes(root: Path) -> None:
    assert missing(root, "the `release` branch") == []  # no repository
    git(root, "init", "-q", "-b", "main")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "branch", "team/next")
    assert missing(root, "the `main` branch, the `team/next` branch, the `release` branch") == ["branch release"]
    git(root, "pack-refs", "--all")
    assert missing(root, "the `main` branch, the `release` branch") == ["branch release"]
    git(root, "update-ref", "refs/remotes/origin/release", "HEAD")
    assert missing(root, "the `release` branch") == []
    git(root, "pack-refs", "--all")
    assert missing(root, "the `release` branch, the `next` branch") == ["branch next"]


def test_branches_of_another_work_tree(root: Path, tmp_path: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")

    assert missing(tmp_path / "other", "the `main` branch, the `gone` branch") == ["branch gone"]


def test_after_the_deadline_nothing_is_missing(root: Path) -> None:
    ticks = iter([0.0, 0.0, 1.0])
    tree = WorkTree(str(root), str(root), {}, clock=lambda: next(ticks))

    assert [one.name for one in red(tree, named_references("docs/a.md and docs/b.md"))] == ["docs/a.md"]
