"""Programs that run another command: some are taken off, some are part of what a person calls the habit."""

from __future__ import annotations

from tacit.record import Record


class Wrapper(Record):
    """Its options that take a value, and how many words of its own stand before the command it runs."""

    valued: frozenset[str] = frozenset()
    own: int = 0


def _wrapper(valued: str = "", own: int = 0) -> Wrapper:
    return Wrapper(frozenset(valued.split()), own)


# Taken off: the habit is what they run.
WRAPPERS = {
    "sudo": _wrapper("-u --user -g --group -h --host -p --prompt -C -r --role -t --type -T -U -D --chdir -R --chroot"),
    "doas": _wrapper("-u -C -a"),
    "env": _wrapper("-u --unset -C --chdir -S --split-string"),
    "time": _wrapper("-f --format -o --output"),
    "gtime": _wrapper("-f --format -o --output"),
    "nohup": _wrapper(),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c --class -n --classdata"),
    "timeout": _wrapper("-s --signal -k --kill-after", own=1),
    "gtimeout": _wrapper("-s --signal -k --kill-after", own=1),
    "flock": _wrapper("-w --timeout -E", own=1),
    "stdbuf": _wrapper("-i -o -e"),
    "chronic": _wrapper(),
    "unbuffer": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "setsid": _wrapper(),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "exec": _wrapper("-a"),
    "noglob": _wrapper(),
    "nocorrect": _wrapper(),
    "coproc": _wrapper(),
    "proxychains": _wrapper("-f"),
    "proxychains4": _wrapper("-f"),
    # fish
    "and": _wrapper(),
    "or": _wrapper(),
    "not": _wrapper(),
    "!": _wrapper(),
}

# Kept, followed by what they run: `uv run pytest` is what a person would tell a colleague to type, not `pytest`.
PREFIXES = {
    "xargs": _wrapper(
        "-I -i -n -P -L -l -d -a -s -E --max-args --max-procs --max-lines --delimiter --arg-file --replace --max-chars"
    ),
    "watch": _wrapper("-n --interval"),
    "parallel": _wrapper("-j --jobs -a"),
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
    "direnv exec": _wrapper(own=1),
    "dotenv run": _wrapper("-f"),
    "op run": _wrapper("--env-file --account"),
    "doppler run": _wrapper("-p --project -c --config"),
    "tsocks": _wrapper(),
}
