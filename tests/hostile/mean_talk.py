"""Sessions with agents that are made to trip a learner: what people say for good, in everything that it may stand in.

Each is made from a seed and a number alone, so whatever it breaks can be made again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from tacit.learn import SessionEvent
from tacit.learn.judge.answer import KINDS_BY_LABEL
from tacit.learn.judge.question import Question
from tacit.learn.statements.sentences import statement_forms
from tacit.model.ids import EventId
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    SessionCompacted,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tacit.secrets import redacted
from tacit.text.display import clean

# Words that nobody else in a session says: where one stands, something of that speaker stands.
IN_FENCE, OF_AGENT, OF_TOOL, OF_RESULT = "zzfenced", "zzagent", "zztool", "zzresult"
PLANNING = "ExitPlanMode"
_AGENT = "claude"
_LONG = 4096
_FORMS = (
    *("never {verb} {thing}", "always {verb} {thing}", "don't {verb} {thing} again", "from now on {verb} {thing}"),
    *("we use {thing} instead of {other}", "let's use {thing}, not {other}", "i prefer {thing} over {other}"),
    *("ask me before you {verb} {thing}", "i told you not to {verb} {thing}", "we decided on {thing}, not {other}"),
    *("we don't want {thing} in {other}", "every {thing} needs {other}", "never do that again"),
    *("always do it that way", "{verb} {thing} with {other} because {thing} fails", "the {thing} lives in {other}"),
    *("we removed {thing} on purpose", "use {thing} instead of {other}", "instead of {thing} use {other}"),
    *("{thing} must never {verb} {other}", "niemals {thing} nach {other} pushen", "wir verwenden hier immer {thing}"),
    *("nunca uses {thing} en {other}", "toujours lancer {thing} avant {other}", "sempre use {thing} no {other}"),
    *("絶対に{thing}を変更しないでください。", "the password is {thing}", "export TOKEN={thing}"),
    "never use {thing} as the password for {other}",
)
_ERRORS = (
    *("zsh: command not found: tree", "error: unknown flag: --x", "fatal: not a git repository"),
    *("usage: bd ls [flags]", "bash: syntax error near unexpected token `('", "zsh: no matches found: a[b]"),
    *("Unknown skill: commit", "ModuleNotFoundError: No module named 'yaml'"),
    *("make: *** No rule to make target 'test'.  Stop.", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
    *("cat: a: No such file or directory", "HTTP 404: Not Found"),
)
_VERBS = ("push", "commit", "edit", "use", "touch", "run", "add", "delete", "rename", "do", "whenever", "not")
_THINGS = (
    *(".env", "src/a.py", "`make test`", '"strict"', "`unclosed", '"unclosed', "'it's'", "C:\\x\\y", "v1.2.3", "e.g."),
    *("...", "https://example.org/a?b=c#d", "[link](https://example.org)", "<b>bold</b>", "<!-- x -->", "$(rm x)"),
    *("--no-verify", "👩‍👩‍👧", "❤️", "日本語", "كلمة", "\u202eesrever\u202c", "a\u200bb", "\u00ad", "\ufeff", "\0"),
    *("\ud800", "\udfff\ud83d", "\x1b[31mred\x1b[0m", "ﬁ", "İstanbul", "ß", "ẞ", "ΐ", "x" * 900, "1e400", "١٢٣"),
    *("12,345.678", "0x7f", "%s{0}$&", "\\", "|", "\r", "\x85", "\u2028"),
    *("ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "AKIA" + "Q3EGRZ5TL2JX7WMB", "hunter2-9fKq27xLw8", "tailwind"),
    *("go-git", "the tests"),
)
_ENDS = (".", "!", "?", "", "...", "。", "\n", "\n\n", " :)", ";", ",", "…", "?!", "\r\n", " \n", ")", "”")
_INSERTS = (
    *("```", "~~~", "`", '"', "'", "“", "\n", "\r\n", "\n\n", "\t", "    ", "> ", "| a | b |\n", "- ", "1. ", "# "),
    *("\0", "\ud800", "\u202e", "\u200d", "\x1b[2J", " not ", " never ", " instead of ", "(", ")", "[", "]", "{", "}"),
    *("<", ">", "\\", ":", "...", "$&", "here is the output:\n", "Traceback (most recent call last):\n"),
    *("2026-01-01T00:00:00Z ERROR x\n", "<system-reminder>", "\u2028"),
)
_COMMANDS = (
    *("git push --foo origin", "npm test", "cat src/(app)/a", "make -C x test | tail -5", "cd a && bd ls --x a"),
    *("ls '", "$((", "cat <<X\na", "pytest tests/a.py::t[1]", "sudo env A=1 make", "git commit -m 'a b'"),
    *("npm install", "bd ls a", "cat 'src/(app)/a'", "python3 a.py"),
)


class Case(NamedTuple):
    """A session, and whether the words in its fences are still in them."""

    said: list[SessionEvent]
    is_fenced: bool


@cache
def examples() -> tuple[str, ...]:
    """Every example of every form that learners know."""
    return tuple(dict.fromkeys(form.example for form in statement_forms()))


def case(seed: int, number: int) -> Case:
    """Half of them as they are captured, cleaned and redacted; half as nobody should write them."""
    dice = random.Random(seed * 1_000_000_007 + number)
    is_captured, is_changed = dice.random() < 0.5, dice.random() < 0.6
    made = [_body(dice, is_changed) for _ in range(dice.choice((1, 1, 2, 3, 6)))]
    if dice.random() < 0.4:
        made += _attempts(dice)
    bodies = [_captured(one) for one in made] if is_captured else made
    return Case([SessionEvent(EventId(f"e{at}"), body) for at, body in enumerate(bodies)], not is_changed)


def is_as_captured(said: Sequence[SessionEvent]) -> bool:
    return all(_captured(one.body) == one.body for one in said)


def _captured(body: ConversationBody) -> ConversationBody:
    match body:
        case PromptGiven():
            return body._replace(text=_clean(body.text), about=_clean(body.about))
        case ReplyGiven():
            return body._replace(text=_clean(body.text))
        case ToolUsed():
            return body._replace(input=_clean(body.input), result=_clean(body.result))
    return body


def _clean(text: str) -> str:
    return redacted(clean(text))


def _body(dice: random.Random, is_changed: bool) -> ConversationBody:
    chance = dice.random()
    if chance < 0.7:
        about = f"{OF_AGENT} {_sentence(dice)}" if dice.random() < 0.3 else ""
        return PromptGiven(_AGENT, _text(dice, is_changed), dice.choice((PromptKind.TYPED, *PromptKind)), about)
    if chance < 0.8:
        return ReplyGiven(_AGENT, f"{OF_AGENT} {_text(dice, is_changed)}".replace("\n", f"\n{OF_AGENT} "))
    if chance < 0.9:
        plan = _text(dice, is_changed).replace("\n", f" {OF_TOOL}\n")
        return ToolUsed(_AGENT, PLANNING, ToolAction.PLANNED, plan, "ok", dice.choice(tuple(ToolOutcome)))
    return dice.choice((TurnInterrupted(_AGENT), SessionCompacted(_AGENT), _call(dice, ToolOutcome.FAILED)))


# Texts


def _text(dice: random.Random, is_changed: bool) -> str:
    if dice.random() < 0.02:
        return _giant(dice)
    text = "".join(_part(dice) for _ in range(dice.choice((1, 1, 2, 4, 9))))
    return mutated(dice, text) if is_changed else text


def _giant(dice: random.Random) -> str:
    line = _sentence(dice)[:30]
    return dice.choice(
        (
            dice.choice("a .\n`\"'-|>😀日\u200b\x1b(") * _LONG,
            "x" * _LONG + " " + _sentence(dice),
            f"{line[:5]}\n" * 10_000,
            f"{line}\r\n" * 400,
            f"{line} " * 200,
            f"never {'`' * 300} {line}",
        )
    )


def _part(dice: random.Random) -> str:
    """A sentence, bare or in something that makes it somebody else's."""
    said, chance = _sentence(dice), dice.random()
    if chance < 0.6:
        return f"{said}{dice.choice(_ENDS)} "
    fence = dice.choice(("```", "```python", "~~~", "  ```sh"))
    mark = fence.strip()[:3]
    hidden = f"{IN_FENCE} {said} {IN_FENCE}".replace("\n", " ").replace("\r", " ").replace("\u2028", " ")
    return dice.choice(
        (
            f"\n{fence}\n{hidden}\n\n{hidden}\n{mark}\n",
            f"\n{mark * 2}\n{fence}\n{hidden}\n{mark}\n{mark * 2}\n",
            f"\n> {said}\n",
            f"\n| {said} | {said} |\n|---|---|\n| {said} | x |\n",
            f"\n    {said}\n",
            f"\n- {said}\n- {said}\n1. {said}\n",
            f"here is the output:\n{said}\n",
            f"\r\n{said}\r\n{said}\r\n",
            f"\n2026-01-01T00:00:00Z {said}\n",
        )
    )


