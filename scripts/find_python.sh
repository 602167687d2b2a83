#!/bin/bash
# Prints the path of a Python 3.11 or newer, or says in one sentence that there is none.
# PYTHON=/path/to/python takes precedence. Every candidate is run, because a version manager's shim may exist and not work.
set -euo pipefail

for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.13 python3 python; do
    if path=$("$candidate" -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1); print(sys.executable)' 2>/dev/null); then
        echo "$path"
        exit 0
    fi
done
echo "Trendmill needs Python 3.11 or newer and found none on PATH; install one, or name it: make PYTHON=/path/to/python" >&2
exit 1
