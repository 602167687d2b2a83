#!/bin/bash
# Runs other systems' published test suites against the engine, where they lie beside this checkout (../shared/conformance).
# Every case of the suites in tests/conformance_suites.txt must pass, but for those in tests/monitoring/disagreements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

runner=../shared/conformance/run.py
if [ ! -f "$runner" ]; then
    echo "conformance: skipped, there are no suites beside this checkout"
    exit 0
fi
rm -f .cache/conformance.json
mapfile -t suites < <(sed -nE 's/^(\w+) .*/\1/p' tests/conformance_suites.txt)
echo "conformance: ${suites[*]}"
outcome=.cache/conformance.json
PYTHONPATH=. scripts/run.sh python "$runner" "${suites[@]}" --jobs 2 --cache .cache/conformance --list-failures 20 --timeout 600 \
    --json "$outcome" || [ -s "$outcome" ]
scripts/run.sh python scripts/compare_conformance.py "$outcome" tests/monitoring/disagreements.txt tests/conformance_suites.txt
