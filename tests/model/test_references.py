"""What a sentence names that can be looked up. What only looks like it counts as nothing."""

from __future__ import annotations

import time

import pytest

from tacit.model.references import MAX_REFERENCES, ReferenceKind, named_references

NAMED = {
    "the set-up is described in docs/setup.md": [(ReferenceKind.PATH, "docs/setup.md")],
    "never edit src/api/schema.ts by hand": [(ReferenceKind.PATH, "src/api/schema.ts")],
    "fixtures live in tests/fixtures/.": [(ReferenceKind.PATH, "tests/fixtures/")],
    "the pipeline is in .github/workflows": [(ReferenceKind.PATH, ".github/workflows")],
    "start the server with ./run/server": [(ReferenceKind.PATH, "run/server")],
    "run `npm run build:all` before a release": [
        (ReferenceKind.SCRIPT, "build:all"),
        (ReferenceKind.PROGRAM, "npm"),
    ],
    "tests run with npm test": [(ReferenceKind.SCRIPT, "test")],
    "use pnpm run lint.": [(ReferenceKind.SCRIPT, "lint")],
    "run make check before each commit": [(ReferenceKind.MAKE_TARGET, "check")],
    "`make lint` is the gate": [(ReferenceKind.MAKE_TARGET, "lint")],
    "`just deploy` ships it": [(ReferenceKind.JUST_RECIPE, "deploy")],
    "run `gofumpt -w .` first": [(ReferenceKind.PROGRAM, "gofumpt")],
    "merge into the branch `release`": [(ReferenceKind.BRANCH, "release")],
    "the `develop` branch is protected": [(ReferenceKind.BRANCH, "develop")],
}
NOTHING = [
    "the client/server split and I/O matter",
    "see https://example.org/docs/setup.md",
    "github.com/kim/shop.git is the remote",
    "match src/**/*.ts and src/*.py",
    "the file is src/<name>.py or src/${NAME}.py",
    "import from @shop/cart.js",
    "it is in ~/notes/plan.md or /etc/hosts.conf",
    "look at ../other/plan.md",
    "the report is generated in reports/all.html",
    "docs/setup.md was removed on purpose",
    "the bundle is dist/app.js",
    "make sure it runs, and make it fast",
    "run just the tests",
    "cd web && npm run build",
    "`make -C web build` works",
    "`make CC=clang` works",
    "never run `nmp install`",
    "run `cd web`",
    "use `const` instead of `let`",
    "branch from main",
    "I prefer pnpm",
    "",
]


@pytest.mark.parametrize("sentence", NAMED)
def test_what_a_sentence_names_is_found(sentence: str) -> None:
    assert [(reference.kind, reference.name) for reference in named_references(sentence)] == NAMED[sentence]


@pytest.mark.parametrize("sentence", NOTHING)
def test_what_only_looks_like_a_name_is_none(sentence: str) -> None:
    assert named_references(sentence) == ()


def test_each_is_named_once_and_not_too_many() -> None:
    assert len(named_references("docs/a.md and docs/a.md")) == 1
    assert len(named_references(" ".join(f"docs/{number}.md" for number in range(50)))) == MAX_REFERENCES


@pytest.mark.parametrize("text", ["a/" * 50_000, "a." * 50_000 + "/", "make " * 20_000, "run `" * 20_000])
def test_no_sentence_takes_long(text: str) -> None:
    start = time.process_time()
    named_references(text)

    assert time.process_time() - start < 1
