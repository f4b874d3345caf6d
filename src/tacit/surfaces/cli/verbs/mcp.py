"""tacit mcp."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command


def run(call: Call) -> int:
    from tacit.surfaces.mcp.server import serve

    call.no_words()
    return serve(call.value("--home"))


COMMAND = Command(
    name="mcp",
    words="",
    help=(
        "Serve memory to an agent over standard input and output, with the Model Context Protocol. An agent starts it\n"
        "by itself; register it there, for example: claude mcp add tacit -- tacit mcp. The agent can search memory,\n"
        "read briefs, log work and propose; it cannot accept, change, forget or configure anything."
    ),
    example="tacit mcp",
    run=run,
)
