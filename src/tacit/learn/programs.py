"""Tables of programs: their subcommands, targets, wrappers, and what nearly everybody runs."""

from __future__ import annotations

import re

from tacit.record import Record

# Single programs: what is no habit, what takes words that look like commands but are not, other names.

# Looking around, moving about, the shell itself: neither habits nor steps of one.
TRIVIAL_COMMANDS = frozenset(
    # where am I, what is here
    "ls ll la l lsd exa eza dir vdir tree pwd cd pushd popd dirs z zi j autojump cd.. .. ... .... "
    # look at a thing
    "cat bat less more most head tail echo printf print which type whereis whatis man help info tldr apropos "
    "whoami id who w date cal uname hostname uptime "
    # the shell and its terminal
    "clear cls reset tacit history fc exit logout quit q :q jobs fg bg disown wait sleep true false : test [ [[ let "
    "bye export set unset setenv declare typeset local readonly alias unalias function abbr hash rehash bind bindkey "
    "shopt setopt unsetopt umask ulimit read shift trap return break continue eval env printenv command yes stty "
    "getopts builtin emulate zle compinit autoload mark commandline contains string status begin end stop suspend su "
    "> < >> } "
    # the head of a block of another shell that nothing could be read from
    "if for while until case switch select foreach repeat".split()
)

# What comes after the name is never a command word of the program, whatever it looks like.
NO_SUBCOMMANDS = frozenset(
    "cp mv rm mkdir rmdir touch ln chmod chown chgrp install find fd locate grep rg ag ack sed awk gawk cut sort uniq "
    "wc tr tee diff comm paste join split xxd od hexdump strings file stat du df dd sync truncate mktemp readlink "
    "realpath basename dirname seq expr bc jq yq tar zip unzip gzip gunzip bzip2 xz zstd 7z rsync scp sftp ftp telnet "
    "nc ncat netcat socat curl wget http https xh ping traceroute mtr dig nslookup host whois nmap tcpdump tshark "
    "wireshark netstat ss lsof ps top htop btop kill killall pkill pgrep renice mount umount lsblk fdisk parted mkfs "
    "useradd userdel usermod passwd groupadd groups chsh crontab at vi vim nvim view nano emacs emacsclient code "
    "cursor subl zed idea pycharm hx helix micro kak ed open xdg-open start explorer pbcopy pbpaste xclip xsel wl-copy "
    "python ruby node gcc g++ cc clang clang++ rustc javac java ghc tsc eslint prettier jest mocha pytest tox mypy "
    "black isort flake8 pylint pyright shellcheck shfmt gofmt goimports rustfmt clang-format hyperfine strace ltrace "
    "gdb lldb valgrind perf make cmake ctest ld nm objdump readelf ldd convert magick ffmpeg ffprobe mpv vlc feh "
    "mysql mysqldump sqlite3 psql pg_dump pg_restore createdb dropdb mongo mongosh redis-cli gpg ssh-keygen "
    "ssh-copy-id ssh-add base64 md5sum sha1sum sha256sum cksum fzf cowsay figlet lolcat ranger nnn mc lf yazi "
    "hashcat john hydra gobuster nikto sqlmap dirb msfconsole msfvenom wpscan fcrackzip enum4linux "
    "uvicorn gunicorn nodemon bundle-audit screen dpkg rpm modprobe dmesg journalctl last free say "
    "delta tig lazygit lazydocker k9s ncdu".split()
)

# A name followed by one of these is a program with commands, also where nobody has written it down yet.
COMMON_SUBCOMMANDS = frozenset(
    "add apply attach audit auth backup bench build bump bundle check checkout clean clear clone commit compile config "
    "connect console copy create debug delete deploy describe destroy dev diff disable doc docs doctor down download "
    "edit enable exec export fetch fix fmt format generate get help import info init inspect install kill launch lint "
    "list log login logout logs ls merge migrate mv new open pack package plan preview promote ps publish pull push "
    "query rebuild release reload remove reset restart restore resume rm rollback run scan search seed send serve "
    "server set setup shell show ssh start stats status stop submit switch sync tag tail test trace tunnel uninstall "
    "unlink up update upgrade upload use validate verify version view wait watch whoami why".split()
)

