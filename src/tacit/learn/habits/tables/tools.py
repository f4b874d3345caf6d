"""Programs with commands of their own: which words after the name belong to the family.

One command word belongs to it (`git commit`), one more behind a group (`docker compose up`), so many more where
`levels` says so (`aws s3 ls`). Options and their values before it do not.
"""

from __future__ import annotations

from tacit.record import Record


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
