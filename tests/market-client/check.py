"""Checks what the market's own client makes of the sandbox. Started by run.sh."""

import ast
import asyncio
import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from rent import rents

KEY = "market-client-key"
# The requests whose times are compared, one after the other.
TIMED = 12
failures = []


def check(holds, what, seen=""):
    print("ok  " if holds else "FAIL", what)
    if not holds:
        failures.append(what)
        print("     seen:", str(seen)[:2000])


class Sandbox:
    """`bourse sandbox` for the length of a `with`."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        command = [os.environ["BOURSE"], "sandbox", "--listen", "127.0.0.1:0", "--api-key", KEY, "--latency", "0"]
        command += self.options
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        first, second = self.process.stdout.readline(), self.process.stdout.readline()
        check(first.startswith("bourse sandbox on http://127.0.0.1:"), "the first line names the address", first)
        check(second.strip() == f"api key: {KEY}", "the second line names the key", second)
        self.port = int(first.strip().rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        check(self.process.returncode == 0, "the sandbox exits with 0 on SIGTERM", self.process.returncode)

    def client(self, *words):
        """Runs the client's command line: its output, and what it printed as errors."""
        environment = dict(os.environ, VAST_URL=f"http://127.0.0.1:{self.port}")
        # Two spellings of one address: if they were equal the client would take the logs and
        # workers commands elsewhere.
        command = [str(Path(sys.executable).with_name("vastai")), "--url", f"http://localhost:{self.port}"]
        done = subprocess.run(
            [*command, "--api-key", KEY, *words], capture_output=True, text=True, env=environment, timeout=120
        )
        what = " ".join(words)
        clean = done.returncode == 0 and "Traceback" not in done.stderr and "Failed with" not in done.stderr
        check(clean, f"{what}: runs without complaint", done.stdout + done.stderr)
        return done.stdout


def offers(sandbox):
    query = "gpu_name=RTX_4090 num_gpus>=2 gpu_ram>=24 reliability>0.98 geolocation in [US,CA]"
    rows = json.loads(sandbox.client("search", "offers", query, "-o", "dph", "--raw"))
    check(len(rows) >= 3, "offers are found", len(rows))
    for row in rows:
        good = (
            row["gpu_name"] == "RTX 4090"
            and row["num_gpus"] >= 2
            and row["gpu_ram"] >= 24000
            and row["reliability"] > 0.98
            and row["geolocation"][-2:] in ("US", "CA")
            and row["verification"] == "verified"
            and row["rentable"]
        )
        if not good:
            check(False, "every offer satisfies the query", row)
    prices = [row["dph_total"] for row in rows]
    check(prices == sorted(prices), "offers come in the order asked for", prices)
    first = rows[0]
    disk = first["storage_cost"] * 5 / 720
    check(abs(first["dph_total"] - first["dph_base"] - disk) < 1e-9, "prices hold the client's 5 GB", first)
    table = sandbox.client("search", "offers", query, "-o", "dph", "--limit", "3")
    check(str(first["id"]) in table and "RTX_4090" in table, "the table shows the cheapest offer", table)
    for extra in (["-n"], ["--type", "bid"], ["--type", "reserved"], ["--new"], ["--storage", "200"]):
        rows = json.loads(sandbox.client("search", "offers", *extra, "--limit", "9", "--raw"))
        check(len(rows) == 9, f"search offers {' '.join(extra)}: nine rows", len(rows))
        sandbox.client("search", "offers", *extra, "--limit", "9")
    rows = json.loads(sandbox.client("search", "offers", "datacenter=True driver_version>=570.86.15 duration>30 gpu_name!=H200", "--raw"))
    check(rows and all(r["hosting_type"] == 1 and r["driver_vers"] >= 570086015 for r in rows), "further filters hold", rows)