# The same program under another name.
ALIASES = {
    "nodejs": "node",
    "py": "python",
    "py.test": "pytest",
    "pytest-3": "pytest",
    "egrep": "grep",
    "fgrep": "grep",
    "zgrep": "grep",
    "batcat": "bat",
    "fdfind": "fd",
    "docker-compose": "docker compose",
    "pnpx": "pnpm dlx",
    "yarnpkg": "yarn",
    "gmake": "make",
    "gradlew": "./gradlew",
    "mvnw": "./mvnw",
    "inv": "invoke",
    "go-task": "task",
    "flyctl": "fly",
    ".": "source",
    "gsed": "sed",
    "gawk": "awk",
    "artisan": "php artisan",
    "manage.py": "python manage.py",
}

# The word behind the name is the habit: a person calls it "ssh to build-1".
SSH_PROGRAMS = {
    "ssh": frozenset("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split()),
    "mosh": frozenset(("-p", "--ssh", "--port")),
    "autossh": frozenset("-M -L -R -D -i -o -p".split()),
}

# Their first option is the command: `pacman -Syu`.
FLAG_COMMANDS = frozenset("pacman yay paru dpkg rpm".split())

# With one of these options they are something else than without: `tail -f` waits, `cmake --build` builds.
MODE_FLAGS = {
    "tail": {"-f": "-f", "-F": "-f", "--follow": "-f"},
    "cmake": {"--build": "--build", "--install": "--install"},
    "crontab": {"-e": "-e", "-l": "-l"},
    "nginx": {"-t": "-t", "-s": "-s"},
    "screen": {"-r": "-r", "-x": "-r"},
}


# Programs whose habit is named by what they are pointed at: a script, a target, a package's own script.


class Interpreter(Record):
    """`valued`: options with a value; `inline`: options with the program; `commands`: scripts that have commands."""

    value_options: frozenset[str] = frozenset()
    inline_options: frozenset[str] = frozenset()
    command_scripts: frozenset[str] = frozenset()


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
SHELL_VALUE_OPTIONS = frozenset("-o +o -O --rcfile --init-file".split())

# `python -m pytest` is `pytest`: modules that come with a program of the same name.
# Where a module is spelled otherwise than its program, the underscore is a hyphen.
PYTHON_MODULES = frozenset(
    "pytest pip black ruff mypy flake8 isort pylint coverage tox nox twine poetry uv pipenv pdm hatch pipx jupyter "
    "pre_commit ipython streamlit flask celery alembic uvicorn gunicorn hypercorn mkdocs yamllint bandit "
    "pyright autopep8 yapf pyflakes pdoc invoke fabric scrapy locust dbt awscli ansible playwright "
    "semgrep vulture radon interrogate cython httpie nose2 pycodestyle pydocstyle".split()
)


class TaskRunner(Record):
    """`valued`: options with a value; `several`: whether each word is a target, or only the first."""

    value_options: frozenset[str]
    takes_several: bool


def _task_runner(valued: str = "", *, several: bool = False) -> TaskRunner:
    return TaskRunner(frozenset(valued.split()), several)


# `make lint`: the target belongs to the family.
TASK_RUNNERS = {
    "make": _task_runner(
        "-C --directory -f --file --makefile -I --include-dir -o --old-file -W --what-if -j --jobs -l --load-average",
        several=True,
    ),
    "ninja": _task_runner("-C -f -j -l -k -d -t", several=True),
    "just": _task_runner("-f --justfile -d --working-directory --set --shell"),
    "task": _task_runner("-t --taskfile -d --dir"),
    "rake": _task_runner("-f --rakefile -I -r"),
    "gradle": _task_runner("-p --project-dir -b -c -I -x --exclude-task --tests", several=True),
    "./gradlew": _task_runner("-p --project-dir -b -c -I -x --exclude-task --tests", several=True),
    "./mvnw": _task_runner("-f --file -pl --projects -s --settings -P -T -rf", several=True),
    "mvn": _task_runner("-f --file -pl --projects -s --settings -P -T -rf", several=True),
    "ant": _task_runner("-f -buildfile", several=True),
    "sbt": _task_runner("", several=True),
    "lein": _task_runner(),
    "invoke": _task_runner("-c -r"),
    "fab": _task_runner("-H"),
    "gulp": _task_runner("-f --gulpfile"),
    "grunt": _task_runner("--gruntfile"),
    "nox": _task_runner("-f -s --session --sessions -e"),
    "scons": _task_runner("-C -f -j", several=True),
    "earthly": _task_runner(),
    "xmake": _task_runner(),
    "poe": _task_runner("-C"),
    "overmind": _task_runner("-f"),
    "foreman": _task_runner("-f -e -p"),
}


class PackageManager(Record):
    """A package manager that runs the scripts of a package; `implicit`: without the word `run`, too."""

    value_options: frozenset[str]
    commands: frozenset[str]
    aliases: dict[str, str]
    implicit_run: bool
    groups: frozenset[str] = frozenset()


def _package_manager(valued: str, commands: str, short: str, *, implicit: bool, groups: str = "") -> PackageManager:
    spellings = dict(pair.split("=") for pair in short.split())
    return PackageManager(
        frozenset(valued.split()), frozenset(commands.split()), spellings, implicit, frozenset(groups.split())
    )


LIFECYCLE_SCRIPTS = frozenset("test start stop restart".split())  # `npm run test` is `npm test`

PACKAGE_MANAGERS = {
    "npm": _package_manager(
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
    "pnpm": _package_manager(
        "-C --dir -F --filter --workspace-concurrency --store-dir --loglevel --reporter",
        "install add remove update test start run exec dlx create init list outdated audit publish pack link unlink "
        "import rebuild prune fetch store why patch patch-commit deploy env setup config licenses server root bin "
        "self-update approve-builds dedupe cat-file doctor login logout version",
        "t=test tst=test i=install rm=remove uninstall=remove un=remove up=update upgrade=update ls=list la=list "
        "ll=list ln=link rb=rebuild run-script=run c=config",
        implicit=True,
        groups="env store config",
    ),
    "yarn": _package_manager(
        "--cwd --registry",
        "install add remove upgrade upgrade-interactive up run exec dlx create init info list link unlink pack "
        "publish cache config global import audit outdated why version versions workspaces node set plugin dedupe "
        "constraints explain patch rebuild search stage tag team login logout owner autoclean bin check "
        "generate-lock-entry policies npm unplug",
        "rm=remove",
        implicit=True,
        groups="global cache config plugin set npm workspaces",
    ),
    "bun": _package_manager(
        "--cwd -c --config --filter -F --env-file -r --preload",
        "install add remove update link unlink pm run test build x create init upgrade repl publish outdated patch "
        "exec audit info why completions",
        "i=install a=add rm=remove r=remove c=create",
        implicit=True,
        groups="pm",
    ),
}


# Programs with commands of their own: which words after the name belong to the family.
#
# One command word belongs to it (`git commit`), one more behind a group (`docker compose up`), so many more where
# `levels` says so (`aws s3 ls`). Options and their values before it do not.


class SubcommandProgram(Record):
    """`valued`: options that take a value; `groups`: words that need one more; `short`: other spellings of a word."""

    value_options: frozenset[str]
    groups: frozenset[str]
    aliases: dict[str, str]
    levels: int


def _program(valued: str = "", groups: str = "", short: str = "", levels: int = 1) -> SubcommandProgram:
    """`short` as in `"b=build t=test"`."""
    spellings = dict(pair.split("=") for pair in short.split())
    return SubcommandProgram(frozenset(valued.split()), frozenset(groups.split()), spellings, levels)


_DOCKER_OPTIONS = (
    "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file --ansi --parallel "
    "--project-directory"
)
_DOCKER_GROUPS = (
    "compose container image volume network system buildx builder context manifest stack swarm service secret config "
    "plugin scout model machine pod"
)
_KUBECTL_OPTIONS = "-n --namespace --context --kubeconfig -s --server --cluster --user --as --as-group --token -v"
_APT_OPTIONS = "-o --option -c --config-file -t --target-release -a"
_GIT_GROUPS = "stash remote worktree submodule bisect lfs flow notes subtree sparse-checkout"

SUBCOMMAND_PROGRAMS = {
    # version control
    "git": _program("-C -c --git-dir --work-tree --namespace --super-prefix --config-env", _GIT_GROUPS),
    "gh": _program(
        "-R --repo",
        "pr issue repo run workflow release auth secret variable gist label cache extension alias codespace project "
        "ssh-key gpg-key config search ruleset org",
        "prs=pr",
    ),
    "glab": _program("-R --repo", "mr ci issue repo release auth variable pipeline snippet label", "pipe=ci"),
    "hub": _program("-C -c", "pr issue release ci-status"),
    "jj": _program(
        "-R --repository --at-operation --config",
        "git bookmark op operation workspace config file",
        "b=bookmark st=status",
    ),
    "hg": _program("-R --repository --cwd --config", "", "st=status ci=commit co=update up=update"),
    "svn": _program("--username --password", "", "st=status ci=commit co=checkout up=update"),
    "gt": _program("", "stack branch repo"),
    # containers and clusters
    "docker": _program(_DOCKER_OPTIONS, _DOCKER_GROUPS),
    "podman": _program(_DOCKER_OPTIONS, _DOCKER_GROUPS),
    "nerdctl": _program(_DOCKER_OPTIONS, _DOCKER_GROUPS),
    "kubectl": _program(_KUBECTL_OPTIONS, "rollout config auth top set certificate krew plugin"),
    "oc": _program(_KUBECTL_OPTIONS, "rollout config adm"),
    "helm": _program(_KUBECTL_OPTIONS + " --kube-context", "repo plugin dependency registry get show"),
    "minikube": _program("-p --profile", "addons image"),
    "kind": _program("", "create delete get load export"),
    "k3d": _program("", "cluster image node registry kubeconfig"),
    "k9s": _program(levels=0),
    "argocd": _program("--server", "app repo cluster proj account"),
    "flux": _program("-n --namespace --context", "get reconcile create delete suspend resume"),
    "skaffold": _program("-p --profile"),
    "tilt": _program(),
    "vagrant": _program("", "box plugin snapshot"),
    "lxc": _program("", "config image network profile"),
    "multipass": _program(),
    # infrastructure
    "terraform": _program("-chdir", "state workspace providers"),
    "tofu": _program("-chdir", "state workspace providers"),
    "terragrunt": _program("", "state workspace run-all"),
    "pulumi": _program("-s --stack -C --cwd", "stack config"),
    "cdk": _program("--profile -a --app"),
    "sam": _program("--profile --region", "local"),
    "ansible-galaxy": _program("", "collection role"),
    "ansible-vault": _program(),
    "packer": _program(),
    "vault": _program("", "kv secrets auth policy token operator"),
    "nomad": _program("", "job node alloc"),
    "consul": _program("", "kv"),
    "aws": _program("--profile --region --output --endpoint-url --query --ca-bundle --color", levels=2),
    "aws-vault": _program(),
    "gcloud": _program(
        "--project --account --configuration --format --zone --region --verbosity",
        "instances clusters services firewall-rules disks images ssh-keys configurations jobs versions tags",
        levels=2,
    ),
    "gsutil": _program("-o -h"),
    "bq": _program("--project_id"),
    "az": _program("--subscription -o --output", "account", levels=2),
    "doctl": _program("-t --access-token --context", levels=2),
    "hcloud": _program("", levels=2),
    "fly": _program("-a --app -c --config", "secrets volumes machine machines ips certs postgres scale apps auth ssh"),
    "heroku": _program("-a --app -r --remote"),
    "vercel": _program("-t --token -S --scope", "env domains", "ls=list"),
    "netlify": _program("", "env functions"),
    "firebase": _program("-P --project --token"),
    "wrangler": _program("-c --config -e --env", "pages d1 kv r2 secret queues", "publish=deploy"),
    "supabase": _program("", "db functions migration gen secrets"),
    "railway": _program(),
    "stripe": _program(),
    # packages of the system
    "apt": _program(_APT_OPTIONS),
    "apt-get": _program(_APT_OPTIONS),
    "apt-cache": _program(),
    "aptitude": _program(),
    "dnf": _program("", "module config-manager"),
    "yum": _program(),
    "zypper": _program("", "", "in=install rm=remove ref=refresh up=update dup=dist-upgrade se=search"),
    "apk": _program(),
    "snap": _program(),
    "flatpak": _program(),
    "brew": _program("", "services bundle", "ls=list rm=uninstall remove=uninstall"),
    "port": _program(),
    "nix": _program("", "flake profile store registry"),
    "nixos-rebuild": _program("--flake -I"),
    "home-manager": _program("--flake"),
    "systemctl": _program("-H --host -M --machine -t --type -p --property -n --lines -o --output"),
    "loginctl": _program(),
    "launchctl": _program(),
    "nmcli": _program("-f --fields", levels=2),
    "ip": _program("-n -netns", "", "a=addr address=addr r=route l=link n=neigh"),
    "ufw": _program(),
    "firewall-cmd": _program(levels=0),
    "tailscale": _program(),
    "wg-quick": _program(),
    # Python
    "pip": _program("--python --log --proxy --cache-dir", "config cache index"),
    "uv": _program("--directory --project --config-file --cache-dir --color", "pip tool python cache self"),
    "poetry": _program("-C --directory -P --project", "env config cache self source"),
    "pipenv": _program("--python"),
    "pdm": _program("-p --project -c --config", "venv cache"),
    "rye": _program("", "toolchain tools"),
    "hatch": _program("-e --env -p --project", "env"),
    "pipx": _program(),
    "conda": _program("", "env config"),
    "mamba": _program("", "env config"),
    "micromamba": _program("", "env config"),
    "pyenv": _program(),
    "pre-commit": _program("-c --config"),
    "alembic": _program("-c --config -x -n --name"),
    "flask": _program("--app -A -e --env-file", "db"),
    "django-admin": _program("--settings --pythonpath"),
    "celery": _program("-A --app -b --broker --workdir", "inspect control"),
    "airflow": _program("", "dags tasks db users connections variables"),
    "dbt": _program(),
    "dvc": _program("", "remote exp stage"),
    "jupyter": _program(),
    "ruff": _program("--config"),
    "coverage": _program("--rcfile"),
    "twine": _program(),
    "streamlit": _program(),
    "fastapi": _program(),
    "mkdocs": _program(),
    "scrapy": _program(),
    "modal": _program("", "app secret volume"),
    "prefect": _program("", "deployment flow-run work-pool server"),
    # JavaScript
    "deno": _program("-c --config"),
    "ng": _program("", "", "s=serve b=build t=test g=generate"),
    "nx": _program("--project -c"),
    "turbo": _program("--filter -F --cache-dir"),
    "lerna": _program("--scope"),
    "vite": _program("-c --config"),
    "next": _program(),
    "nuxt": _program(),
    "astro": _program(),
    "expo": _program(),
    "eas": _program(),
    "prisma": _program("--schema", "migrate db"),
    "drizzle-kit": _program("--config"),
    "playwright": _program(),
    "cypress": _program(),
    "vitest": _program("-c --config"),
    "tauri": _program(),
    "nvm": _program(),
    "fnm": _program(),
    "volta": _program(),
    "corepack": _program(),
    "changeset": _program(),
    # other languages
    "cargo": _program(
        "--config -Z --color -C --manifest-path",
        "nextest",
        "b=build t=test r=run c=check d=doc rm=remove",
    ),
    "rustup": _program("", "toolchain component target default"),
    "go": _program("-C", "mod work tool"),
    "golangci-lint": _program("-c --config"),
    "dotnet": _program("", "ef database migrations tool nuget sln"),
    "rails": _program("", "", "s=server c=console g=generate d=destroy t=test r=runner db=dbconsole"),
    "bundle": _program("", "config"),
    "gem": _program(),
    "rbenv": _program(),
    "composer": _program("-d --working-dir", "run", "i=install u=update req=require run-script=run"),
    "symfony": _program(),
    "mix": _program(),
    "stack": _program("--stack-yaml"),
    "cabal": _program(),
    "opam": _program("", "switch"),
    "dune": _program(),
    "flutter": _program("-d --device-id", "pub build"),
    "dart": _program("", "pub"),
    "swift": _program("", "package"),
    "pod": _program(),
    "fastlane": _program(),
    "sdk": _program(),
    "zig": _program(),
    "bazel": _program("--bazelrc --output_base"),
    "bazelisk": _program(),
    "buck2": _program(),
    "meson": _program(),
    "conan": _program(),
    "vcpkg": _program(),
    "adb": _program("-s -t -H -P"),
    "pio": _program("", "device"),
    # daily helpers
    "mise": _program("-C --cd -E --env", "run", "r=run x=exec i=install u=use"),
    "asdf": _program("", "plugin"),
    "direnv": _program(),
    "chezmoi": _program(),
    "tmux": _program("-L -S -f", "", "a=attach at=attach attach-session=attach new=new-session ls=list-sessions"),
    "zellij": _program("", "", "a=attach ls=list-sessions"),
    "pm2": _program("", "", "ls=list l=list"),
    "supervisorctl": _program("-c"),
    "hugo": _program(),
    "jekyll": _program(),
    "ollama": _program(),
    "llm": _program("", "models keys logs"),
    "claude": _program("", "mcp config plugin"),
    "codex": _program("", "mcp"),
    "op": _program("--account", "item vault"),
    "bw": _program(),
    "pass": _program(),
    "rclone": _program("--config"),
    "restic": _program("-r --repo -p --password-file"),
    "borg": _program(),
    "openssl": _program(),
    "redis-cli": _program(levels=0),
    "psql": _program(levels=0),
}


# Programs that run another command: some are taken off, some are part of what a person calls the habit.


class Wrapper(Record):
    """Its options that take a value, and how many words of its own stand before the command it runs."""

    value_options: frozenset[str] = frozenset()
    positionals: int = 0


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
RUN_PREFIXES = {
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


# What nearly every user of a shell does: it says nothing about this person. Written down from general knowledge of
# shells and version control, not counted in anybody's history.

# Commands that look at something and change nothing: they are no first or last step of a ritual.
READ_ONLY_COMMANDS = frozenset(
    "git status|git diff|git log|git show|git branch|git remote|git fetch|git blame|git reflog|git rev-parse|"
    "git ls-files|git ls-tree|git stash list|git config|git cat-file|git merge-base|git rev-list|git grep|"
    "gh api|gh auth status|gh repo view|terraform show|helm list|cargo tree|go list|go doc|npm outdated|"
    "docker ps|docker images|docker logs|docker inspect|docker compose ps|docker compose logs|kubectl get|"
    "kubectl describe|kubectl logs|systemctl status|journalctl|npm ls|npm list|pip list|pip show|pip freeze|go env|"
    "go version|brew list|brew info|apt list|apt search|gh pr view|gh pr list|gh pr diff|gh issue view|gh issue list|"
    "gh run view|gh run list|tmux ls|tmux attach|"
    "grep|rg|ag|ack|find|fd|locate|diff|wc|sort|uniq|cut|tr|comm|stat|file|du|df|ps|top|htop|btop|pgrep|lsof|free|"
    "ping|dig|nslookup|host|whois|traceroute|ifconfig|ip|netstat|ss|jq|yq|xxd|hexdump|strings|md5sum|sha256sum|"
    "open|xdg-open|code|cursor|subl|zed|idea|pycharm|vi|vim|nvim|nano|emacs|emacsclient|hx|micro|view|ed|"
    "tail -f|watch|squeue|qstat".split("|")
)

# Everybody's commands that do change something.
_COMMON_WRITE_COMMANDS = frozenset(
    "git add|git commit|git push|git pull|git checkout|git switch|git stash|git stash pop|git clone|git init|git reset|"
    "git restore|git merge|git rebase|git rm|git mv|git clean|git tag|git cherry-pick|"
    "cp|mv|rm|mkdir|rmdir|touch|ln|chmod|chown|chgrp|tar|zip|unzip|gzip|gunzip|sed|awk|tee|xargs|dd|"
    "kill|killall|pkill|curl|wget|scp|rsync|ssh|su|sudo|passwd|crontab -e|crontab -l|source|bash|sh|zsh|"
    "python|python -c|ipython|node|ruby|perl|java|npm install|npm init|npm ci|pnpm install|yarn install|bun install|"
    "pip install|pip uninstall|apt install|"
    "apt update|apt upgrade|apt-get install|apt-get update|brew install|brew update|brew upgrade|yum install|"
    "dnf install|pacman -S|pacman -Syu|docker run|docker exec|docker pull|docker rm|docker stop|systemctl start|"
    "docker build|docker compose up|docker compose down|docker compose build|docker compose|kubectl apply|"
    "kubectl delete|kubectl exec|gh pr create|gh pr checkout|gh repo clone|helm install|helm upgrade|"
    "systemctl restart|systemctl stop|service start|service restart|make|make install|cargo new|"
    "go get|go build|go test|go run|go fmt|go vet|go install|go mod|go mod tidy|go generate|gofmt|"
    "cargo build|cargo test|cargo run|cargo check|cargo fmt|cargo add|rustup update|dotnet build|dotnet test|"
    "mvn test|mvn install|mvn package|mvn clean|gradle build|gradle test|./gradlew build|./gradlew test|swift build|"
    "swift test|npm test|npm start|npm run|bundle install|composer install|terraform init|python -m venv|"
    "tmux|screen|gcc|alias|reboot|shutdown|mount|umount|base64|openssl|gpg|ssh-keygen|bc|expr|seq|convert".split("|")
)

# Tools that somebody chose over the usual one: worth telling, although they only look.
_ALTERNATIVE_TOOLS = frozenset("rg ag ack fd bat nvim hx micro zed cursor yq btop squeue qstat".split())

COMMON_COMMANDS = (READ_ONLY_COMMANDS | _COMMON_WRITE_COMMANDS) - _ALTERNATIVE_TOOLS

# Where everybody is at times and nobody works: the root, temporary folders, homes, folders of the system.
_GENERIC_DIRECTORY = re.compile(
    r"/?|/(?:private/)?(?:var/)?tmp(?:/.*)?|/root|/(?:home|Users)(?:/[^/]+)?(?:/(?:Downloads|Desktop|Documents|tmp))?"
    r"|/(?:etc|usr|opt|mnt|media|dev|proc|sys|bin|sbin|boot|lib|run)(?:/.*)?|/var(?:/(?:log|lib|run|cache|spool).*)?"
)


def is_generic_directory(path: str) -> bool:
    return _GENERIC_DIRECTORY.fullmatch(path.rstrip("/")) is not None
