#!/bin/bash
# Runs other systems' published test suites against the engine, where they lie beside this checkout (../shared/conformance).
# Every case of the suites in tests/conformance_suites.txt must pass.
set -euo pipefail
cd "$(dirname "$0")/.."

runner=../shared/conformance/run.py
if [ ! -f "$runner" ]; then
    echo "conformance: skipped, there are no suites beside this checkout"
    exit 0
fi
mapfile -t suites < <(grep -vE '^(#|\s*$)' tests/conformance_suites.txt)
echo "conformance: ${suites[*]}"
PYTHONPATH=. scripts/run.sh python "$runner" "${suites[@]}" --jobs 2 --cache .cache/conformance --list-failures 20 --timeout 600
