#!/usr/bin/env bash
# Fetches the sources of Debian packages, which tests and benches read, into target/real-code/NAME.
# Uses source lists of its own, so the system's stay as they are, and needs no root.
#
#   tools/fetch-package.sh NAME...
#
# The sources are as their authors published them, without the patches of Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly destination=target/real-code

missing=()
for name in "$@"; do
    [[ -d $destination/$name ]] || missing+=("$name")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0
echo "fetch-package: fetching with apt-get the sources of ${missing[*]}" >&2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial" "$scratch/parts"

# The system's own mirror, asked for sources.
if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$scratch/parts/debian.sources"
elif [[ -s /etc/apt/sources.list ]]; then
    sed -n 's/^deb\(-src\)\? /deb-src /p' /etc/apt/sources.list >"$scratch/parts/debian.list"
else
    echo "fetch-package: no Debian mirror is configured on this system" >&2
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

# Unpacks the archive of a package that was fetched into a folder.
unpack() {
    local fetched=$1 folder=$2 archives=("$1"/*.orig.tar.?z*)
    mkdir "$folder"
    tar --extract --file "${archives[0]}" --strip-components=1 --directory "$folder"
}

apt-get "${apt_options[@]}" update >&2
mkdir -p "$destination"
for name in "${missing[@]}"; do
    fetched=$scratch/$name
    mkdir "$fetched"
    (cd "$fetched" && apt-get "${apt_options[@]}" source --only-source --download-only "$name") >&2
    unpack "$fetched" "$scratch/unpacked"
    mv "$scratch/unpacked" "$destination/$name"
done
