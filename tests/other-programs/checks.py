"""What the checks share: each prints a line for what holds, and ends with status 1 if something does not."""

import os
import sys
from pathlib import Path

BOURSE = os.environ["BOURSE"]
GUIDE = Path(os.environ["GUIDE"])
HOME = Path(os.environ["HOME"])
failures = []


def check(holds, what, seen=""):
    print("ok  " if holds else "FAIL", what)
    if not holds:
        failures.append(what)
        print("     seen:", str(seen)[:2000])


def finish():
    print(f"{len(failures)} failed" if failures else "all good")
    sys.exit(1 if failures else 0)


def private(path, text):
    """Writes a file as bourse does: nobody else may read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in [path.parent, path.parent.parent, path.parent.parent.parent]:
        folder.chmod(0o700)
    path.write_text(text)
    path.chmod(0o600)
