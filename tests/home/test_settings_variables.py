"""A variable of the environment may restrict what the settings file says, and never grants more."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.home.settings import (
    ANY,
    NO_MODE,
    VARIABLE_RULES,
    Settings,
    key_of,
    parse_value,
    read_settings,
    restricted,
    rule_of,
    validate_value,
    variable_of,
)
from tacit.text.formats import toml_literal
from tests.support.permissive import MODES, NO_MORE, PRESENTATION, range_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "settings.md"


def test_every_setting_declares_what_a_variable_may_do() -> None:
    assert set(VARIABLE_RULES) == set(Settings._fields)
    assert NO_MORE.keys() | PRESENTATION == set(Settings._fields)
    assert {name for name in Settings._fields if rule_of(name) is ANY} == PRESENTATION


@pytest.mark.parametrize("name", Settings._fields)
def test_the_guide_states_what_a_variable_may_do(name: str) -> None:
    (row,) = (line for line in GUIDE.read_text().split("\n") if line.startswith(f"| `{key_of(name)}` |"))
    assert row.split("|")[3].strip() == rule_of(name).name


_WORDS = st.text(string.ascii_letters + "*~/ ", min_size=1, max_size=6).map(str.strip).filter(bool)


def _texts(name: str) -> st.SearchStrategy[str]:
    """Texts that are fit for the setting, as a variable holds them."""
    default = Settings._field_defaults[name]
    if isinstance(default, bool):
        return st.sampled_from(["0", "1", "off", "on", "true", "no", " Yes "])
    if name == "autocapture_on_modes":
        return st.lists(st.sampled_from(MODES), max_size=3).map(",".join)
    if isinstance(default, tuple):
        return st.lists(_WORDS, max_size=3).map(",".join)
    if isinstance(default, str):
        words = {"learn_when": ["daily"], "shell_key": ["alt-i", "ctrl-o"]}.get(name, ["gpt-4o-mini", "evil"])
        return st.sampled_from(["", " ", *words])
    least, most = range_of(name)
    return st.integers(least, most).map(str)


@st.composite
def _said(draw: st.DrawFn) -> dict[str, str]:
    names = draw(st.lists(st.sampled_from(Settings._fields), unique=True))
    return {name: draw(_texts(name)) for name in names}


def _file(said: dict[str, str]) -> str:
    values = {name: validate_value(name, parse_value(name, text), "", "") for name, text in said.items()}
    return "".join(f"{key_of(name)} = {toml_literal(value)}\n" for name, value in values.items())


@settings(max_examples=400, deadline=None)
@given(said=_said(), wanted=_said())
def test_with_any_environment_no_setting_grants_more_than_the_file(
    tmp_path_factory: pytest.TempPathFactory, said: dict[str, str], wanted: dict[str, str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "law.toml"
    path.write_text(_file(said), encoding="utf-8")
    environment = {variable_of(name): text for name, text in wanted.items()}
    alone, held = read_settings(str(path)), read_settings(str(path), environment)
    for name, no_more in NO_MORE.items():
        assert no_more(getattr(held, name), getattr(alone, name)), key_of(name)
    assert restricted(held, environment) == held


@pytest.mark.parametrize(
    ("file", "variable", "text", "value"),
    [
        ("autocapture.enabled = true", "TACIT_AUTOCAPTURE_ENABLED", "0", False),
        ("learn.accept = true", "TACIT_LEARN_ACCEPT", "off", False),
        ("shell.ignore = ['a']", "TACIT_SHELL_IGNORE", "b,a", ("a", "b")),
        ("", "TACIT_AUTOCAPTURE_ON_MODES", "plan", ("plan",)),
        ("autocapture.on_modes = ['plan', 'default']", "TACIT_AUTOCAPTURE_ON_MODES", "default,x", ("default",)),
        ("autocapture.on_modes = ['plan']", "TACIT_AUTOCAPTURE_ON_MODES", "default", (NO_MODE,)),
        ("inject.max_characters = 900", "TACIT_INJECT_MAX_CHARACTERS", "600", 600),
        ("model.name = 'mine'", "TACIT_MODEL_NAME", "", ""),
        ("model.tokens_per_day = 900", "TACIT_MODEL_TOKENS_PER_DAY", "10", 10),
    ],
)
def test_a_variable_restricts(tmp_path: Path, file: str, variable: str, text: str, value: object) -> None:
    (tmp_path / "tacit.toml").write_text(file)
    found = read_settings(str(tmp_path / "tacit.toml"), {variable: text})
    assert getattr(found, variable.removeprefix("TACIT_").lower()) == value