def volumes(sandbox):
    rows = json.loads(sandbox.client("search", "network-volumes", "duration>30 storage_cost<=0.2", "-o", "storage_cost", "--raw"))
    check(len(rows) > 0, "network volumes are found", rows)
    good = all(r["duration"] > 30 * 86400 and r["storage_cost"] <= 0.2 and r["verified"] for r in rows)
    check(good, "every network volume satisfies the query", rows)
    # Straight after the first: the sandbox asks for two seconds in between, and the client waits.
    table = sandbox.client("search", "network-volumes", "duration>30 storage_cost<=0.2", "--limit", "4")
    check("cluster_id" in table and str(rows[0]["id"]) in table or len(rows) > 4, "the table of volumes is shown", table)
    rows = json.loads(sandbox.client("search", "volumes", "--limit", "5", "--raw"))
    check(len(rows) == 5 and all(r["disk_space"] >= 1 for r in rows), "local volumes are found", rows)
    sandbox.client("search", "volumes", "--limit", "5")
    rows = json.loads(sandbox.client("search", "volumes", "host_id=1001", "-n", "--raw"))
    check(len(rows) > 0, "the caller has a local volume of its own", rows)
    listing = rows[0]["id"]
    said = sandbox.client("unlist", "volume", str(listing))
    check(f"Unlisted Volume {listing}." in said, "unlist volume names the volume", said)
    rows = json.loads(sandbox.client("search", "volumes", "--limit", "5000", "--raw"))
    check(listing not in [r["id"] for r in rows], "the unlisted volume is gone")


def workergroups(sandbox):
    before = json.loads(sandbox.client("show", "workergroups", "--raw"))
    check(any(group["endpoint_name"] == "llama-70b" for group in before), "workergroups are shown", before)
    said = sandbox.client("create", "workergroup", "--endpoint_name", "client-made", "--gpu_ram", "48")
    # The client prints the reply as Python writes it.
    made = ast.literal_eval(said[said.index("{") :].strip()) if "{" in said else {}
    check(made.get("success") is True and isinstance(made.get("id"), int), "a workergroup is created", said)
    after = json.loads(sandbox.client("show", "workergroups", "--raw"))
    group = next((group for group in after if group["id"] == made["id"]), {})
    check(len(after) == len(before) + 1, "the workergroup is in the list", after)
    check(group.get("endpoint_name") == "client-made" and group.get("gpu_ram") == 48, "it is as asked for", group)
    check(group.get("search_query") == "verified=True rentable=True rented=False", "it has the client's search", group)
    names = json.loads(sandbox.client("show", "endpoints", "--raw"))
    check("client-made" in [endpoint["endpoint_name"] for endpoint in names], "its endpoint exists", names)


async def route(port):
    import aiohttp
    from vastai import Serverless

    base = trust(port)
    async with aiohttp.ClientSession() as session, session.get(f"{base}/pubkey/") as answer:
        public = serialization.load_pem_public_key(await answer.read())
    async with Serverless(KEY, autoscaler_url=base, webserver_url=base) as client:
        endpoint = await client.get_endpoint("llama-70b")
        numbers = {}
        for _ in range(12):
            reply = await endpoint._route(cost=242)
            check(reply.status == "READY" and reply.request_idx > 0, "the library gets a worker", reply.body)
            body = reply.body
            url = reply.get_url()
            # What a worker checks before it takes a request.
            signed = json.dumps({"url": url}, indent=4, sort_keys=True).encode()
            public.verify(base64.b64decode(body["signature"]), signed, padding.PKCS1v15(), hashes.SHA256())
            last = numbers.get(url)
            check(last is None or body["reqnum"] == last + 1, "the worker's request number grows by one", body)
            numbers[url] = body["reqnum"]
        cold = await client.get_endpoint("whisper-large")
        reply = await cold._route(cost=100)
        check(reply.status == "WAITING" and reply.get_url() is None, "a cold endpoint makes it wait", reply.body)
        polls = 0
        while reply.status == "WAITING" and polls < 100:
            reply = await cold._route(cost=100, req_idx=reply.request_idx)
            polls += 1
        check(reply.status == "READY" and polls > 1, "a worker comes up in the end", (polls, reply.body))


