#!/bin/bash
# Makes .venv from requirements.txt, every package checked against its hash, and installs the project itself in place.
# uv does the work; where it is missing, pip puts it into a small environment of its own under .cache.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(scripts/find_python.sh)
[ -d .venv ] || "$python" scripts/check_disk.py --folder . --gigabytes "${TRENDMILL_DISK_GB:-4}"
echo "packages   $("$python" --version), $(grep -c "^[a-z].*==" requirements.txt) packages of requirements.txt into .venv"

uv=$(command -v uv || true)
if ! { [ -n "$uv" ] && "$uv" --version >/dev/null 2>&1; }; then
    uv=.cache/bootstrap/bin/uv
    if [ ! -x "$uv" ]; then
        echo "packages   there is no uv; pip installs it into .cache/bootstrap"
        if ! "$python" -m venv .cache/bootstrap >/dev/null 2>&1; then
            echo "Python at $python cannot make virtual environments; install its venv module (Debian: python3-venv), or install uv." >&2
            exit 1
        fi
        .cache/bootstrap/bin/python -m pip install --quiet --disable-pip-version-check \
            --require-hashes --only-binary :all: --requirement scripts/uv.txt
    fi
fi

export UV_LINK_MODE="${UV_LINK_MODE:-}" UV_NO_PROGRESS=1
[ -n "$UV_LINK_MODE" ] || unset UV_LINK_MODE
[ -x .venv/bin/python ] || "$uv" venv --quiet --python "$python" .venv
"$uv" pip sync --quiet --require-hashes --python .venv/bin/python requirements.txt
"$uv" pip install --quiet --no-deps --no-build-isolation --offline --python .venv/bin/python --editable .
# With bytecode of what every command imports: where Python may not write it (PYTHONDONTWRITEBYTECODE, other users), each
# would compile 1,000 modules. All packages have eleven times as many.
packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
.venv/bin/python -m compileall -q -j 0 -x 'site-packages/.*/tests/' cep_core jobs "$packages"/{lark,llvmlite,numba,numpy,pyarrow,yaml}
