"""What people do, each with what follows for their minds. Every story is made of these."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from copy import deepcopy
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.lives import surfaces
from tests.lives.launcher import NO_MOUNT
from tests.lives.model import ACTIVE, DISMISSED, PENDING, RETIRED, Memory, may_conflict, parsed, read_lines
from tests.lives.world import FACTS, Person

# Telling and deciding


def add(who: Person, text: str, kind: str | None = None, cwd: Path | None = None, *options: str) -> None:
    """State something; the answer, the list and the shared file tell the same strength."""
    kinds = ("--kind", kind) if kind else ()
    answer = who.tacit("add", text, *kinds, *options, cwd=cwd, changes=[text])
    wrong = who.mind.say(text, kind, answer.out)
    _end(who, wrong)
    fact = who.facts(cwd).get(text)
    if fact and "Reinforced" in answer.out:
        told = who.mind.memories[text].strength
        who.world.expect(fact["strength"] == told, f"strength {told} was told, and {fact['strength']} is in the file")


def note(who: Person, text: str) -> None:
    who.tacit("remember", text, "--evidence", f"said {len(who.world.script)} steps into the story", changes=[text])
    who.mind.note(text)
    _end(who)


def decide(who: Person, verb: str, text: str) -> None:
    """`forget`, `restore`, `accept` or `dismiss` a sentence."""
    answer = who.tacit(verb, who.id_of(text), changes=[text])
    status = {"forget": RETIRED, "restore": ACTIVE, "accept": ACTIVE, "dismiss": DISMISSED}[verb]
    who.mind.set_status(text, status)
    who.mind.hear(answer.out)
    _end(who)


def edit(who: Person, text: str, new: str) -> None:
    answer = who.tacit("edit", who.id_of(text), "--text", new, changes=[text, new])
    who.mind.reword(text, new)
    who.mind.hear(answer.out)
    _end(who)


def share(who: Person, text: str) -> None:
    """Put a memory into the project's file, or take it out again."""
    is_shared = who.row(text)["shared"]
    who.tacit("share", *(("--remove",) if is_shared else ()), who.id_of(text), changes=[text])
    who.mind.share(text, not is_shared)
    _end(who)


def undo(who: Person, verb: str = "undo") -> None:
    if not who.mind.can_step(verb == "redo"):
        return
    may = who.mind.undo() if verb == "undo" else who.mind.redo()
    answer = who.tacit(verb, code=0 if may else 1, changes=None)
    who.mind.hear(answer.out)
    if ": trusted " in answer.out:
        who.accepted.clear()
    _end(who)


def remove_by_hand(who: Person, text: str, page: Path) -> None:
    """Delete the line of a sentence in a page or a fact file, and take that in."""
    lines = page.read_text().splitlines(keepends=True)
    kept = [line for line in lines if text not in line]
    if len(kept) < len(lines):
        who.write(page, "".join(kept))
        who.tacit("sync", "--yes", changes=[text])
        who.mind.set_status(text, RETIRED)
        _end(who)


def reword_by_hand(who: Person, text: str, new: str, page: Path) -> None:
    content = page.read_text()
    if text in content:
        who.write(page, content.replace(text, new))
        who.tacit("sync", "--yes", changes=[text, new])
        who.mind.reword(text, new)
        _end(who)


def _end(who: Person, wrong: list[str] | None = None) -> None:
    who.world.expect(not wrong, "; ".join(wrong or ()))
    who.compare_shared()


# Accidents

Step = Callable[[Person], None]


def take_over(who: Person, log: Path, memories: dict[str, Memory]) -> None:
    """Have a home that an earlier version wrote."""
    path = who.home / "memory/events.jsonl"
    who.make_home()
    who.write(path, log.read_text())
    path.chmod(0o600)
    who.mind.memories = deepcopy(memories)
    who.mind.lose_history()


def killed_add(who: Person, text: str, seconds: float) -> None:
    """A command is killed: what it was to say is there or not, and everything else is as it was."""
    who.run(["tacit", "add", text], kill_after=seconds)
    who.unfinished.add(text)
    rows = who.quietly(who.listed)
    known, found = who.mind.memories.get(text), [row for row in rows if row["text"] == text]
    if found and (known is None or (known.status, known.strength) != (found[0]["status"], found[0]["strength"])):
        who.mind.state(text)
    who.mind.lose_history()


