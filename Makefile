# Everything that a developer or a user on Linux and macOS needs. Each target first installs what it
# needs; a second run is quick (stamps in .venv/.done).

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
DONE := $(VENV)/.done
CONSTRAINTS := packaging/constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
	--constraint $(CONSTRAINTS)
MODERN := import sys; sys.exit(sys.version_info < (3, 11))
# Tests start the program, and themselves, many times: compiled modules are kept, even where the
# environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=
# The first Python that is new enough; to use another: `make PYTHON=/path/to/python3 install`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	if $$p -c '$(MODERN)' >/dev/null 2>&1; then echo $$p; break; fi; done)

.PHONY: help install demo test test-long fuzz test-oldest reliability coverage check bench train docs reference \
	pictures screenshots firmware firmware-pico constraints dist clean
help:
	@echo "make install | demo | test | test-long | fuzz | test-oldest | reliability | coverage | check | bench | train |" \
		"docs | reference | pictures | screenshots | firmware | firmware-pico | constraints | dist | clean"

install: $(DONE)/install

demo: install
	@$(BIN)/tableside demo $(ARGS)

# Four processes on two cores, because many tests wait for a video, a browser or a disk. Each file runs
# in one process, in the order of tests/conftest.py.
test: $(DONE)/dev $(DONE)/programs
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

test-long: $(DONE)/dev $(DONE)/docs $(DONE)/release $(DONE)/programs
	$(BIN)/python -m pytest -m slow $(ARGS)

# A million broken inputs to every parser, reader and command: hours. Interrupted, it goes on where it was.
fuzz: $(DONE)/dev
	@$(BIN)/python -m tests.tableside.fuzz $(ARGS)

# The default tests with the oldest dependencies that pyproject.toml allows; warnings are errors.
OLDEST := .venv-oldest
test-oldest: $(OLDEST)/.done $(DONE)/programs
	$(OLDEST)/bin/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

# The tests that docs/explanation/reliability.md names; writes there what they saw. ARGS=--long: hours.
reliability: $(DONE)/dev $(DONE)/programs
	@$(BIN)/python -m tests.reliability $(ARGS)

# Which lines and branches the default tests run, in every process. Reports packages below 90 %, and
# what is missing in each file; htmlcov/ shows it.
coverage: $(DONE)/dev $(DONE)/programs
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	@for p in engine calibration hardware tableside vision webui; do \
		$(BIN)/coverage report --include="$$p/*" --fail-under=90 || short="$$short $$p"; done; \
		[ -z "$$short" ] || { echo "below 90 %:$$short" >&2; exit 1; }

check: $(DONE)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(DONE)/bench
	@$(BIN)/tableside bench $(ARGS)

# Every net from nothing: hours (vision/models/README.md). Interrupted, it goes on where it was.
WORK ?= build/training
train: $(DONE)/training
	@$(BIN)/python -m vision.training $(WORK) $(ARGS)

# cup.hex for the dice cup's ATmega328P; hardware/firmware/README.md says how to flash it.
firmware:
	@command -v avr-gcc >/dev/null || .ci/packages needed gcc-avr avr-libc
	@$(MAKE) --silent -C hardware/firmware
	@echo "built hardware/firmware/build/cup.hex"

# cup.uf2 for the Raspberry Pi Pico, to be copied onto it; hardware/firmware/README.md says how.
firmware-pico:
	@command -v arm-none-eabi-gcc >/dev/null || \
		.ci/packages needed gcc-arm-none-eabi libnewlib-arm-none-eabi
	@$(MAKE) --silent -C hardware/firmware pico
	@echo "built hardware/firmware/build/cup.uf2"

# The website of the documents, in build/site; warnings are errors, and nothing is downloaded.
docs: reference $(DONE)/docs
	@cd docs/site && NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true \
		../../$(BIN)/python -m mkdocs build --quiet
	@echo "built build/site/index.html"

# The reference pages that are generated from the code.
reference: $(DONE)/install
	@$(BIN)/python -m tableside.documents.reference docs/reference

# The pictures of the documents, taken from the running demo: three minutes.
pictures: $(DONE)/dev $(DONE)/programs
	$(BIN)/python -m tableside.documents.pictures docs/images

# Every page, light and dark, at three sizes, to be looked at: build/screenshots/index.html; eight
# minutes. ARGS=hall: one part.
screenshots: $(DONE)/dev $(DONE)/programs
	$(BIN)/python -m tableside.documents.screenshots build/screenshots $(ARGS)

