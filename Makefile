# make submission   set up .venv and score the sample with the shipped fusion
# make test         set up .venv and run the tests
# make peers        add the libraries that encoders are exchanged with and measured against
# make scale        add Ray, to score, encode and mine many files
# make results DATA=DIR   score every task that the README shows, and write its tables (an hour)

PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(STS_DATA)
EVERY := raw task-internal synthetic fusion-gbr fusion contextual
BITEXT := bitext-sp bitext-word bitext-trigram bitext-lstm bitext-teacher
RANDOM := random-sp random-word random-trigram

.PHONY: submission test lint peers scale results clean

submission: .venv/installed
	$(BIN)/python run_submission.py

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m runs.tables.documents --check

.venv/installed: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

peers: .venv/installed-peers

.venv/installed-peers: .venv/installed-dev requirements-peers.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-peers.txt
	touch $@

scale: .venv/installed-scale

.venv/installed-scale: .venv/installed-dev requirements-scale.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-scale.txt
	touch $@

# Each task starts with an empty translation memory, so that its result rests on nothing before it.
score = for run in $(3); do STS_MEMORY=output/memory/$(1)$(2) $(BIN)/python run_submission.py \
	--run $$run --task $(1) $(if $(2),--translator $(2)) --data $(DATA) \
	--output output/results/$(2) || exit 1; done

results: .venv/installed
	rm -rf output/results output/memory
	$(call score,sts2016,,$(EVERY))
	$(call score,sts2016-es-en,recorded,$(EVERY))
	$(call score,sts2016-es-en,apertium,$(EVERY))
	$(call score,sts2015,,$(EVERY))
	$(call score,sts2014,,$(filter-out fusion-gbr,$(EVERY)))
	$(call score,sts2013,,$(filter-out fusion-gbr,$(EVERY)))
	$(call score,sts2012,,$(filter-out fusion-gbr,$(EVERY)))
	$(call score,sts2014-es,,raw fusion contextual)
	$(call score,sts2015-es,,raw fusion contextual)
	$(foreach task,sts2016 sts2016-es-en sts2015 sts2014 sts2013 sts2012 sts2014-es sts2015-es,\
		$(call score,$(task),,$(BITEXT));)
	$(foreach task,sts2016 sts2016-es-en sts2015,$(call score,$(task),,$(RANDOM));)
	$(foreach task,sts2016 sts2015 sts2014 sts2013 sts2012,$(call score,$(task),,paraphrase-sp);)
	$(BIN)/python -m runs.tables.documents --record output/results --data $(DATA)

clean:
	rm -rf .venv output
