"""Prometheus' own parser reads what `bourse watch --saved --metrics` serves. Started by run.sh."""

import json
import re
import subprocess
import time
import urllib.request

from checks import BOURSE, HOME, check, finish, private
from prometheus_client.openmetrics.parser import text_string_to_metric_families

HOSTILE = 'cheap "4090" \\ {x="1"}'


def scrape(until):
    """The families of a watch of the sandbox, once they satisfy a condition."""
    command = [BOURSE, "--latency", "0", "watch", "--saved", "--metrics", "127.0.0.1:0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        note = next(line for line in process.stderr if "metrics at" in line)
        address = re.search(r"http://\S+", note)[0]
        for _ in range(300):
            with urllib.request.urlopen(address) as response:
                kind, text = response.headers["Content-Type"], response.read().decode()
            families = {family.name: family for family in text_string_to_metric_families(text)}
            if until(families):
                break
            time.sleep(0.1)
        check(kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", "the media type is OpenMetrics", kind)
        return families
    finally:
        process.terminate()
        process.wait(10)


def value(families, family, **labels):
    found = [s.value for s in families[family].samples if labels.items() <= s.labels.items()]
    return found[0] if found else None


def main():
    families = scrape(lambda _: True)
    full = [name for name, family in families.items() if family.samples]
    check(len(full) >= 3, f"with nothing saved there are at least three families: {', '.join(full)}")
    check(value(families, "bourse_watched_searches") == 0, "no search is watched")
    check(families["bourse_requests"].type == "counter", "requests are a counter")

    saved = [
        {"name": HOSTILE, "resource": "offers", "query": "gpu_name=RTX_4090"},
        {"name": "disks", "resource": "volumes", "query": ""},
    ]
    state = HOME / ".local/state/bourse/profiles/sandbox/searches.json"
    private(state, json.dumps({"version": 1, "kept": {"saved": saved}}))
    families = scrape(lambda families: (value(families, "bourse_requests") or 0) >= 2)
    lowest = value(families, "bourse_lowest_price_dollars", search=HOSTILE, per="gpu_hour")
    median = value(families, "bourse_median_price_dollars", search=HOSTILE, per="gpu_hour")
    check(lowest and median and 0 < lowest <= median, "a hostile name arrives as one label", families)
    check((value(families, "bourse_gpus_on_offer", search=HOSTILE) or 0) > 0, "GPUs are on offer")
    check((value(families, "bourse_machines", search=HOSTILE) or 0) > 0, "machines are on offer")
    check((value(families, "bourse_gigabytes_on_offer", search="disks") or 0) > 0, "volumes count GB")
    age = value(families, "bourse_record_age_seconds", search=HOSTILE)
    check(age is not None and 0 <= age < 60, "the record is young", age)
    finish()


main()
