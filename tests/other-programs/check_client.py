"""The market's own client, on a key of the dashboard, rents the selected offer. Started by run.sh."""

import json
import os
import pty
import re
import select
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from checks import BOURSE, HOME, check, finish, private

KEY = "key-of-the-client"
OFFER = {
    "id": 4711,
    "machine_id": 7,
    "host_id": 3,
    "gpu_name": "RTX 4090",
    "num_gpus": 1,
    "gpu_ram": 24564,
    "dph_total": 0.31,
    "geolocation": "Texas, US",
}
received = []


class Market(BaseHTTPRequestHandler):
    """A market with one offer, which counts what is asked of it."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        received.append((self.command, self.path.split("?")[0], body, self.headers.get("Authorization"), self.path))
        rents = self.command == "PUT"
        reply = {"success": True, "new_contract": 99} if rents else {"offers": [OFFER]}
        text = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Market)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    client = Path(sys.executable).with_name("vastai")
    private(HOME / ".config/vastai/vast_api_key", KEY)
    command = [str(client), "--url", address, "create", "instance", "{id}", "--image", "busybox", "--disk", "20", "--raw"]
    private(
        HOME / ".config/bourse/config.toml",
        f'default_profile = "lab"\n[profiles.lab]\nbase_url = "{address}"\n[commands.rent]\nkey = "f9"\n'
        f"run = {json.dumps(command)}\nconfirm = true\n",
    )
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40", BOURSE_API_KEY="key-of-bourse")
        os.execv(BOURSE, [BOURSE])
    seen = b""

    def wait_for(text):
        nonlocal seen
        until = time.monotonic() + 30
        while text not in re.sub(rb"\x1b\[[0-9;?]*[ -/]*[@-~]", b"", seen) and time.monotonic() < until:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 65536)
        return text in re.sub(rb"\x1b\[[0-9;?]*[ -/]*[@-~]", b"", seen)

    check(wait_for(b"Texas"), "the dashboard lists the offer of the scripted market", seen[-2000:])
    rented = lambda: [request for request in received if request[0] == "PUT"]
    os.write(terminal, b"\x1b[20~")
    check(wait_for(b"4711") and not rented(), "F9 asks before it runs", seen[-2000:])
    os.write(terminal, b"y")
    wait_for(b"success")
    # The whole screen, in place of the cells that changed.
    os.write(terminal, b"\x0c")
    check(wait_for(b"new_contract"), "its output is on the screen", seen[-2000:])
    os.write(terminal, b"\x1b")
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    os.waitpid(child, 0)
    check([request[1] for request in rented()] == ["/api/v0/asks/4711/"], "the client rented the selected offer, once", rented())
    texts = "".join(str(request[3:]) for request in rented())
    check(KEY in texts and "key-of-bourse" not in texts, "with its own key, not with that of bourse", texts)
    journal = (HOME / ".local/state/bourse/writes.jsonl").read_text()
    check("4711" in journal and KEY not in journal, "the write history has the command and no key", journal)
    finish()


main()
