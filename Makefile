# make play | serve | test | lint: each sets up what it needs, once, in .venv.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
ARGS ?=
COMPOSE ?= docker compose
LOCALES := client/mastermind_client/locales
# Sources with texts to translate: the client, its texts from other packages, and the page.
SPOKEN := client protocol server/mastermind_server/commands/arena.py server/mastermind_server/bots web
MARKS := _ N_ ngettext:1,2 mark_plural:1,2 pgettext:1c,2 t n:1,2
# The tests of a file that are left go to whoever is done first.
PYTEST := $(BIN)/pytest --numprocesses auto --maxprocesses 8 --dist worksteal
QUICK := --quiet --no-header -m "not trees"
# Ctrl-C ends the game by the player's will, so make is to say nothing of it: the shell lives on, and
# the status by which a program tells of it is no error.
RUN = @run() { trap : INT; "$$@" || { status=$$?; [ $$status -eq 130 ] || exit $$status; }; }; run

.DEFAULT_GOAL := help
.PHONY: help simulate-nodes play serve test test-trees test-web test-browsers test-web-core test-cost test-busy near coverage coverage-map mutants lint check-alerts release-check \
	chaos fuzz leaks compose-test bench attacks bench-client pictures web-pictures table operations confusables trees vectors transcripts messages hashes wheel test-wheel format clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

play: export MASTERMIND_MAKE := yes# messages name this target and not a program outside the PATH
play: .venv/play ## open the game; straight into one: make play ARGS="--rules lab"
	$(RUN) $(BIN)/mastermind $(ARGS)

serve: export MASTERMIND_DOWNLOADS ?= $(wildcard dist)# of make wheel
serve: .venv/play ## start a server; options: make serve ARGS="--port 8765"
	$(RUN) $(BIN)/mastermind-server $(ARGS)

# Bytecode is kept: else each of some hundred processes compiles the sources and the tests anew.
test test-trees test-web test-browsers test-cost test-busy near coverage coverage-map mutants chaos fuzz leaks compose-test \
	bench attacks bench-client: export PYTHONDONTWRITEBYTECODE :=

# Workers double the cost of a few files, so named paths run in one process unless ARGS adds -n 3.
test: .venv/dev ## run all tests but those of test-trees; some: make test ARGS="tests/client"
	@$(if $(ARGS),$(BIN)/pytest $(ARGS),$(PYTEST) $(QUICK))

# Node 18 or later. npx keeps TypeScript in its cache, outside the tree.
TSC := npx --yes --package typescript@7 tsc --allowJs --checkJs --strict --noEmit --target es2022 \
	--module es2022 --moduleResolution bundler --lib es2022,dom,dom.iterable

test-web-core: ## test the page's modules without a browser: needs node and npx
	@node --test tests/web/core/
	@$(TSC) web/mastermind_web/*.js web/mastermind_web/*/*.js
	@! grep -rnE '^.{101,}' web/mastermind_web --include='*.js' | grep -vE '\b[tn]\("|: +"[^"]*", "'

test-trees: .venv/dev ## test the programs that build the bots' decision trees, and play every code by the largest
	@$(BIN)/pytest --quiet --no-header --timeout=900 -m trees tests/server $(ARGS)

test-web: .venv/web ## test the page in a real browser, which needs Debian's chromium; some: ARGS="-k touch"
	@$(BIN)/pytest --quiet --no-header tests/web $(ARGS)

test-browsers: .venv/web ## play on the page in Debian's firefox-esr and webkit2gtk-driver, which needs xvfb
	@$(BIN)/pytest --quiet --no-header tests/web/browsers $(ARGS)

test-cost: .venv/dev ## run make test and compare its time with its budgets: fails above them
	@$(BIN)/python tests/tools/suite.py $(PYTEST) $(or $(ARGS),$(QUICK))

test-busy: .venv/dev ## run make test on a machine whose cores are all busy
	@$(BIN)/python tests/tools/suite.py --busy $(PYTEST) $(or $(ARGS),$(QUICK))

coverage: .venv/dev ## measure branch coverage of protocol and server, then of the client: at least 90 % each
	@$(PYTEST) $(QUICK) --hypothesis-profile=thorough --cov=mastermind_protocol --cov=mastermind_server tests/protocol tests/server
	@$(PYTEST) $(QUICK) --hypothesis-profile=thorough --cov=mastermind_client tests/client

mutants: .venv/dev ## plant faults in copies of the tree and name those that no test finds; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m tools.mutants $(ARGS)

near: .venv/dev ## the tests that execute what changed since the coverage map, fastest first
	@PYTHONPATH=tests $(BIN)/python -m tools.near $(ARGS)

coverage-map: .venv/dev ## record which tests execute each line; some: ARGS="--to FOLDER PATH"
	@PYTHONPATH=tests $(BIN)/python -m tools.coverage_map $(ARGS)

chaos: .venv/dev ## kill servers during matches for an hour: no move may be lost; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m campaigns chaos $(ARGS)

fuzz: .venv/dev ## send a million hostile frames during honest matches; ARGS="--help"
	@PYTHONPATH=tests $(BIN)/python -m campaigns fuzz $(ARGS)

leaks: .venv/dev ## play 10,000 matches twice with different secrets: only the codemaker may see a difference
	@PYTHONPATH=tests $(BIN)/python -m campaigns leaks $(ARGS)

compose-test: .venv/dev ## run all compose files, kill their services during matches, and finish every match
	@PYTHONPATH=tests $(BIN)/python -m campaigns compose $(COMPOSE)

