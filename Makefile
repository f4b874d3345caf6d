# make try   an environment, Tacit in it, and a guided first run in a throw-away home
# make test  lint, types, layers and all tests
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: try test lint format pytest chaos bench docs clean

try: $(VENV)/installed
	@$(BIN)/python examples/tour
	@$(BIN)/tacit try

test: $(VENV)/developing lint pytest

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/developing
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pytest: $(VENV)/developing $(VENV)/tools
	$(BIN)/pytest -n 2

chaos: $(VENV)/developing $(VENV)/tools
	$(BIN)/python bench/chaos.py

bench: $(VENV)/developing
	$(BIN)/python -m bench

docs: $(VENV)/developing
	$(BIN)/python docs/reference/generate.py

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tacit needs Python 3.11 or later; name one: make PYTHON=python3.11 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); }

$(VENV)/installed: $(VENV)/bin/pip pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/developing: $(VENV)/bin/pip pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed

# What tests kill, trace and restrict processes with, and the shells that they type into.
$(VENV)/tools: $(VENV)/bin/pip
	@{ command -v strace && command -v setpriv && command -v prlimit && command -v unshare && command -v zsh && command -v fish; } >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq strace util-linux zsh fish; }
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
