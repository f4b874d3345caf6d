"""Findings of an audit."""

from __future__ import annotations

import os

import pytest

from tacit.rules.audit import contradiction_reason
from tests.rules.conftest import Workspace

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.mark.parametrize(
    ("first", "second", "is_contradiction"),
    [
        ("Use pnpm.", "Use npm.", True),
        ("Use npm for all packages", "Always use pnpm, never npm", True),
        ("Line length is 100 characters", "Line length is 88 characters", True),
        ("Never commit to main", "Commit directly to main", True),
        ("Always run the tests before committing", "Do not run the tests before committing", True),
        ("Use single quotes in JavaScript", "Use double quotes in JavaScript", True),
        ("Keep functions under 50 lines", "Keep functions under 30 lines", True),
        ("Run `make lint` before every commit", "Run `make test` before every commit", False),
        ("Never use npm here", "Do not use npm or yarn", False),
        ("Specs are in `src/tests/`", "Specs are in `mobile/src/tests/`", False),
        ("Do not add dependencies without asking", "Add dependencies with `uv add`", False),
        ("Never force push", "Push your branch when it is ready", False),
    ],
)
def test_only_opposed_rules_contradict_each_other(first: str, second: str, is_contradiction: bool) -> None:
    found = {bool(contradiction_reason(*pair)) for pair in ((first, second), (second, first))}
    assert found == {is_contradiction}


def test_a_contradiction_between_two_files_names_both_lines(work: Workspace) -> None:
    work.write("AGENTS.md", "# Style\n\n- Line length is 100 characters.\n")
    work.write("CLAUDE.md", "- Line length is 88 characters.\n")
    (finding,) = work.audit().findings
    assert (finding.kind.value, finding.path, finding.line, finding.other) == (
        "contradiction",
        "CLAUDE.md",
        1,
        "AGENTS.md:3",
    )
    assert (finding.quote, finding.other_quote) == ("Line length is 88 characters.", "Line length is 100 characters.")


@pytest.mark.parametrize("name", ["web/AGENTS.md", ".claude/rules/web.md"])
@pytest.mark.parametrize("other", ["AGENTS.md", "api/AGENTS.md"])
def test_a_rule_for_a_part_of_the_project_may_differ(work: Workspace, name: str, other: str) -> None:
    work.write(name, "---\npaths: web/**\n---\n- Line length is 88 characters.\n")
    work.write(other, "- Line length is 100 characters.\n")
    assert work.findings("contradiction") == []


COPIED = "".join(f"- Always run check number {number} before a commit.\n" for number in range(5))


@pytest.mark.parametrize(
    ("files", "findings"),
    [
        pytest.param({"AGENTS.md": "- Use pnpm.\n\n## Don't\n\n- Use npm.\n"}, [], id="negated by a heading"),
        pytest.param(
            {
                "~/.claude/CLAUDE.md": "- Always sign your commits with a key.\n",
                "CLAUDE.md": "- Something else is here.\n- always sign your commits with a key\n",
            },
            ["CLAUDE.md:2: duplicate: repeats a rule"],
            id="loaded twice by a host",
        ),
        pytest.param({".cursorrules": COPIED, ".claude/CLAUDE.md": COPIED}, [], id="copies for different hosts"),
        pytest.param(
            {".cursorrules": COPIED, "AGENTS.md": COPIED},
            ["AGENTS.md:1: duplicate: 5 rules are in .cursorrules too"],
            id="many copies",
        ),
        pytest.param(
            {f"docs/{name}.instructions.md": "- Use pnpm here.\n" for name in "abc"},
            [
                "docs/a.instructions.md:1: never loaded: Copilot reads *.instructions.md below .github/instructions"
                " (and 2 more files in docs)"
            ],
            id="a folder of files in a wrong place",
        ),
        pytest.param(
            {"CLAUDE.md": "".join(f"- Always use tool{number} for module{number}.\n" for number in range(800))},
            [],
            id="hundreds that look alike",
        ),
        pytest.param(
            {"AGENTS.md": "Run `make deploy`, `npm run lint` and `just x`.\n"}, [], id="commands without a manifest"
        ),
    ],
)
def test_what_is_wrong_in_rule_files_is_one_finding_each(
    work: Workspace, files: dict[str, str], findings: list[str]
) -> None:
    for name, text in files.items():
        work.write(name, text)
    assert work.findings() == findings


def test_a_secret_is_named_by_its_kind_alone(work: Workspace) -> None:
    work.write(
        "AGENTS.md", f"- Always use the token {TOKEN} for releases.\n- Always use the token {TOKEN} for tests.\n"
    )
    report = work.audit()
    assert [(finding.line, finding.kind.value) for finding in report.findings][:2] == [(1, "secret"), (2, "secret")]
    assert TOKEN not in repr(report.findings)


def test_tokens_are_counted_for_each_host_with_its_imports(work: Workspace) -> None:
    work.write("CLAUDE.md", "@docs/a.md\n" + "x" * 400)
    work.write("docs/a.md", "y" * 400)
    work.write("web/CLAUDE.md", "z" * 4000)
    tokens = {each.host: (each.tokens, each.files) for each in work.audit().tokens}
    assert tokens["claude"][1] == 2 and 200 <= tokens["claude"][0] <= 210
    assert tokens["copilot"][1] == 1


def test_nothing_is_written(work: Workspace) -> None:
    report = work.audit()
    assert (report.files, report.findings, report.tokens) == ((), (), ())
    work.write("CLAUDE.md")
    before = sorted(str(path) for path in work.user.rglob("*"))
    work.audit()
    assert sorted(str(path) for path in work.user.rglob("*")) == before


def test_a_text_of_one_long_line_is_bounded(work: Workspace) -> None:
    for text in ("- use " * 40_000, "`" * 200_000, "*" * 200_000, "[" * 200_000, "<!--" * 40_000, "@a" * 60_000):
        work.write("CLAUDE.md", text)
        work.audit()


def test_a_name_that_is_no_text_is_shown_as_such(work: Workspace) -> None:
    folder = os.fsencode(work.root) + b"/w\xff"
    os.mkdir(folder)
    with open(folder + b"/CLAUDE.md", "w", encoding="utf-8") as file:
        file.write("- Run `make x`\n")
    assert work.audit().files


# What rule lines name and the work tree does not have


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


def test_targets_that_only_make_can_tell_and_rules_about_other_projects_are_not_judged(tree: Workspace) -> None:
    tree.write("~/.claude/CLAUDE.md", "Read `docs/setup.md` first.\n")
    tree.write("AGENTS.md", "Run `make deploy`.\n\nThen `make deploy`.\n")
    assert tree.findings() == ["AGENTS.md:1: gone: the target deploy of the Makefile does not exist"]  # said once
    tree.write("Makefile", "include more.mk\n")
    assert tree.findings() == []


@pytest.mark.parametrize("broken", ["[1]", "{", '{"scripts": 3}', "[" * 100_000])
def test_a_broken_manifest_is_no_error(tree: Workspace, broken: str) -> None:
    tree.write("package.json", broken)
    tree.write("AGENTS.md", "Run `npm run lint`.\n")
    assert tree.findings() == []
