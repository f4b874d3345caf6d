"""Small commands that set things up or serve others: `init`, `hook`, `pause`, `resume`, `mcp`, `merge-facts`."""

from __future__ import annotations

import os

from tacit.cli.commands import Invocation, Option, command
from tacit.cli.output import echo, pluralize, short_path, warn
from tacit.errors import StoreError, UsageError
from tacit.text.display import printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.vault.configure import InitDriverResult


@command("SHELL", "tacit hook bash")
def run_hook(call: Invocation) -> None:
    """Print what bash, zsh or fish loads so that Tacit learns from the commands you run. Load it by hand with
      eval "$(tacit hook bash)"     eval "$(tacit hook zsh)"     tacit hook fish | source
    or for good with tacit install. Lines that begin with a blank are not recorded, secrets never are. It also
    completes the words of tacit commands; tacit completion prints that part alone. If the setting shell.key names
    a key, that key opens tacit pick.
    """
    from tacit.shell.install import SHELLS, chosen_key, completion_script, key_script, render_snippet

    name = call.single_arg()
    if name not in SHELLS:
        known = ", ".join(f"tacit hook {shell}" for shell in SHELLS)
        raise UsageError(f"tacit hook knows no {name!r}", f"one of: {known}")
    print(render_snippet(SHELLS[name]), completion_script(SHELLS[name]), sep="\n", end="")
    home = call.value("--home")
    if key := chosen_key(home, os.environ):
        print("", key_script(SHELLS[name], key, home and os.path.abspath(home)), sep="\n", end="")


@command(
    "",
    "tacit init --wrappers",
    Option("--wrappers", help="tell agents about Tacit, in their own files"),
    Option("--no-wrappers", help="take that out again"),
    Option("--agent", "NAME", "only this agent: claude, codex or gemini", repeatable=True),
    Option("--no-merge-driver", help="without the merge driver for fact files, or take it out again"),
)
def run_init(call: Invocation) -> None:
    """Make the home. With --wrappers, add a short instruction to the files of the agents you use (Claude Code,
    Codex, Gemini), between markers; --no-wrappers takes it out again and leaves every other byte. Run twice,
    it changes nothing.

    In a git repository, say how git merges docs/memory/memories.ndjson: a line in .gitattributes, to be
    committed, with which the lines of both sides are kept wherever two branches are merged, and a merge driver
    of this clone alone, which merges facts by id. The first fact that you share does the same.
    --no-merge-driver leaves both out, and takes them out if they are there.
    """
    wrappers = True if call.flag("--wrappers") else False if call.flag("--no-wrappers") else None
    made = call.vault.setup.init(wrappers=wrappers, agents=call.all_values("--agent"))
    driver = call.vault.setup.init_driver(_program(call), register=not call.flag("--no-merge-driver"))
    is_changed = made.changed or (driver and driver.change.is_needed)
    echo(f"Home ready: {printable(made.home)}" if is_changed else f"Nothing to do: {printable(made.home)} is ready.")
    for path in made.changed:
        if path in made.wrapped:
            echo(f"  {'told' if wrappers else 'taken out of'} {printable(path)}")
    if wrappers and not made.wrapped:
        looked = ", ".join(made.looked_for)
        echo(f"No agent found (looked for {looked}). Name one: tacit init --wrappers --agent claude")
    if driver:
        _echo_driver(driver, registered=not call.flag("--no-merge-driver"))
    if wrappers is None:
        echo('Next: tacit add "…"   tacit remember "…" --evidence "…"   tacit init --wrappers to tell your agents')


def _program(call: Invocation) -> tuple[str, ...]:
    """Return this program as git can start it. A module of that name in the current folder must not take its place."""
    from tacit.cli.install import install_place

    program, *words = install_place(call.value("--home")).program
    return (program, "-P", *words) if words else (program,)


def register_with_first_fact(call: Invocation, *, is_tracked: bool = True) -> None:
    """Register the merge driver because of the first fact of this clone, and print what was changed."""
    if driver := call.vault.setup.driver_with_first_fact(_program(call), is_tracked=is_tracked):
        _echo_driver(driver, registered=True)