check-alerts: .venv/dev ## check the alert rules and the dashboard's queries with Prometheus's promtool
	@$(BIN)/python tests/tools/promtool.py

lint: .venv/dev ## ruff format and check, mypy strict, import contracts; warns about texts without Polish
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tests/tools/translations.py

release-check: .venv/dev ## check that every text has its Polish, as a release needs
	@$(BIN)/python tests/tools/translations.py --release

bench: .venv/play ## CPU, memory and latency of the server; some rows: make bench ARGS="move watching"
	@PYTHONPATH=tests:benchmarks $(BIN)/python -m bench $(ARGS)

simulate-nodes: .venv/dev ## what the notices of a move cost with 3 to 50 nodes on one PostgreSQL; some: ARGS="3 10"
	@PYTHONPATH=tests:benchmarks $(BIN)/python benchmarks/nodes.py $(ARGS)

attacks: .venv/dev ## latency of honest players during each attack: fails beyond its limits
	@PYTHONPATH=tests $(BIN)/python -m campaigns attacks $(ARGS)

bench-client: .venv/dev ## CPU time of the client: start, redraw and waiting
	@PYTHONPATH=tests:benchmarks $(BIN)/python benchmarks/interface.py $(ARGS)

pictures: .venv/dev ## draw the pictures of the README again, from the real program
	@PYTHONPATH=tests $(BIN)/python docs/pictures/render.py $(ARGS)

web-pictures: .venv/web ## take the pictures of the page again, which needs Debian's chromium
	@PYTHONPATH=tests $(BIN)/python docs/pictures/browser.py

table: .venv/play ## rewrite the tables of docs/BOTS.md with mastermind arena, about twenty minutes; one row: ARGS="--bot knuth"
	@$(BIN)/python benchmarks/bots.py $(ARGS)

operations: .venv/dev ## write the tables of options and metrics in docs/OPERATIONS.md again
	@PYTHONPATH=tests $(BIN)/python -m tools.operations

confusables: .venv/dev ## write the table of characters that look alike from the package that has it
	@PYTHONPATH=tests $(BIN)/python -m tools.confusables

trees: .venv/dev ## build the bots' decision trees again; some: make trees ARGS="4x6-optimal"
	@$(BIN)/python -m tree_builder $(ARGS)

vectors: .venv/dev ## write the tables, reasons, schema and frames of docs/protocol from the types and the values of its vectors
	@PYTHONPATH=tests $(BIN)/python -m protocol.documents.vectors

transcripts: .venv/dev ## rewrite the output of the line interface, and the tables of docs/CLIENT.md and docs/LINES.md
	@TRANSCRIPTS=write $(BIN)/pytest --quiet --no-header -p no:xdist tests/transcripts/test_transcripts.py
	@PYTHONPATH=tests $(BIN)/python -m transcripts.client_tables

# Sorted, without places and dates, so that only what changes is changed.
messages: .venv/dev ## collect the texts to translate from the sources, compile the catalogues, and write the texts of the page
	@texts=$$(mktemp) && trap 'rm -f "$$texts"' EXIT && \
	$(BIN)/pybabel --quiet extract --mapping-file=pyproject.toml --no-default-keywords \
		--keywords="$(MARKS)" --no-location --sort-output --msgid-bugs-address="" \
		--output-file="$$texts" $(SPOKEN) && \
	$(BIN)/pybabel --quiet update --domain=mastermind --output-dir=$(LOCALES) \
		--input-file="$$texts" --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date && \
	$(BIN)/pybabel --quiet compile --domain=mastermind --directory=$(LOCALES) && \
	PYTHONPATH=tests $(BIN)/python -m tools.page_texts

hashes: .venv/play ## write the hashes of the packages in the image: after a change to constraints.txt
	@$(BIN)/python image/requirements.py

test-wheel: wheel .venv/dev ## install the wheel from a server into an empty environment, and play a game there
	@PYTHONPATH=tests $(BIN)/python -m tools.wheel

wheel: .venv/play ## build the wheel of the game in dist, which pipx installs
	@rm -rf dist && $(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . >&2
	@echo dist/*.whl

format: .venv/dev ## format the code and fix lint errors where ruff can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean: ## remove the files that the other commands made
	@rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	@find protocol server client web examples tests benchmarks docs -name __pycache__ -prune -exec rm -rf {} +

# What is said here and by pip goes to standard error: standard output is the game's.
.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed, and none was found" >&2; exit 1; }
	@echo "Making an environment for the game, in .venv ..." >&2
	@$(PYTHON) -m venv .venv >&2 || { rm -rf .venv; exit 1; }

PROGRESS_SECONDS ?= 10
.venv/play: .venv/bin/python pyproject.toml constraints.txt
	@if [ -e $@ ]; then echo "What the game needs has changed: installing again, about a minute ..."; \
		else echo "Installing the game and what it needs, about a minute ..."; fi >&2
	@while sleep $(PROGRESS_SECONDS) </dev/null >/dev/null 2>&1; kill -0 $$$$ 2>/dev/null; do \
		echo "Still installing ..." >&2; done & progress=$$!; \
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . >&2; \
	status=$$?; kill $$progress; exit $$status
	@touch $@
	@$(if $(filter play serve,$(MAKECMDGOALS)),echo "Starting ..." >&2)

.venv/dev: .venv/play
	@echo "Installing what the tests need ..." >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' >&2
	@touch $@

.venv/web: .venv/dev
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[web]' >&2
	@touch $@
