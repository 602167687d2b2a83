#!/bin/bash
# Makes or migrates Airflow's database. With a path: an empty one (SQLite), made once and kept there as a template, since
# migrating costs some CPU-seconds and copying none. Without: the one that AIRFLOW__DATABASE__SQL_ALCHEMY_CONN names.
# One process makes the tables and the pool, since importing Airflow is most of the work.
set -euo pipefail
template=${1:-}
umask 077  # connections and their passwords end up in it

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
[ -z "$template" ] || export AIRFLOW_HOME=$home
if ! python - >"$home/log" 2>&1 <<'PROGRAM'; then
from airflow.models.pool import Pool
from airflow.utils.db import initdb

initdb()
if Pool.get_pool("trendmill") is None:
    Pool.create_or_update_pool("trendmill", 1, "one Spark application at a time", include_deferred=False)
PROGRAM
    echo "Airflow could not make its database; its last line: $(tail -n 1 "$home/log")" >&2
    exit 1
fi
[ -n "$template" ] || exit 0
mkdir -p "$(dirname "$template")"
mv "$home/airflow.db" "$template"
echo "empty database kept as $template"
