PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
AGENT := $(BIN)/erc3-agent
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
LAB_STAMP := $(VENV)/.installed-lab
ARGS ?=
LOGS ?= logs

.PHONY: help run test quick nightly pytest lab view setup check clean distclean

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: setup  ## run the benchmark on the embedded platform, without a key (ARGS="--option ...")
	@$(AGENT) $(ARGS)

view: setup  ## show all runs of a folder in the browser, live (LOGS=logs)
	@mkdir -p $(LOGS)
	@$(AGENT) view $(LOGS) $(ARGS)

lab: $(LAB_STAMP)  ## play packs and report scores with intervals (ARGS="--pack ...")
	@$(AGENT) regress $(ARGS)

setup: $(STAMP)  ## prepare .venv

# Installs the project, with the extras that are named, into the environment.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: Python 3.11 or newer is needed (set PYTHON=...)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing $(2) into $(VENV) (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.$(1)'
endef

$(STAMP): pyproject.toml
	$(call install,,what a run needs)
	@touch $@

$(LAB_STAMP): $(STAMP)
	$(call install,[lab],the extra lab)
	@touch $@

# At once with all the rest: every installation finds out anew what goes with what.
$(DEV_STAMP): pyproject.toml
	$(call install,[dev],what the tests need)
	@touch $(STAMP) $(LAB_STAMP) $@

# Every process that a test starts would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

# Beside each other: mypy keeps one core busy, and so does the start of the tests.
test: $(DEV_STAMP)  ## everything that must hold
	@$(MAKE) --no-print-directory -j 2 check pytest

quick: $(DEV_STAMP)  ## while working: lint, types, and tests that start nothing and wait for nothing
	@$(MAKE) --no-print-directory -j 2 check pytest ARGS=--quick

nightly: check  ## all tests, also those that take long and find little
	@$(MAKE) --no-print-directory pytest TESTS='process or not process'

TESTS = not nightly

pytest: $(DEV_STAMP)
	@$(BIN)/python -m pytest -n auto --dist worksteal -m '$(TESTS)' $(ARGS)

check: $(DEV_STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache >/dev/null || $(BIN)/lint-imports --no-cache
	@$(BIN)/mypy

clean:  ## remove caches and what a build leaves
	rm -rf build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean  ## remove .venv as well
	rm -rf $(VENV)
