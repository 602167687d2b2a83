#!/bin/bash
# Runs a command the way the project means it: its own Python first on PATH, the Java chosen at set-up, Airflow's settings
# of airflow.env (what is set already takes precedence), nothing but the loopback address, compiled modules in .cache.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

while IFS='=' read -r name value; do
    case "$name" in ''|\#*) continue ;; esac
    [ -n "${!name:-}" ] || export "$name=$value"
done < "$root/airflow.env"

export PATH="$root/.venv/bin:$PATH"
export JAVA_HOME="$root/.cache/jdk"
export PYSPARK_PYTHON="$root/.venv/bin/python"
export SPARK_LOCAL_IP=127.0.0.1
export NUMBA_CACHE_DIR="${NUMBA_CACHE_DIR:-$root/.cache/numba}"
export AIRFLOW_HOME="${AIRFLOW_HOME:-$root/airflow_home}"
export AIRFLOW__CORE__DAGS_FOLDER="$root/dags"
# A program starts a dozen Python processes, and each would compile thousands of modules anew: neither the installer nor a
# container that sets PYTHONDONTWRITEBYTECODE leaves compiled ones. They are kept in one place, not beside the sources.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="${PYTHONPYCACHEPREFIX:-$root/.cache/bytecode}"
cd "$root"
exec "$@"
