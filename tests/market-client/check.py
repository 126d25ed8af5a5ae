"""Checks what the market's own client makes of the sandbox. Started by run.sh."""

import ast
import asyncio
import base64
import datetime
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

KEY = "market-client-key"
failures = []


def check(holds, what, seen=""):
    print("ok  " if holds else "FAIL", what)
    if not holds:
        failures.append(what)
        print("     seen:", str(seen)[:2000])


class Sandbox:
    """`bourse sandbox` for the length of a `with`."""

    def __enter__(self):
        command = [os.environ["BOURSE"], "sandbox", "--listen", "127.0.0.1:0", "--api-key", KEY, "--freeze", "--latency", "0"]
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


def certificate():
    """A certificate of our own: the library loads one before its first request, and never uses it here."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "market client checks")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


def serve_certificate():
    pem = certificate()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(pem)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/root.cer"


async def route(port):
    import aiohttp
    from vastai import Serverless
    from vastai.serverless.client import client as library

    library._ServerlessBase.SSL_CERT_URL = serve_certificate()
    base = f"http://127.0.0.1:{port}"
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


def main():
    with Sandbox() as sandbox:
        offers(sandbox)
        volumes(sandbox)
        workergroups(sandbox)
        asyncio.run(route(sandbox.port))
    print(f"{len(failures)} failed" if failures else "all good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
