#!/bin/sh
# The market's own client against the sandbox.
#
# What it shows: the public client (`vastai`, from the Python package index) and its serverless
# library understand every reply of `bourse sandbox`, and a command of your own rents through it. It is no part of `cargo test`, since it needs
# Python 3.10 or later and a package from the network.
#
#   tests/market-client/run.sh              builds bourse, installs the client, checks
#   BOURSE=target/debug/bourse tests/market-client/run.sh       checks a program that is built
#   VASTAI_VERSION=1.9.1                    the version of the client (this one is the default)
#   MARKET_CLIENT_VENV=DIR                  where the client is installed (default: target/market-client)
#
# Everything stays on loopback: the client's addresses, its certificate download included, point at
# the sandbox, and its home is a new folder. Exit status 0 when all
# holds, 1 when something does not.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
version=${VASTAI_VERSION:-1.9.1}
venv=${MARKET_CLIENT_VENV:-$root/target/market-client}

if [ -z "${BOURSE:-}" ]; then
    (cd "$root" && cargo build --quiet --bin bourse)
    BOURSE=$root/target/debug/bourse
fi

if ! "$venv/bin/python" -c "import importlib.metadata as m; assert m.version('vastai') == '$version'" 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "vastai==$version" cryptography
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT INT TERM
HOME=$home XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home XDG_DATA_HOME=$home XDG_STATE_HOME=$home \
    VASTAI_NO_UPDATE_CHECK=1 BOURSE=$BOURSE \
    "$venv/bin/python" "$here/check.py"
