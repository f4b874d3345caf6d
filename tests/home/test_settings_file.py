"""One setting is changed in the person's file; everything else stays as they wrote it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.home.settings import Settings, key_of
from tacit.home.settings_file import SETTINGS_TEMPLATE, setting_lines, with_setting, without_setting
from tacit.text.formats import toml_literal

CASES = {
    "in the place of the commented default, under its header": (
        "# mine\n\n# [recall]\n# limit = 10    # answers\n\n# [brief]\n# tokens = 1200\n",
        "# mine\n\n[recall]\nlimit = 5     # answers\n\n# [brief]\n# tokens = 1200\n",
    ),
    "the header is live already": ("[recall]\n#limit = 10\nother = 1\n", "[recall]\nlimit = 5\nother = 1\n"),
    "a value with its comment": ("[recall]\nlimit=10# why\n", "[recall]\nlimit=5# why\n"),
    "blanks of the person": ("[ recall ]\n  limit  =   10\t# why\n", "[ recall ]\n  limit  =   5\t# why\n"),
    "no comment": ("[recall]\nlimit = 10", "[recall]\nlimit = 5"),
    "last of its section": (
        "[recall]\nother = 1\n\n\n[brief]\ntokens = 2\n",
        "[recall]\nother = 1\nlimit = 5\n\n\n[brief]\ntokens = 2\n",
    ),
    "a header alone": ("[recall]", "[recall]\nlimit = 5\n"),
    "a section of its own": ("[brief]\ntokens = 2\n", "[brief]\ntokens = 2\n\n[recall]\nlimit = 5\n"),
    "an empty file": ("", "[recall]\nlimit = 5\n"),
    "no end of the last line": ("[brief]\ntokens = 2", "[brief]\ntokens = 2\n\n[recall]\nlimit = 5\n"),
    "lines as Windows ends them": (
        "[recall]\r\n# limit = 10  # why\r\n[brief]\r\ntokens = 2",
        "[recall]\r\nlimit = 5   # why\r\n[brief]\r\ntokens = 2\r\n",
    ),
    "dotted": ("recall.limit = 10 # why\n", "recall.limit = 5 # why\n"),
    "beside a dotted one": ("recall.other = 1\n[brief]\n", "recall.other = 1\nrecall.limit = 5\n[brief]\n"),
    "a quoted key": ("['recall']\n\"limit\" = 10\n", "['recall']\n\"limit\" = 5\n"),
    "a text that looks like a section": (
        'note = """\n[recall]\n# limit = 10\n"""\n',
        'note = """\n[recall]\n# limit = 10\n"""\n\n[recall]\nlimit = 5\n',
    ),
    "the same key in another section": (
        "[brief]\n# limit = 10\n# [recall]\n# limit = 10\n",
        "[brief]\n# limit = 10\n[recall]\nlimit = 5\n",
    ),
    "a commented header among the keys of another section": (
        "[brief]\n# [recall]\n# limit = 10\ntokens = 2\n",
        "[brief]\n# [recall]\n# limit = 10\ntokens = 2\n\n[recall]\nlimit = 5\n",
    ),
    "prose that begins like a setting": (
        "[recall]\n# limit = 5 was too few\n",
        "[recall]\nlimit = 5\n# limit = 5 was too few\n",
    ),
    "a text that looks like another section": (
        '[recall]\nnote = """\n[brief]\n"""\n# limit = 10\n',
        '[recall]\nnote = """\n[brief]\n"""\nlimit = 5\n',
    ),
    "a number that equals nothing": ("[odd]\nx = nan\n", "[odd]\nx = nan\n\n[recall]\nlimit = 5\n"),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_a_value_is_put_where_the_person_would_put_it(before: str, after: str) -> None:
    assert with_setting(before, "recall", "limit", 5) == after


@pytest.mark.parametrize("text", ["recall = { limit = 10 }\n", "recall = 1\n", "[[recall]]\nlimit = 1\n"])
def test_what_cannot_be_changed_by_itself_is_left_to_the_person(text: str) -> None:
    assert with_setting(text, "recall", "limit", 5) is None


def test_a_list_over_several_lines_is_replaced_whole() -> None:
    before = '[shell]\nignore = [\n  "a#b",  # one\n  "]",\n]  # mine\nnotice = false\n'
    assert with_setting(before, "shell", "ignore", ("x",)) == '[shell]\nignore = ["x"]  # mine\nnotice = false\n'


