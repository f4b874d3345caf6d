"""tacit config."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.record import Record
from tacit.settings import Settings, of_environment, rule_of
from tacit.settings.editing import Value, literal
from tacit.settings.origins import Held, Origin
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.words import say, say_json, warn
from tacit.vault.configuring import Configuration, Configured
from tacit.vault.opened import Home


class _Part(Record):
    """One thing to do with settings: its words, the fewest and the most of them, and what it does."""

    words: str
    fewest: int
    most: int
    run: Callable[[Call, Configuration, list[str]], int]


def run(call: Call) -> int:
    name, *words = call.words or ["show"]
    part = _PARTS.get(name)
    if part is None:
        raise WrongUse(f"tacit config has no {name!r}", f"one of {', '.join(_PARTS)}")
    if not part.fewest <= len(words) <= part.most:
        raise WrongUse(f"tacit config {name} wants {part.words or 'no words'}", f"tacit config {name} {part.words}")
    with Home(call.value("--home"), settings=Settings()) as home:  # a wrong value must not keep one from mending
        return part.run(call, Configuration(home), words)


# Looking


def _show(call: Call, settings: Configuration, _words: list[str]) -> int:
    found = settings.config()
    if call.flag("--json"):
        say_json([one._asdict() for one in found])
        return 0
    for line in _table(found):
        say(line)
    for one in found:
        _warn_of_ignored(one)
    for stray in settings.strays():
        warn(f"! {show(stray.key)} in {show(stray.where)} is no setting of this version")
    return 0


def _get(call: Call, settings: Configuration, words: list[str]) -> int:
    found = settings.setting(words[0])
    if call.flag("--json"):
        say_json(found.value)
    else:
        say(_written(found.value))
    _warn_of_ignored(found)
    return 0


def _warn_of_ignored(one: Held) -> None:
    if one.ignored:
        warn(f"! {show(ignored_variable(one))}")


def ignored_variable(one: Held) -> str:
    """Why a variable does not hold, and what to type instead."""
    name = one.key.replace(".", "_", 1)
    variable, _, text = one.ignored.partition("=")
    wanted = of_environment({variable: text})[name]
    word = quote(wanted if isinstance(wanted, str) else literal(wanted))
    return (
        f"{one.ignored} is ignored: a variable {rule_of(name).may}. "
        f"If you want it, put it into the file: tacit config set {one.key} {word}"
    )


def _table(found: list[Held]) -> Iterator[str]:
    keys = max(len(one.key) for one in found)
    values = max(len(_written(one.value)) for one in found)
    for one in found:
        where = one.where if one.where else Origin.DEFAULT.value
        yield f"{one.key:<{keys}}  {_written(one.value):<{min(values, 20)}}  {show(where)}  (variable: {one.variable})"


def _written(value: Value) -> str:
    return show(literal(value))


# Changing


def _set(_call: Call, settings: Configuration, words: list[str]) -> int:
    key, *values = words
    return _told(settings.configure(key, values[0] if len(values) == 1 else values), "already, in")


def _unset(_call: Call, settings: Configuration, words: list[str]) -> int:
    return _told(settings.unconfigure(words[0]), "already, by default; nothing to change in")


def _told(done: Configured, already: str) -> int:
    how = "in" if done.changed else already
    say(f"{done.key} = {_written(done.value)}, {how} {show(done.path)}")
    if done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


_PARTS = {
    "show": _Part("", 0, 0, _show),
    "get": _Part("KEY", 1, 1, _get),
    "set": _Part("KEY VALUE", 2, 1_000, _set),
    "unset": _Part("KEY", 1, 1, _unset),
}

COMMAND = Command(
    name="config",
    words="show | get KEY | set KEY VALUE | unset KEY",
    help=(
        "The settings, where each value comes from, and what a variable of the environment may do to it. A value is\n"
        "its default, or what a line of tacit.toml in the home says; a variable may only restrict it, so nothing is\n"
        "captured, accepted or sent to a model because of one. Nothing is ever read from a repository. set and unset\n"
        "change one line and keep everything else in the file. A list is written with commas, as several words, or\n"
        'as ["one", "two"]. An agent may look, and only a person changes. See docs/guides/settings.md.'
    ),
    example="tacit config set recall.limit 20",
    run=run,
    options=(JSON,),
)