async def call(port):
    """Requests that go all the way, with nothing set but the addresses and the certificate."""
    import aiohttp
    from vastai import Serverless

    base = trust(port)
    payload = {"prompt": "three short words", "max_tokens": 12}
    async with Serverless(KEY, autoscaler_url=base, webserver_url=base) as client:
        endpoint = await client.get_endpoint("llama-70b")
        answer = await endpoint.request("/v1/completions", payload, cost=12)
        usage = answer["response"]["usage"] if answer["ok"] else None
        check(usage == {"prompt_tokens": 3, "completion_tokens": 12, "total_tokens": 15}, "a worker completes a prompt", answer)
        check(answer["url"].startswith("https://127.0.0.1:"), "the worker is on loopback", answer["url"])

        answer = await endpoint.request("/v1/completions", {**payload, "stream": True}, cost=12, stream=True)
        events = [event async for event in answer["response"]]
        said = "".join(event["choices"][0]["text"] for event in events)
        check(len(events) == 13 and len(said.split()) == 12, "a stream of events has twelve tokens and an end", events)
        answer = await endpoint.request("/api/generate", {**payload, "stream": True}, cost=12, stream=True)
        lines = [line async for line in answer["response"]]
        check(len(lines) == 13 and lines[-1]["eval_count"] == 12, "so has a stream of lines", lines)

        answer = await endpoint.request("/v1/completions", {"max_tokens": 12}, cost=12)
        check(answer["status"] == 400 and "error" in answer["response"], "the model's own error is passed on", answer)
        many = [endpoint.request("/v1/completions", payload, cost=12) for _ in range(40)]
        answers = await asyncio.gather(*many)
        check(all(answer["ok"] for answer in answers), "forty requests at once are all completed", answers)
        check(len({answer["url"] for answer in answers}) > 1, "several workers have their share")

        cold = await client.get_endpoint("whisper-large")
        answer = await cold.request("/generate", {"steps": 5}, cost=5)
        check(answer["ok"] and answer["response"]["eval_count"] == 5, "a cold endpoint answers once a worker has started", answer)

        route = await endpoint._route(cost=12)
        wrong = {**route.body, "signature": base64.b64encode(b"wrong").decode()}
        body = {"auth_data": wrong, "session_id": None, "payload": payload}
        session, tls = await client._get_session(), await client.get_ssl_context()
        async with session.post(route.get_url() + "/v1/completions", json=body, ssl=tls) as refused:
            check(refused.status == 401 and await refused.read() == b"", "a wrong signature is 401 without a body")
    async with aiohttp.ClientSession() as stranger:
        try:
            await stranger.post(route.get_url(), json=body)
            check(False, "who does not trust the root does not get through")
        except aiohttp.ClientConnectorCertificateError:
            check(True, "who does not trust the root does not get through")


async def times(port):
    """The client's times of whole requests and those of bourse, worker by worker."""
    from vastai import Serverless

    base = trust(port)
    payload = {"prompt": "three short words", "max_tokens": 50}
    theirs, ours = {}, {}
    async with Serverless(KEY, autoscaler_url=base, webserver_url=base) as client:
        endpoint = await client.get_endpoint("llama-70b")
        await endpoint.request("/v1/completions", payload, cost=50)
        for _ in range(TIMED):
            started = time.monotonic()
            answer = await endpoint.request("/v1/completions", payload, cost=50)
            theirs.setdefault(answer["url"], []).append(time.monotonic() - started)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "payload.json").write_text(json.dumps(payload))
        with urllib.request.urlopen(f"{base}/worker-ca.pem") as root:
            (folder / "root.pem").write_bytes(root.read())
        command = [os.environ["BOURSE"], "route", "llama-70b", "--base-url", base, "--cost", "50"]
        command += ["--send", "/v1/completions", "--payload", str(folder / "payload.json"), "--yes"]
        command += ["--worker-ca", str(folder / "root.pem"), "-n", str(TIMED), "--warmup", "1", "--format", "json"]
        environment = dict(os.environ, BOURSE_API_KEY=KEY)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    check(done.returncode == 0, "bourse calls the same workers", done.stderr)
    for reply in json.loads(done.stdout)["replies"]:
        ours.setdefault(reply["url"], []).append(reply["bourse"]["total"])
    both = sorted(theirs.keys() & ours.keys())
    check(len(both) > 1, "both call several workers", (theirs, ours))
    for url in both:
        their, our = statistics.median(theirs[url]), statistics.median(ours[url])
        what = f"{url}: the client takes {their:.3f} s, bourse {our:.3f} s, within a tenth"
        check(abs(their - our) <= 0.1 * their, what)


def trust(port):
    """Has the library load the sandbox's root certificate in place of the market's. Returns the sandbox's address."""
    from vastai.serverless.client import client as library

    base = f"http://127.0.0.1:{port}"
    library._ServerlessBase.SSL_CERT_URL = f"{base}/worker-ca.pem"
    return base


def main():
    with Sandbox("--freeze") as sandbox:
        offers(sandbox)
        volumes(sandbox)
        workergroups(sandbox)
        asyncio.run(route(sandbox.port))
    # Workers take their time.
    with Sandbox() as sandbox:
        asyncio.run(call(sandbox.port))
        asyncio.run(times(sandbox.port))
    rents(check)
    print(f"{len(failures)} failed" if failures else "all good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
