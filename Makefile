# Everything that a fresh machine needs is made by `make fences` or `make test`.
# The environment of this Makefile, .venv, is the only one that counts.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := fences
.PHONY: fences record test lint types bench lab clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade-strategy only-if-needed --editable '.[all]'
	touch $@

## Run and check every lesson, README and docs in one process.
fences: $(READY)
	$(BIN)/fencerun check $(FENCES)

## Write what the fences print into the pages.
record: $(READY)
	$(BIN)/fencerun record $(FENCES)

test: $(READY)
	$(BIN)/python -m pytest $(TESTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .fencerun

## Lesson 25's lab: prints its results table.
lab: $(READY)
	$(BIN)/python lessons/m25/lab.py
