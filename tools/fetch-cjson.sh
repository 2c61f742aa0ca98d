#!/usr/bin/env bash
# Fetches the source of Debian's package cjson, which a test reads, into target/real-code/cjson.
# Uses source lists of its own, so the system's stay as they are, and needs no root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly destination=target/real-code/cjson
[[ -f $destination/cJSON.c ]] && exit 0
echo "fetch-cjson: fetching the source package cjson with apt-get" >&2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial" "$scratch/parts"

# The system's own mirror, asked for sources.
if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$scratch/parts/debian.sources"
elif [[ -s /etc/apt/sources.list ]]; then
    sed -n 's/^deb\(-src\)\? /deb-src /p' /etc/apt/sources.list >"$scratch/parts/debian.list"
else
    echo "fetch-cjson: no Debian mirror is configured on this system" >&2
    exit 1
fi

apt_options=(
    -q
    -o Dir::Etc::sourcelist=/dev/null
    -o "Dir::Etc::sourceparts=$scratch/parts"
    -o "Dir::State::lists=$scratch/lists"
    -o "Dir::Cache=$scratch"
    -o "APT::Sandbox::User="
)
(
    cd "$scratch"
    apt-get "${apt_options[@]}" update
    apt-get "${apt_options[@]}" source --download-only cjson
) >&2

mkdir -p "$destination"
tar --extract --gzip --file "$scratch"/cjson_*.orig.tar.gz --strip-components=1 --directory "$destination"
