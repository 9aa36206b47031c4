# Everything below works on a machine with python3 (3.11 to 3.13), pip and make; nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A venv made without ensurepip has no pip of its own; then the outer pip installs into it.
PIP = $(if $(wildcard $(BIN)/pip),$(BIN)/python -m pip,$(PYTHON) -m pip --python $(BIN)/python)
INSTALL = $(PIP) install --quiet --disable-pip-version-check
LOCKS := run test bench
HAS_CC = { command -v cc || command -v gcc || command -v clang; } >/dev/null
# Tests compile into the checkout: what older versions left in the user's cache cannot reach them.
test thorough suite: export TEGOTAE_CACHE ?= $(CURDIR)/$(VENV)/kernels

.PHONY: run setup test thorough suite together alone library lint style types papers figures bench soak lock clean help

run: $(VENV)/.run  ## check every paper and write the illustrated report
	$(BIN)/tegotae papers --report report.html

setup: $(VENV)/.test  ## .venv with the package and what its tests need

# Types are checked while the tests run: by themselves, either would leave a core idle for a while.
# Tests that live in real time come after both, one by one: beside others they would judge the load of the machine.
test: style  ## style, strict types and the whole test suite
	$(MAKE) --no-print-directory --jobs=2 types together
	$(MAKE) --no-print-directory alone

thorough: style  ## the same with the slow tests, and new random examples; then once more with numba's kernels
	TEGOTAE_EXAMPLES=new $(MAKE) --no-print-directory --jobs=2 types together WHICH='slow or not slow'
	TEGOTAE_EXAMPLES=new $(MAKE) --no-print-directory alone WHICH='slow or not slow'
	TEGOTAE_BACKEND=numba $(MAKE) --no-print-directory together

suite:  ## the tests without style and types
	$(MAKE) --no-print-directory together
	$(MAKE) --no-print-directory alone

WHICH := not slow

together: library
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not realtime and ($(WHICH))"

alone: $(VENV)/.test
	$(BIN)/python -m pytest -n 0 -q -m "realtime and ($(WHICH))"

# Loops are compiled when the package is installed, and anew after an edit of what they are made of.
library: $(VENV)/.test
	@$(BIN)/python -m tegotae.shipped_machines $(VENV)/share/tegotae

lint: style types  ## style and strict types

style: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

papers: $(VENV)/.run  ## the claims of every paper, as a table
	$(BIN)/tegotae papers

figures: $(VENV)/.test  ## every figure that the package can make, in out/figures, with a page to look at
	$(BIN)/python tests/contact_sheet.py out/figures

bench: $(VENV)/.bench  ## speed, side by side with peers, as ratios
	$(BIN)/tegotae bench

soak: $(VENV)/.run  ## ten minutes of all nodes at 500 Hz; fails if the log lost a row
	mkdir -p out
	$(BIN)/tegotae hybrid run examples/two_robots.toml --duration 600 --set model.speed=2e-5 --no-view \
	  --overwrite --out out/soak.mcap
	$(BIN)/tegotae hybrid report out/soak.mcap --complete

lock: $(VENV)/.test  ## renew the hashed locks from pyproject.toml
	$(PIP) install --quiet uv
	for part in $(LOCKS); do \
	  extra="--extra all $$( [ $$part = run ] || echo "--extra $$part" )"; \
	  $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet \
	    $$extra pyproject.toml requirements/build.in -o requirements/$$part.txt || exit 1; \
	done
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet \
	  requirements/compiler.in -o requirements/compiler.txt

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)

# Each stamp installs its lock, then the package itself in place, without asking for anything unlocked.
$(VENV)/.%: requirements/%.txt pyproject.toml | $(VENV)/bin/python
	@echo "installing the $* lock into $(VENV) ..."
	$(INSTALL) --require-hashes -r requirements/$*.txt
	@$(HAS_CC) || echo "no compiler of C here: taking one from PyPI ..."
	@$(HAS_CC) || $(INSTALL) --require-hashes -r requirements/compiler.txt
	@echo "compiling the loops of tegotae ..."
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) report.html .mypy_cache .ruff_cache .pytest_cache

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'
