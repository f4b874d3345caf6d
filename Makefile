# make try   an environment, Tacit in it, a tour of six screens in a throw-away home, and tacit setup
# make check lint, types, layers and the tests of the packages that changed, or of one: make check PKG=search
# make test  lint, types, layers, all tests, and some of them on the other interpreters at hand
# make chaos  the long form of tests of kills, faults and hostile input, and the tests that show that these find errors
# make bench  every figure of the README and of bench/README.md, measured, printed and drawn
# make screenshots  pictures of every page of `tacit web`, in .screenshots
# make e2e   real coding agents, installed below .clients, each run offline against a stub of its model
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# Python is started thousands of times, and compiles everything each time where it may not keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: try check test suites lint style types format pytest interpreters e2e chaos bench peers docs screenshots clean

try: $(VENV)/installed
	@$(BIN)/python examples/tour
	@$(BIN)/tacit setup

# The packages to check; those that changed since the branch left main if none is named.
PKG ?=

check: $(VENV)/developing lint
	@$(BIN)/python -m harness.changed $(PKG)

# Types are checked beside the tests: they need one processor for as long as everything else that is not a test.
test: style
	@$(MAKE) --no-print-directory --jobs=2 types suites

suites: pytest
	@$(MAKE) --no-print-directory interpreters

lint: style types

style: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/developing
	$(BIN)/mypy

format: $(VENV)/developing
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pytest: $(VENV)/developing $(VENV)/tools $(VENV)/axe/installed
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder -m 'not chaos' --examples 0.4

# Some of the tests on Debian's own Python, 3.12 and 3.13, where they are installed.
interpreters: $(VENV)/developing $(VENV)/tools
	$(BIN)/python -m harness.interpreters

# Other versions: make e2e CLIENTS=claude=@anthropic-ai/claude-code@latest
CLIENTS_DIR ?= .clients
CLIENTS ?= claude=@anthropic-ai/claude-code@2.1.325 codex=@openai/codex@0.166.0 gemini=@google/gemini-cli@0.61.0 \
  copilot=@github/copilot@1.0.102 opencode=opencode-ai@1.18.18

e2e: $(VENV)/developing $(VENV)/tools
	@for client in $(CLIENTS); do \
	  folder=$(CLIENTS_DIR)/$${client%%=*}; package=$${client#*=}; \
	  [ "$$(cat $$folder/installed 2>/dev/null)" = "$$package" ] && continue; \
	  echo "installing $$package"; \
	  npm install --prefix $$folder --ignore-scripts --no-audit --no-fund --loglevel=error $$package >/dev/null \
	    && echo "$$package" >$$folder/installed || echo "$$package could not be installed; its tests are skipped"; \
	done
	CLIENTS_DIR=$(abspath $(CLIENTS_DIR)) $(BIN)/pytest tests/clients -n 2 --dist loadfile -rs

chaos: $(VENV)/developing $(VENV)/tools
	$(BIN)/pytest -n 2 --dist loadfile -m chaos
	$(BIN)/pytest -n 2 --dist loadfile -m 'hypothesis and not chaos' --examples 5
	$(BIN)/python -m tests.chaos.long

# BENCH=--quick, or BENCH='--only startup hooks'. Public sets: TACIT_BENCH_MATERIAL=FOLDER.
BENCH ?=

bench: $(VENV)/developing $(VENV)/tools
	@$(BIN)/python -m bench $(BENCH); held=$$?; $(BIN)/python -m bench.plots && $(BIN)/python -m bench.claims && exit $$held

# Other memories for agents beside ours. Environments are kept in TACIT_BENCH_CACHE, else in the user's cache folder.
peers: $(VENV)/developing
	$(BIN)/python -m bench.peers

screenshots: $(VENV)/developing $(VENV)/tools
	@fc-list 2>/dev/null | grep -q Inter || $(SUDO) apt-get install -y -qq fonts-inter
	$(BIN)/python -m docs.screenshots

docs: $(VENV)/developing
	$(BIN)/python -m docs.reference.generate
	$(BIN)/python -m docs.picture

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tacit needs Python 3.11 or later; name one: make PYTHON=python3.11 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq -o DPkg::Lock::Timeout=300 python3-venv && $(PYTHON) -m venv $(VENV); }

$(VENV)/installed: $(VENV)/bin/pip pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/developing: $(VENV)/bin/pip pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed

# What tests kill, trace and restrict processes with, the shells that they type into, the browser, a database server with
# its pooler, and an ssh server. Tests start their own servers; those that the packages would start are not needed.
$(VENV)/tools: $(VENV)/bin/pip Makefile
	@{ command -v strace && command -v setpriv && command -v prlimit && command -v unshare && command -v zsh && command -v fish && command -v faketime && command -v direnv && command -v tmux && command -v chromium && ls /usr/lib/postgresql/*/bin/postgres && PATH="$$PATH:/usr/sbin" && command -v pgbouncer && command -v sshd && command -v openssl; } >/dev/null 2>&1 || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq -o DPkg::Lock::Timeout=300 strace util-linux zsh fish faketime direnv tmux chromium postgresql pgbouncer openssh-server openssl; }
	@touch $@

# What finds barriers in pages. Without npm or a registry, the tests that need it are skipped.
AXE ?= axe-core@4.14.0

$(VENV)/axe/installed: $(VENV)/bin/pip
	@npm install --prefix $(VENV)/axe --ignore-scripts --no-audit --no-fund --loglevel=error $(AXE) >/dev/null \
	  || { mkdir -p $(VENV)/axe; echo "$(AXE) could not be installed; its tests are skipped"; }
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .screenshots dist
