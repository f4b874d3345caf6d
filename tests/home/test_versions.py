"""Versions in pin, lock and manifest files, and what they say of a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.model.conditions import State
from tests.home.test_conditions import ask, make

FILES = {
    "package-lock.json": '{"packages": {\n"node_modules/react": {\n "version": "19.1.0",\n "x": 1}}}',
    "pnpm-lock.yaml": "importers:\n  .:\n    deps:\n      react:\n        specifier: 1\n        version: 19.1\n",
    "yarn.lock": '"react@^19":\n  version "19.1.0"\n',
    "bun.lock": '{"packages": {"react": ["react@19.1.0", ""]}}',
    "package.json": '{"dependencies": {"react": "^19.0.0"}}',
    "uv.lock": '[[package]]\nname = "django"\nversion = "5.0.1"\n',
    "poetry.lock": '[[package]]\nname = "Django"\nversion = "5.0.1"\n',
    "requirements.txt": "# pinned\nDjango==5.0.1\n",
    "pyproject.toml": '[project]\ndependencies = ["django~=5.0"]\n',
    "Gemfile.lock": "GEM\n  specs:\n    rails (8.0.1)\n      actionpack (= 8.0.1)\n",
    "Cargo.lock": '[[package]]\nname = "axum"\nversion = "0.8.1"\n',
    "Cargo.toml": '[dependencies]\naxum = { version = "0.8", features = [] }\n',
}
WRONG = {
    "react": ("We use React 18.", "We use React 19."),
    "django": ("We are on Django 4.2.", "We are on Django 5.0."),
    "rails": ("We use Rails 7.1.", "We use Rails 8.0."),
    "axum": ("We use Axum 0.7.", "We use Axum 0.8."),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_read(tmp_path: Path, name: str) -> None:
    make(tmp_path, {name: FILES[name]})
    package = next(word for word in WRONG if word in FILES[name].lower())
    wrong, right = WRONG[package]
    outcome = ask(tmp_path, wrong)
    assert outcome.state is State.RED and outcome.why.startswith(f"{name} has {package} ")
    assert ask(tmp_path, right).state is State.GREEN


LANGUAGES = [
    ("Python 3.11 is used.", ".python-version", "3.12.1\n", State.RED),
    ("Python 3.12 is used.", ".python-version", "3.12.1\n", State.GREEN),
    ("Python 3.11 is used.", "pyproject.toml", 'requires-python = ">=3.12"', State.RED),
    ("Python 3.13 is used.", "pyproject.toml", 'requires-python = ">=3.12"', State.UNKNOWN),
    ("This project requires Python 3.11+.", "pyproject.toml", 'requires-python = ">=3.12"', State.RED),
    ("This project requires Python 3.12+.", "pyproject.toml", 'requires-python = ">=3.10"', State.UNKNOWN),
    ("This project requires Python 3.10+.", ".python-version", "3.12\n", State.GREEN),
    ("Node 20 is required.", ".nvmrc", "v22.1.0\n", State.RED),
    ("Node 20 is required.", ".nvmrc", "lts/*\n", State.UNKNOWN),
    ("Node 20 is required.", "package.json", '{"engines": {"npm": "1", "node": ">=18"}}', State.UNKNOWN),
    ("Go 1.22 or later is needed.", "go.mod", "module x\n\ngo 1.24.0\n", State.RED),
    ("Target Rust 1.75.", "rust-toolchain.toml", '[toolchain]\nchannel = "1.75.0"\n', State.GREEN),
    ("We use Ruby 3.2.", "Gemfile", 'ruby "3.3.0"\n', State.RED),
    ("We use PHP 8.2.", "composer.json", '{"require": {"php": "^8.4"}}', State.RED),
]


@pytest.mark.parametrize(("sentence", "name", "text", "state"), LANGUAGES)
def test_a_version_of_a_language_is_pinned_or_bounded(
    tmp_path: Path, sentence: str, name: str, text: str, state: State
) -> None:
    assert ask(make(tmp_path, {name: text}), sentence).state is state


def test_one_file_that_agrees_is_enough_and_a_lock_file_counts_before_a_range(tmp_path: Path) -> None:
    make(tmp_path, {"package.json": '{"dependencies": {"react": "^18.0.0"}}'})
    assert ask(tmp_path, "We use React 18.").state is State.GREEN
    make(tmp_path, {"yarn.lock": 'react@^18:\n  version: 18.2.0\n"react@^19":\n  version: 19.1.0\n'})
    assert {ask(tmp_path, f"We use React {number}.").state for number in (18, 19)} == {State.GREEN}
    assert ask(tmp_path, "We use React 17.").state is State.RED
