"""Words to search by, and text that is safe to show. Originals are kept; only what is *shown* is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from unicodedata import category, combining, normalize

# Letters of scripts that are written without spaces: searched by pairs of neighbours.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = rf"([{_UNSPACED}]+)|[^\s{_UNSPACED}]+"
_EDGES = "\"'`´‘’“”«»()[]{}<>,;:!?.…*=|\\~^%-/@"
_PARTS = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_WORD = 64
_MOST_KNOWN = 50_000

# Letters with a mark are indexed without it where readers type them so: Latin, Greek, and Cyrillic ё. Marks of other
# scripts are spelling, and й is a letter of its own.
_MARKED = "([A-Za-z\u0391-\u03c9\u017f])[\u0300-\u036f]+|([\u0415\u0435])\u0308"
_LIGATURES = str.maketrans(
    {
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ł": "l",
        "Ł": "L",
        "ħ": "h",
        "Ħ": "H",
        "ı": "i",
    }
)

# What a question is asked with, and what most rules begin with: neither tells rules apart.
STOP_WORDS = frozenset(
    (
        "a about all am an and any are as at be been but by can could did do does for from had has have how i "
        "if in into is it its just me my no not of on or our should so some than that the their them then "
        "there these they this those to up us was we were what when where which who why will with would you "
        "your always because never use used uses using must he her hers him his she being having whose whom may might "
        "shall very also"
    ).split()
)


def fold(text: str) -> str:
    """One spelling for comparison: compatibility forms, case and runs of blanks made equal."""
    same = text.lower() if text.isascii() else normalize("NFKC", text).casefold()
    return " ".join(same.split())


# What is left of "didn't" and "we've" beside the word itself: it tells nothing, and looks like two rare words.
_CONTRACTED = frozenset(
    [verb + "n" for verb in "did does was were is are had has have could would should must need do ai might".split()]
    + [verb + "nt" for verb in "did does was were is are had has have could would should must need do ai might".split()]
    + "cant wont whats thats theres heres hows wheres whos theyre youre weve ive youve theyve".split()
)


def unaccented(text: str) -> str:
    """The text as it is indexed: compatibility forms made equal, letters without their accents ("café" is "cafe")."""
    if text.isascii():
        return text
    split = normalize("NFKD", text).translate(_LIGATURES)
    return normalize("NFC", _compiled(_MARKED).sub(r"\1\2", split))


def words(text: str) -> list[str]:
    """The tokens a text is found by: identifiers whole and in parts, unspaced scripts by pairs, accents folded."""
    if not text.isascii():
        return _words_of_any_script(unaccented(text))
    found: list[str] = []
    for token in text.split():
        found += _KNOWN[token]
    return found


def _words_of_any_script(text: str) -> list[str]:
    found: list[str] = []
    for token in _compiled(_TOKEN).finditer(text):
        found += _pairs(token[0]) if token[1] else _KNOWN[token[0]]
    return found


def token_words(token: str) -> Sequence[str]:
    """The words of one token: see `located`."""
    return _KNOWN[token] if token.isascii() else words(token)


def located(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a text in order, with where they stand; together their words are those of the whole text."""
    return _compiled(r"\S+" if text.isascii() else _TOKEN).finditer(text)


def _pairs(run: str) -> list[str]:
    return [*run, *(run[at : at + 2] for at in range(len(run) - 1))]


