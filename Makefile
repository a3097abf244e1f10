# The commands of the project; `make` alone lists them. Another Python: make lab PYTHON=python3.12
PYTHON ?= python3
BROWSER ?= yes
LESSON ?= 00
TEST = .venv-test-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
# The tests of a file share a lab, so they stay together; and the order of folders stays.
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder
SHORT := not slow and not bench$(if $(filter no,$(BROWSER)), and not browser)

help:
	@echo "make lab              install, and open the first lesson in JupyterLab"
	@echo "make fresh LESSON=01  make one lesson as new; yours is kept beside it"
	@echo "make doctor           check this machine: both experiments, without a browser"
	@echo "make test             the tests, without the long runs (BROWSER=no: without Chromium)"
	@echo "make test ROOM=draw   only what a change in labkit/draw is tried with first"
	@echo "make test-all         every test, on both ends of the supported JAX versions"
	@echo "make bench            time to start and to stop, and memory"
	@echo "make lint, format     ruff over Python and notebooks"
	@echo "make site             every lesson as a page that needs no kernel, in site/"
	@echo "make pictures         draw the pictures of the README again, from a real run"

.venv: python
	@$(PYTHON) tools/venv.py .venv lessons

test-venv: python
	@$(PYTHON) tools/venv.py $(TEST) test

python:
	@command -v $(PYTHON) > /dev/null || { echo "There is no $(PYTHON) here; labkit needs Python 3.11 or newer. Name one with PYTHON="; exit 1; }

lab: .venv
	@.venv/bin/labkit lab

fresh: .venv
	@.venv/bin/labkit lab --fresh $(LESSON)

doctor: .venv
	@.venv/bin/labkit doctor

test: test-venv
	@if [ "$(BROWSER)" != no ]; then tools/chromium.sh; fi
	@tests="$(if $(ROOM),$$($(PYTHON) tools/room.py $(ROOM)),$(PARALLEL))" && \
	$(TEST)/bin/python -m pytest -m "$(SHORT)" $$tests

test-all: python
	@tools/chromium.sh
	@$(PYTHON) tools/test_all.py

bench: test-venv
	$(TEST)/bin/python -m pytest tests/bench -m bench -s

lint: test-venv
	$(TEST)/bin/ruff check .
	$(TEST)/bin/ruff format --check .

format: test-venv
	$(TEST)/bin/ruff check --fix .
	$(TEST)/bin/ruff format .

site: .venv
	.venv/bin/labkit page notebooks/*.ipynb -o site

pictures: .venv
	.venv/bin/python tools/pictures.py

.PHONY: help .venv test-venv python lab fresh doctor test test-all bench lint format site pictures
