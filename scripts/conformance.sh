#!/bin/bash
# Runs other systems' published test suites against the engine, where they lie beside this checkout (../shared/conformance).
# The suites of tests/conformance_suites.txt must pass; the others are told and fail nothing, while their engines grow.
set -euo pipefail
cd "$(dirname "$0")/.."

runner=../shared/conformance/run.py
if [ ! -f "$runner" ]; then
    echo "conformance: skipped, there are no suites beside this checkout"
    exit 0
fi
mapfile -t complete < <(grep -vE '^(#|\s*$)' tests/conformance_suites.txt)
growing=()
for suite in core_taxis core_smart_homes core_bluesky sase_umass opencep flink_cep trino_match_recognize; do
    [[ " ${complete[*]} " == *" $suite "* ]] || growing+=("$suite")
done

run() { PYTHONPATH=. scripts/run.sh python "$runner" "$@" --jobs 2 --cache .cache/conformance; }

if [ ${#growing[@]} -gt 0 ]; then
    echo "conformance: ${growing[*]} (told, not required: their engine is not complete)"
    run "${growing[@]}" --list-failures 0 --timeout 20 || true
fi
echo "conformance: ${complete[*]} (required)"
run "${complete[@]}" --list-failures 20 --timeout 600
