# Each target does everything on a machine that has only Python 3.11 and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test lint types contract check fuzz bench clean
.DEFAULT_GOAL := help

help: ## Show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(VENV)/bin/python:
	@echo "creating $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dlst needs Python 3.11 or newer; set PYTHON=")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing dlst"
	@$(PIP) install --editable '.[all]'
	@touch $@

$(VENV)/.installed-test: pyproject.toml $(VENV)/.installed
	@echo "installing the test tools"
	@$(PIP) install --group test
	@touch $@

$(VENV)/.installed-bench: pyproject.toml $(VENV)/.installed
	@echo "installing the peers to measure against"
	@$(PIP) install --group bench
	@touch $@

demo: $(VENV)/.installed ## Install, then show what dlst does on its embedded data
	@$(BIN)/dlst demo

test: check ## Install, then run lint, types, import contract and the whole test suite
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal --cov --cov-report=term

check: lint types contract

lint: $(VENV)/.installed-test ## Run ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-test ## Run mypy
	$(BIN)/mypy

contract: $(VENV)/.installed-test ## Check that imports point one way
	$(BIN)/lint-imports

fuzz: $(VENV)/.installed-test ## Feed the readers 2,000 damaged files of each type
	DLST_FUZZ_EXAMPLES=2000 $(BIN)/python -m pytest tests/fuzz

bench: $(VENV)/.installed-bench ## Measure against peers, side by side in one run
	$(BIN)/python benchmarks/readers.py
	$(BIN)/python benchmarks/stratification.py
	$(BIN)/python benchmarks/encoder.py

clean: ## Remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
