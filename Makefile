# Trendmill's commands. Every one first makes the environment; the second time there is nothing left to do.
# `make nightly` and `make test` are all that a fresh machine needs; docs/operations.md tells the rest.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# Steps that do not need each other run beside each other: kernels beside Java, jars and Airflow, types beside lint.
MAKEFLAGS   += --no-print-directory --jobs=2
.DEFAULT_GOAL := ready

WORKLOAD ?= nyc_flights
DAY      ?= 2013-03-08
PORT     ?= 8080

ready: env
	@echo "ready      make nightly   make test   make help"

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

# ------------------------------------------------- set-up: every step once, one line a step, no network afterwards

PACKAGES := .venv/.installed
JAVA     := .cache/jdk/bin/java
JARS     := .cache/jars/.fetched
CLASSES  := .cache/cds/.trained
SETTINGS := .cache/spark-local.conf
METADATA := .cache/airflow.db
KERNELS  := .cache/numba/.compiled
YEAR     := .cache/nyc_flights/.made

KERNEL_SOURCES := $(wildcard cep_core/*.py $(foreach of,events numbers aggregates candidates trends matching monitoring shedding,cep_core/$(of)/*.py cep_core/$(of)/*/*.py cep_core/$(of)/*/*/*.py cep_core/$(of)/*/*/*/*.py) jobs/raw/reading/*.py jobs/raw/reading/kernels/*.py)

env: $(PACKAGES) $(KERNELS) $(JAVA) $(JARS) $(SETTINGS) $(METADATA) ## packages, Java, jars, Airflow's database, kernels
	@:

# Written at once or not at all; written again when there is a class archive to name.
WRITE_SETTINGS = scripts/run.sh python -m jobs.lake.session > $(SETTINGS).new && mv $(SETTINGS).new $(SETTINGS)

# What starts Spark night after night gains from an archive of its classes; the tests do not start it often enough.
nights: env $(CLASSES)
	@:

$(PACKAGES): requirements.txt pyproject.toml
	@scripts/install_packages.sh
	@touch $@

$(JAVA): | $(PACKAGES)
	@line=$$(.venv/bin/python scripts/find_java.py --into .cache/jdk) && echo "java       $$line"

$(JARS): jars.lock | $(PACKAGES) $(JAVA)
	@line=$$(.venv/bin/python scripts/fetch_jars.py --into .cache/jars) && echo "jars       $$line"
	@touch $@

$(SETTINGS): $(JARS) jobs/lake/session.py jobs/lake/spark_settings.py
	@$(WRITE_SETTINGS)
	@echo "spark      settings of the local profile in $@"

$(CLASSES): $(JARS) $(PACKAGES) | $(JAVA) $(SETTINGS)
	@line=$$(scripts/run.sh python scripts/train_class_archive.py) && echo "start-up   $$line"
	@$(WRITE_SETTINGS)
	@mkdir -p $(@D) && touch $@

$(METADATA): $(PACKAGES)
	@line=$$(scripts/run.sh scripts/migrate_airflow.sh $@) && echo "airflow    $$line"

$(KERNELS): $(PACKAGES) scripts/compile_kernels.py scripts/compiling/further_queries.py $(KERNEL_SOURCES)
	@line=$$(scripts/run.sh python scripts/compile_kernels.py) && echo "kernels    $$line"
	@mkdir -p $(@D) && touch $@

$(YEAR): scripts/make_nyc_flights_bundle.py | $(PACKAGES)
	@line=$$(.venv/bin/python scripts/make_nyc_flights_bundle.py --year --into $(@D)) && echo "sample     $$line"
	@touch $@

# ------------------------------------------------------------------------------------------------ work

nightly: nights ## one operating day through the real DAG (DAY=2013-03-08), ends with where the report is
	@scripts/run.sh python scripts/run_dag.py nightly_$(WORKLOAD) --day $(DAY)

# The year of the sample is made and read only if the repository's bundle does not hold what the days need.
backfill: nights ## many operating days in one go: make backfill FROM=2013-03-06 TO=2013-03-11
	@[ -n "$(FROM)" ] && [ -n "$(TO)" ] || { echo "say which days: make backfill FROM=2013-03-06 TO=2013-03-11" >&2; exit 2; }
	@if [ "$(WORKLOAD)" = nyc_flights ] && [ -z "$${NYC_FLIGHTS_DATA:-}" ] && ! scripts/run.sh python scripts/make_nyc_flights_bundle.py --holds "$(FROM)" "$(TO)"; then \
	    $(MAKE) $(YEAR); export NYC_FLIGHTS_DATA="$(CURDIR)/.cache/nyc_flights"; \
	fi; \
	scripts/run.sh trendmill run $(WORKLOAD) --from $(FROM) --to $(TO)

airflow: nights ## Airflow's web UI on http://127.0.0.1:8080 (PORT=8081 for another port)
	@.venv/bin/python scripts/check_port.py $(PORT)
	@PORT=$(PORT) scripts/run.sh scripts/serve_airflow.sh

# ------------------------------------------------------------------------------------------------ proof

check: lint types imports ## formatting, lint, types and the direction of imports
	@:

lint: $(PACKAGES)
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check --no-cache .

types: $(PACKAGES)
	@.venv/bin/python scripts/check_types.py
	@.venv/bin/python scripts/check_types.py scripts/*.py scripts/compiling/*.py

imports: $(PACKAGES)
	@.venv/bin/lint-imports

test: env check ## check, then every test, in two processes
	@scripts/run.sh pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 25

test-deep: env ## the properties with ten times as many examples, new ones each time; takes hours, so before a release
	@HYPOTHESIS_PROFILE=deep scripts/run.sh pytest -m "not spark and not airflow" --numprocesses 2 --dist loadfile --no-loadscope-reorder

coverage: env ## every test once more, with the lines that no test reaches; takes half as long again
	@scripts/run.sh pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term

conformance: env ## other systems' test suites, where they lie beside this checkout
	@scripts/conformance.sh

cluster: nights ## the demo night on a Spark master and two workers of this machine, compared with a local run's; deaths in every task
	@TRENDMILL_EVERY_DEATH=1 scripts/run.sh pytest tests/runs/cluster
	@PYTHONPATH=. scripts/run.sh python benchmarks/cluster.py night

S3_JARS := .cache/jars-s3/.fetched
STORAGE := .cache/storage/.made

s3: env $(S3_JARS) ## the jars that Spark needs for lakes in S3, 13 MB
	@:

$(S3_JARS): jars-s3.lock | $(PACKAGES) $(JAVA)
	@line=$$(.venv/bin/python scripts/fetch_jars.py --lock $< --into $(@D)) && echo "s3         $$line"
	@touch $@

$(STORAGE): tests/runs/storage/requirements.txt tests/runs/storage/jars.lock | $(PACKAGES) $(JAVA)
	@$$(scripts/find_python.sh) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement $<
	@line=$$(.venv/bin/python scripts/fetch_jars.py --lock tests/runs/storage/jars.lock --into $(@D)/jars) && echo "storage    $$line"
	@touch $@

storage: s3 $(STORAGE) ## tests of lakes in S3 and HDFS, against servers of this machine in an environment of their own
	@scripts/run.sh pytest tests/runs/storage

POSTGRES := .cache/airflow-postgres/.made

$(POSTGRES): docker/requirements.txt
	@$$(scripts/find_python.sh) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
	    --target $(@D)/packages --requirement $<
	@touch $@

airflow-scale: nights $(POSTGRES) ## a week of nights in Airflow on PostgreSQL beside another workload; what people do to tasks
	@scripts/run.sh pytest --capture no tests/runs/scheduler

image: ## the container image of the last commit, without a container engine, and the demo night in it
	@scripts/build_image.sh

worker-env: env ## packages, code and kernels for executors that see no folder of this machine (CPU=x86-64-v3), in one archive
	@line=$$(scripts/run.sh python scripts/worker_env.py $(if $(CPU),--cpu $(CPU))) && echo "worker-env $$line"

bench: nights ## the long runs behind docs/performance.md: a year, fifty kills, four ways through a week
	@for bench in benchmarks/*.py benchmarks/scaling/more_workers.py; do echo "== $$bench"; PYTHONPATH=.:benchmarks scripts/run.sh python $$bench; done

# ------------------------------------------------------------------------------------------------ upkeep

requirements: ## resolve requirements.in anew into requirements.txt, with hashes
	@uv pip compile requirements.in --output-file requirements.txt --generate-hashes --universal --python-version 3.11 \
	    --no-header --no-emit-index-url --no-emit-find-links --quiet

clean: ## remove what runs made: lake, reports, Airflow's state, caches of the tools; the environment stays
	@rm -rf lake reports airflow_home .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage .import_linter_cache spark-warehouse

.PHONY: ready help env nights nightly backfill airflow check lint types imports test test-deep coverage conformance bench cluster s3 storage airflow-scale image worker-env requirements clean
