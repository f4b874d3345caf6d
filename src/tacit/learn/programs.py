"""Tables of programs: their subcommands, targets, wrappers, and what nearly everybody runs."""

from __future__ import annotations

import re

from tacit.record import Record

# Single programs: what is no habit, what takes words that look like commands but are not, other names.

# Looking around, moving about, the shell itself: neither habits nor steps of one.
TRIVIAL = frozenset(
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
ARGUMENTS = frozenset(
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
VERBS = frozenset(
    "add apply attach audit auth backup bench build bump bundle check checkout clean clear clone commit compile config "
    "connect console copy create debug delete deploy describe destroy dev diff disable doc docs doctor down download "
    "edit enable exec export fetch fix fmt format generate get help import info init inspect install kill launch lint "
    "list log login logout logs ls merge migrate mv new open pack package plan preview promote ps publish pull push "
    "query rebuild release reload remove reset restart restore resume rm rollback run scan search seed send serve "
    "server set setup shell show ssh start stats status stop submit switch sync tag tail test trace tunnel uninstall "
    "unlink up update upgrade upload use validate verify version view wait watch whoami why".split()
)

# The same program under another name.
RENAMED = {
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
PLACES = {
    "ssh": frozenset("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split()),
    "mosh": frozenset(("-p", "--ssh", "--port")),
    "autossh": frozenset("-M -L -R -D -i -o -p".split()),
}

# Their first option is the command: `pacman -Syu`.
FLAGGED = frozenset("pacman yay paru dpkg rpm".split())

# With one of these options they are something else than without: `tail -f` waits, `cmake --build` builds.
TELLING = {
    "tail": {"-f": "-f", "-F": "-f", "--follow": "-f"},
    "cmake": {"--build": "--build", "--install": "--install"},
    "crontab": {"-e": "-e", "-l": "-l"},
    "nginx": {"-t": "-t", "-s": "-s"},
    "screen": {"-r": "-r", "-x": "-r"},
}


# Programs whose habit is named by what they are pointed at: a script, a target, a package's own script.


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


# Programs with commands of their own: which words after the name belong to the family.
#
# One command word belongs to it (`git commit`), one more behind a group (`docker compose up`), so many more where
# `levels` says so (`aws s3 ls`). Options and their values before it do not.


class Tool(Record):
    """`valued`: options that take a value; `groups`: words that need one more; `short`: other spellings of a word."""

    valued: frozenset[str]
    groups: frozenset[str]
    short: dict[str, str]
    levels: int


def tool(valued: str = "", groups: str = "", short: str = "", levels: int = 1) -> Tool:
    """`short` as in `"b=build t=test"`."""
    spellings = dict(pair.split("=") for pair in short.split())
    return Tool(frozenset(valued.split()), frozenset(groups.split()), spellings, levels)


_DOCKER = (
    "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file --ansi --parallel "
    "--project-directory"
)
_DOCKER_GROUPS = (
    "compose container image volume network system buildx builder context manifest stack swarm service secret config "
    "plugin scout model machine pod"
)
_KUBECTL = "-n --namespace --context --kubeconfig -s --server --cluster --user --as --as-group --token -v"
_APT = "-o --option -c --config-file -t --target-release -a"
_GIT_GROUPS = "stash remote worktree submodule bisect lfs flow notes subtree sparse-checkout"

TOOLS = {
    # version control
    "git": tool("-C -c --git-dir --work-tree --namespace --super-prefix --config-env", _GIT_GROUPS),
    "gh": tool(
        "-R --repo",
        "pr issue repo run workflow release auth secret variable gist label cache extension alias codespace project "
        "ssh-key gpg-key config search ruleset org",
        "prs=pr",
    ),
    "glab": tool("-R --repo", "mr ci issue repo release auth variable pipeline snippet label", "pipe=ci"),
    "hub": tool("-C -c", "pr issue release ci-status"),
    "jj": tool(
        "-R --repository --at-operation --config",
        "git bookmark op operation workspace config file",
        "b=bookmark st=status",
    ),
    "hg": tool("-R --repository --cwd --config", "", "st=status ci=commit co=update up=update"),
    "svn": tool("--username --password", "", "st=status ci=commit co=checkout up=update"),
    "gt": tool("", "stack branch repo"),
    # containers and clusters
    "docker": tool(_DOCKER, _DOCKER_GROUPS),
    "podman": tool(_DOCKER, _DOCKER_GROUPS),
    "nerdctl": tool(_DOCKER, _DOCKER_GROUPS),
    "kubectl": tool(_KUBECTL, "rollout config auth top set certificate krew plugin"),
    "oc": tool(_KUBECTL, "rollout config adm"),
    "helm": tool(_KUBECTL + " --kube-context", "repo plugin dependency registry get show"),
    "minikube": tool("-p --profile", "addons image"),
    "kind": tool("", "create delete get load export"),
    "k3d": tool("", "cluster image node registry kubeconfig"),
    "k9s": tool(levels=0),
    "argocd": tool("--server", "app repo cluster proj account"),
    "flux": tool("-n --namespace --context", "get reconcile create delete suspend resume"),
    "skaffold": tool("-p --profile"),
    "tilt": tool(),
    "vagrant": tool("", "box plugin snapshot"),
    "lxc": tool("", "config image network profile"),
    "multipass": tool(),
    # infrastructure
    "terraform": tool("-chdir", "state workspace providers"),
    "tofu": tool("-chdir", "state workspace providers"),
    "terragrunt": tool("", "state workspace run-all"),
    "pulumi": tool("-s --stack -C --cwd", "stack config"),
    "cdk": tool("--profile -a --app"),
    "sam": tool("--profile --region", "local"),
    "ansible-galaxy": tool("", "collection role"),
    "ansible-vault": tool(),
    "packer": tool(),
    "vault": tool("", "kv secrets auth policy token operator"),
    "nomad": tool("", "job node alloc"),
    "consul": tool("", "kv"),
    "aws": tool("--profile --region --output --endpoint-url --query --ca-bundle --color", levels=2),
    "aws-vault": tool(),
    "gcloud": tool(
        "--project --account --configuration --format --zone --region --verbosity",
        "instances clusters services firewall-rules disks images ssh-keys configurations jobs versions tags",
        levels=2,
    ),
    "gsutil": tool("-o -h"),
    "bq": tool("--project_id"),
    "az": tool("--subscription -o --output", "account", levels=2),
    "doctl": tool("-t --access-token --context", levels=2),
    "hcloud": tool("", levels=2),
    "fly": tool("-a --app -c --config", "secrets volumes machine machines ips certs postgres scale apps auth ssh"),
    "heroku": tool("-a --app -r --remote"),
    "vercel": tool("-t --token -S --scope", "env domains", "ls=list"),
    "netlify": tool("", "env functions"),
    "firebase": tool("-P --project --token"),
    "wrangler": tool("-c --config -e --env", "pages d1 kv r2 secret queues", "publish=deploy"),
    "supabase": tool("", "db functions migration gen secrets"),
    "railway": tool(),
    "stripe": tool(),
    # packages of the system
    "apt": tool(_APT),
    "apt-get": tool(_APT),
    "apt-cache": tool(),
    "aptitude": tool(),
    "dnf": tool("", "module config-manager"),
    "yum": tool(),
    "zypper": tool("", "", "in=install rm=remove ref=refresh up=update dup=dist-upgrade se=search"),
    "apk": tool(),
    "snap": tool(),
    "flatpak": tool(),
    "brew": tool("", "services bundle", "ls=list rm=uninstall remove=uninstall"),
    "port": tool(),
    "nix": tool("", "flake profile store registry"),
    "nixos-rebuild": tool("--flake -I"),
    "home-manager": tool("--flake"),
    "systemctl": tool("-H --host -M --machine -t --type -p --property -n --lines -o --output"),
    "loginctl": tool(),
    "launchctl": tool(),
    "nmcli": tool("-f --fields", levels=2),
    "ip": tool("-n -netns", "", "a=addr address=addr r=route l=link n=neigh"),
    "ufw": tool(),
    "firewall-cmd": tool(levels=0),
    "tailscale": tool(),
    "wg-quick": tool(),
    # Python
    "pip": tool("--python --log --proxy --cache-dir", "config cache index"),
    "uv": tool("--directory --project --config-file --cache-dir --color", "pip tool python cache self"),
    "poetry": tool("-C --directory -P --project", "env config cache self source"),
    "pipenv": tool("--python"),
    "pdm": tool("-p --project -c --config", "venv cache"),
    "rye": tool("", "toolchain tools"),
    "hatch": tool("-e --env -p --project", "env"),
    "pipx": tool(),
    "conda": tool("", "env config"),
    "mamba": tool("", "env config"),
    "micromamba": tool("", "env config"),
    "pyenv": tool(),
    "pre-commit": tool("-c --config"),
    "alembic": tool("-c --config -x -n --name"),
    "flask": tool("--app -A -e --env-file", "db"),
    "django-admin": tool("--settings --pythonpath"),
    "celery": tool("-A --app -b --broker --workdir", "inspect control"),
    "airflow": tool("", "dags tasks db users connections variables"),
    "dbt": tool(),
    "dvc": tool("", "remote exp stage"),
    "jupyter": tool(),
    "ruff": tool("--config"),
    "coverage": tool("--rcfile"),
    "twine": tool(),
    "streamlit": tool(),
    "fastapi": tool(),
    "mkdocs": tool(),
    "scrapy": tool(),
    "modal": tool("", "app secret volume"),
    "prefect": tool("", "deployment flow-run work-pool server"),
    # JavaScript
    "deno": tool("-c --config"),
    "ng": tool("", "", "s=serve b=build t=test g=generate"),
    "nx": tool("--project -c"),
    "turbo": tool("--filter -F --cache-dir"),
    "lerna": tool("--scope"),
    "vite": tool("-c --config"),
    "next": tool(),
    "nuxt": tool(),
    "astro": tool(),
    "expo": tool(),
    "eas": tool(),
    "prisma": tool("--schema", "migrate db"),
    "drizzle-kit": tool("--config"),
    "playwright": tool(),
    "cypress": tool(),
    "vitest": tool("-c --config"),
    "tauri": tool(),
    "nvm": tool(),
    "fnm": tool(),
    "volta": tool(),
    "corepack": tool(),
    "changeset": tool(),
    # other languages
    "cargo": tool(
        "--config -Z --color -C --manifest-path",
        "nextest",
        "b=build t=test r=run c=check d=doc rm=remove",
    ),
    "rustup": tool("", "toolchain component target default"),
    "go": tool("-C", "mod work tool"),
    "golangci-lint": tool("-c --config"),
    "dotnet": tool("", "ef database migrations tool nuget sln"),
    "rails": tool("", "", "s=server c=console g=generate d=destroy t=test r=runner db=dbconsole"),
    "bundle": tool("", "config"),
    "gem": tool(),
    "rbenv": tool(),
    "composer": tool("-d --working-dir", "run", "i=install u=update req=require run-script=run"),
    "symfony": tool(),
    "mix": tool(),
    "stack": tool("--stack-yaml"),
    "cabal": tool(),
    "opam": tool("", "switch"),
    "dune": tool(),
    "flutter": tool("-d --device-id", "pub build"),
    "dart": tool("", "pub"),
    "swift": tool("", "package"),
    "pod": tool(),
    "fastlane": tool(),
    "sdk": tool(),
    "zig": tool(),
    "bazel": tool("--bazelrc --output_base"),
    "bazelisk": tool(),
    "buck2": tool(),
    "meson": tool(),
    "conan": tool(),
    "vcpkg": tool(),
    "adb": tool("-s -t -H -P"),
    "pio": tool("", "device"),
    # daily helpers
    "mise": tool("-C --cd -E --env", "run", "r=run x=exec i=install u=use"),
    "asdf": tool("", "plugin"),
    "direnv": tool(),
    "chezmoi": tool(),
    "tmux": tool("-L -S -f", "", "a=attach at=attach attach-session=attach new=new-session ls=list-sessions"),
    "zellij": tool("", "", "a=attach ls=list-sessions"),
    "pm2": tool("", "", "ls=list l=list"),
    "supervisorctl": tool("-c"),
    "hugo": tool(),
    "jekyll": tool(),
    "ollama": tool(),
    "llm": tool("", "models keys logs"),
    "claude": tool("", "mcp config plugin"),
    "codex": tool("", "mcp"),
    "op": tool("--account", "item vault"),
    "bw": tool(),
    "pass": tool(),
    "rclone": tool("--config"),
    "restic": tool("-r --repo -p --password-file"),
    "borg": tool(),
    "openssl": tool(),
    "redis-cli": tool(levels=0),
    "psql": tool(levels=0),
}


# Programs that run another command: some are taken off, some are part of what a person calls the habit.


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


# What nearly every user of a shell does: it says nothing about this person. Written down from general knowledge of
# shells and version control, not counted in anybody's history.

# Commands that look at something and change nothing: they are no first or last step of a ritual.
LOOKING = frozenset(
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
_EVERYDAY = frozenset(
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
_CHOSEN = frozenset("rg ag ack fd bat nvim hx micro zed cursor yq btop squeue qstat".split())

COMMON = (LOOKING | _EVERYDAY) - _CHOSEN

# Where everybody is at times and nobody works: the root, temporary folders, homes, folders of the system.
_GENERIC = re.compile(
    r"/?|/(?:private/)?(?:var/)?tmp(?:/.*)?|/root|/(?:home|Users)(?:/[^/]+)?(?:/(?:Downloads|Desktop|Documents|tmp))?"
    r"|/(?:etc|usr|opt|mnt|media|dev|proc|sys|bin|sbin|boot|lib|run)(?:/.*)?|/var(?:/(?:log|lib|run|cache|spool).*)?"
)


def is_generic_directory(path: str) -> bool:
    return _GENERIC.fullmatch(path.rstrip("/")) is not None
