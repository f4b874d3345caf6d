"""Markdown is blocks and spans of the text itself: nothing is added, and no text is deep, lost in markup or slow."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.web.markdown import Block, Span, parse_blocks, parse_code, parse_spans


def styles(spans: tuple[Span, ...]) -> list[tuple[str, str]]:
    """Each span with the first letters of its styles."""
    names = ("is_code", "is_strong", "is_emphasis", "is_struck", "is_address", "is_match")
    return [(span.text, "".join(name[3] for name in names if getattr(span, name))) for span in spans]


@pytest.mark.parametrize(
    ("text", "spans"),
    {
        "plain": [("plain", "")],
        "a *b* **c** ~~d~~ `e`": [
            *[("a ", ""), ("b", "e"), (" ", ""), ("c", "s"), (" ", ""), ("d", "s"), (" ", ""), ("e", "c")]
        ],
        "***both***": [("both", "se")],
        "**with `code` in it**": [("with ", "s"), ("code", "cs"), (" in it", "s")],
        "`` a`b ``": [(" a`b ", "c")],
        "`**no**`": [("**no**", "c")],
        "*a* b*": [("a", "e"), (" b*", "")],
        "**加粗**后面": [("加粗", "s"), ("后面", "")],
        "[docs](https://x.example/a_(b))": [("docs", ""), ("https://x.example/a_(b)", "a")],
        "[run](javascript:alert(1))": [("run", ""), ("javascript:alert(1)", "a")],
        "![pic](http://x.example/p.png)": [("pic", ""), ("http://x.example/p.png", "a")],
        r"\*no\*": [("*no", ""), ("*", "")],
        "<img src=x onerror=y>": [("<img src=x onerror=y>", "")],
    }.items(),
)
def test_spans_have_the_styles_that_are_written(text: str, spans: list[tuple[str, str]]) -> None:
    assert styles(parse_spans(text)) == spans


@pytest.mark.parametrize(
    "text",
    [
        *("snake_case_name", "__init__.py", "src/*.py and test/*.js", "**/*.ts", "2 * 3 * 4", "a ** b", "[x] open"),
        *("a lone ` stays", "[no](two words)", "*not closed", "](x)", "C:\\dir\\file", "~~", "[a](b", "[a] b](x)"),
    ],
)
def test_what_only_looks_like_markdown_stays_as_it_is(text: str) -> None:
    assert styles(parse_spans(text)) == [(text, "")]


def test_blocks_are_headings_items_quotes_code_tables_and_rules() -> None:
    text = "# One\ntwo\nthree\n\n- a\n  - b\n    more\n2. c\n> d\n> e\n---\n"
    text += "| x | y |\n|---|:-:|\n| `1` | |\n```py\nf(*a)\n```\nend"
    blocks = parse_blocks(text)
    assert [(block.kind, block.level, block.label, "".join(span.text for span in block.spans)) for block in blocks] == [
        ("heading", 1, "", "One"),
        ("paragraph", 0, "", "two\nthree"),
        ("item", 0, "-", "a"),
        ("item", 1, "-", "b\n    more"),
        ("item", 0, "2.", "c"),
        ("quote", 0, "", "d\ne"),
        ("rule", 0, "", ""),
        ("table", 0, "", ""),
        ("code", 0, "py", "f(*a)"),
        ("paragraph", 0, "", "end"),
    ]
    assert [[styles(cell) for cell in row] for row in blocks[7].rows] == [
        [[("x", "")], [("y", "")]],
        [[("1", "c")], []],
    ]


def test_a_fence_that_is_never_closed_is_code_to_the_end() -> None:
    assert [block.kind for block in parse_blocks("```\n# a\n- b")] == ["code"]
    assert [block.kind for block in parse_blocks("````\n```\n# a\n````\nb")] == ["code", "paragraph"]


def test_matches_of_a_query_cut_spans_of_every_kind() -> None:
    assert styles(parse_spans("run `the build` now", [(9, 14), (4, 8), (0, 3), (10, 12)])) == [
        *[("run", "m"), (" ", ""), ("the", "cm"), (" ", "c"), ("build", "cm"), (" now", "")]
    ]
    (block,) = parse_blocks("## make *it*", [(3, 7), (2_000, 3_000), (5, 5)])
    assert styles(block.spans) == [("make", "m"), (" ", ""), ("it", "e")]


# Hostile texts

PIECES = st.sampled_from(
    [*"*_`~[]()!#>-+|\\ \n\t1.:<&a", "](", "```", "***", "\x00", "\x1b[31m", "\u202e", "a|b\n-|-\n", "\r\n", "é日"]
)


def texts_of(blocks: list[Block]) -> list[str]:
    cells = [span.text for block in blocks for row in block.rows for cell in row for span in cell]
    return cells or [span.text for block in blocks for span in block.spans]


@given(st.lists(PIECES, max_size=60).map("".join), st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90))))
def test_every_span_is_a_part_of_the_text_in_its_order(text: str, matches: list[tuple[int, int]]) -> None:
    for block in parse_blocks(text, matches):
        rest = iter(text)
        assert all(char in rest for part in texts_of([block]) for char in part)
        assert block.level <= 6 and all(span.text for span in block.spans)


@given(st.lists(st.sampled_from([*"*_!#>-+ \n", "a", "**", "1. "]), max_size=60).map("".join))
def test_no_letter_is_lost(text: str) -> None:
    shown = "".join(part for block in parse_blocks(text) for part in texts_of([block]))
    assert shown.count("a") == text.count("a")


@pytest.mark.parametrize(
    "piece",
    [
        *("*a ", "**a ", "[", "](x", "[a](b)", "`a", "```\n", ">", "> a\n", "|", "a|b\n-|-\n", "- a\n", "# ", "\\*"),
        *("_a ", "~~a", "*_~~`[!](", "\x00\x1b[31m\u202e", "|\n", '](aaaa" ', "-" + " " * 90 + "\n", "a|b\n"),
    ],
)
def test_a_long_hostile_text_takes_a_number_of_steps_like_its_length(piece: str) -> None:
    """Steps are counted, not seconds: calls of functions of Python and C, for a text and one four times as long."""

    def steps(text: str) -> int:
        count = 0

        def note(_frame: object, _event: str, _argument: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            parse_blocks(text)
        finally:
            sys.setprofile(before)
        return count

    short, long = steps(piece * 500), steps(piece * 2000)
    assert long < 6 * short + 1000


def test_a_deep_text_is_flat() -> None:
    (quote,) = parse_blocks(">" * 50_000)
    assert quote.kind == "quote"
    assert max(block.level for block in parse_blocks("".join(" " * at + "- a\n" for at in range(300)))) == 5
    assert parse_blocks("[" * 50_000 + "](x)" * 50_000)


def test_in_code_only_what_matches_is_marked() -> None:
    assert styles(parse_code("ls *.py *.js `x`", [(4, 7)])) == [("ls *", ""), (".py", "m"), (" *.js `x`", "")]
