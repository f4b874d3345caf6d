"""Which project a folder or a session belongs to, by what lies on the disk alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.home.project import Project, directory_scope, find_project, folder_scope, remote_name
from tacit.model.claim import GLOBAL, Scope

NAME = "example.org/team/work"
CONFIG = f"""\
[core]
\turl = https://example.org/not/this
[remote "upstream"]
\turl = https://example.org/nor/this
[remote "origin"]
\tpushurl = https://example.org/nor/that
\turl = https://ada:token@{NAME}.git
[branch "main"]
\tremote = origin
"""


def never(_scope: Scope) -> bool:
    return False


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The person's own folder."""
    return tmp_path.resolve()


def repository(user: Path, name: str = "work", config: str = CONFIG) -> Path:
    root = user / name
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text(config)
    return root


def found(folder: Path, user: Path) -> Project | None:
    return find_project(str(folder), str(user))


def test_an_at_sign_that_begins_a_folder_is_no_end_of_a_user_name() -> None:
    assert remote_name("https://example.org/@me/work.git") == "example.org/@me/work"
    assert remote_name("https://me:pa/ss@example.org/@me/work.git") == "example.org/@me/work"


def test_a_project_has_the_name_of_its_origin_first_and_then_its_path(user: Path) -> None:
    root = repository(user)
    (root / "src" / "deep").mkdir(parents=True)
    assert found(root / "src" / "deep", user) == Project(str(root), (NAME, str(root)))
    local = repository(user, "local", "[core]\n\tbare = false\n")
    assert found(local, user) == Project(str(local), (str(local),))


@pytest.mark.parametrize("marker", [".jj", ".hg"])
def test_repositories_of_other_programs_are_projects_too(user: Path, marker: str) -> None:
    (user / "work" / marker).mkdir(parents=True)
    assert found(user / "work", user) == Project(str(user / "work"), (str(user / "work"),))


def test_the_search_ends_at_the_persons_own_folder(user: Path) -> None:
    repository(user, ".")
    (user / "notes").mkdir()
    assert found(user, user) is None and found(user / "notes", user) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder away")
def test_a_repository_of_another_owner_above_is_not_the_persons_project(user: Path) -> None:
    root = repository(user)
    (root / "mine").mkdir()
    os.chown(root, 12345, 12345)
    assert found(root / "mine", user) is None


def test_a_folder_that_is_gone_or_has_no_valid_name_has_no_project(user: Path) -> None:
    assert found(user / "gone", user) is None
    assert find_project(f"{user}/nul\0", str(user)) is None


def test_a_work_tree_is_the_same_project_as_its_main_one(user: Path) -> None:
    root = repository(user)
    own, tree = root / ".git" / "worktrees" / "one", user / "tree"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert found(tree, user) == Project(str(tree), (NAME, str(root)))


def test_a_scope_that_is_used_already_stays_when_a_better_name_appears() -> None:
    project = Project("/work", (NAME, "/work"))
    assert project.scope(never) == f"project:{NAME}"
    assert project.scope(lambda scope: scope == "project:/work") == "project:/work"


@pytest.mark.parametrize(
    "url",
    [
        "git@example.org:team/work.git",
        "example.org:team/work",
        "ssh://git@example.org/Team/Work.git/",
        "https://ada:p@ss@EXAMPLE.org/team/work.git",
    ],
)
def test_one_remote_has_one_name_however_it_is_reached(url: str) -> None:
    assert remote_name(url) == NAME


def test_a_folder_that_is_no_project_has_a_scope_of_its_own_except_the_persons(user: Path) -> None:
    (user / "link").symlink_to(user)
    assert folder_scope(str(user / "link"), str(user)) == GLOBAL
    assert folder_scope(str(user / "notes"), str(user)) == f"project:{user}/notes"


def test_a_session_belongs_to_the_project_of_the_nearest_folder_that_is_left(user: Path) -> None:
    root = repository(user)
    gone = str(root / ".trees" / "feature" / "src")
    assert directory_scope(gone, "git@example.org:other/clone.git", str(user), never) == f"project:{NAME}"


@pytest.mark.parametrize(
    ("directory", "remote", "scope"),
    [
        ("", "", "global"),
        ("", f"https://{NAME}.git", f"project:{NAME}"),
        ("/gone/work", f"https://{NAME}.git", f"project:{NAME}"),
        ("/gone/work", "", "project:/gone/work"),
    ],
)
def test_a_session_without_a_project_belongs_to_its_remote_or_its_directory(
    user: Path, directory: str, remote: str, scope: str
) -> None:
    assert directory_scope(directory, remote, str(user), never) == scope


@pytest.mark.parametrize(
    ("directory", "folder"),
    [
        ("/srv/shop/.worktrees/3", "/srv/shop"),
        ("/srv/shop/.worktrees/feature-x/src/api", "/srv/shop"),
        ("/srv/shop/.claude/worktrees/calm-owl", "/srv/shop"),
        ("/srv/shop/.worktrees", "/srv/shop/.worktrees"),
        ("/srv/shop/worktrees/3", "/srv/shop/worktrees/3"),
    ],
)
def test_a_work_tree_inside_a_repository_of_another_machine_is_of_that_repository(
    directory: str, folder: str, tmp_path: Path
) -> None:
    gone = str(tmp_path / "elsewhere") + directory
    assert directory_scope(gone, "", str(tmp_path), never) == f"project:{tmp_path}/elsewhere{folder}"
