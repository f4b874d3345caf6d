"""Why a sentence says nothing of what is there now: it speaks of plans, of cases, of examples or of other repositories.

Hooks ask that for each memory that they tell, so words are looked up in sets: large expressions take longer to compile
than all that is done with them.
"""

from __future__ import annotations

from itertools import product

# Words that are enough by themselves, and phrases, with one blank between words.
_WORDS = {
    "it speaks of what is planned": (
        "will won't plan plans planned planning todo fixme tbd roadmap soon eventually upcoming propose proposed"
        " proposal yet someday later"
    ),
    "it speaks of what may be": (
        "may might maybe perhaps optional optionally could whichever whatever unless except exception exceptions"
        " otherwise exists exist"
    ),
    "it gives an example": "example examples like name named",
    "it speaks of another repository": "upstream downstream submodule submodules",
}
_PHRASES = {
    "it speaks of what is planned": (
        "going to;in the future;in future;migrate to;migrating to;migration to;migrate from;migration from;upgrade to"
        ";upgrading to;upgrade from;move to;moving to;move away;moving away;once we;once the;next week;next month"
        ";next quarter;next year;next release;next version;next sprint"
    ),
    "it speaks of what may be": (
        "if present;if any;if available;if needed;if it exists;if there's;if there is;if there are;if you have"
        ";if you use;if you prefer;if they exist;if applicable;when available;when applicable;when present"
        ";where available;where applicable;where present;outside of"
    ),
    "it gives an example": "for instance;such as;similar to;looks like;look like;e.g.;i.e.",
}
_OTHERS = "other another separate sibling different external parent each every any target user users user's their your"
_REPOSITORIES = (
    "repo repos repository repositories project projects codebase codebases checkout checkouts machine machines"
)
_MARKS = "→⇒"
_NO_WORD = str.maketrans(dict.fromkeys(',;:()[]{}"“”*?!_—–', " "))

_SINGLE = {word: reason for reason, words in _WORDS.items() for word in words.split()}
_REPEATED = {phrase: reason for reason, phrases in _PHRASES.items() for phrase in phrases.split(";")}
_ELSEWHERE = "it speaks of another repository"
_REPEATED |= {f"{one} {of}": _ELSEWHERE for one, of in product(_OTHERS.split(), _REPOSITORIES.split())}
_FIRST_WORDS = frozenset(phrase.partition(" ")[0] for phrase in _REPEATED)
_HERE = frozenset(("this", "our", "main", "same", "whole", "current", "git"))
_MAX_PHRASE_WORDS = 3


def doubt(prose: str) -> str:
    """Return why what a sentence names need not be there; "" if nothing speaks for that. Names are left out before."""
    if any(mark in prose for mark in _MARKS) or "=>" in prose or "->" in prose:
        return "it gives an example"
    plain = prose.lower().replace("’", "'").translate(_NO_WORD)
    words = [word if word in ("e.g.", "i.e.") else word.rstrip(".") for word in plain.split()]
    for at, word in enumerate(words):
        if (reason := _SINGLE.get(word)) and words[at - 1 : at] != ["or"]:  # "3.11 or later"
            return reason
        if word in _FIRST_WORDS:
            phrases = (" ".join(words[at : at + count]) for count in range(1, _MAX_PHRASE_WORDS + 1))
            if reason := next((_REPEATED[phrase] for phrase in phrases if phrase in _REPEATED), ""):
                return reason
        is_named = words[at + 2 : at + 3] in (["repo"], ["repository"], ["checkout"]) and words[at + 1] not in _HERE
        if is_named and word in ("the", "a") and words[at - 1 : at] in (["in"], ["from"]):
            return _ELSEWHERE
    return ""