def _sentence(dice: random.Random) -> str:
    if dice.random() < 0.4:
        return dice.choice(examples())
    words = {"verb": dice.choice(_VERBS), "thing": dice.choice(_THINGS), "other": dice.choice(_THINGS)}
    said = dice.choice(_FORMS).format(**words)
    return said.capitalize() if dice.random() < 0.3 else said


def mutated(dice: random.Random, text: str) -> str:
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        text = dice.choice(_CHANGES)(dice, text)
    return text[: 1 << 16]


def _insert(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(_INSERTS) + text[at:]


def _splice(dice: random.Random, text: str) -> str:
    other = _part(dice)
    return text[: dice.randrange(len(text) + 1)] + other[dice.randrange(len(other) + 1) :]


def _repeat(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + text[at : at + dice.randrange(1, 20)] * dice.choice((2, 3, 40)) + text[at:]


def _truncate(dice: random.Random, text: str) -> str:
    return text[: dice.randrange(len(text) + 1)]


def _cut(dice: random.Random, text: str) -> str:
    first, last = sorted((dice.randrange(len(text) + 1), dice.randrange(len(text) + 1)))
    return text[:first] + text[last:]


def _case(dice: random.Random, text: str) -> str:
    return dice.choice((str.upper, str.lower, str.swapcase, str.title))(text)


_CHANGES: tuple[Callable[[random.Random, str], str], ...] = (_insert, _insert, _splice, _repeat, _truncate, _cut, _case)


# Tools


def _attempts(dice: random.Random) -> list[ConversationBody]:
    """Something fails, other things happen, and something like it works."""
    first = _call(dice, ToolOutcome.FAILED)
    between = [_call(dice, dice.choice(tuple(ToolOutcome))) for _ in range(dice.choice((0, 0, 1, 2, 10)))]
    again = dice.choice(_COMMANDS) if dice.random() < 0.5 else mutated(dice, first.input)[:2000]
    last = first._replace(input=again, outcome=ToolOutcome.SUCCEEDED, result=dice.choice(("", "ok", first.result)))
    return [first, *between, last]


def _call(dice: random.Random, outcome: ToolOutcome) -> ToolUsed:
    act = dice.choice((ToolAction.RAN, ToolAction.RAN, ToolAction.RAN, *ToolAction))
    command = dice.choice(_COMMANDS)
    told = "\n".join(_error(dice) for _ in range(dice.choice((1, 1, 2, 5))))
    if dice.random() < 0.3:
        command = mutated(dice, f"{command} {dice.choice(_THINGS)}")[:2000]
    files = ("a.py",) if act is ToolAction.CHANGED else ()
    return ToolUsed(_AGENT, "Bash", act, command, told[:2000], outcome, files, "/srv/shop", dice.random() < 0.1)


def _error(dice: random.Random) -> str:
    told = dice.choice(_ERRORS) if dice.random() < 0.8 else f"{OF_RESULT} {_sentence(dice)}"
    return mutated(dice, told) if dice.random() < 0.3 else told


# What a model answers


def answer(dice: random.Random, question: Question) -> str:
    """Memories that quote what was sent, more or less, in JSON that is more or less."""
    memories = [_memory(dice, question) for _ in range(dice.choice((0, 1, 1, 2, 15)))]
    summaries = {part.label: dice.choice((_sentence(dice), part.reply, "")) for part in question.parts}
    text = json.dumps({"memories": memories, "summaries": summaries}, ensure_ascii=dice.random() < 0.5)
    wrapped = dice.choice(("{}", "{}", "```json\n{}\n```", "<think>hm</think>{}", "Sure! {}", "```\n\n\n{}", "[{}]"))
    whole = wrapped.replace("{}", text)
    return mutated(dice, whole) if dice.random() < 0.3 else whole


def _memory(dice: random.Random, question: Question) -> dict[str, object]:
    part = dice.choice(question.parts)
    shown = dice.choice(dice.choice(part.lines).parts).shown or part.reply
    at = dice.choice((0, dice.randrange(len(shown) + 1)))
    quote = shown[at : at + dice.choice((20, 80, 400))]
    memory: dict[str, object] = {
        "quote": quote,
        "statement": dice.choice((quote, f"Always remember: {quote}", _sentence(dice), mutated(dice, quote))),
        "kind": dice.choice(tuple(KINDS_BY_LABEL)),
        "why": dice.choice((_sentence(dice), quote, "")),
        "where": dice.choice(("project", "everywhere", "nowhere")),
    }
    if dice.random() < 0.2:
        memory[dice.choice(tuple(memory))] = dice.choice((None, [], {}, 7, "\0", "\ud800", ["s0"], "s1" * 999))
    return memory
