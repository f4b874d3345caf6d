"""Every number on the front pages is one that was measured, and can be measured again with the command beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import plots, printed
from bench.claims import BEGIN, DOCUMENTS, END, everything, filled, leading, outside
from bench.figures import Figure, against_target
from bench.proof import exists, unproved
from bench.results import Machine, Result, load, merged, results, save
from bench.suite import NAMES, SUITE, Bench, chosen
from bench.targets import MOST, TARGETS

ROOT = Path(__file__).parents[2]
MACHINE = Machine(2, "Debian 12", "3.11", "3.40")
PROMPTS = (
    {"text": "From now on we always run the linter before you commit.", "memories": [], "repo": "a/b"},
    {"text": "thanks", "memories": [{"quote": "thanks", "kind": "rule"}], "repo": "a/b"},
)


def _results(bench: str, *figures: Figure) -> list[Result]:
    return list(results(Bench(bench, "python -m bench.startup"), figures, date="2026-01-01", machine=MACHINE))


def _bench(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    named = {key: value for key, value in os.environ.items() if key != "TACIT_BENCH_MATERIAL"}
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(command, cwd=ROOT, env={**named, **environment}, capture_output=True, text=True, check=False)


def _material(folder: Path, text: str) -> str:
    path = folder / "prompts/fresh.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return str(folder)


# What stands in the documents


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_figures_of_a_document_are_those_that_were_measured(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert text == filled(text, (block(load()) for block in DOCUMENTS[document])), "run: python -m bench.claims"


def test_the_plots_are_those_of_the_figures_and_small() -> None:
    new = {f"{name}.svg": text for name, text in plots.drawn(load())}
    assert {path.name: path.read_text(encoding="utf-8") for path in plots.FOLDER.iterdir()} == new, (
        "run: python -m bench.plots"
    )
    for text in new.values():
        assert len(text.encode()) < 40_000
        ElementTree.fromstring(text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_number_that_was_not_generated_names_the_command_that_checks_it(document: Path) -> None:
    assert unproved(outside(document.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("command", sorted({one.command for one in load()} | {bench.command for bench in SUITE}))
def test_the_command_of_a_figure_can_be_run(command: str) -> None:
    assert exists(command)


def test_every_figure_belongs_to_a_bench_and_stands_there_once() -> None:
    found = [(one.bench, one.name) for one in load()]
    assert found
    assert len(set(found)) == len(found)
    assert {bench for bench, _ in found} <= set(NAMES)


def test_there_are_few_targets_and_figures_are_held_against_them() -> None:
    assert len({target.name for target in TARGETS}) == len(TARGETS) <= MOST
    assert {target.bench for target in TARGETS} <= set(NAMES)
    promised = {(target.bench, target.name): target for target in TARGETS}
    for one in load():
        target = promised.get((one.bench, one.name))
        expected = (target.limit, target.holds(one.value or 0.0)) if target else ("", None)
        assert (one.target, one.ok) == expected, one.name


def test_the_readme_has_at_most_eight_figures() -> None:
    for found in (load(), []):
        assert len([line for line in leading(found) if line.startswith("| ")]) <= 9  # with the head


# What counts as a claim, and as a command


@pytest.mark.parametrize(
    "sentence",
    [
        "It answers in 3 ms.",
        "It is 2.5× faster.",
        "Half of it needs 40 MB or less.",
        "It finds 99 % of them, see `tacit recall`.",
        "It starts in a few times the start of Python.",
        "It takes 10 seconds: `python -m bench.nothing`.",
        "It takes 10 s (`make nothing`).",
        "It takes 10 s (`python -m bench.startup --nothing`).",
        "It takes 10 s (`python -m bench --only nothing`).",
        "It takes 3 ms. Another sentence has a command: `make bench`.",
        "| a cell | 3 ms |",
    ],
)
def test_a_number_without_a_command_that_exists_is_found(sentence: str) -> None:
    assert unproved(f"A first sentence.\n\n{sentence}\n") == [sentence.partition(" Another")[0]]


@pytest.mark.parametrize(
    "text",
    [
        "It answers in 3 ms (`python -m bench.startup`).",
        "It answers\nin 3 ms, by\n`python -m bench --only startup scale`.",
        "It finds 76 %: `python -m bench.public --locomo FILE --json`.",
        "| a cell | 3 ms, as always. | `make bench` |",
        "It takes 40 MB at most (`pytest tests/repo`).",
        "Python 3.11 is needed, and 10,000 memories are many; at most five cards wait.",
    ],
)
def test_a_number_beside_its_command_is_fine(text: str) -> None:
    assert unproved(text) == []


def test_what_is_between_the_marks_is_written_anew_and_nothing_else() -> None:
    text = f"before 3 ms\n{BEGIN}\nold\n{END}\nafter"
    assert filled(text, [["new"]]) == f"before 3 ms\n{BEGIN}\nnew\n{END}\nafter"
    assert outside(text) == "before 3 ms\n\nafter"
    with pytest.raises(ValueError, match="2 pairs of marks"):
        filled(text, [["new"], ["more"]])


def test_what_is_missed_is_shown_as_missed_and_what_was_not_measured_too() -> None:
    bash, zsh = (f"{shell}: added from Enter to the next prompt, p50" for shell in ("bash", "zsh"))
    found = _results("prompt", against_target(bash, 7.96, "ms", "slow"), against_target(zsh, 1, "ms"))
    short, whole = "\n".join(leading(found)), "\n".join(everything(found))
    assert "| 7.96 ms; **missed**: ≤ 5 ms |" in short
    assert f"Of {len(TARGETS)} targets, 1 are missed and {len(TARGETS) - 2} not measured yet" in short
    assert "| Asking takes | not measured |" in short
    assert f"| {bash} | ≤ 5 ms | 7.96 ms (slow) | **no** | prompt |" in whole
    assert "| fish: added from Enter to the next prompt, p50 | ≤ 5 ms | not measured | | prompt |" in whole
    assert f"Of {len(TARGETS)} targets, 1 hold, 1 are missed, {len(TARGETS) - 2} not measured." in whole
    assert f"- {bash}: 7.96 ms, promised ≤ 5 ms" in whole


def test_a_share_is_shown_in_percent_with_its_number_of_cases() -> None:
    found = _results("commits", against_target("session of a commit, recall@5", 0.697, note="251 questions"))
    assert "| 70 % (251 questions); **missed**: ≥ 72 % |" in "\n".join(leading(found))


def test_what_a_command_takes_in_each_home_is_a_table_of_its_own() -> None:
    sized = [
        Figure(f"{size}: {name}", f"{at} ms") for name in ("a", "b") for at, size in enumerate(("1,000", "1,000,000"))
    ]
    ratio = "`tacit add`, 1,000,000 against 1,000 memories"
    found = _results("verbs", against_target(ratio, 1.1, "×"), *sized)
    whole = "\n".join(everything(found))
    assert (
        "| CPU with so many memories | 1,000 | 1,000,000 |\n|---|---|---|\n| a | 0 ms | 1 ms |\n| b | 0 ms | 1 ms |"
        in whole
    )
    assert "1,000: a" not in whole
    assert f"| {ratio} | ≤ 1.3 × | 1.1 × | yes | verbs |" in whole
    assert plots.verbs(found).count('<rect class="ours"') == 1


# What is kept


def test_a_run_replaces_its_own_figures_and_no_others() -> None:
    before = [
        *_results("startup", Figure("a", "1 ms"), Figure("gone", "2 ms")),
        *_results("prompts", Figure("a", "3 ms")),
    ]
    both = merged(before, _results("startup", Figure("a", "9 ms")))
    assert [(one.bench, one.name, one.measured) for one in both] == [("startup", "a", "9 ms"), ("prompts", "a", "3 ms")]


def test_what_is_kept_is_read_again_as_it_was(tmp_path: Path) -> None:
    promised = Figure("a", "6.4 × (96 ms against 15 ms)", "≤ 7 ×", True)
    found = _results("startup", promised, against_target("b", 0.5), Figure("c", "none"))
    save(found, tmp_path / "results.json")
    assert load(tmp_path / "results.json") == found
    assert len((tmp_path / "results.json").read_text(encoding="utf-8").splitlines()) == len(found) + 2


@pytest.mark.parametrize(
    ("measured", "value", "unit", "note"),
    [
        ("6.37 × (96 ms (CPU) against 15 ms)", 6.37, "×", "(96 ms (CPU) against 15 ms)"),
        ("6.37 × (96 ms against 15 ms)", 6.37, "×", "96 ms against 15 ms"),
        ("99.1 % of 221; missed: a", 99.1, "%", "of 221; missed: a"),
        ("5.7 MB per CPU s", 5.7, "MB per CPU s", ""),
        ("12,345", 12345, "", ""),
        ("0.740 (words)", 0.74, "", "words"),
        ("3 sets", 3, "", "sets"),
        ("a graph: needs a key", None, "", "a graph: needs a key"),
    ],
)
def test_what_was_measured_is_a_number_a_unit_and_a_note(measured: str, value: float, unit: str, note: str) -> None:
    assert Figure("a", measured).parts == (value, unit, note)


# What benches print in a shape of their own, and what is drawn


def test_what_brief_prints_becomes_figures_of_each_policy_and_moment() -> None:
    at_prompts = {"moment": "prompt", "policy": "last session", "moments": 9, "told": 4, "items": 12, "tokens": 64.12}
    at_edits = {"moment": "edit", "policy": "Tacit", "moments": 7, "told": 0, "items": 0, "tokens": 0.0}
    assert list(printed.brief([json.dumps({"prompts": 9, "rows": [at_prompts, at_edits]})])) == [
        Figure("brief, last session: things told at prompts", "12 (at 4 of 9 prompts)"),
        Figure("brief, last session: tokens per prompt", "64.1 tokens"),
        Figure("brief, Tacit: things told at first edits", "0 (at 0 of 7 first edits)"),
        Figure("brief, Tacit: tokens per first edit", "0 tokens"),
    ]


def test_a_missed_target_has_another_colour() -> None:
    well, badly = (against_target(f"LoCoMo: evidence, recall@{most}", 0.7) for most in (5, 10))
    drawn = dict(plots.drawn(_results("locomo", well, badly)))
    assert drawn.keys() == {"finding"}
    assert drawn["finding"].count('<rect class="ours"') == 1
    assert drawn["finding"].count('<rect class="missed"') == 1


def test_a_line_needs_two_sizes() -> None:
    small, large = (against_target(f"{size}: `vault.recall`, p50 of 480", 1, "ms") for size in ("10,000", "100,000"))
    assert plots.size(_results("scale", small)) == ""
    assert plots.size(_results("scale", small, large)).count("<circle") == 2


def test_a_plot_that_is_not_drawn_any_more_is_removed(tmp_path: Path) -> None:
    plots.save(_results("locomo", against_target("LoCoMo: evidence, recall@5", 0.8)), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["finding.svg"]
    plots.save([], tmp_path)
    assert list(tmp_path.iterdir()) == []


# Running


def test_in_a_hurry_the_slow_ones_are_left_out_unless_they_are_named() -> None:
    quick = {bench.name for bench in chosen(None, quick=True)}
    assert quick == set(NAMES) - {"verbs", "maintenance", "machines", "beam", "million", "team", "team-scale", "peers"}
    assert [bench.name for bench in chosen(["peers", "startup"], quick=True)] == ["startup", "peers"]


def test_without_the_public_sets_it_says_so_and_earlier_figures_stay(tmp_path: Path) -> None:
    kept = tmp_path / "results.json"
    save(_results("prompts", Figure("a", "3 ms")), kept)
    done = _bench("--only", "prompts", "--results", str(kept))
    assert "not measured: no material" in done.stdout
    assert done.returncode == 0
    assert load(kept) == _results("prompts", Figure("a", "3 ms"))


def test_with_them_it_measures_prints_and_keeps(tmp_path: Path) -> None:
    kept, material = tmp_path / "results.json", _material(tmp_path / "sets", "\n".join(map(json.dumps, PROMPTS)))
    save(_results("startup", Figure("a", "3 ms")), kept)
    done = _bench("--only", "prompts", "--results", str(kept), TACIT_BENCH_MATERIAL=material)
    assert "| learning from prompts: precision | ≥ 0.75 | 0 (1 suggestions in 2 prompts) | **no** |" in done.stdout
    assert done.returncode == 1
    first, second, *_ = load(kept)
    assert (first.bench, second.bench, second.value, second.ok) == ("startup", "prompts", 0.0, False)
    assert str(tmp_path) not in kept.read_text(encoding="utf-8")


def test_a_bench_that_fails_leaves_what_was_measured_before(tmp_path: Path) -> None:
    kept, material = tmp_path / "results.json", _material(tmp_path / "sets", "no labels")
    save(_results("prompts", Figure("a", "3 ms")), kept)
    done = _bench("--only", "prompts", "--results", str(kept), "--material", material)
    assert "not measured: it failed" in done.stdout
    assert done.returncode == 1
    assert load(kept) == _results("prompts", Figure("a", "3 ms"))
