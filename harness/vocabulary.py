"""Rule sentences that read and count like real ones, the same every time.

Words are drawn by Zipf's law with Mandelbrot's shift: the head of a real text is its stop words, which stand in the
phrases here, so the words that carry meaning begin further down the curve. Without the shift the commonest noun
would stand in half of all sentences, and a search would look slower than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random

_NOUNS = (
    "test build file branch commit config module function error release database server service request response "
    "script package version type user command query table schema cache token key log message queue job worker "
    "migration deployment pipeline container image cluster review change code project repository dependency "
    "import export interface component page form button template style layout client session cookie header route "
    "endpoint handler controller model view index column row transaction lock thread process timeout retry backup "
    "snapshot archive report metric alert dashboard secret password certificate domain network port socket proxy "
    "gateway balancer region bucket volume disk memory buffer stream event listener callback promise task schedule "
    "cron timer date timezone locale translation currency price invoice payment order cart customer account role "
    "permission policy audit rule convention lint formatter compiler linker runtime interpreter shell terminal "
    "editor plugin extension theme icon font colour screen window dialog menu toolbar shortcut keyboard "
    "documentation readme changelog licence example tutorial guide glossary diagram ticket issue milestone sprint "
    "standup retrospective estimate deadline incident postmortem rollback hotfix feature flag experiment variant "
    "fixture mock stub assertion coverage snapshot benchmark profile trace span sample histogram percentile "
    "parser lexer grammar syntax encoder decoder payload checksum signature hash salt nonce cipher vault tenant "
    "subscription webhook notification email inbox attachment upload download thumbnail video audio codec playlist"
).split()
_VERBS = (
    "use run add keep check write update avoid test set make build commit deploy push merge read review fix name "
    "validate call put store log create document verify ensure follow pin place format import include install limit "
    "lint load mock move open print rebase release rename return save send show sort split squash start stop tag wrap"
).split()
_MANNERS = (
    "local remote new old public private main small large single shared slow fast stable nightly internal external "
    "generated manual automatic nested empty broken flaky missing stale duplicate optional required deprecated "
    "experimental temporary permanent default custom strict lazy eager async parallel sequential incremental full "
    "partial raw signed encrypted compressed cached verbose quiet staging production legacy upstream downstream"
).split()
_MOMENTS = (
    "before every release|after each merge|on the main branch|in production|in staging|on Fridays|during the freeze|"
    "without asking first|from the root of the repository|in a clean checkout|on the build machine|when it is late|"
    "in one step|by hand|under load|for new customers|on Windows|behind the proxy|twice a week|at night"
).split("|")
_STEMS = (
    "acme alder amber apex arbor atlas aurora basalt beacon birch bolt breeze brook cedar cinder cobalt comet copper "
    "coral crest cypher dawn delta drift dune echo ember fable falcon fern flint forge frost gale garnet glacier grove "
    "harbor hazel heron hollow indigo iris jade juniper kestrel lagoon lark lumen lunar maple marble meadow mesa mica "
    "mint mosaic nebula nickel nimbus north nova oak ocean onyx opal orbit orchid osprey otter pearl pebble pine "
    "pixel plume prism quartz quill raven reef ridge river robin rowan saffron sage scout shale sierra silver slate "
    "solar sonar spark spruce stone summit swift tango terra thistle tide timber topaz umber vale vector velvet vertex"
).split()
_TRADES = (
    "api app auth billing bot bridge core feed gate hub kit lab lake line mail map mesh mill net node path pay point "
    "pool port search sync tower track trade vault view watch web work yard zone"
).split()

_TOOLS = (
    "pnpm npm yarn uv poetry pytest vitest ruff eslint postgres sqlite redis docker podman make just terraform ansible "
    "grafana kafka nginx rg fd jq gh kubectl helm bazel gradle cargo"
).split()
_FOLDERS = ("src", "lib", "tests", "docs", "packages", "cmd", "scripts")
_SUFFIXES = ("py", "ts", "go", "rs", "sql", "yaml", "md")
_TRACKERS = ("PROJ", "OPS", "WEB", "DATA", "INFRA")

# What people ask. `{}` is a word of the vocabulary.
_QUESTIONS = (
    "how do I run the {} tests|what did we decide about {}|which package manager do we use|why does the {} fail|"
    "where does the {} live|how do we deploy the {}|who reviews {} changes|{} naming convention|never do this with {}|"
    "preferred {} settings|known fix for {} error|before every release {}|can I push to the main branch|{} timeout|"
    "is the {} cached"
).split("|")


class Zipf:
    """Draws from a list in which the first is the commonest."""

    def __init__(self, items: Sequence[str], shift: float) -> None:
        self._items = items
        self._weights = list(accumulate(1 / (rank + shift) for rank in range(1, len(items) + 1)))

    def draw(self, random: Random) -> str:
        return random.choices(self._items, cum_weights=self._weights)[0]


def _nouns() -> list[str]:
    """Common nouns first, then some thousand names that only few sentences know."""
    names = [f"{stem}{trade}" for stem in _STEMS for trade in _TRADES]
    Random("names").shuffle(names)
    return [*dict.fromkeys(_NOUNS), *names]


_noun, _verb, _manner = Zipf(_nouns(), 20), Zipf(_VERBS, 5), Zipf(_MANNERS, 15)


def sentence(random: Random) -> str:
    """One rule as a person would type it."""
    text = random.choices(list(_PHRASES), list(_PHRASES.values()))[0](random)
    if random.random() < 0.3:
        text += f" {random.choice(_MOMENTS)}"
    return f"{text} because {_thing(random)} is {_manner.draw(random)}" if random.random() < 0.1 else text


def question(random: Random) -> str:
    return random.choice(_QUESTIONS).format(_noun.draw(random))


def identifier(random: Random) -> str:
    """Something with signs in it: a path, a setting, a flag, a name of code or a ticket."""
    one, two = _noun.draw(random), _noun.draw(random)
    return random.choice(
        (
            f"{random.choice(_FOLDERS)}/{one}/{two}.{random.choice(_SUFFIXES)}",
            f"{one}_{two}".upper(),
            f"--{_manner.draw(random)}-{one}",
            f"{one}{two.title()}",
            f"{one}-{random.randrange(100)}",
            f"{random.choice(_TRACKERS)}-{random.randrange(10_000)}",
        )
    )


def _thing(random: Random) -> str:
    if random.random() < 0.2:
        return identifier(random)
    noun = _noun.draw(random)
    return f"the {_manner.draw(random)} {noun}" if random.random() < 0.5 else f"the {noun}"


# How often people say each, of a hundred sentences.
_PHRASES: dict[Callable[[Random], str], int] = {
    lambda random: f"{_verb.draw(random)} {_thing(random)} and {_thing(random)} of {_thing(random)}": 30,
    lambda random: f"always {_verb.draw(random)} {_thing(random)} with {_thing(random)}": 15,
    lambda random: f"never {_verb.draw(random)} {_thing(random)} in {_thing(random)}": 15,
    lambda random: f"use {random.choice(_TOOLS)} for {_thing(random)} of {_thing(random)}": 8,
    lambda random: f"I prefer {_thing(random)} over {_thing(random)} for {_noun.draw(random)}": 10,
    lambda random: f"we decided to {_verb.draw(random)} {_thing(random)} through {_thing(random)}": 7,
    lambda random: f"{_thing(random)} of {_noun.draw(random)} lives in {identifier(random)}": 8,
    lambda random: f"when {_thing(random)} fails with {identifier(random)}, {_verb.draw(random)} {_thing(random)}": 7,
}
