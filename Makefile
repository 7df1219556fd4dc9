# make play | serve | test | lint: each sets up what it needs, once, in .venv.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
ARGS ?=
COMPOSE ?= docker compose
LOCALES := client/mastermind_client/locales
# What has texts to be translated: the client, and what it shows of the others'.
SPOKEN := client protocol server/mastermind_server/commands/arena.py server/mastermind_server/bots
MARKS := _ N_ ngettext:1,2 mark_plural:1,2 pgettext:1c,2
# The tests of a file that are left go to whoever is done first.
PYTEST := $(BIN)/pytest --numprocesses auto --maxprocesses 8 --dist worksteal
QUICK := --quiet --no-header -m "not trees"
# Ctrl-C ends the game by the player's will, so make is to say nothing of it: the shell lives on, and
# the status by which a program tells of it is no error.
RUN = @run() { trap : INT; "$$@" || { status=$$?; [ $$status -eq 130 ] || exit $$status; }; }; run

.DEFAULT_GOAL := help
.PHONY: help play serve test test-trees test-cost test-busy coverage coverage-map mutants lint check-alerts release-check \
	chaos fuzz leaks compose-test bench bench-peers attacks bench-client pictures table trees vectors messages hashes format clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

play: .venv/play ## open the game; straight into one: make play ARGS="--rules lab"
	$(RUN) $(BIN)/mastermind $(ARGS)

serve: .venv/play ## start a server; options: make serve ARGS="--port 8765"
	$(RUN) $(BIN)/mastermind-server $(ARGS)

# Bytecode is kept: else each of some hundred processes compiles the sources and the tests anew.
test test-trees test-cost test-busy coverage coverage-map mutants chaos fuzz leaks compose-test \
	bench attacks bench-client: export PYTHONDONTWRITEBYTECODE :=

test: .venv/dev ## every test but those of test-trees; some: make test ARGS="tests/client"
	@$(PYTEST) $(or $(ARGS),$(QUICK))

test-trees: .venv/dev ## the tests of what makes the bots' trees, and every game by the largest
	@$(BIN)/pytest --quiet --no-header -m trees tests/server/bots $(ARGS)

test-cost: .venv/dev ## what make test costs, beside its budgets: fails above them
	@$(BIN)/python benchmarks/suite.py $(PYTEST) $(or $(ARGS),$(QUICK))

test-busy: .venv/dev ## make test beside a program that keeps every core busy
	@$(BIN)/python benchmarks/suite.py --busy $(PYTEST) $(or $(ARGS),$(QUICK))

coverage: .venv/dev ## branch coverage of protocol and server, then of the client: 90 % each
	@$(PYTEST) $(QUICK) --hypothesis-profile=thorough --cov=mastermind_protocol --cov=mastermind_server tests/protocol tests/server
	@$(PYTEST) $(QUICK) --hypothesis-profile=thorough --cov=mastermind_client tests/client

mutants: .venv/dev ## plant faults in copies of the tree and name those that no test finds; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m tools.mutants $(ARGS)

coverage-map: .venv/dev ## record which tests execute each line; some: ARGS="--to FOLDER PATH"
	@PYTHONPATH=tests $(BIN)/python -m tools.coverage_map $(ARGS)

chaos: .venv/dev ## kill servers under play, for an hour: no move may be lost; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m campaigns chaos $(ARGS)

fuzz: .venv/dev ## a million hostile frames beside honest matches, minutes; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m campaigns fuzz $(ARGS)

leaks: .venv/dev ## play 10,000 matches twice, with secrets that only the codemaker may tell apart
	@PYTHONPATH=tests $(BIN)/python -m campaigns leaks $(ARGS)

compose-test: .venv/dev ## run both compose files, kill their services under play, and finish every match
	@PYTHONPATH=tests $(BIN)/python -m campaigns compose $(COMPOSE)

check-alerts: .venv/dev ## the alert rules and the dashboard's queries, by Prometheus's promtool
	@$(BIN)/python tests/promtool.py

lint: .venv/dev ## ruff format and check, mypy strict, import contracts; warns of what lacks its Polish
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tests/translations.py

release-check: .venv/dev ## what a release needs beside all tests: every text in Polish
	@$(BIN)/python tests/translations.py --release

bench: .venv/play ## what the server costs, beside a bare room; one row: make bench ARGS="move"
	@PYTHONPATH=tests:benchmarks $(BIN)/python -m bench $(ARGS)

bench-peers: .venv/play ## the same match on Colyseus, beside the server: needs Node.js
	@PYTHONPATH=benchmarks $(BIN)/python -m peers $(ARGS)

attacks: .venv/dev ## what strangers can do to others' moves, one attack after the other: fails beyond bounds
	@PYTHONPATH=tests $(BIN)/python -m campaigns attacks $(ARGS)

bench-client: .venv/play ## what starting, drawing and waiting cost the player's side
	@$(BIN)/python benchmarks/interface.py $(ARGS)

pictures: .venv/dev ## make the pictures of the README again, from the real program
	@PYTHONPATH=tests $(BIN)/python docs/pictures/render.py $(ARGS)

table: .venv/play ## measure the bots again: the tables of docs/BOTS.md, some twenty minutes
	@$(BIN)/python benchmarks/bots.py

trees: .venv/trees ## make the bots' decision trees again; some: make trees ARGS="4x6-optimal"
	@$(BIN)/python -m mastermind_server.bots.search $(ARGS)

vectors: .venv/dev ## make the schema and the test vectors of docs/protocol again, from its examples
	@PYTHONPATH=tests $(BIN)/python -m protocol.documents.vectors

# Sorted, without places and dates, so that only what changes is changed.
messages: .venv/dev ## take the texts to be translated from the sources, and compile the catalogues
	@texts=$$(mktemp) && trap 'rm -f "$$texts"' EXIT && \
	$(BIN)/pybabel --quiet extract --no-default-keywords --keywords="$(MARKS)" --no-location \
		--sort-output --msgid-bugs-address="" --output-file="$$texts" $(SPOKEN) && \
	$(BIN)/pybabel --quiet update --domain=mastermind --output-dir=$(LOCALES) \
		--input-file="$$texts" --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date && \
	$(BIN)/pybabel --quiet compile --domain=mastermind --directory=$(LOCALES)

hashes: .venv/play ## write down by its hash what the image installs: after constraints.txt has changed
	@$(BIN)/python image/requirements.py

format: .venv/dev ## let ruff format and mend what it can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean: ## remove what the other targets made
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	@find protocol server client examples tests benchmarks docs -name __pycache__ -prune -exec rm -rf {} +

# What is said here and by pip goes to standard error: standard output is the game's.
.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed, and none was found" >&2; exit 1; }
	@echo "Making an environment for the game, in .venv ..." >&2
	@$(PYTHON) -m venv .venv >&2 || { rm -rf .venv; exit 1; }

.venv/play: .venv/bin/python pyproject.toml constraints.txt
	@if [ -e $@ ]; then echo "What the game needs has changed: installing again, about a minute ..."; \
		else echo "Installing the game and what it needs, about a minute ..."; fi >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . >&2
	@touch $@
	@$(if $(filter play serve,$(MAKECMDGOALS)),echo "Starting ..." >&2)

.venv/dev: .venv/play
	@echo "Installing what the tests need ..." >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' >&2
	@touch $@

.venv/trees: .venv/play
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[trees]' >&2
	@touch $@
