"""What a sentence names that can be looked up. What only looks like it counts as nothing."""

from __future__ import annotations

import time

import pytest

from tacit.model.references import MAX_REFERENCES, ReferenceKind, marked_references, named_references

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
    "the parser is in src/parse.py:12, see docs/a.md: it is short": [
        (ReferenceKind.PATH, "src/parse.py"),
        (ReferenceKind.PATH, "docs/a.md"),
    ],
}
NAMES_NOTHING = [
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
    "tests are in src/path/to/test.ts or tests/example.py",
    "`bun test` is fast, `bun run tool.ts` too",
    "use `make test-<name>`, `npm run test:$NAME` or make test-*",
    "the build is in web/dist/app.js",
    "branch from main",
    "I prefer pnpm",
    "",
]


@pytest.mark.parametrize("sentence", [*NAMED, *NAMES_NOTHING])
def test_what_a_sentence_names_is_found_and_what_only_looks_like_a_name_is_none(sentence: str) -> None:
    found = [(reference.kind, reference.name) for reference in named_references(sentence)]
    assert found == NAMED.get(sentence, [])


MARKED = {
    "Handlers are in `src/api/order.ts`, see [the guide](./docs/setup.md#top).": ["docs/setup.md", "src/api/order.ts"],
    "Look at `lib/old.ts:12` and `src/handlers/`.": ["lib/old.ts", "src/handlers/"],
    "Run `cd web && pnpm run e2e`, then `$ make lint # slow`.": ["e2e", "lint"],
    "Run `npm test` and `just bench 3`.": ["test", "bench"],
    "Handlers are in src/api/order.ts; run make lint and npm run e2e.": [],
    "Never edit `src/api/order.ts`.": [],
    "禁止 `npm start`。": [],
    "Add `src/api/order.ts`.": [],
    "The memory is `notes/MEMORY.md`, the type `text/html`, the package `@types/node.js`.": [],
    "Run `cat docs/setup.md` on the branch `release`.": [],
    "The module is `app.py/config.py`.": [],
}


@pytest.mark.parametrize("text", MARKED)
def test_in_rule_files_only_code_and_links_name_something(text: str) -> None:
    assert [reference.name for reference in marked_references(text)] == MARKED[text]


def test_a_line_of_a_code_block_names_what_its_commands_run() -> None:
    references = marked_references("make build && npm run lint  # not docs/a.md", is_code=True)
    assert [reference.name for reference in references] == ["build", "lint"]
    assert marked_references("cat docs/setup.md", is_code=True) == ()


def test_a_path_without_a_known_ending_may_be_something_else() -> None:
    references = marked_references("Merge `topic/v1.2`, then read `docs/a.md`.")
    assert [(reference.name, reference.is_ambiguous) for reference in references] == [
        ("topic/v1.2", True),
        ("docs/a.md", False),
    ]


def test_each_is_named_once_and_not_too_many() -> None:
    assert len(named_references("docs/a.md and docs/a.md")) == 1
    assert len(named_references(" ".join(f"docs/{number}.md" for number in range(50)))) == MAX_REFERENCES


@pytest.mark.parametrize(
    "text", ["a/" * 50_000, "a." * 50_000 + "/", "make " * 20_000, "run `" * 20_000, "`a/" * 20_000, "](" * 50_000]
)
def test_no_sentence_takes_long(text: str) -> None:
    start = time.process_time()
    named_references(text)
    marked_references(text)
    marked_references(text, is_code=True)

    assert time.process_time() - start < 1
