"""What sentences say of a work tree: `conditions.txt` has them with what they should compile to."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tacit.model.condition_compiler import compile_line, compile_sentence
from tacit.model.conditions import BannedText, ChosenTool, Condition, HelpOption, PinnedVersion
from tacit.model.references import Reference, ReferenceKind

_WORDS = {ReferenceKind.MAKE_TARGET: "target", ReferenceKind.JUST_RECIPE: "recipe"}
# Forms that are not read: what they name is unknown rather than wrong.
UNREAD = {
    *("Run `task lint` before a pull request.", "Run `deno task check` before you commit."),
    *("Run `composer run analyse` after changing PHP files.", "Type-check with `tox -e types`."),
    *("Run `nox -s docs` to build the documentation.", "Format with `cargo xtask fmt`.", "We branch from `next`."),
    *("Tests are in `tests/unit` and `tests/integration`.", "The linter configuration is `.eslintrc.cjs`."),
    *("Use `make -C backend test` for the backend.", "Run `cd frontend && npm run build` before a release."),
    *("Copy `.env.example` to `.env`.", "We use Pydantic v2, not v1.", "`yarn test:e2e` runs the browser tests."),
}


def rows() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in Path(__file__).with_name("conditions.txt").read_text().splitlines():
        if line.startswith("    "):
            found[-1][1].extend([line.strip()] if line.strip() != "-" else [])
        elif line and not line.startswith("#"):
            found.append((line, []))
    return found


def in_short(condition: Condition) -> str:
    match condition:
        case Reference(kind=kind, name=name):
            return f"{_WORDS.get(kind, kind.value)} {name.rstrip('/')}"
        case PinnedVersion(name=name, version=version, or_later=or_later):
            return f"version {name} {'>=' if or_later else ''}{'.'.join(map(str, version))}"
        case ChosenTool(wanted=wanted):
            return f"command {wanted}"
        case BannedText(needle=needle, folder=folder, is_import=is_import):
            return f"no {'import' if is_import else 'text'} {needle} in {folder}"
        case HelpOption(words=words, option=option, is_wanted=is_wanted):
            return f"{'' if is_wanted else 'no '}option {' '.join(words)} {option}"


def compiled(sentence: str) -> set[str]:
    conditions = compile_sentence(sentence).conditions
    return {in_short(each) for each in conditions if getattr(each, "kind", None) is not ReferenceKind.PROGRAM}


@pytest.mark.parametrize(("sentence", "wanted"), rows())
def test_a_sentence_compiles_to_what_must_be_true_of_the_work_tree(sentence: str, wanted: list[str]) -> None:
    expected = {text.partition(",")[0] for text in wanted}
    assert compiled(sentence) <= expected  # a condition too many may be red although the sentence is right
    assert compiled(sentence) == expected or sentence in UNREAD


@pytest.mark.parametrize(("sentence", "wanted"), rows())
def test_a_line_of_a_rule_file_compiles_to_nothing_else(sentence: str, wanted: list[str]) -> None:
    expected = {text.partition(",")[0].partition(" in ")[0] for text in wanted}
    assert {in_short(each).partition(" in ")[0] for each in compile_line(sentence).conditions} <= expected


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("We will move everything to `packages/core/` soon.", "it speaks of what is planned"),
        ("Keep it in `docs/notes.md` if you have one.", "it speaks of what may be"),
        ("Files such as `src/Button.tsx` are components.", "it gives an example"),
        ("In the other repository, `make apply` deploys.", "it speaks of another repository"),
        ("Prefer small functions.", "it names nothing that a work tree could show"),
    ],
)
def test_what_cannot_be_checked_says_why(sentence: str, reason: str) -> None:
    result = compile_sentence(sentence)
    assert (result.conditions, result.reason) == ((), reason)


@pytest.mark.parametrize(
    "text",
    [
        "no `x` in " + "a/" * 40_000,
        "`" * 80_000,
        "React 18 " * 9_000,
        "pass `--" + "a" * 90_000,
        "use " * 20_000 + "npm",
    ],
)
def test_no_sentence_takes_long(text: str) -> None:
    start = time.process_time()
    compile_sentence(text)
    compile_line(text)

    assert time.process_time() - start < 1
