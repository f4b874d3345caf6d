"""Sequences that a terminal obeys: it moves, paints, renames, copies to the clipboard, or answers as if typed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
_ENDS = (BEL, ST, "\x9c", "")  # also with none: what follows is swallowed
_FINALS = "".join(map(chr, range(0x40, 0x7F)))
_KNOWN = (
    *("[2J", "[H", "[1;1H", "[?25l", "[?1049h", "[?1000h", "[?2004h", "[8m", "[31;41m", "[0K", "[1A", "[9999D", "[L"),
    *("[c", "[>c", "[=c", "[5n", "[6n", "[?6n", "[21t", "[20t", "[18t", "[14t", "[x", "[?1;2$p", "[>q", "[?u"),
    *("c", "#8", "(0", ")0", "*0", "%G", "%@", "7", "8", "D", "E", "M", "H", "N", "O", "Z", "=", ">", "n", "o", "|"),
    *("[200~", "[201~", "[4h", "[20h", "[12l", "[!p", "[3J", "[?5h", "[5i", "[4i", "[?7l", "[1;2r", "[s", "[u"),
)


def sequences(count: int, seed: int = 1) -> Iterator[str]:
    """So many, each of another kind than the one before, all harmful where a terminal gets them."""
    dice = random.Random(seed)
    for number in range(count):
        yield _KINDS[number % len(_KINDS)](dice, f"mark{number}")


def _csi(dice: random.Random, mark: str) -> str:
    opening = dice.choice((f"{ESC}[", "\x9b"))
    parts = (str(dice.choice((0, 1, 2, 5, 6, 21, 200, 1049, 99999))) for _ in range(dice.randrange(4)))
    between = dice.choice(("", "", "?", ">", "=", "!"))
    return opening + between + ";".join(parts) + dice.choice(("", " ", "$", '"')) + dice.choice(_FINALS) + mark


def _known(dice: random.Random, mark: str) -> str:
    return ESC + dice.choice(_KNOWN) + mark


def _osc(dice: random.Random, mark: str) -> str:
    told = dice.choice(
        (
            *(f"0;{mark}", f"2;{mark}", f"1;{mark}", f"8;;http://example.org/{mark}", "52;c;cm0gLXJmIH4=", "52;c;?"),
            *(f"1337;File=name={mark};inline=1:AAAA", "1337;ClearScrollback", "4;1;?", "10;?", "11;?", f"50;{mark}"),
            *(f"777;notify;{mark};x", f"9;{mark}", "133;A"),
        )
    )
    return dice.choice((f"{ESC}]", "\x9d")) + told + dice.choice(_ENDS) + mark


def _string(dice: random.Random, mark: str) -> str:
    """DCS, SOS, PM and APC, in seven and in eight bits; among them requests for settings and for terminfo."""
    opening = dice.choice((f"{ESC}P", f"{ESC}X", f"{ESC}^", f"{ESC}_", "\x90", "\x98", "\x9e", "\x9f", f"{ESC}k"))
    told = dice.choice(('$q"p', "$qm", "+q544e", "1$tx", f"tmux;{ESC}{ESC}]52;c;?{BEL}", "Gf=100,a=T;AAAA", mark))
    return opening + told + dice.choice(_ENDS) + mark


def _control(dice: random.Random, mark: str) -> str:
    return chr(dice.choice((*range(1, 10), *range(11, 32), *range(0x7F, 0xA0)))) * dice.randrange(1, 4) + mark


def _overwritten(dice: random.Random, mark: str) -> str:
    """A line that turns into another one before it is read."""
    return dice.choice((f"\rnothing to see {mark}", "\b" * 30 + mark, f"\x7f\x7f{mark}", f"\x0b\x0c{mark}\r\r"))


def _shifted(dice: random.Random, mark: str) -> str:
    return dice.choice(("\x0e", "\x0f", f"{ESC}(0", f"{ESC}n", f"{ESC}N", "\x8e", "\x8f")) + mark


def _pasted(dice: random.Random, mark: str) -> str:
    return f"{ESC}[201~\recho {mark}\r{ESC}[200~"


def _split(dice: random.Random, mark: str) -> str:
    """An escape in which something invisible stands: harmful again once that is dropped."""
    return ESC + dice.choice("\u200b\u2060\ufeff\u00ad\u200d\0"[:5]) + "[2J" + mark


_KINDS: tuple[Callable[[random.Random, str], str], ...] = (
    *(_csi, _known, _osc, _string, _control, _overwritten, _shifted, _pasted, _split),
)