def test_taking_a_setting_out_shows_its_default_in_its_place() -> None:
    before = "[recall]\n  limit = 500  # why\nother = 1\n"
    assert without_setting(before, "recall", "limit", 10) == "[recall]\n  # limit = 10   # why\nother = 1\n"
    assert without_setting("recall.limit = 3\n", "recall", "limit", 10) == "# recall.limit = 10\n"
    assert without_setting(SETTINGS_TEMPLATE, "recall", "limit", 10) == SETTINGS_TEMPLATE


def test_a_setting_in_a_table_on_one_line_is_not_taken_out() -> None:
    assert without_setting("recall = { limit = 3 }\n", "recall", "limit", 10) is None


@pytest.mark.parametrize("name", Settings._fields)
def test_every_setting_has_its_place_in_the_template(name: str) -> None:
    section, key = key_of(name).split(".")
    default = Settings._field_defaults[name]
    after = with_setting(SETTINGS_TEMPLATE, section, key, default)
    assert after is not None
    changed = [
        pair for pair in zip(SETTINGS_TEMPLATE.split("\n"), after.split("\n"), strict=True) if pair[0] != pair[1]
    ]
    assert [(f"# {new}", old) for old, new in changed] == [(old, old) for old, _ in changed]
    assert len(changed) == 2  # the header and the line
    taken_out = without_setting(after, section, key, default)
    assert taken_out == SETTINGS_TEMPLATE.replace(f"# [{section}]", f"[{section}]")


# Files as people might write them

_COMMENTS = st.sampled_from(
    ["", "# mine", "# [recall]", "# limit = 10", "# [shell]", "# ignore = []  # [a]", "  # - * -"]
)
_VALUES = st.sampled_from(["1", "true", '["a#b", "]"]', '[\n  "x", # y\n]', '"""\n[recall]\n# limit = 1\n"""', "nan"])
_KEYS = st.sampled_from(["limit", "ignore", "enabled", "a", '"b c"', "sub.limit"])
_SECTIONS = st.sampled_from(["recall", "shell", "autocapture", "brief", "'x'", "recall.sub"])
_NEW: dict[str, st.SearchStrategy[object]] = {
    "recall.limit": st.integers(1, 10**9),
    "autocapture.enabled": st.booleans(),
    "shell.ignore": st.lists(st.text(st.characters(codec="utf-8"), min_size=1), max_size=3).map(tuple),
}


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines: list[str] = []
    for section in ["", *draw(st.lists(_SECTIONS, unique=True, max_size=4))]:
        lines += [f"[{section}]"] if section else []
        for key in draw(st.lists(_KEYS, unique=True, max_size=4)):
            lines += [draw(_COMMENTS), f"{key} = {draw(_VALUES)}{draw(st.sampled_from(['', '  # why']))}"]
        lines += draw(st.lists(_COMMENTS, max_size=3))
    text = draw(st.sampled_from(["\n", "\r\n"])).join(lines)
    try:
        tomllib.loads(text)
    except ValueError:
        return ""
    return text


def said(text: str) -> dict[str, object]:
    return tomllib.loads(text, parse_float=str)


@settings(max_examples=300, deadline=None)
@given(documents(), st.sampled_from(sorted(_NEW)), st.data())
def test_everything_else_says_what_it_said(text: str, key: str, data: st.DataObject) -> None:
    section, name = key.split(".")
    value = data.draw(_NEW[key])
    after = with_setting(text, section, name, value)  # type: ignore[arg-type]
    if after is None:  # only where the section is no table
        assert not isinstance(said(text).get(section, {}), dict)
        return
    wanted = said(text)
    wanted.setdefault(section, {})[name] = list(value) if isinstance(value, tuple) else value  # type: ignore[index]
    assert said(after) == wanted
    assert with_setting(after, section, name, value) == after  # type: ignore[arg-type]
    kept = [line for line in text.split("\n") if line.strip().startswith("#")]
    assert sum(line not in after for line in kept) <= 2  # the header and the line that took their place
    out = without_setting(after, section, name, Settings._field_defaults[f"{section}_{name}"])
    assert out is not None
    assert name not in said(out).get(section, {})  # type: ignore[operator]


@settings(max_examples=200, deadline=None)
@given(documents())
def test_every_key_is_told_with_the_line_it_stands_in(text: str) -> None:
    lines = text.split("\n")
    found = list(setting_lines(text))
    assert all(key.split(".")[0] in lines[line - 1] for line, _, key in found)
    two_deep = {
        (section, key)
        for section, inner in said(text).items()
        if isinstance(inner, dict)
        for key, value in inner.items()
        if not isinstance(value, dict)
    }
    assert {(section, key) for _, section, key in found} == two_deep


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=4))
def test_any_text_can_be_written_in_a_list(texts: list[str]) -> None:
    assert said(f"x = {toml_literal(texts)}") == {"x": texts}
