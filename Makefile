# Each target works on a machine that has only Python 3.11 and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
FUZZ_SECONDS ?= 60
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test coverage test-processors test-oldest test-wheel soak docs doctest-docs lint types contract check fuzz bench clean
.DEFAULT_GOAL := help

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

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

$(VENV)/.installed-fuzz: pyproject.toml $(VENV)/.installed-test
	@echo "installing the fuzzer"
	@$(PIP) install --group fuzz
	@touch $@

$(VENV)/.installed-build: pyproject.toml | $(VENV)/bin/python
	@$(PIP) install --group build
	@touch $@

$(VENV)/.installed-docs: pyproject.toml $(VENV)/.installed
	@echo "installing the tools of the site"
	@$(PIP) install --group docs
	@touch $@

$(VENV)/.installed-bench: pyproject.toml $(VENV)/.installed
	@echo "installing the peers to measure against"
	@$(PIP) install --group bench
	@touch $@

$(OLDEST)/.installed: pyproject.toml
	@echo "installing the oldest libraries"
	@$(PYTHON) -m venv --clear $(OLDEST)
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check --quiet install uv
	@$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST) --resolution lowest-direct --editable '.[all]' --group test
	@touch $@

demo: $(VENV)/.installed ## Install, then show what dlst does on its embedded data
	@$(BIN)/dlst demo

# Coverage cannot see inside compiled functions, so these small tests run once more as plain Python,
# where arithmetic that overflows or divides by zero gives a warning.
UNCOMPILED := tests/kernels tests/data/text tests/data/arff tests/data/tables tests/data/sparse_text \
	tests/data/stratification tests/data/test_splits.py tests/data/test_missing_labels.py \
	tests/metrics/test_ranking_metrics.py \
	tests/decoders/test_neighbour_search.py tests/regressors/test_linear_machines.py::test_a_gap_that_stays_is_said \
	tests/methods/mc/test_mc_completion.py::test_the_logistic_step_solves_its_equation

test: check ## Install, then run lint, types, import contract and the whole test suite
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal --cov --cov-report= --cov-fail-under=0
	@$(MAKE) --no-print-directory coverage

coverage: $(VENV)/.installed-test ## Run the tests of compiled functions as plain Python; report what all tests covered
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -W ignore::RuntimeWarning \
		-m "not needs_compilation" --cov --cov-append --cov-report=term $(UNCOMPILED)

test-processors: $(VENV)/.installed-test ## Run the numerical tests under other processors' BLAS kernels
	$(BIN)/python .ci/processors.py $(KERNELS)

# Old libraries may use what newer ones beneath them have deprecated; we cannot fix that. Kernels have a
# cache of their own: two versions of numba that write to one cache at a time can read each other's files.
test-oldest: $(OLDEST)/.installed ## Run the tests with the oldest libraries that are allowed
	NUMBA_CACHE_DIR=$(abspath $(OLDEST))/kernels $(OLDEST)/bin/python -m pytest --numprocesses=auto --dist=worksteal -W default::DeprecationWarning

test-wheel: $(VENV)/.installed-build ## Build sdist and wheel; test the wheel with each Python in an empty environment
	$(BIN)/python .ci/wheel.py $(PYTHONS)

soak: $(VENV)/.installed-test ## Kill and disturb runs in many ways; print what was lost
	$(BIN)/python tests/experiments/soak.py $(KILLS)

docs: $(VENV)/.installed-docs ## Build the site, run its tutorials and gallery, check its links: docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	$(BIN)/python .ci/site.py docs/_build/html

doctest-docs: $(VENV)/.installed-test ## Run the code of README, pages, tutorials and docstrings
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal src tests/test_readme.py tests/docs

check: lint types contract

lint: $(VENV)/.installed-test ## Run ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-test ## Run mypy
	$(BIN)/mypy

contract: $(VENV)/.installed-test ## Check that imports point one way
	$(BIN)/lint-imports

fuzz: $(VENV)/.installed-fuzz ## Feed the readers 2,000 damaged files of each type, then run the coverage-guided fuzzer
	DLST_FUZZ_EXAMPLES=2000 $(BIN)/python -m pytest tests/fuzz
	@mkdir -p artefacts
	@for kind in $$($(BIN)/python .ci/fuzz.py --kinds); do \
		echo "fuzzing $$kind for $(FUZZ_SECONDS) s"; \
		$(BIN)/python .ci/fuzz.py $$kind -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
			-rss_limit_mb=4096 -print_final_stats=0 -artifact_prefix=artefacts/$$kind- || exit 1; \
	done

bench: $(VENV)/.installed-bench ## Measure against peers in the same run; write docs/performance.md
	$(BIN)/python benchmarks/readers.py
	$(BIN)/python benchmarks/stratification.py
	$(BIN)/python benchmarks/encoder.py
	$(BIN)/python benchmarks/scale.py --curve n,d,K,s,m --page
	$(BIN)/python benchmarks/latency.py
	$(BIN)/python benchmarks/many_labels.py
	$(BIN)/python benchmarks/classics.py $(if $(PEERS),--peers $(PEERS))
	$(BIN)/python benchmarks/startup.py
	$(if $(PEERS),$(BIN)/python benchmarks/text.py --peers $(PEERS) --write --fresh)
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/_table.py

clean: ## Remove the environment and caches
	rm -rf $(VENV) $(OLDEST) docs/_build docs/learn docs/gallery docs/reference/*.rst docs/reference/names .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