# The newest version of everything that is installed, for every Python and system. The training extra
# is left out, since it pins its own versions. Of what the program itself needs, the hashes; and the
# oldest versions that pyproject.toml allows.
constraints: $(DONE)/release
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade --no-annotate \
		--extra archive --extra bench --extra clips --extra dev --extra dice-ble --extra docs --extra hall --extra parquet --extra release --custom-compile-command 'make constraints' \
		--output-file $(CONSTRAINTS) pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --generate-hashes \
		--constraint $(CONSTRAINTS) --custom-compile-command 'make constraints' \
		--output-file packaging/requirements.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --resolution lowest-direct \
		--no-annotate --extra dev --custom-compile-command 'make constraints' \
		--output-file packaging/oldest.txt pyproject.toml

# The source distribution and the wheel, in dist/, checked as a package index does.
dist: $(DONE)/release
	rm -rf build/lib build/bdist.* dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf $(VENV) $(OLDEST) build dist htmlcov .coverage* hardware/firmware/build .mypy_cache .pytest_cache \
		.ruff_cache .hypothesis

$(DONE)/venv:
	@if [ -z "$(PYTHON)" ]; then echo "Tableside needs Python 3.11 or newer: install it, or name" \
		"it with make PYTHON=/path/to/python3" >&2; exit 1; fi
	@[ -x $(BIN)/pip ] || $(PYTHON) -m venv $(VENV) || \
		{ .ci/packages needed python3-venv && $(PYTHON) -m venv --clear $(VENV); }
	@mkdir -p $(DONE) && touch $@

$(DONE)/install: pyproject.toml $(CONSTRAINTS) $(DONE)/venv
	$(PIP) --editable .
	@$(BIN)/python -c 'import cv2' 2>/dev/null || .ci/packages needed libgl1 libglib2.0-0
	@$(BIN)/python -c 'import cv2'
	@$(BIN)/python -m tableside.bench.compiled
	@touch $@

$(OLDEST)/.done: pyproject.toml packaging/oldest.txt $(DONE)/venv
	@$(BIN)/python -m venv --clear $(OLDEST)
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
		--constraint packaging/oldest.txt --editable '.[dev]'
	@touch $@

$(DONE)/dev: $(DONE)/install
	$(PIP) --editable '.[dev]'
	@touch $@

$(DONE)/release: $(DONE)/install
	$(PIP) --editable '.[release]'
	@touch $@

$(DONE)/bench: $(DONE)/install
	$(PIP) --editable '.[bench]' || \
		echo "make bench: a baseline could not be installed; its rows will say so" >&2
	@touch $@

$(DONE)/training: $(DONE)/install
	$(PIP) --editable '.[training]'
	@touch $@

$(DONE)/docs: $(DONE)/install
	$(PIP) --editable '.[docs]'
	@touch $@

# Generators of API clients by others; their own requirements are not ours.
CLIENTS := $(VENV)/clients

# If one of these is missing, the tests that need it are skipped with a reason.
$(DONE)/programs: $(DONE)/dev
	@$(PIP) --editable '.[analysis]' || echo "make test: gnubg-nn could not be installed" >&2
	@PATH="$$PATH:/usr/games" && for p in gnubg chromium chromedriver; do \
		command -v $$p >/dev/null || { .ci/packages wanted gnubg chromium chromium-driver; break; }; \
		done
	@command -v chromium-headless-shell >/dev/null || .ci/packages wanted chromium-headless-shell
	@PATH="$$PATH:/usr/sbin" && command -v mosquitto >/dev/null || .ci/packages wanted mosquitto
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || .ci/packages wanted postgresql
	@command -v avr-gcc >/dev/null && [ -e /usr/include/simavr/sim_avr.h ] || \
		.ci/packages wanted gcc gcc-avr avr-libc libsimavr-dev libelf-dev
	@$(BIN)/python -m venv $(CLIENTS) && $(CLIENTS)/bin/python -m pip install --quiet \
		--disable-pip-version-check --no-input openapi-python-client==0.29.1 || \
		echo "make test: openapi-python-client could not be installed" >&2
	@! command -v npm >/dev/null || npm install --silent --no-audit --no-fund --prefix $(CLIENTS) \
		openapi-typescript@7.13.0 typescript@5.9.3 || \
		echo "make test: openapi-typescript could not be installed" >&2
	@touch $@
