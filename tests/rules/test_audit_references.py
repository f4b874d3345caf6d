"""What rule lines name and the work tree does not have."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Workspace

PACKAGE = '{"scripts": {"build": "x", "test:unit": "y"}}'


@pytest.fixture
def tree(work: Workspace) -> Workspace:
    for name in ("src/api/user.ts", "docs/guide.md", "packages/web/lib/view.ts"):
        work.write(name, "x")
    work.write("package.json", PACKAGE)
    work.write("Makefile", "CC := gcc\n.PHONY: test\ntest build: src\n\techo make nothing\nlint:\n\ttrue\n")
    work.write("justfile", "set shell := ['sh']\nalias b := bench\nbench n='1':\n  true\n@check:\n  true\n")
    work.write(".gitignore", "generated/\n*.log\n")
    return work


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        ("Handlers are in `src/api/order.ts`.", "src/api/order.ts"),
        ("Handlers are in `src/handlers/`.", "src/handlers/"),
        ("Read [the guide](docs/setup.md) first.", "docs/setup.md"),
        ("Look at `lib/old.ts:12`.", "lib/old.ts"),
        ("Look at [the notes](./NOTES.md).", "./NOTES.md"),
        ("Run `npm test` first.", "the script test of package.json"),
        ("Run `npm run lint` first.", "the script lint of package.json"),
        ("Run `cd web && pnpm run e2e`.", "the script e2e of package.json"),
        ("Run `make deploy`.", "the target deploy of the Makefile"),
        ("Run `just deploy`.", "the recipe deploy of the justfile"),
        ("```sh\n$ make release\n```", "the target release of the Makefile"),
    ],
)
def test_what_does_not_exist_is_reported(tree: Workspace, line: str, gone: str) -> None:
    tree.write("AGENTS.md", line + "\n")
    number = 2 if line.startswith("```") else 1
    assert tree.findings() == [f"AGENTS.md:{number}: gone: {gone} does not exist"]


@pytest.mark.parametrize(
    "line",
    [
        "Handlers are in `src/api/user.ts`, see `src/api/user.ts:12` and `src/api/`.",
        "The view is `lib/view.ts`, compiled to `lib/view.js`.",  # by the end of the path
        "Send `text/html` or `application/json`; branches are `feature/login`; use `@types/node`.",
        "Put files at `path/to/file.ts`, `src/<name>/x.ts`, `src/*.ts` or `src/{a,b}.ts`.",
        "Create `src/api/order.ts` for orders.",
        "Never edit `src/legacy/old.ts`.",
        "For example `src/api/order.ts`.",
        "Name the handler (e.g. `src/api/order.ts`), not `x.ts`.",
        "Right: `src/api/order.ts`. Wrong: `order.ts`.",
        "Handlers may be in `src/api/order.ts`.",
        "Tests are `src/api/test_something.ts`; the README mentions `npm test`, but no such script exists.",
        "ハンドラは `src/api/order.ts` などに置く。",
        "Local settings are in `generated/local/order.ts`.",
        "See `docs.example.dev/api/order.html`.",
        "Output goes to `generated/code.ts`, `dist/app.js` and `src/run.log`.",
        "Run `npm run build`, `npm run test:unit`, `npm install`, `bun run tool.ts` and `npm run <name>`.",
        "Run `make`, `make test`, `make build lint`, `just b`, `just bench 3` and `just check`.",
        "We make sure that just everything works; make deploy happen.",
        "See `https://example.org/a/b.md` and [web](https://example.org/c.md).",
        "Files outside: `/etc/hosts.txt`, `~/x/y.md`, `../other/z.md`.",
    ],
)
def test_what_exists_or_may_be_something_else_is_not(tree: Workspace, line: str) -> None:
    tree.write("AGENTS.md", line + "\n")
    assert tree.findings() == []


def test_targets_that_only_make_can_tell_are_not_judged(tree: Workspace) -> None:
    tree.write("AGENTS.md", "Run `make deploy`.\n")
    tree.write("Makefile", "include more.mk\n")
    assert tree.findings() == []


def test_without_a_manifest_nothing_is_judged(work: Workspace) -> None:
    work.write("AGENTS.md", "Run `make deploy`, `npm run lint` and `just x`.\n")
    assert work.findings() == []


def test_a_thing_is_reported_once_for_each_file(tree: Workspace) -> None:
    tree.write("AGENTS.md", "Run `make deploy`.\n\nThen `make deploy`.\n")
    assert len(tree.findings()) == 1


def test_rules_about_other_projects_are_not_judged(tree: Workspace) -> None:
    tree.write("~/.claude/CLAUDE.md", "Read `docs/setup.md` first.\n")
    assert tree.findings() == []


@pytest.mark.parametrize("broken", ["[1]", "{", '{"scripts": 3}', "[" * 100_000])
def test_a_broken_manifest_is_no_error(tree: Workspace, broken: str) -> None:
    tree.write("package.json", broken)
    tree.write("AGENTS.md", "Run `npm run lint`.\n")
    assert tree.findings() == []
