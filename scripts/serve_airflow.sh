#!/bin/bash
# Airflow's web UI, scheduler and DAG processor in one terminal, on the loopback address only; Ctrl-C ends all of them.
# Not `airflow standalone`: that also starts a triggerer, which nothing here needs, and two log servers on every address.
set -euo pipefail

port=${PORT:-8080}
export AIRFLOW__API__HOST=127.0.0.1
export AIRFLOW__API__PORT=$port
export AIRFLOW__API__BASE_URL="http://127.0.0.1:$port"
export AIRFLOW__CORE__EXECUTION_API_SERVER_URL="http://127.0.0.1:$port/execution/"
export AIRFLOW__CORE__EXECUTOR=LocalExecutor
AIRFLOW__API_AUTH__JWT_SECRET=$(python -c 'import secrets; print(secrets.token_hex(32))')
export AIRFLOW__API_AUTH__JWT_SECRET

# Passwords, keys and connections lie in this folder: nobody else may enter it. The scheduler keeps the caller's umask,
# since its tasks write the lake and the reports, which others may read.
mkdir -p "$AIRFLOW_HOME"
chmod 700 "$AIRFLOW_HOME"
log=$AIRFLOW_HOME/server.log
(umask 077; : > "$log")
chmod 600 "$log"
if [ -n "${AIRFLOW__DATABASE__SQL_ALCHEMY_CONN:-}" ]; then
    scripts/migrate_airflow.sh
else
    [ -f "$AIRFLOW_HOME/airflow.db" ] || (umask 077; cp .cache/airflow.db "$AIRFLOW_HOME/airflow.db")
    chmod 600 "$AIRFLOW_HOME/airflow.db"
fi

trap 'trap - EXIT; kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true' EXIT
trap exit INT TERM
airflow scheduler --skip-serve-logs >>"$log" 2>&1 &
(umask 077; exec airflow dag-processor) >>"$log" 2>&1 &
(umask 077; exec airflow api-server) >>"$log" 2>&1 &

password=$AIRFLOW_HOME/simple_auth_manager_passwords.json.generated
healthy() { python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$port/api/v2/monitor/health', timeout=5)" 2>/dev/null; }
until healthy; do
    [ "$(jobs -pr | wc -l)" = 3 ] || { echo "Airflow did not start; its last words are in $log" >&2; exit 1; }
    sleep 2
done
echo "airflow    http://127.0.0.1:$port   user and password: $(cat "$password")   log: $log   Ctrl-C ends it"
wait -n
echo "a part of Airflow ended; see $log" >&2
exit 1
