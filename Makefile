# make submission   set up .venv and score the sample with the shipped fusion
# make test         set up .venv and run the tests

PYTHON ?= python3
BIN := .venv/bin

.PHONY: submission test lint clean

submission: .venv/installed
	$(BIN)/python run_submission.py

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m runs.report --check

.venv/installed: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

clean:
	rm -rf .venv output
