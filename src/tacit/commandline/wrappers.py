"""Programs that run another command: `sudo`, `timeout`, `xargs`, `uv run`.

Only builtins are imported: an agent's tool call waits for this.
"""

from __future__ import annotations

from tacit.record import Record


class Wrapper(Record):
    """How the words of a wrapper are skipped: options that take a value, and words of its own before the command."""

    value_options: frozenset[str] = frozenset()
    positionals: int = 0


def _wrapper(value_options: str = "", positionals: int = 0) -> Wrapper:
    return Wrapper(frozenset(value_options.split()), positionals)


# They are not part of the name of a command: `sudo make test` is a `make test`.
WRAPPERS = {
    "sudo": _wrapper("-u --user -g --group -h --host -p --prompt -C -r --role -t --type -T -U -D --chdir -R --chroot"),
    "doas": _wrapper("-u -C -a"),
    "env": _wrapper("-u --unset -C --chdir -S --split-string"),
    "time": _wrapper("-f --format -o --output"),
    "gtime": _wrapper("-f --format -o --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c --class -n --classdata"),
    "timeout": _wrapper("-s --signal -k --kill-after", positionals=1),
    "gtimeout": _wrapper("-s --signal -k --kill-after", positionals=1),
    "flock": _wrapper("-w --timeout -E", positionals=1),
    "stdbuf": _wrapper("-i -o -e"),
    "caffeinate": _wrapper("-t -w"),
    "exec": _wrapper("-a"),
    "proxychains": _wrapper("-f"),
    "proxychains4": _wrapper("-f"),
    "nohup": _wrapper(),
    "chronic": _wrapper(),
    "unbuffer": _wrapper(),
    "setsid": _wrapper(),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "noglob": _wrapper(),
    "nocorrect": _wrapper(),
    "coproc": _wrapper(),
    "and": _wrapper(),
    "or": _wrapper(),
    "not": _wrapper(),
    "!": _wrapper(),
}
# They are part of it: `uv run pytest` is what a person would tell a colleague to type.
RUN_PREFIXES = {
    "xargs": _wrapper(
        "-I -n -P -L -d -a -s -E --max-args --max-procs --max-lines --delimiter --arg-file --replace --max-chars"
    ),
    "watch": _wrapper("-n --interval"),
    "parallel": _wrapper("-j --jobs -a -n -N -I --max-args --colsep --joblog --delay --timeout"),
    "entr": _wrapper(),
    "npx": _wrapper("-p --package -c --call -w --workspace"),
    "bunx": _wrapper("-p --package"),
    "uvx": _wrapper("--from --with -p --python"),
    "pipx run": _wrapper("--spec --python"),
    "uv run": _wrapper(
        "--with --with-requirements --with-editable -p --python --extra --group --only-group --no-group --package "
        "--directory --project --env-file --index --index-url --config-file"
    ),
    "uv tool run": _wrapper("--from --with -p --python"),
    "poetry run": _wrapper("-C --directory -P --project"),
    "pipenv run": _wrapper(),
    "pdm run": _wrapper("-p --project"),
    "rye run": _wrapper(),
    "hatch run": _wrapper(),
    "conda run": _wrapper("-n --name -p --prefix"),
    "pnpm exec": _wrapper(),
    "pnpm dlx": _wrapper("--package"),
    "yarn exec": _wrapper(),
    "yarn dlx": _wrapper("-p --package"),
    "bundle exec": _wrapper(),
    "mise exec": _wrapper(),
    "asdf exec": _wrapper(),
    "rbenv exec": _wrapper(),
    "direnv exec": _wrapper(positionals=1),
    "dotenv run": _wrapper("-f"),
    "op run": _wrapper("--env-file --account"),
    "doppler run": _wrapper("-p --project -c --config"),
    "tsocks": _wrapper(),
    "mise x": _wrapper(),
    "npm exec": _wrapper("-p --package"),
}
