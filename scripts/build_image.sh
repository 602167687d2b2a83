#!/bin/bash
# Builds the image of docker/Dockerfile from the last commit, without a container engine: buildah, as root. The base is made of
# Debian's packages (mmdebstrap) under the name of Docker's Python image, if the store below .cache/image has none yet.
# Then the demo night runs in it as its user, without a network, and its size and contents are told (docs/cluster.md).
# A larger image than 2,500 MB is an error.
# `build_image.sh --night` only runs the night. CA (PEM) and JAVA_TRUST (a trust store) are given to the build, not to the image.
set -euo pipefail
cd "$(dirname "$0")/.."

base=docker.io/library/python:3.11-slim-bookworm
image=localhost/trendmill:0.1.0
store=$PWD/.cache/image
most=2500
CA=${CA:-/etc/ssl/certs/ca-certificates.crt}
JAVA_TRUST=${JAVA_TRUST:-/etc/ssl/certs/java/cacerts}
buildah=(buildah --storage-driver vfs --root "$store/root" --runroot "$store/run")

for program in buildah mmdebstrap ip unshare; do
    if ! command -v "$program" >/dev/null; then
        echo "image      skipped: there is no $program (Debian: buildah, mmdebstrap, iproute2)"
        exit 0
    fi
done
[ "$(id -u)" = 0 ] || { echo "image      skipped: only root can build it this way"; exit 0; }
mkdir -p "$store"
commit=$(git rev-parse HEAD)  # others may commit while it is built

make_base() {
    local container folder
    container=$("${buildah[@]}" from scratch)
    folder=$("${buildah[@]}" mount "$container")
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,ca-certificates bookworm - | tar -x -C "$folder" --exclude='./dev/*'
    rm -rf "$folder"/var/cache/apt/* "$folder"/var/lib/apt/lists/*
    for name in python python3 python3.11; do ln -s /usr/bin/python3.11 "$folder/usr/local/bin/$name"; done
    "${buildah[@]}" umount "$container" >/dev/null
    "${buildah[@]}" commit --quiet --rm "$container" "$base" >/dev/null
}

build() (
    secrets=()
    [ -z "$(git status --porcelain)" ] || echo "image      the checkout differs from the last commit, of which the image is built"
    context=$(mktemp -d)
    trap 'rm -rf "$context"' EXIT
    git archive "$commit" | tar -x -C "$context"
    [ ! -s "$CA" ] || secrets+=(--secret "id=ca,src=$CA")
    [ ! -s "$JAVA_TRUST" ] || secrets+=(--secret "id=java_trust,src=$JAVA_TRUST")
    "${buildah[@]}" bud --isolation chroot --layers=false --pull-never "${secrets[@]}" \
        --file "$context/docker/Dockerfile" --label "org.opencontainers.image.revision=$commit" --tag "$image" "$context" >"$store/build.log" 2>&1 \
        || { tail -n 5 "$store/build.log" >&2; echo "image      was not built: $store/build.log" >&2; exit 1; }
)

# The night as the image's user, in a network namespace that has nothing but its own loopback address.
night() (
    container=$("${buildah[@]}" from --pull-never "$image")
    trap '"${buildah[@]}" rm "$container" >/dev/null' EXIT
    unshare --net sh -ec 'ip link set lo up; exec "$@"' night "${buildah[@]}" run --isolation chroot --hostname localhost "$container" -- \
        python scripts/run_dag.py nightly_nyc_flights --day 2013-03-08
)

contents() {
    local container folder size
    container=$("${buildah[@]}" from --pull-never "$image")
    folder=$("${buildah[@]}" mount "$container")
    cp "$folder/opt/trendmill/.cache/contents.json" "$store/contents.json"
    size=$(($(du --summarize --bytes "$folder" | cut -f1) / 1000000))
    "${buildah[@]}" umount "$container" >/dev/null
    "${buildah[@]}" rm "$container" >/dev/null
    echo "image      $size MB unpacked"
    echo "image      of tree $(git rev-parse "$commit^{tree}"), parts sha256:$(sha256sum "$store/contents.json" | cut -c1-64), in $store/contents.json"
    [ "$size" -lt "$most" ] || { echo "image      is too large: it may have $most MB" >&2; exit 1; }
}

# The compose file as an engine's own program reads it; the one of Debian 12 does not know the key `name` yet.
check_compose() (
    if ! command -v docker-compose >/dev/null; then
        echo "compose    not checked: there is no docker-compose"
        return
    fi
    trap 'rm -f docker/.compose.yaml' EXIT
    grep -v '^name:' docker/compose.yaml > docker/.compose.yaml
    POSTGRES_PASSWORD=one AIRFLOW_FERNET_KEY=two AIRFLOW_JWT_SECRET=three docker-compose -f docker/.compose.yaml config --quiet
    echo "compose    docker/compose.yaml is read by $(docker-compose --version)"
)

check_compose
begun=$SECONDS
if [ "${1:-}" != --night ]; then
    "${buildah[@]}" inspect --type image "$base" >/dev/null 2>&1 || make_base
    build
    echo "image      $image in $((SECONDS - begun)) s"
    contents
    begun=$SECONDS
fi
night
echo "image      the night took $((SECONDS - begun)) s, offline, as the image's user"
