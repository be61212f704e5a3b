# make submission   set up .venv and score the sample with the shipped fusion
# make test         set up .venv and run the tests
# make peers        add the libraries that encoders are exchanged with and measured against
# make scale        add Ray, to score, encode and mine many files
# make attacks      try to break every promise of docs/reliability.md (a quarter of an hour)
# make sbom         print what the program is made of, as a CycloneDX bill of materials
# make docs         build the site of the documentation into site/
# make release      build the wheel and the sdist of the last commit into dist/, and check them
# make results DATA=DIR   score every task that the README shows, and write its tables (an hour)
# make tables       write the tables of README and docs from research/results.jsonl
# make sizes        measure how large the wheel and an installation are

PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(STS_DATA)
PAGES = README.md docs/*.md

.PHONY: submission test test-skipped lint attacks sbom peers scale docs-libraries docs release results tables sizes clean

submission: .venv/installed
	$(BIN)/python run_submission.py

test: .venv/installed-dev
	@# Ray forks, and its threads may take a process down: its tests have one of their own.
	$(BIN)/python -m pytest tests/runs/test_scale.py || test $$? = 5  # 5: Ray is not installed
	$(BIN)/python -m pytest -n 2 --dist loadgroup --ignore tests/runs/test_scale.py

# Of the tests that SKIPPED=FILE named while "make test" ran, those that can run now.
test-skipped: .venv/installed-dev
	$(BIN)/python -m pytest tests/runs/test_scale.py || test $$? = 5
	sort -u $(SKIPPED) | grep -v tests/runs/test_scale.py >$(SKIPPED).now || exit 0; \
	$(BIN)/python -m pytest -n 2 --dist loadgroup @$(SKIPPED).now

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/typecheck.py
	$(BIN)/cog --check $(PAGES)
	$(BIN)/python -m research.record --check

.venv/installed: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m semaniacs warm
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

sbom: .venv/installed
	@$(BIN)/python .ci/sbom.py

attacks: .venv/installed-dev
	$(BIN)/python -m pytest tests/attacks --hypothesis-profile attacks

peers: .venv/installed-peers

.venv/installed-peers: .venv/installed-dev requirements-peers.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-peers.txt
	touch $@

scale: .venv/installed-scale

.venv/installed-scale: .venv/installed-dev requirements-scale.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-scale.txt
	touch $@

docs-libraries: .venv/installed-docs

.venv/installed-docs: .venv/installed-dev requirements-docs.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $@

docs: docs-libraries
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "the site is in site/index.html"

.venv/installed-release: .venv/installed-dev requirements-release.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	touch $@

release: .venv/installed-release
	$(BIN)/python .ci/release.py

# A command that was stopped resumes; make clean removes its results.
results: .venv/installed-dev
	$(BIN)/python -m research.record $(if $(DATA),--data $(DATA))
	$(MAKE) tables

tables: .venv/installed-dev
	$(BIN)/cog -r $(PAGES)

# Megabytes of the wheel, of our weights and tables, and of an environment that has both.
sizes: .venv/installed
	rm -rf .venv/sizes
	$(PYTHON) -m venv .venv/sizes
	git archive --prefix=sources/ HEAD | tar -x -C .venv/sizes
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir .venv/sizes .venv/sizes/sources
	$(BIN)/python -m pip --python .venv/sizes/bin/python install --quiet -c requirements.txt .venv/sizes/*.whl
	du -m .venv/sizes/*.whl
	find .venv/sizes/lib -name '*.safetensors' -print0 | du -cm --files0-from=- | tail -1
	du -sm .venv/sizes/lib

clean:
	rm -rf .venv output build site dist
