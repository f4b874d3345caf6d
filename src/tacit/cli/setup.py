"""Small commands that set things up: `init`, `hook`, `pause`, `resume` and `mcp`."""

from __future__ import annotations

from tacit.cli.commands import Command, Invocation, Option
from tacit.cli.output import echo
from tacit.errors import UsageError
from tacit.text.display import printable

# tacit hook


def run_hook(call: Invocation) -> int:
    from tacit.shell.install import SHELLS, completion_script, render_snippet

    name = call.single_arg()
    if name not in SHELLS:
        raise UsageError(
            f"tacit hook knows no {name!r}", f"one of: {', '.join(f'tacit hook {shell}' for shell in SHELLS)}"
        )
    print(render_snippet(SHELLS[name]), completion_script(SHELLS[name]), sep="\n", end="")
    return 0


HOOK = Command(
    name="hook",
    usage="SHELL",
    help=(
        "Print what bash, zsh or fish loads so that Tacit learns from the commands you run. Load it by hand with\n"
        '  eval "$(tacit hook bash)"     eval "$(tacit hook zsh)"     tacit hook fish | source\n'
        "or for good with tacit install. Lines that begin with a blank are not recorded, secrets never are. It also\n"
        "completes the words of tacit commands; tacit completion prints that part alone."
    ),
    example="tacit hook bash",
    run=run_hook,
)


# tacit init


def run_init(call: Invocation) -> int:
    call.refuse_args()
    wrappers = True if call.flag("--wrappers") else False if call.flag("--no-wrappers") else None
    made = call.vault.setup.init(wrappers=wrappers, agents=call.all_values("--agent"))
    echo(f"Home ready: {printable(made.home)}" if made.changed else f"Nothing to do: {printable(made.home)} is ready.")
    for path in made.changed:
        if path in made.wrapped:
            echo(f"  {'told' if wrappers else 'taken out of'} {printable(path)}")
    if wrappers and not made.wrapped:
        echo(
            f"No agent found (looked for {', '.join(made.looked_for)}). Name one: tacit init --wrappers --agent claude"
        )
    if wrappers is None:
        echo('Next: tacit add "…"   tacit remember "…" --evidence "…"   tacit init --wrappers to tell your agents')
    return 0


INIT = Command(
    name="init",
    usage="",
    help=(
        "Make the home. With --wrappers, add a short instruction to the files of the agents you use (Claude Code,\n"
        "Codex, Gemini), between markers; --no-wrappers takes it out again and leaves every other byte. Run twice,\n"
        "it changes nothing."
    ),
    example="tacit init --wrappers",
    run=run_init,
    options=(
        Option("--wrappers", help="tell agents about Tacit, in their own files"),
        Option("--no-wrappers", help="take that out again"),
        Option("--agent", "NAME", "only this agent: claude, codex or gemini", repeatable=True),
    ),
)


# tacit mcp


def run_mcp(call: Invocation) -> int:
    from tacit.mcp.server import serve

    call.refuse_args()
    return serve(call.value("--home"))


MCP = Command(
    name="mcp",
    usage="",
    help=(
        "Serve memory to an agent over standard input and output, with the Model Context Protocol. An agent starts it\n"
        "by itself; register it there, for example: claude mcp add tacit -- tacit mcp. The agent can search memory,\n"
        "read briefs, log work and propose; it cannot accept, change, forget or configure anything."
    ),
    example="tacit mcp",
    run=run_mcp,
)


# tacit pause and resume: the snippet does it, in the shell itself. Who comes here has no snippet.


def run_without_snippet(call: Invocation) -> int:
    from tacit.shell.install import snippet_not_loaded

    call.refuse_args()
    raise snippet_not_loaded(call.command.name)


PAUSE = Command(
    name="pause",
    usage="",
    help=(
        "Record no commands of this terminal until tacit resume; other terminals go on. It works in a shell that\n"
        "loads Tacit (tacit install, tacit hook), and ends with that shell."
    ),
    example="tacit pause",
    run=run_without_snippet,
)
RESUME = Command(
    name="resume",
    usage="",
    help="Record the commands of this terminal again, after tacit pause.",
    example="tacit resume",
    run=run_without_snippet,
)
