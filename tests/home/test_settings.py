"""Where a value comes from, what is allowed, and that hooks get an answer whatever the file holds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.errors import UsageError
from tacit.home.capture_policy import choice_file, encode_choice, is_session_captured
from tacit.home.paths import HomePaths
from tacit.home.settings import Settings, read_settings, settings_or_defaults, variable_of
from tacit.home.settings_file import DESCRIPTIONS, SETTINGS_TEMPLATE
from tests.cli.test_commands import HEAVY

ROOT = Path(__file__).parents[2]
SOURCE, GUIDE = str(ROOT / "src"), ROOT / "docs" / "guides" / "settings.md"
SILENT = Settings(
    shell_capture=False,
    agents_notice=False,
    autocapture_enabled=False,
    autocapture_inject_on_start=False,
    autocapture_inject_on_prompt=False,
    autocapture_inject_on_tools=False,
)


def file(folder: Path, text: str) -> str:
    path = folder / "tacit.toml"
    path.write_text(text)
    return str(path)


def test_the_environment_restricts_the_file_and_the_file_overrules_the_default(tmp_path: Path) -> None:
    path = file(tmp_path, "[recall]\nlimit = 20\n[brief]\ntokens = 900\n")
    found = read_settings(path, {"TACIT_RECALL_LIMIT": "5", "TACIT_BRIEF_TOKENS": "901", "HOME": "/", "PATH": "/bin"})
    assert (found.recall_limit, found.brief_tokens, found.limits_text) == (5, 900, 2000)


def test_without_an_environment_only_the_file_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_RECALL_LIMIT", "5")
    assert read_settings(file(tmp_path, SETTINGS_TEMPLATE)) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("autocapture_summarize", " No ", False),
        ("autocapture_inject_on_start", "off", False),
        ("autocapture_on_modes", "default, plan,", ("default", "plan")),
        ("shell_ignore", "[ab]*", ("[ab]*",)),
        ("inject_max_characters", "10000", 10_000),
        ("autocapture_max_recent_sessions", "1", 1),
    ],
)
def test_a_variable_is_read_as_its_setting_is(name: str, text: str, value: object) -> None:
    found = read_settings("/nowhere/tacit.toml", {variable_of(name): text})
    assert found._asdict() == {**Settings()._asdict(), name: value}


def test_an_empty_variable_says_nothing() -> None:
    assert read_settings("/nowhere", dict.fromkeys(map(variable_of, Settings._fields), "")) == Settings()


def test_variables_of_others_say_nothing() -> None:
    others = {
        "RECALL_LIMIT": "5",
        "tacit_recall_limit": "5",
        "TACIT_recall_limit": "5",
        "TACIT_": "x",
        "TACIT_NOW": "x",
    }
    assert read_settings("/nowhere", others) == Settings()


OUT_OF_RANGE = [
    ("autocapture.max_recent_sessions", 0, "from 1 to 10"),
    ("autocapture.max_recent_sessions", 11, "from 1 to 10"),
    ("autocapture.max_turn_size", 999, "from 1,000 to 1,000,000"),
    ("autocapture.max_tool_input", 10_001, "from 20 to 10,000"),
    ("autocapture.max_tool_result", 19, "from 20 to 100,000"),
    ("inject.max_characters", 10_001, "from 500 to 10,000"),
    ("model.timeout", 601, "from 1 to 600"),
    ("recall.limit", 0, "from 1 to 1,000,000,000"),
]


@pytest.mark.parametrize(("key", "value", "allowed"), OUT_OF_RANGE)
def test_what_is_out_of_range_is_named_with_what_is_allowed(tmp_path: Path, key: str, value: int, allowed: str) -> None:
    section, name = key.split(".")
    path = file(tmp_path, f"[{section}]\n{name} = {value}\n")
    with pytest.raises(UsageError) as caught:
        read_settings(path)
    assert path in caught.value.message and key in caught.value.message and allowed in caught.value.message
    assert caught.value.hint == f"tacit config unset {key}"


@pytest.mark.parametrize(("key", "allowed"), sorted({(key, allowed) for key, _, allowed in OUT_OF_RANGE[:-1]}))
def test_what_is_allowed_is_in_the_guide(key: str, allowed: str) -> None:
    (row,) = (line for line in GUIDE.read_text().split("\n") if line.startswith(f"| `{key}` |"))
    assert allowed in row


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TACIT_AUTOCAPTURE_ENABLED", "maybe"),
        ("TACIT_RECALL_LIMIT", "-1"),
        ("TACIT_RECALL_LIMIT", "9" * 5_000),
        ("TACIT_INJECT_MAX_CHARACTERS", "10001"),
        ("TACIT_MODEL_NAME", "two\nlines"),
        ("TACIT_MODEL_NAME", "x" * 201),
    ],
)
def test_a_wrong_variable_is_named(variable: str, text: str) -> None:
    with pytest.raises(UsageError, match=variable) as caught:
        read_settings("/nowhere", {variable: text})
    assert caught.value.hint == f"unset {variable}"


@pytest.mark.parametrize("key", ["enabled = 1", 'on_modes = "plan"', "on_modes = [1]", 'on_modes = [""]'])
def test_a_value_of_the_wrong_kind_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(UsageError, match=r"autocapture\."):
        read_settings(file(tmp_path, f"[autocapture]\n{key}\n"))


def test_hooks_get_what_is_set(tmp_path: Path) -> None:
    path = file(tmp_path, "[autocapture]\nenabled = true\n")
    assert settings_or_defaults(path, {"TACIT_RECALL_LIMIT": "5"}) == Settings(autocapture_enabled=True, recall_limit=5)


@pytest.mark.parametrize(
    "text",
    ["[recall\n", "a = " + "[" * 5_000, "[autocapture]\nenabled = true\nmax_turn_size = 1\n", "\0", "recall = 1\r"],
)
def test_what_cannot_be_read_turns_capture_and_injection_off_for_hooks(tmp_path: Path, text: str) -> None:
    found = settings_or_defaults(file(tmp_path, text), {})
    assert found == SILENT


def test_a_file_that_is_none_turns_capture_and_injection_off_for_hooks(tmp_path: Path) -> None:
    (tmp_path / "tacit.toml").mkdir()
    (tmp_path / "latin").write_bytes(b"\xff")
    assert settings_or_defaults(str(tmp_path / "tacit.toml"), {}) == SILENT
    assert settings_or_defaults(str(tmp_path / "latin"), {}) == SILENT
    assert settings_or_defaults("/nowhere", {"TACIT_RECALL_LIMIT": "x"}) == SILENT


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tacit.toml")
    with pytest.raises(UsageError, match=r"tacit\.toml is no plain file"):
        read_settings(str(tmp_path / "tacit.toml"))


# Whether a session is captured


ON = Settings(autocapture_enabled=True)
IN_MODES = Settings(autocapture_enabled=True, autocapture_on_modes=("plan", "default"))


def choose(home: HomePaths, session: str, on: bool) -> None:
    path = Path(choice_file(home, session))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_choice(on))


@pytest.mark.parametrize(
    ("settings", "session", "mode", "captured"),
    [
        (Settings(), "s", "default", False),
        (ON, "s", "default", True),
        (ON, "", "", True),
        (IN_MODES, "s", "plan", True),
        (IN_MODES, "s", "bypassPermissions", False),
        (IN_MODES, "s", "", False),
        (ON, "quiet", "plan", False),
        (Settings(), "loud", "plan", True),
    ],
)
def test_nothing_is_captured_unless_it_is_turned_on(
    tmp_path: Path, settings: Settings, session: str, mode: str, captured: bool
) -> None:
    home = HomePaths(str(tmp_path))
    choose(home, "quiet", False)
    choose(home, "loud", True)
    assert is_session_captured(settings, home, session, mode) is captured


def test_what_was_said_and_cannot_be_read_counts_as_no(tmp_path: Path) -> None:
    home = HomePaths(str(tmp_path))
    choose(home, "s", True)
    choice = Path(choice_file(home, "s"))
    choice.write_bytes(b"o")
    assert not is_session_captured(ON, home, "s", "")
    choice.unlink()
    choice.symlink_to("/dev/zero")
    assert not is_session_captured(ON, home, "s", "")


@pytest.mark.parametrize("session", ["../../x", "a/b", "\0", "\ud800", "x" * 10_000])
def test_the_name_of_a_session_leads_nowhere_else(tmp_path: Path, session: str) -> None:
    home = HomePaths(str(tmp_path))
    assert os.path.dirname(choice_file(home, session)) == home.path(".tacit", "autocapture")
    choose(home, session, False)
    assert not is_session_captured(ON, home, session, "")


def test_asking_whether_a_session_is_captured_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "tacit.toml").write_text(SETTINGS_TEMPLATE)
    code = f"""
import sys; sys.path.append({SOURCE!r}); bare = set(sys.modules)
from tacit.home.settings import settings_or_defaults
from tacit.home.capture_policy import is_session_captured
from tacit.home.paths import HomePaths
home = HomePaths({str(tmp_path)!r})
settings = settings_or_defaults(home.settings, {{"TACIT_AUTOCAPTURE_ENABLED": "1"}})
assert not is_session_captured(settings, home, "s", "plan")
print(*set(sys.modules) - bare)
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "tacit.home.capture_policy" in loaded
    assert loaded & {*HEAVY, "json"} == set()
    assert not loaded & {"tacit.vault.configure", "tacit.home.settings_file"}


def test_every_setting_has_a_description_and_the_guide_the_same_one() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \|[^|]*\|[^|]*\| (.*) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {key for key, _ in rows} == DESCRIPTIONS.keys()
    for key, text in rows:
        assert re.sub(r"[;.] [Ss]ee \[.*|\[([^]]*)\]\([^)]*\)", r"\1", text).startswith(DESCRIPTIONS[key]), key