class _Known(dict[str, tuple[str, ...]]):
    """Remembered for names of ordinary length: the same few stand in most texts, and long ones would fill memory."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        spelled = _spelled(token)
        if len(token) <= _MAX_WORD:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[token] = spelled
        return spelled


_KNOWN = _Known()


def _spelled(token: str) -> tuple[str, ...]:
    if token.isascii() and token.isalpha() and token.islower():  # most words of most texts
        return (token[:_MAX_WORD],)
    whole = token.strip(_EDGES).casefold()[:_MAX_WORD]
    spelled = [whole, whole.replace("'", "").replace("’", "")]
    for piece in _PARTS.findall(token):
        small = piece.casefold()
        spelled.append(small[:_MAX_WORD])
        if small != piece:
            spelled += [part.casefold()[:_MAX_WORD] for part in _CAMEL.split(piece)]
    # Only signs, such as `$&` or `--`: searchable as they stand.
    return tuple([word for word in dict.fromkeys(spelled) if word]) or (token[:_MAX_WORD],)


def query_words(text: str, limit: int = 64) -> list[str]:
    """The distinct words of a question, stop words left out unless there is nothing else."""
    found = list(dict.fromkeys(words(text.replace("\0", " ")[:4096])))
    written_short = {word.replace("'", "").replace("’", "") for word in found if "'" in word or "’" in word}
    of_these = _CONTRACTED & (written_short | {word.removesuffix("t") for word in written_short})
    telling = [word for word in found if word not in STOP_WORDS and word not in of_these and not _is_ending(word)]
    return (telling or found)[:limit]


def _is_ending(word: str) -> bool:
    """What is left of "Ann's" and "don't" beside the word itself."""
    return word in ("s", "t", "re", "ve", "ll", "d", "m") or "'" in word or "’" in word


def clean(text: str) -> str:
    """What can be stored everywhere: halves of surrogate pairs and NUL become the replacement character."""
    return (
        text.encode("utf-8", "replace").decode().replace("\0", "\ufffd") if not text.isascii() or "\0" in text else text
    )


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the cut made visible."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tokens(text: str) -> int:
    """What a text costs in a prompt, rather over- than underestimated: four letters a token, other scripts one each."""
    plain = sum(1 for letter in text if letter < "\x80")
    return (plain + 3) // 4 + len(text) - plain


# What lies to a reader: controls, direction overrides, invisible and look-alike-blank characters, tags, and the
# 66 code points that are promised never to be characters.
_LYING = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane | last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_JOINERS = "\u200c\u200d"
# A joiner between letters of these scripts is spelling, not deceit (Arabic to Khmer, without Thai).
_JOINED_SCRIPT = "[\u0600-\u077f\u0860-\u0dff\u1780-\u17b3]"
_VIRAMA = 9  # the combining class of the sign that takes a letter's vowel: a joiner behind it chooses its form
_EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYS = "[#*0-9]"


def escape_lies(text: str, escape: Callable[[str], str]) -> str:
    """Replace each character that would deceive by `escape(character)`; real scripts and emoji stay."""
    if text.isascii() and text.isprintable():
        return text
    return _compiled(_LYING).sub(lambda found: _keep_or(escape, found), text)


def show(text: str) -> str:
    """One line for a terminal: line breaks as ⏎, whatever would deceive as <U+XXXX>."""
    return escape_lies(text, _code_point)


def _keep_or(escape: Callable[[str], str], found: re.Match[str]) -> str:
    letter, text, at = found[0], found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return letter if _belongs(letter, before, after, text[max(at - 2, 0) : max(at - 1, 0)]) else escape(letter)


def _belongs(letter: str, before: str, after: str, earlier: str) -> bool:
    """Whether an invisible letter is part of the spelling of a real script or an emoji."""
    if letter in _JOINERS and before and (combining(before) == _VIRAMA or (_spells(before) and _spells(after))):
        return True
    if letter == "\u200d":
        drawn = earlier if before == "\ufe0f" else before
        return _is(_EMOJI, drawn) and _is(_EMOJI, after)
    if letter == "\ufe0f":
        return _is(_EMOJI, before) or (_is(_KEYS, before) and after == "\u20e3")
    return False


def _spells(letter: str) -> bool:
    """Whether it is a letter or mark (no digit, sign or control) of a script that is written with joiners."""
    return _is(_JOINED_SCRIPT, letter) and category(letter)[0] in "LM"


def _is(class_: str, letter: str) -> bool:
    return _compiled(class_).match(letter) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Large classes of letters take long to compile: only where a text needs them."""
    return re.compile(pattern)


def _code_point(letter: str) -> str:
    if letter == "\n":
        return "⏎"
    return " " if letter == "\t" else f"<U+{ord(letter):04X}>"