def add_both(who: Person, first: str, second: str) -> None:
    """Two terminals at the same moment."""
    launcher = who.world.launcher
    pids = [launcher.start(["tacit", "add", text], who.work, who.environment()) for text in (first, second)]
    who.world.script.append(f"# at the same time: tacit add '{first}' & tacit add '{second}' & wait")
    for pid, text in zip(pids, (first, second), strict=True):
        ended = launcher.wait(pid)
        who.world.expect(ended.code == 0 and not ended.err, f"exit code {ended.code}: {ended.err}")
        who.mind.state(text)
    launcher.settle()
    who.mind.lose_history()


def fill_disk(who: Person) -> None:
    """Every question is answered from a disk without room."""
    launcher = who.world.launcher
    for words in (("status",), ("recall", "service"), ("brief",), ("list", "--all")):
        given = launcher.wait(launcher.start(["tacit", *words], who.work, who.environment(), full=who.home))
        launcher.settle()
        if given.code == NO_MOUNT:
            return
        who.world.expect(given.code == 0, f"on a full disk, {words} ends with {given.code}: {given.out}{given.err}")
    wanted = who.quietly(lambda: who.tacit("list", "--all")).out
    who.world.expect(given.out == wanted, f"on a full disk the list is {given.out} and should be {wanted}")


