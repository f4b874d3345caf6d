"""A sentence that says the opposite of its quote is told by the words both share."""

from __future__ import annotations

import pytest

from tacit.contradiction.polarity import contradicts

AGREE = [
    ("Always use pnpm here for installs.", "use pnpm, not npm"),
    ("Use pnpm instead of npm.", "don't use npm, use pnpm"),
    ("Do not use tailwind in the app.", "we don't want tailwind in the app"),
    ("Do not use tailwind in the app.", "we don’t want tailwind in the app"),
    ("Ask before pushing to the remote.", "don't push without asking"),
    ("Run make docs after changing a help text.", "don't forget to run make docs"),
    ("Prefer tabs, not spaces.", "I prefer tabs over spaces"),
    ("Never run the build on main.", "The build never runs on main"),
    ("Tests must not hit the network.", "tests should never hit the network!"),
    ("npm is not allowed here at all.", "stop using npm"),
    ("Whenever the build runs it takes ages.", "Whenever I run the build it takes ages"),
    ("Niemals direkt auf main pushen.", "bitte nie auf main pushen"),
    (  # other punctuation makes no other meaning
        "Tout le workflow doit être dans le même canvas, pas de workflow séparé.",
        "tout le workflow doit être dans le même canvas pas de workflow séparé",
    ),
]
DIFFER = [
    ("Never use pnpm in this project.", "use pnpm, not npm"),
    ("Use npm for installing packages here.", "use pnpm, not npm"),
    ("Use npm for installing packages here.", "use pnpm not npm"),
    ("Never commit the .env file.", "Commit the .env file"),
    ("Always commit the .env file.", "Never commit the .env file"),
    ("Push without asking the person first.", "don't push without asking"),
    ("Do not run make docs here.", "don't forget to run make docs"),
    ("Prefer spaces over tabs in every file.", "I prefer tabs over spaces"),
    ("Tests may hit the network.", "tests should never hit the network!"),
    ("Using npm is fine in this project.", "stop using npm"),
    ("Direkt auf main pushen ist in Ordnung.", "bitte nie auf main pushen"),
    ("Haz siempre push a main.", "nunca hagas push a main"),
    ("Toujours pousser sur main directement.", "ne jamais pousser sur main"),
    ("Fazer push para main sempre.", "nunca fazer push para main"),
]


@pytest.mark.parametrize(
    ("sentence", "quote", "is_opposite"),
    [*((*pair, False) for pair in AGREE), *((*pair, True) for pair in DIFFER)],
)
def test_only_the_opposite_is_a_contradiction(sentence: str, quote: str, is_opposite: bool) -> None:
    assert contradicts(sentence, quote) is is_opposite
