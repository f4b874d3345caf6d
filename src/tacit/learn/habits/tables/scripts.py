"""Programs whose habit is named by what they are pointed at: a script, a target, a package's own script."""

from __future__ import annotations

from tacit.record import Record


class Interpreter(Record):
    """`valued`: options with a value; `inline`: options with the program; `commands`: scripts that have commands."""

    valued: frozenset[str] = frozenset()
    inline: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()


def _interpreter(valued: str = "", inline: str = "", commands: str = "") -> Interpreter:
    return Interpreter(frozenset(valued.split()), frozenset(inline.split()), frozenset(commands.split()))


# `python train.py`: the script belongs to the family.
INTERPRETERS = {
    "python": _interpreter("-W -X --check-hash-based-pycs", "-c", "manage.py"),
    "pypy": _interpreter("-W -X", "-c", "manage.py"),
    "ipython": _interpreter("--profile", "-c"),
    "node": _interpreter("-r --require --import --loader --env-file -C", "-e --eval -p --print"),
    "tsx": _interpreter("--tsconfig -r", "-e"),
    "ts-node": _interpreter("-P --project -r", "-e"),
    "ruby": _interpreter("-I -r", "-e"),
    "perl": _interpreter("-I -M", "-e"),
    "php": _interpreter("-c -d -S -t", "-r", "artisan"),
    "lua": _interpreter("-l", "-e"),
    "Rscript": _interpreter("", "-e"),
    "julia": _interpreter("-t -p -J", "-e"),
    "java": _interpreter("-cp -classpath --class-path"),
    "deno run": _interpreter("-c --config"),
    "go run": _interpreter("-tags -ldflags -exec -mod"),
    "ansible-playbook": _interpreter(
        "-i --inventory -l --limit -e --extra-vars -t --tags -u --user --vault-password-file"
    ),
    "streamlit run": _interpreter(),
    "locust": _interpreter("-f -H --host -u -r"),
    "k6 run": _interpreter("-u --vus -d --duration"),
    "source": _interpreter(),
}

# Their scripts are programs of their own: `bash run.sh` is `./run.sh`.
SHELLS = frozenset("bash sh zsh dash ksh fish".split())
SHELL_VALUED = frozenset("-o +o -O --rcfile --init-file".split())

# `python -m pytest` is `pytest`: modules that come with a program of the same name.
# Where a module is spelled otherwise than its program, the underscore is a hyphen.
MODULES = frozenset(
    "pytest pip black ruff mypy flake8 isort pylint coverage tox nox twine poetry uv pipenv pdm hatch pipx jupyter "
    "pre_commit ipython streamlit flask celery alembic uvicorn gunicorn hypercorn mkdocs yamllint bandit "
    "pyright autopep8 yapf pyflakes pdoc invoke fabric scrapy locust dbt awscli ansible playwright "
    "semgrep vulture radon interrogate cython httpie nose2 pycodestyle pydocstyle".split()
)


class Targets(Record):
    """`valued`: options with a value; `several`: whether each word is a target, or only the first."""

    valued: frozenset[str]
    several: bool


def _targets(valued: str = "", *, several: bool = False) -> Targets:
    return Targets(frozenset(valued.split()), several)


# `make lint`: the target belongs to the family.
TARGETS = {
    "make": _targets(
        "-C --directory -f --file --makefile -I --include-dir -o --old-file -W --what-if -j --jobs -l --load-average",
        several=True,
    ),
    "ninja": _targets("-C -f -j -l -k -d -t", several=True),
    "just": _targets("-f --justfile -d --working-directory --set --shell"),
    "task": _targets("-t --taskfile -d --dir"),
    "rake": _targets("-f --rakefile -I -r"),
    "gradle": _targets("-p --project-dir -b -c -I -x --exclude-task --tests", several=True),
    "./gradlew": _targets("-p --project-dir -b -c -I -x --exclude-task --tests", several=True),
    "./mvnw": _targets("-f --file -pl --projects -s --settings -P -T -rf", several=True),
    "mvn": _targets("-f --file -pl --projects -s --settings -P -T -rf", several=True),
    "ant": _targets("-f -buildfile", several=True),
    "sbt": _targets("", several=True),
    "lein": _targets(),
    "invoke": _targets("-c -r"),
    "fab": _targets("-H"),
    "gulp": _targets("-f --gulpfile"),
    "grunt": _targets("--gruntfile"),
    "nox": _targets("-f -s --session --sessions -e"),
    "scons": _targets("-C -f -j", several=True),
    "earthly": _targets(),
    "xmake": _targets(),
    "poe": _targets("-C"),
    "overmind": _targets("-f"),
    "foreman": _targets("-f -e -p"),
}


class Runner(Record):
    """A package manager that runs the scripts of a package; `implicit`: without the word `run`, too."""

    valued: frozenset[str]
    commands: frozenset[str]
    short: dict[str, str]
    implicit: bool
    groups: frozenset[str] = frozenset()


def _runner(valued: str, commands: str, short: str, *, implicit: bool, groups: str = "") -> Runner:
    spellings = dict(pair.split("=") for pair in short.split())
    return Runner(
        frozenset(valued.split()), frozenset(commands.split()), spellings, implicit, frozenset(groups.split())
    )


LIFECYCLE = frozenset("test start stop restart".split())  # `npm run test` is `npm test`

RUNNERS = {
    "npm": _runner(
        "--prefix -C -w --workspace --registry --loglevel --userconfig --cache",
        "install ci test start stop restart",
        "t=test tst=test i=install in=install ins=install inst=install insta=install instal=install isnt=install "
        "isnta=install isntal=install isntall=install add=install it=install-test cit=install-ci-test "
        "clean-install=ci ic=ci install-clean=ci isntall-clean=ci run-script=run rum=run urn=run "
        "un=uninstall unlink=uninstall remove=uninstall rm=uninstall r=uninstall up=update upgrade=update "
        "udpate=update ls=list la=list ll=list c=config v=view info=view show=view s=search se=search ln=link "
        "x=exec ddp=dedupe innit=init create=init why=explain rb=rebuild",
        implicit=False,
        groups="config cache access dist-tag",
    ),
    "pnpm": _runner(
        "-C --dir -F --filter --workspace-concurrency --store-dir --loglevel --reporter",
        "install add remove update test start run exec dlx create init list outdated audit publish pack link unlink "
        "import rebuild prune fetch store why patch patch-commit deploy env setup config licenses server root bin "
        "self-update approve-builds dedupe cat-file doctor login logout version",
        "t=test tst=test i=install rm=remove uninstall=remove un=remove up=update upgrade=update ls=list la=list "
        "ll=list ln=link rb=rebuild run-script=run c=config",
        implicit=True,
        groups="env store config",
    ),
    "yarn": _runner(
        "--cwd --registry",
        "install add remove upgrade upgrade-interactive up run exec dlx create init info list link unlink pack "
        "publish cache config global import audit outdated why version versions workspaces node set plugin dedupe "
        "constraints explain patch rebuild search stage tag team login logout owner autoclean bin check "
        "generate-lock-entry policies npm unplug",
        "rm=remove",
        implicit=True,
        groups="global cache config plugin set npm workspaces",
    ),
    "bun": _runner(
        "--cwd -c --config --filter -F --env-file -r --preload",
        "install add remove update link unlink pm run test build x create init upgrade repl publish outdated patch "
        "exec audit info why completions",
        "i=install a=add rm=remove r=remove c=create",
        implicit=True,
        groups="pm",
    ),
}
