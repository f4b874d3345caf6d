"""Sentences that are made here: what people tell an agent about themselves, their project and how to work.

Documentation describes; people who talk to an agent prefer, forbid, decide, correct and ask. Packages with permissive
licences hold little of that, so forms are filled with words. The questions of documentation are made likewise, from its
imperatives. No form is one of a set that is measured on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

_THINGS = (
    """
tabs|spaces|short functions|long variable names|plain SQL|an ORM|type hints|dataclasses|dark mode|light mode
dark chocolate|green tea|black coffee|oat milk|trains|cheap flights|window seats|morning meetings
written summaries|bullet points|tables|short answers|long explanations|code examples|metric units|24 hour times
British spelling|formal letters|first names|integration tests|unit tests|snapshot tests|feature branches
squashed commits|merge commits|small pull requests|monorepos|docker compose|virtual machines|bare metal
managed databases|sqlite|postgres|redis|kafka|rabbit queues|cron jobs|static sites|server rendering
web components|plain css|utility classes|icons|charts|dashboards|spreadsheets|notebooks|vegetarian food
spicy food|gluten free bread|jazz|classical music|hiking|swimming|chess|crime novels|poetry|old films|rust|go
python|typescript|bash scripts|makefiles|shell aliases|vim|emacs|the terminal|a mouse|keyboard shortcuts
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_ACTS = (
    """
run the linter|run the test suite|update the changelog|write a migration|ask me|show me the plan
explain your reasoning|check the types|format the code|read the readme|open a ticket|add a regression test
bump the version|sign the commit|rebase on trunk|keep the diff small|quote your sources|convert prices to euros
use the staging server|restart the worker|clear the cache|back up the data|mention the file name
name the function|list the alternatives|give an estimate|translate it to German|answer in French
reply in Spanish|write the docs|delete unused code|log the request id|mask the tokens|rotate the keys
notify the team|wait for review|tag the release|squash the commits|book the earlier train|call my sister
avoid dairy|check the weather|set a reminder|keep receipts|use my work address|send an invoice|water the plants
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_TIMES = (
    """
before you commit|before every release|after each change|when the build fails|when you are unsure|on Fridays
at night|whenever you touch the database|if a test is flaky|in this repository|for the mobile app|in production
on my laptop|for all new code|unless I say otherwise|from now on|every morning|at the end of the month
when I travel|while I am away
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_WHOS = (
    """
the customers|our users|my manager|the data team|my brother|my daughter|the landlord|the client|support
the reviewers|the finance department|my partner|our designer|the new intern|the on-call engineer|my doctor
the neighbours|the auditors
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_FORMS = (
    """
I prefer {thing} to {other}|I would rather have {thing} than {other}|please always {act} {time}
never {act} {time}|don't {act} without asking {who}|remember to {act} {time}|you should {act} {time}
we decided to use {thing} instead of {other}|we dropped {thing} because {who} complained|{who} asked us to {act}
{who} likes {thing}|{who} cannot stand {thing}|stop suggesting {thing}|I am allergic to {other}
my favourite is {thing}|I switched from {thing} to {other} last year|could you {act} {time}
what do I think about {thing}|do I like {thing} or {other}|which one does {who} prefer, {thing} or {other}
how should you {act}|what did we decide about {thing}|why did we drop {thing}|who wanted us to {act}
when do I want you to {act}|it matters to me that you {act} {time}|I usually {act} {time}
I forgot to {act}, {who} reminded me|I need {thing} {time}|the team agreed to {act} {time}
no more {thing} {time}|{thing} are fine, {other} are not|keep using {thing} {time}
last week I tried {thing} and liked it|I moved away from {other} years ago|{who} told me to {act} {time}
is it okay to {act} {time}|should I {act} {time}|what are my rules about {thing}|what does {who} like
I have been into {thing} since childhood|I want to learn more about {thing}|I am planning to {act} with {who}
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_VERBS = "Return|Get|Set|Create|Delete|Remove|Add|Update|Check|Convert|Find|List|Open|Close|Run|Use"
_IMPERATIVE = re.compile(rf"^({_VERBS})s? (.{{8,90}}?)[.:]?$")


def said(count: int, seed: int) -> Iterator[str]:
    """Yield so many sentences of somebody who talks to an agent; some may be equal."""
    random = Random(seed)
    for _ in range(count):
        thing, other = random.sample(_THINGS, 2)
        slots = {"thing": thing, "other": other, "act": random.choice(_ACTS), "time": random.choice(_TIMES)}
        yield random.choice(_FORMS).format(**slots, who=random.choice(_WHOS))


def question(sentence: str, number: int) -> str | None:
    """Return the question that an imperative answers, in one of several forms; None if it is not one."""
    match = _IMPERATIVE.match(sentence)
    if match is None:
        return None
    verb, rest = match[1].lower(), match[2]
    forms = (
        f"how do I {verb} {rest}",
        f"how can we {verb} {rest}?",
        f"what does {verb} {rest}",
        f"where do you {verb} {rest}",
    )
    return forms[number % len(forms)]
