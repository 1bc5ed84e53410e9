# Everything is installed into .venv; only Python >= 3.11, git and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint generate docs clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/ringfence demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest

lint: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.generate --check
	$(BIN)/python -m tools.generate_docs --check

generate: $(VENV)/.installed
	$(BIN)/python -m tools.generate
	$(BIN)/python -m ringfence.policy.packs
	$(BIN)/python -m tools.generate_docs

docs: $(VENV)/.installed
	$(BIN)/sphinx-build --fail-on-warning --quiet docs docs/_build/html

clean:
	rm -rf $(VENV) docs/_build