def drop_with_last_fact(call: Invocation) -> None:
    """Take the merge driver out again that came with a fact which is gone now, and print that."""
    if driver := call.vault.setup.drop_driver_with_last_fact():
        _echo_driver(driver, registered=False)


def _echo_driver(driver: InitDriverResult, *, registered: bool) -> None:
    """Print what was changed in the repository: one of the files is tracked, and the person has to commit it."""
    from tacit.install.merge_driver import ATTRIBUTE_FILE, ATTRIBUTE_LINE

    change = driver.change
    if driver.problem:
        warn(f"No merge driver for fact files: {printable(driver.problem)}")
        warn(f"  → {printable(driver.hint)}")
    elif change.is_needed and registered:
        echo(f"Facts that two branches add are merged by id in {printable(short_path(driver.root))}:")
        if change.changed_attributes:
            echo(f"  added to {ATTRIBUTE_FILE}, to be committed: {ATTRIBUTE_LINE}")
        if change.changed_command:
            echo("  set in this clone's own .git: the merge driver tacit-facts; without it git keeps both sides' lines")
        echo("  take it out again: tacit init --no-merge-driver")
    elif change.is_needed:
        echo(f"The merge driver for fact files was taken out of {printable(short_path(driver.root))}.")
    if change.kept_attribute and registered:
        echo(f"  {ATTRIBUTE_FILE} says merge={printable(change.kept_attribute)} for the fact file; that stays as it is")


@command("", "tacit mcp")
def run_mcp(call: Invocation) -> int:
    """Serve memory to an agent over standard input and output, with the Model Context Protocol. An agent starts it
    by itself; register it there, for example: claude mcp add tacit -- tacit mcp. The agent can search memory,
    read briefs, log work and propose; it cannot accept, change, forget or configure anything.
    """
    from tacit.mcp import serve

    return serve(call.value("--home"))


@command("BASE OURS THEIRS [SIZE]", "tacit merge-facts base.ndjson ours.ndjson theirs.ndjson")
def run_merge_facts(call: Invocation) -> int:
    """Merge two versions of a fact file by the ids of their facts, and write the result to OURS. Git runs this for
    docs/memory/memories.ndjson after tacit init. A fact that both sides changed is put between conflict markers
    of SIZE characters, and the exit code is 1.
    """
    from tacit.disk.files import OsDisk, replace_file
    from tacit.disk.read import read_foreign
    from tacit.pages.facts import MARKER_SIZE, merge_facts
    from tacit.pages.view_store import SHARED_FILE_MODE

    if len(call.args) not in (3, 4):
        raise call.usage_error("BASE OURS THEIRS")
    base, ours, theirs, *rest = call.args  # git starts it in the root of the work tree, with names of temporary files
    size = max(int(rest[0]), MARKER_SIZE) if rest and rest[0].isdecimal() else MARKER_SIZE
    versions = []
    for path in (base, ours, theirs):
        if (file := read_foreign(path)) is None:
            raise StoreError(f"{path} is no plain file of at most 4 MiB", "merge the lines by hand")
        versions.append(file.data.decode("utf-8", "surrogateescape").split("\n"))
    merged = merge_facts(versions[0], versions[1], versions[2], size)
    text = "".join(line + "\n" for line in merged.lines)
    replace_file(OsDisk(), os.path.abspath(ours), text.encode("utf-8", "surrogateescape"), SHARED_FILE_MODE)
    if merged.conflicts:
        warn(f"tacit: {pluralize(merged.conflicts, 'fact')} changed on both sides; to choose: tacit sync")
    return 1 if merged.conflicts else 0


# The snippet of a shell does these two itself: who comes here has not loaded it.


@command("", "tacit pause")
def run_pause(call: Invocation) -> None:
    """Record no commands of this terminal until tacit resume; other terminals go on. It works in a shell that
    loads Tacit (tacit install, tacit hook), and ends with that shell.
    """
    from tacit.shell.install import snippet_not_loaded

    raise snippet_not_loaded(call.command.name)


@command("", "tacit resume")
def run_resume(call: Invocation) -> None:
    """Record the commands of this terminal again, after tacit pause."""
    from tacit.shell.install import snippet_not_loaded

    raise snippet_not_loaded(call.command.name)
