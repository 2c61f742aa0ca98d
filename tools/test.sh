#!/usr/bin/env bash
# Runs all tests: with cargo-nextest where it is installed, else with cargo alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=${CARGO:-cargo}

if "$cargo" nextest --version >/dev/null 2>&1; then
    "$cargo" nextest run --workspace --locked
else
    "$cargo" test --workspace --locked --all-targets --no-fail-fast
fi
"$cargo" test --workspace --locked --doc