def cut_index(who: Person) -> None:
    """A file system that was not unmounted has lost the end of the index."""
    path = who.home / "index.sqlite"
    if path.exists():
        unchanged(who, lambda: who.truncate(path, path.stat().st_size // 2))


def upgrade_index(who: Person) -> None:
    """The index is of a version that is not known."""
    path = who.home / "index.sqlite"
    if path.exists():
        unchanged(who, lambda: who.sqlite(path, "PRAGMA user_version = 1"))


def purge(who: Person, text: str) -> None:
    who.tacit("purge", who.id_of(text), "--yes", changes=[text])
    who.mind.purge(text)
    _end(who)
    gone(who, text)
    for clone in who.world.clones(who):
        left = [line for line in read_lines(clone / FACTS).values() if "[purged]" in line]
        who.world.expect(not left, f"something is left of a line that was purged: {left}")


# The repository


def trust(who: Person, clone: Path | None = None) -> None:
    """Read the file of a clone, and accept all of it."""
    clone = clone or who.work
    answer = who.tacit("trust", "--yes", cwd=clone, changes=[], code=None)
    who.mind.hear(answer.out)
    if "Accepted" in answer.out:
        who.mind.trust(who.facts(clone))
    who.accepted[clone] = set(read_lines(clone / FACTS).values())
    _end(who)


def after_git(who: Person, clone: Path) -> None:
    """Lines that were accepted and are not there any more end the trust in all of them."""
    accepted = who.accepted.get(clone, set())
    if accepted - set(read_lines(clone / FACTS).values()):
        who.mind.end_trust()
        del who.accepted[clone]


def commit(who: Person, clone: Path | None = None) -> None:
    clone = clone or who.work
    who.git("add", "--all", cwd=clone)
    who.git("commit", "--quiet", "--allow-empty", "--message", "State of now", cwd=clone)
    dirty = who.git("status", "--porcelain", cwd=clone).out
    who.world.expect(not dirty, f"the work tree is not clean after a commit: {dirty}")


def checkout(who: Person, branch: str, clone: Path | None = None) -> None:
    clone = clone or who.work
    commit(who, clone)
    exists = who.git("branch", "--list", branch, cwd=clone).out
    who.git("checkout", "--quiet", *(() if exists else ("-b",)), branch, cwd=clone)
    after_git(who, clone)


def merge(who: Person, other: str, clone: Path | None = None, how: str = "merge") -> None:
    """Merge or rebase; only what both sides did to one line may conflict."""
    clone = clone or who.work
    commit(who, clone)
    if who.git("rev-parse", "--verify", "--quiet", other, cwd=clone, code=None).code:
        return
    base = who.git("merge-base", "HEAD", other, cwd=clone).out.strip()
    sides = [_lines_at(who, clone, version) for version in (base, "HEAD", other)]
    options = ("--quiet", "--no-edit") if how == "merge" else ("--quiet",)
    done = who.git(how, *options, other, cwd=clone, code=None)
    if done.code:
        who.world.expect(may_conflict(*sides), f"lines that were only added conflict: {done.out}{done.err}")
        who.git(how, "--abort", cwd=clone)
    after_git(who, clone)


def _lines_at(who: Person, clone: Path, version: str) -> dict[str, str]:
    text = who.git("show", f"{version}:{FACTS}", cwd=clone, code=None).out
    return {parsed(line).get("id", line): line for line in text.splitlines()}


def pull(who: Person, clone: Path | None = None, how: str = "merge") -> None:
    clone = clone or who.work
    who.git("fetch", "--quiet", cwd=clone)
    merge(who, "origin/main", clone, how)


def push(who: Person, clone: Path | None = None) -> None:
    """Push to the shared branch what is there, after taking in what others pushed."""
    clone = clone or who.work
    pull(who, clone)
    who.git("push", "--quiet", "origin", "HEAD:main", cwd=clone, code=None)


def stash(who: Person, clone: Path | None = None) -> None:
    clone = clone or who.work
    who.git("stash", "--quiet", "--include-untracked", cwd=clone)
    after_git(who, clone)


def unstash(who: Person, clone: Path | None = None) -> None:
    clone = clone or who.work
    if who.git("stash", "list", cwd=clone).out:
        who.git("stash", "pop", "--quiet", cwd=clone, code=None)
        after_git(who, clone)


_TAKEN_OUT = re.compile(r"- forget: (.+) \(a commit took it out\)$", re.MULTILINE)
_NEW_KIND = re.compile(r"~ make it a (\w+): (.+)$", re.MULTILINE)


def sync(who: Person, clone: Path | None = None) -> None:
    """Take in what was done to lines of the shared file: never by hand here, but others may have committed it."""
    answer = who.tacit("sync", "--yes", cwd=clone, changes=_taken_in).out
    forgotten, kinds = _TAKEN_OUT.findall(answer), {text: kind for kind, text in _NEW_KIND.findall(answer)}
    meant = answer.count("- forget:") == len(forgotten) and set(_taken_in(answer)) <= who.world.edited
    who.world.expect(meant, f"what nobody removed or changed is to be taken in: {answer}")
    who.mind.agree(forgotten, kinds)
    _end(who)


def _taken_in(answer: str) -> list[str]:
    return [*_TAKEN_OUT.findall(answer), *(text for _, text in _NEW_KIND.findall(answer))]


# Looking

VIEWS = (
    "index.sqlite*",
    "memory/long-term.md",
    "memory/memories.ndjson",
    "worklog/*.md",
    "sessions/*.md",
    ".tacit/written/*",
)
_COUNTS = ("active", "pending", "forgotten", "dismissed", "undecided", "untrusted", "kinds", "session_count")


def look(who: Person) -> None:
    """Compare the list with what the person must see."""
    wrong = who.mind.compare(who.quietly(who.listed))
    who.world.expect(not wrong, lambda: "\n".join(wrong))


def _unknown(who: Person) -> set[str]:
    """What files of clones say, and the person may not have accepted."""
    return {text for clone in who.world.clones(who) for text in who.facts(clone)}


def ask_agent(who: Person) -> None:
    """Compare what an agent is told with what holds."""
    brief = who.quietly(lambda: who.tacit("brief")).out
    wrong = who.mind.compare_brief(brief, _unknown(who))
    who.world.expect(not wrong, lambda: "\n".join([*wrong, brief]))


def answers(who: Person) -> dict[str, Any]:
    """All that the program tells of what is remembered."""
    suggestions = who.json("suggestions", "--all")  # first: habits move up when they are asked for
    status = who.json("status")
    return {
        "suggestions": suggestions,
        "list": who.listed(),
        "review": who.json("review", "--all"),
        "status": {name: status[name] for name in _COUNTS},
        "stats": who.json("stats"),
        "conflicts": who.json("conflicts", "--all"),
        "brief": who.json("brief")["memories"],
        "trust": who.json("trust"),
    }


def hear_agent(who: Person, session: str) -> None:
    """An agent is told what holds, and the person how much waits."""
    told = surfaces.start_session(who, session)
    wrong = who.mind.compare_brief(told.model, _unknown(who))
    status = who.quietly(lambda: who.json("status"))
    counted = sum(map(int, re.findall(r"(\d+) (?:suggestion|fact)", told.person)))
    if counted != status["pending"] + status["untrusted"]:
        wrong.append(
            f"status has {status['pending']} and {status['untrusted']}, and the person is told {told.person!r}"
        )
    who.world.expect(not wrong, lambda: "\n".join([*wrong, told.model]))


def import_history(who: Person, days: int) -> None:
    """A history of so many days, each with the same commands."""
    lines = [f": {1_790_000_000 + day * 86_400 + minute * 60}:0;{line}" for day in range(days) for minute, line in _DAY]
    who.write(who.folder / ".zsh_history", "\n".join(lines) + "\n")
    who.tacit("import", "history")
    who.mind.note_all(row["text"] for row in who.quietly(lambda: who.json("suggestions", "--all")))


_DAY = list(enumerate(("cd ~/work", "git pull", "make test", "git status", "docker compose up -d", "npm run build")))


def unchanged(who: Person, do: Callable[[], object]) -> None:
    """All answers are the same after something that decides nothing."""
    before = who.quietly(lambda: answers(who))
    do()
    after = who.quietly(lambda: answers(who))
    changed = [name for name in before if after[name] != before[name]]
    who.world.expect(not changed, lambda: "\n".join(_difference(name, before[name], after[name]) for name in changed))


def _difference(name: str, before: object, after: object) -> str:
    old, new = (json.dumps(answer, indent=1, sort_keys=True).splitlines() for answer in (before, after))
    return f"{name} is not what it was:\n" + "\n".join(list(unified_diff(old, new, lineterm="", n=0))[2:20])


def agree(who: Person) -> None:
    """Everything that tells how many suggestions wait tells the same."""
    found = who.quietly(lambda: answers(who))
    pending = {row["text"] for row in found["suggestions"]}
    wanted = set(who.mind.known(PENDING))
    who.world.expect(wanted <= pending, f"{wanted - pending} should wait, and is not among the suggestions")
    shown = {
        "status": found["status"]["pending"],
        "suggestions": len(found["suggestions"]),
        "review": sum(card["card"] == "candidate" for card in found["review"]),
        "list": sum(row["status"] == PENDING for row in found["list"]),
    }
    who.world.expect(len(set(shown.values())) == 1, f"they do not agree on what waits: {shown}")


def well(who: Person) -> None:
    """The doctor finds nothing, since nothing is wrong."""
    said = who.quietly(lambda: who.tacit("doctor", code=None))
    who.world.expect(said.code == 0 and "The home is well." in said.out, f"the doctor says {said.out}{said.err}")


def reindex(who: Person) -> None:
    unchanged(who, lambda: who.tacit("doctor", "--reindex"))


def delete_views(who: Person) -> None:
    unchanged(who, lambda: who.remove(*VIEWS))


def gone(who: Person, text: str) -> None:
    """A text is in no file of the home, in none of the forms that our files have."""
    data = text.encode()
    forms = {
        "as it is": data,
        "in hexadecimal": data.hex().encode(),
        "in UTF-16": text.encode("utf-16-le"),
        "in JSON": json.dumps(text)[1:-1].encode(),
        **{f"in base64, {shift} bytes off": _base64(data, shift) for shift in range(3)},
    }
    for path in who.home.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for form, needle in forms.items():
            where = str(path.relative_to(who.home))
            who.world.expect(needle.lower() not in content.lower(), f"“{text}” is {form} in {where}")


def _base64(data: bytes, shift: int) -> bytes:
    """What stands in base64 wherever the text begins `shift` bytes after a multiple of three."""
    encoded = base64.b64encode(b"\0" * shift + data)
    return encoded[4 if shift else 0 : len(encoded) - 4]


def everything(who: Person) -> None:
    """The end of a story: all surfaces agree, nothing is wrong, and new views tell the same."""
    agree(who)
    well(who)
    reindex(who)
