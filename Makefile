# Thin on purpose: each recipe is a command that README.md also gives in plain form.

SHELL := /bin/bash
.DEFAULT_GOAL := help

WORKER_THREADS ?= 50
PYTEST_WORKERS ?= auto

VENV := .venv
PY := $(VENV)/bin/python
RUNTIME := $(VENV)/runtime.stamp
DEV := $(VENV)/dev.stamp
STATIC := staticfiles/.stamp
STATIC_SOURCES := $(shell find static -type f 2>/dev/null)

# The first interpreter that is new enough; empty where there is none.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	"$$p" -c "$(NEW_ENOUGH)" >/dev/null 2>&1 && command -v "$$p" && break; done)

PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes
PYTEST := $(PY) -m pytest -n $(PYTEST_WORKERS) --dist loadfile
EMBEDDED := env -u REDIS_URL -u CELERY_BROKER_URL DEBUG=true DATABASE_URL=sqlite://:memory:
SQLITE := env -u DATABASE_URL -u REDIS_URL -u CELERY_BROKER_URL TEST_WITHOUT_SERVICES=1
# What a shop would set; the key is made for this one command.
DEPLOYED := env DEBUG=false SECRET_KEY="$$($(PY) -c 'import secrets; print(secrets.token_urlsafe(50))')" \
	ALLOWED_HOSTS=shop.example.com PUBLIC_URL=https://shop.example.com \
	DATABASE_URL=postgresql://countersign@127.0.0.1/countersign REDIS_URL=redis://127.0.0.1:6379/0
COMPOSE := $(shell docker compose version >/dev/null 2>&1 && echo docker compose)

.PHONY: help
help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | column -t -s '|'

$(PY):
	@if [ -z "$(PYTHON)" ]; then echo "Countersign needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3"; exit 1; fi
	@"$(PYTHON)" -c "$(NEW_ENOUGH)" || { echo "Countersign needs Python 3.11 or newer; $(PYTHON) is $$("$(PYTHON)" --version)."; exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); echo "Python could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(RUNTIME): requirements/runtime.txt | $(PY)
	@echo "Installing what Countersign runs on ..."
	@$(PIP_INSTALL) -r requirements/runtime.txt
	@touch $@

$(DEV): requirements/dev.txt | $(PY)
	@echo "Installing what Countersign is developed with ..."
	@$(PIP_INSTALL) -r requirements/dev.txt
	@touch $@ $(RUNTIME)

$(STATIC): $(STATIC_SOURCES) $(RUNTIME)
	@$(PY) manage.py collectstatic --noinput --verbosity 0
	@touch $@

.PHONY: install
install: $(DEV) ## Install everything, development tools too

.PHONY: demo
demo: $(RUNTIME) $(STATIC) ## A sample shop on http://127.0.0.1:8000, no services, no API key
	@exec $(PY) -m config.demo

.PHONY: chat
chat: $(RUNTIME) $(STATIC) ## The sample shop in this terminal: make chat, or make chat CUSTOMER=ben
	@exec $(PY) -m config.chat $(CUSTOMER)

.PHONY: serve
serve: $(RUNTIME) $(STATIC) ## The web process on PORT (and the worker, where no broker is set)
	$(PY) manage.py migrate --noinput --verbosity 0
	exec $(PY) -m config.serve

.PHONY: worker
worker: $(RUNTIME) ## A worker process, with its periodic tasks
	exec $(PY) -m celery --app config.celery worker --pool threads --concurrency $(WORKER_THREADS) --loglevel INFO

.PHONY: test
test: $(DEV) ## The suite on SQLite, then on PostgreSQL and Redis where they are named
	$(SQLITE) $(PYTEST) -m "not browser and not kill"
	@if [ -n "$$DATABASE_URL" ] && [ -n "$$REDIS_URL" ]; then \
		set -x; $(PYTEST) -m "not browser and not kill"; \
	elif [ "$$CI" = true ]; then \
		echo "DATABASE_URL and REDIS_URL must name a PostgreSQL and a Redis when CI=true."; exit 1; \
	else \
		echo "SQLite only: set DATABASE_URL and REDIS_URL to run the suite on PostgreSQL and Redis too."; \
	fi

.PHONY: test-browser
test-browser: $(DEV) $(STATIC) ## The journeys in a real Chromium
	$(PY) -m pytest -m browser

.PHONY: test-kill
test-kill: $(DEV) ## The tests that kill real worker processes
	$(PY) -m pytest -m kill

.PHONY: check-mcp
check-mcp: $(DEV) ## The official conformance suite and inspector of MCP (brings Node 22 into .node where there is none)
	@exec $(PY) -m tests.conformance

.PHONY: check
check: $(DEV) ## Format, lint, types, migrations, settings, documentation, known vulnerabilities
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(EMBEDDED) $(PY) -m mypy
	$(EMBEDDED) $(PY) manage.py makemigrations --check --dry-run
	$(EMBEDDED) $(PY) manage.py check
	@echo "manage.py check --deploy"; $(DEPLOYED) $(PY) manage.py check --deploy --fail-level WARNING
	$(SQLITE) $(PY) -m pytest -q tests/docs tests/test_architecture.py
	$(PY) -m tests.dependencies
ifneq ($(COMPOSE),)
	ENV_FILE=.env.example POSTGRES_PASSWORD=check REDIS_PASSWORD=check $(COMPOSE) --env-file .env.example config --quiet
else
	@echo "docker compose is not installed: docker-compose.yml was only parsed by the documentation tests."
endif

.PHONY: cases
cases: $(RUNTIME) ## Replay recorded customer cases: make cases DIR=folder
	@if [ -z "$(DIR)" ]; then echo "Name the folder of the cases: make cases DIR=../shop"; exit 2; fi
	@exec $(PY) -m config.cases "$(DIR)"

.PHONY: claims
claims: $(DEV) ## Teach the claims filter anew, after labelled sentences were added to tests/claims
	@$(SQLITE) DJANGO_SETTINGS_MODULE=tests.settings $(PY) -m tests.claims

.PHONY: bench
bench: $(RUNTIME) ## Measure time, memory, connections and cost: make bench, or make bench PART=steps
	exec $(PY) -m bench $(PART)

.PHONY: format
format: $(DEV) ## Format and mend what the linter can
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

# Universal: one file for every Python from 3.11 on and every platform. No index address is written into it.
COMPILE := $(VENV)/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header $(UPGRADE)

.PHONY: requirements
requirements: $(DEV) ## Write requirements/*.txt anew from pyproject.toml (UPGRADE=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra dev --extra stripe --constraints requirements/runtime.txt --output-file requirements/dev.txt

.PHONY: clean
clean: ## Remove the virtual environment and everything that was made
	rm -rf $(VENV) .node staticfiles .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
