"""A git repository as a remote: a branch without history for each file, and no program of the repository runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tacit.errors import RefusedError, RemoteError, UsageError
from tacit.remotes.git import GitTransport, check_address, is_git_address
from tacit.remotes.transport import normalize_address
from tests.support.machines import Machine, connected, plain_text, sync_all

PNPM, TABS = "use pnpm", "I prefer tabs"


def git(repository: str | Path, *words: str) -> str:
    command = ["git", f"--git-dir={repository}", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return path


@pytest.fixture
def pair(tmp_path: Path, repository: Path) -> list[Machine]:
    return connected(tmp_path, 2, str(repository))


def objects(repository: Path) -> list[bytes]:
    names = git(repository, "cat-file", "--batch-all-objects", "--batch-check").splitlines()
    blobs = [name.split()[0] for name in names if " blob " in name]
    command = ["git", f"--git-dir={repository}", "cat-file", "blob"]
    return [subprocess.run([*command, name], capture_output=True, check=True).stdout for name in blobs]


def test_machines_meet_in_branches_of_their_own(pair: list[Machine], repository: Path) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    desktop.add(TABS)
    sync_all(laptop, desktop, laptop)
    assert laptop.known == desktop.known == {PNPM, TABS}
    branches = git(repository, "for-each-ref", "--format=%(refname:short)").split()
    assert {branch.partition("/")[0] for branch in branches} == {laptop.area, desktop.area}
    for branch in branches:
        assert len(git(repository, "rev-list", branch).split()) == 1
        author = git(repository, "log", "-1", "--format=%an %ae %cn %ce %B %ai", branch)
        assert author.startswith("tacit tacit tacit tacit -") and "+0000" in author


def test_a_git_that_was_killed_does_not_stop_the_next_sync(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    mirror = desktop.home / ".tacit" / "remotes" / "home.git"
    refs = [path for path in (mirror / "refs").rglob("*") if path.is_file()]
    assert refs
    for path in (*refs, mirror / "packed-refs"):
        path.with_name(f"{path.name}.lock").touch()
    laptop.add(TABS)
    sync_all(laptop, desktop)
    assert desktop.known == {PNPM, TABS}


def test_a_second_fetch_brings_only_what_is_new(pair: list[Machine], repository: Path) -> None:
    laptop, desktop = pair
    laptop.add(*(f"rule {number} {os.urandom(200).hex()}" for number in range(40)))
    sync_all(laptop, desktop)
    mirror = desktop.home / ".tacit" / "remotes" / "home.git"
    before = sum(path.stat().st_size for path in mirror.rglob("*") if path.is_file())
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    after = sum(path.stat().st_size for path in mirror.rglob("*") if path.is_file())
    assert PNPM in desktop.known
    assert after - before < 8_000 < before


def test_after_a_purge_no_branch_and_no_copy_on_this_machine_has_the_old_ciphertext(
    pair: list[Machine], repository: Path
) -> None:
    laptop, desktop = pair
    laptop.add("the plan for Operation Walrus")
    sync_all(laptop, desktop)
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop, laptop)
    git(repository, "gc", "--quiet", "--prune=now")  # what the server does when it pleases
    for place in (repository, *(machine.home / ".tacit" / "remotes" / "home.git" for machine in pair)):
        assert not any(b"Walrus" in plain_text(laptop.state.ring, data) for data in objects(place))


def test_what_a_repository_that_went_back_brought_again_does_not_stay_either(
    pair: list[Machine], repository: Path
) -> None:
    laptop, desktop = pair
    laptop.add("the plan for Operation Walrus")
    sync_all(laptop, desktop)
    before = repository.with_name("before.git")
    shutil.copytree(repository, before)
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop, laptop)
    shutil.rmtree(repository)
    shutil.copytree(before, repository)
    sync_all(desktop, laptop, desktop)
    for machine in pair:
        place = machine.home / ".tacit" / "remotes" / "home.git"
        assert not any(b"Walrus" in plain_text(laptop.state.ring, data) for data in objects(place))


def test_a_git_that_was_left_running_does_not_stop_a_purge(pair: list[Machine]) -> None:
    laptop, _ = pair
    laptop.add(PNPM, "the plan for Operation Walrus")
    laptop.sync()
    mirror = laptop.home / ".tacit" / "remotes" / "home.git"
    (mirror / "gc.pid").write_text(f"{os.getpid()} {os.uname().nodename}")
    laptop.purge("Operation Walrus")
    laptop.sync()
    assert not any(b"Walrus" in plain_text(laptop.state.ring, data) for data in objects(mirror))
    assert laptop.known == {PNPM}


def test_two_processes_that_push_at_once_do_not_overwrite_each_other(pair: list[Machine], repository: Path) -> None:
    laptop, _ = pair
    laptop.add(PNPM)
    laptop.sync()
    mirrors = [str(repository.parent / f"mirror{number}" / "git") for number in (1, 2)]
    transports = [GitTransport(str(repository), mirror) for mirror in mirrors]
    for transport in transports:
        transport.fetch()
    transports[0].publish(laptop.area, {"manifest.age": b"one"}, [])
    with pytest.raises(RemoteError, match="at the same moment"):
        transports[1].publish(laptop.area, {"manifest.age": b"two"}, [])


def test_a_server_that_refuses_says_why_and_what_it_has_to_allow(pair: list[Machine], repository: Path) -> None:
    laptop, _ = pair
    laptop.sync()
    git(repository, "config", "receive.denyNonFastForwards", "true")
    laptop.add(PNPM)
    problem = laptop.try_sync().problem
    assert problem and "the server refused it: error: denying non-fast-forward" in problem.message
    assert problem.hint and problem.hint.endswith("then: tacit sync")
    git(repository, "config", "receive.denyNonFastForwards", "false")
    assert laptop.sync().sent == 1


def test_a_repository_that_lacks_a_part_is_an_error_and_no_folder_for_files(
    pair: list[Machine], repository: Path
) -> None:
    laptop, _ = pair
    laptop.add(PNPM)
    laptop.sync()
    for name in ("HEAD", "objects", "refs"):
        place = repository / name
        place.rename(repository / "elsewhere")
        problem = laptop.try_sync().problem
        assert problem and "does not appear to be a git repository" in problem.message
        (repository / "elsewhere").rename(place)
    assert not (repository / laptop.area).exists()
    laptop.sync()


def test_no_hook_and_no_configuration_of_the_repository_runs(pair: list[Machine], repository: Path) -> None:
    laptop, desktop = pair
    mark = repository.parent / "ran"
    (repository / "hooks").mkdir(exist_ok=True)
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction", "pre-push"):
        hook = repository / "hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >> {mark}\n")
        hook.chmod(0o755)
    for name, value in {
        "core.hooksPath": str(repository / "hooks"),
        "core.fsmonitor": str(repository / "hooks" / "update"),
        "uploadpack.packObjectsHook": str(repository / "hooks" / "update"),
    }.items():
        git(repository, "config", name, value)
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    assert desktop.known == {PNPM}
    assert not mark.exists()


def test_other_branches_are_not_fetched_and_not_touched(pair: list[Machine], repository: Path, tmp_path: Path) -> None:
    laptop, _ = pair
    tree = git(repository, "hash-object", "-t", "tree", "-w", os.devnull).strip()
    identity = ("-c", "user.name=x", "-c", "user.email=x")
    commit = git(repository, *identity, "commit-tree", tree, "-m", "work").strip()
    git(repository, "update-ref", "refs/heads/main", commit)
    laptop.add(PNPM)
    laptop.sync()
    assert git(repository, "rev-parse", "main").strip() == commit
    assert "main" not in git(laptop.home / ".tacit" / "remotes" / "home.git", "for-each-ref")


@pytest.mark.parametrize(
    "url", ["ext::sh -c evil", "-oProxyCommand=evil", "--upload-pack=evil", "ftp://host/x", "http://host/x", "fd::7"]
)
def test_addresses_that_run_programs_are_refused(url: str) -> None:
    assert is_git_address(url)
    with pytest.raises(UsageError):
        check_address(url)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(RefusedError) as caught:
        normalize_address("https://me:hunter2@example.com/memory.git")
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"


def test_addresses_and_folders_are_told_apart(tmp_path: Path, repository: Path) -> None:
    for url in ("git@example.com:me/memory.git", "ssh://example.com/x", "https://example.com/x", str(repository)):
        assert is_git_address(url)
    for url in (str(tmp_path), "~/Sync/memory", "./folder"):
        assert not is_git_address(url)


def test_a_server_that_is_not_there_is_reported_with_what_to_try(pair: list[Machine], tmp_path: Path) -> None:
    laptop, _ = pair
    laptop.add(PNPM)
    laptop.store().save(laptop.state._replace(url="ssh://localhost:1/nothing.git"))
    report = laptop.try_sync()
    assert report.problem is not None and "git ls-remote" in report.problem.hint
