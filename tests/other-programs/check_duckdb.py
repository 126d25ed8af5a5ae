"""DuckDB runs the queries of docs/operate.md on a record. Started by run.sh."""

import importlib.util
import os
import re
import shlex
import subprocess
from pathlib import Path

import duckdb
from checks import BOURSE, GUIDE, HOME, check, finish


def main():
    done = subprocess.run([BOURSE, "--latency", "0", "watch", "4090", "--once"], capture_output=True, text=True)
    check(done.returncode == 0, "a search is recorded", done.stderr)
    os.chdir(HOME / ".local/state/bourse/profiles/sandbox")
    folder = Path(importlib.util.find_spec("duckdb_extension_sqlite_scanner").origin).parent
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.load_extension(str(next(folder.rglob("*.duckdb_extension"))))
    text = (GUIDE / "operate.md").read_text()
    block = re.search(r"```sh\n(duckdb .*?)```", text, re.S)[1]
    words = shlex.split(block)
    queries = [words[at + 2] for at, word in enumerate(words) if word == "duckdb"]
    check(len(queries) == 2, "the guide has two queries", block)
    for query in queries:
        rows = connection.execute(query).fetchall()
        check(rows and "RTX 4090" in {row[0] for row in rows}, query.split("\n")[0], rows)
    lowest, = (row[2] for row in connection.execute(queries[0]).fetchall() if row[:2] == ("RTX 4090", 1))
    check(0.05 < lowest < 5, "the lowest price of one GPU is a number of dollars", lowest)
    finish()


main()
