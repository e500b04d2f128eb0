# kifuwatch: everything a checkout needs is Python 3.11 or newer (with venv and pip) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test check types clean

help:
	@echo "make demo    record the bundled clip: position, moves, alerts, SGF and pictures"
	@echo "make test    run the tests"
	@echo "make check   style, format and types"
	@echo "make clean   remove the virtual environment and everything built"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kifuwatch needs Python 3.11 or newer: set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps say what is installed; a changed pyproject.toml installs again.
$(VENV)/.product: pyproject.toml | $(BIN)/python
	@echo "Installing; this takes a few minutes the first time (about 480 MB) ..."
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing with what the tests need; this takes a few minutes the first time ..."
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.product

demo: $(VENV)/.product
	$(BIN)/kifuwatch demo --out out/demo --force

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	scripts/typecheck

types: $(VENV)/.dev
	scripts/typecheck

clean:
	rm -rf $(VENV) build dist out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
