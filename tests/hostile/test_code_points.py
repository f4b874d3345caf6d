"""Every code point there is, through every function that makes text for somebody: what lies never comes out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from tacit.pages import facts
from tacit.pages.long_term import MemoryView, escape, unescape
from tacit.text.display import harmless, printable
from tests.hostile.codepoints import CONTEXTS, NEVER, REAL, SOMETIMES, Between, chunks, lies
from tests.support.events import added, memory_of, says


def told(letter: str) -> str:
    """How `show` spells what it does not show."""
    return {"\n": "⏎", "\t": " "}.get(letter) or f"<U+{ord(letter):04X}>"


def placed(between: Between, letters: str) -> str:
    return between.before + (between.after + between.before).join(letters) + between.after


def letters_for(between: Between, size: int = 1 << 14) -> Iterator[str]:
    """All code points between letters. Neighbours only matter to what is not seen: elsewhere, that and some others."""
    if between.name == "letters":
        return chunks(size)
    return iter(["".join(sorted(NEVER | SOMETIMES)), *islice(chunks(size), 0, None, 8)])


@pytest.mark.parametrize("between", CONTEXTS, ids=[one.name for one in CONTEXTS])
def test_exactly_what_deceives_is_shown_by_its_number(between: Between) -> None:
    """For each of 1,114,112 code points: the forbidden are told, all others stand as they are."""
    forbidden = {ord(letter): told(letter) for letter in NEVER | SOMETIMES if between.forbids(letter)}
    for letters in letters_for(between):
        text = placed(between, letters)
        if printable(text) != text.translate(forbidden):
            shown = {letter: printable(placed(between, letter)) for letter in letters}
            wrong = [letter for letter in letters if shown[letter] != placed(between, letter).translate(forbidden)]
            pytest.fail(f"{[f'U+{ord(letter):04X}' for letter in wrong[:20]]} of {len(wrong)}")


def test_a_text_that_is_one_forbidden_character_is_told() -> None:
    for letter in sorted(NEVER | SOMETIMES):
        assert printable(letter) == told(letter)
        assert printable(letter * 3) == told(letter) * 3


def fact(sentence: str) -> str:
    claim = says("use pnpm", tags=("tag",))._replace(sentence=sentence)
    return facts.fact_line(MemoryView(memory_of(claim, added(claim))))


@pytest.mark.parametrize("between", CONTEXTS[1:4], ids=[one.name for one in CONTEXTS[1:4]])
@pytest.mark.parametrize(
    ("written", "read"),
    [(escape, unescape), (harmless, None), (fact, lambda line: json.loads(line)["canonical"])],
    ids=["page", "brief", "fact"],
)
def test_no_line_holds_what_deceives_and_the_text_comes_back(
    written: Callable[[str], str], read: Callable[[str], str] | None, between: Between
) -> None:
    for letters in letters_for(between, 1 << 14 if written is not fact else 1 << 16):
        text = placed(between, letters)
        line = written(text)
        assert lies(line, allowed="") == set()
        assert read is None or read(line) == text


def test_nothing_that_is_invisible_by_its_category_was_overlooked() -> None:
    """Format characters that are no lie are drawn: signs of Arabic, Syriac and Kaithi that stand before a number."""
    drawn = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {letter for letters in chunks(1 << 20) for letter in letters if unicodedata.category(letter) in unseen}
    assert found - NEVER - SOMETIMES == drawn & found


@pytest.mark.parametrize("text", REAL.values(), ids=REAL)
def test_real_writing_comes_out_of_every_function_as_it_went_in(text: str) -> None:
    assert printable(text) == text
    assert escape(text) == text
    assert harmless(text) == text
    assert text in fact(text)


def test_flags_that_are_spelled_with_tags_are_told_by_their_numbers() -> None:
    """Scotland is a black flag and six invisible letters: whoever allowed those would allow any hidden message."""
    scotland = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    assert printable(scotland) == "🏴" + "".join(f"<U+{ord(letter):X}>" for letter in scotland[1:])


@pytest.mark.parametrize("letter", sorted(SOMETIMES), ids=["non-joiner", "joiner", "selector"])
def test_what_spells_is_told_when_it_is_doubled(letter: str) -> None:
    """A second one spells nothing; it could only carry a message."""
    for between in CONTEXTS:
        assert letter * 2 not in printable(between.before + letter * 2 + between.after)
        assert letter * 2 not in printable(between.before + letter * 3 + between.after)
