#!/bin/sh
# Other programs against bourse: Prometheus' parser, DuckDB, the reference client of the Model Context Protocol.
#
# They come from the Python package index, so this is no part of `cargo test`. It needs Python 3.10 or later.
#
#   tests/other-programs/run.sh              builds bourse, installs the packages, checks
#   BOURSE=target/debug/bourse tests/other-programs/run.sh       checks a program that is built
#   OTHER_PROGRAMS_VENV=DIR                  where the packages are installed (default: target/other-programs)
#
# Everything stays on loopback, and the home is a new folder. Exit status 0 when all holds, 1 when something does not.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
venv=${OTHER_PROGRAMS_VENV:-$root/target/other-programs}
packages='prometheus_client==0.26.0 mcp==2.3.0 duckdb==1.5.5 duckdb-extension-sqlite-scanner==1.5.5'

if [ -z "${BOURSE:-}" ]; then
    (cd "$root" && cargo build --quiet --locked --bin bourse)
    BOURSE=$root/target/debug/bourse
fi
BOURSE=$(CDPATH='' cd -- "$(dirname -- "$BOURSE")" && pwd)/$(basename -- "$BOURSE")

if [ "$(cat "$venv/installed" 2>/dev/null)" != "$packages" ]; then
    python3 -m venv "$venv"
    # shellcheck disable=SC2086 # a list of packages
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $packages
    echo "$packages" >"$venv/installed"
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT INT TERM
for check in "$here"/check_*.py; do
    rm -rf "$home/home"
    mkdir "$home/home"
    HOME=$home/home XDG_CONFIG_HOME=$home/home/.config XDG_STATE_HOME=$home/home/.local/state BOURSE=$BOURSE GUIDE=$root/docs \
        "$venv/bin/python" "$check"
done
