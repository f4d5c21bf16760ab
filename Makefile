# What can be done here, from a fresh clone: `make` alone lists it.
# Needs GNU make and Python 3.11 or newer; everything else is installed into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SHARED := $(or $(TROPE_SHARED),../shared)

# as many processes as WORKERS says, each with one thread for arithmetic: one more than a small
# machine has cores, since tests also wait for browsers and servers; a file stays in one process, so
# that its browser and its server start once, and files begin as tests/conftest.py orders them
WORKERS ?= 3
PYTEST   = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# pip is asked for the versions that the tests ran with, and is silent unless something fails
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
FAILED   = { echo 'make: pip could not install (see above); it needs an index or wheels to take from'; exit 1; }

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check audit docs pages man bench evaluate clean

help:
	@echo 'make demo      install trope into .venv and show what it says about sample texts'
	@echo 'make test      install what the tests need, and run them all (WORKERS=8: in 8 processes)'
	@echo 'make check     format, lint, spelling, types, import layers, then the tests (docs too)'
	@echo 'make audit     look up known weaknesses of the packages in requirements-hashed.txt'
	@echo 'make docs      build the documentation as a site, into build/docs'
	@echo 'make pages     write what commands print now into the pages; read the difference'
	@echo 'make man       write the manual pages, into build/man'
	@echo 'make evaluate  measure the model on the research data, write docs/figures.json'
	@echo 'make bench     measure speed and memory, write benchmarks/results.json'
	@echo 'make clean     remove everything that was made here'
	@echo
	@echo 'Research data is looked for in $(SHARED); TROPE_SHARED=DIR names another directory.'

demo: $(VENV)/core.stamp
	@$(BIN)/python examples/demo.py build/demo.html

test: $(VENV)/dev.stamp
	@.ci/packages chromium postgresql
	$(PYTEST)

check: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports
	@.ci/packages chromium postgresql
	$(PYTEST)

audit: $(VENV)/made.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit || $(FAILED)
	$(BIN)/python tools/audit_packages.py

docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W -n --keep-going -q -b html docs build/docs
	@echo 'build/docs/index.html'

pages: $(VENV)/dev.stamp
	$(BIN)/python tests/docs/renew_page.py

man: $(VENV)/core.stamp
	$(BIN)/trope man --all build/man

evaluate: $(VENV)/dev.stamp
	$(BIN)/trope evaluate syntax --from $(SHARED)/data --write docs/figures.json
	$(BIN)/trope evaluate metaphor --part words,headlines,baselines,labellers --from $(SHARED)/data \
	  --plot docs/images/calibration.svg --write docs/figures.json
	$(BIN)/trope evaluate metonymy --from $(SHARED)/data --write docs/figures.json
	$(BIN)/trope evaluate ordinary --from $(SHARED)/data --write docs/figures.json
	$(BIN)/trope evaluate sentiment --from $(SHARED)/data --write docs/figures.json
	$(BIN)/trope evaluate analogy --from $(SHARED)/data --write docs/figures.json
	$(BIN)/trope evaluate rewriting --from $(SHARED)/data --write docs/figures.json
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --upgrade --target build/domains ./packages/trope-domains
	PYTHONPATH=build/domains $(BIN)/trope evaluate domains --from $(SHARED)/data --write docs/figures.json

bench: $(VENV)/dev.stamp
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/words.py $(SHARED)/data/*/*.csv $(SHARED)/data/*/*.txt $(SHARED)/data/*/*.gz
	$(BIN)/python benchmarks/rewriting.py
	$(BIN)/python benchmarks/crowd.py --jobs 2
	$(BIN)/python benchmarks/crowd_gold.py
	$(BIN)/python benchmarks/corrected_rates.py
	$(BIN)/python benchmarks/active_learning.py $(SHARED)/data --plot docs/images/active-learning.svg
	$(BIN)/python benchmarks/fuzz.py
	$(BIN)/python benchmarks/annotation_load.py --keep
	$(BIN)/python benchmarks/annotation_kills.py --keep
	$(BIN)/python benchmarks/annotation_load.py --model --only rate --keep
	$(BIN)/python benchmarks/annotation_kills.py --model --cycles 20 --keep
	$(BIN)/python benchmarks/annotation_export.py
	$(BIN)/python benchmarks/workbench_text.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/page.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/workbench.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/features.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/package.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/kills.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/threads.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv
	$(BIN)/python benchmarks/scaling.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv --plot docs/images/scaling.svg
	$(BIN)/python benchmarks/speed.py $(SHARED)/data/vua18/VUA_seq_formatted_test.csv

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

# A stamp says what has been installed; it is made again when the requirements change.
$(VENV)/made.stamp:
	@PYTHON='$(PYTHON)' .ci/venv $(VENV)
	@touch $@

$(VENV)/core.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	@echo 'Installing trope into $(VENV) (a minute or two, the first time) …'
	@$(INSTALL) -e . || $(FAILED)
	@touch $@

$(VENV)/docs.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	@echo 'Installing trope and what builds its pages into $(VENV) (a minute or two, the first time) …'
	@$(INSTALL) -e '.[docs]' || $(FAILED)
	@touch $(VENV)/core.stamp $@

# Without torch (it is large, and not to be had everywhere) the tests of training are skipped.
$(VENV)/dev.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	@echo 'Installing trope and what its tests need into $(VENV) (some minutes, the first time) …'
	@$(INSTALL) -e '.[dev]' || { \
	  echo 'make: not all could be installed (see above); trying without torch: tests of training are skipped then'; \
	  $(INSTALL) -e '.[lint,test,docs]' || $(FAILED); }
	@touch $(VENV)/core.stamp $(VENV)/docs.stamp $@
