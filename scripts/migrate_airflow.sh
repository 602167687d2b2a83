#!/bin/bash
# Makes an empty Airflow database (SQLite) once and keeps it as a template: migrating costs some CPU-seconds, copying none.
# One process makes the tables and the pool, since importing Airflow is most of the work.
set -euo pipefail
template=$1
umask 077  # connections and their passwords end up in it

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export AIRFLOW_HOME=$home
if ! python - >"$home/log" 2>&1 <<'END'; then
from airflow.models.pool import Pool
from airflow.utils.db import initdb

initdb()
Pool.create_or_update_pool("trendmill", 1, "one Spark application at a time", include_deferred=False)
END
    echo "Airflow could not make its database; its last line: $(tail -n 1 "$home/log")" >&2
    exit 1
fi
mkdir -p "$(dirname "$template")"
mv "$home/airflow.db" "$template"
echo "empty database kept as $template"
