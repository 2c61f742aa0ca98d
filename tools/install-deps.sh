#!/usr/bin/env bash
# Installs what attest needs and this machine lacks; Debian 12 and its kin. Does nothing, silently,
# when everything is there.
#
#   tools/install-deps.sh build   what building and running attest needs
#   tools/install-deps.sh test    that, and what the tests need
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly build_packages=(
    clang-19 libclang-19-dev llvm-19-dev libclang-rt-19-dev
    gcc g++ libc6-dev
)
readonly test_packages=(
    z3 csmith libcsmith-dev gdb gcc-multilib
)

die() {
    echo "install-deps: $*" >&2
    exit 1
}

installed() {
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Runs a command as root.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages needs root, and there is no sudo; as root, run: $*"
    fi
}

# Installs those of the named packages that are missing.
install_packages() {
    local missing=() package
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    command -v apt-get >/dev/null ||
        die "these Debian packages (or what your system calls them) are needed: ${missing[*]}"
    echo "install-deps: installing with apt-get: ${missing[*]}" >&2
    as_root apt-get update --quiet
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --quiet --yes --no-install-recommends "${missing[@]}" ||
        die "apt-get could not install: ${missing[*]}"
}

# Adds a component of the Rust toolchain that a minimal installation lacks.
install_rust_component() {
    local command=$1 component=$2
    cargo "$command" --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null || die "cargo $command is missing; install $component"
    echo "install-deps: installing with rustup: $component" >&2
    rustup component add "$component"
}

main() {
    local purpose=${1:-build}
    command -v cargo >/dev/null || die "cargo is missing; install Rust, see https://rustup.rs"
    command -v dpkg-query >/dev/null ||
        die "this script knows Debian packages only; needed: ${build_packages[*]}"
    case $purpose in
        build)
            install_packages "${build_packages[@]}"
            ;;
        test)
            install_packages "${build_packages[@]}" "${test_packages[@]}"
            install_rust_component fmt rustfmt
            install_rust_component clippy clippy
            tools/fetch-package.sh cjson
            ;;
        *)
            die "what for? build or test, not '$purpose'"
            ;;
    esac
}

main "$@"
