"""A command of the user's rents with the market's own client, without leaving the dashboard."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KEY = "canary-rent-key"
OFFER = 4711


class Market(BaseHTTPRequestHandler):
    """A market with one offer, which can be rented."""

    rented = []

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")

    def do_POST(self):
        self.body()
        self.reply({"offers": [{"id": OFFER, "machine_id": 7, "gpu_name": "H100 SXM", "num_gpus": 1, "dph_total": 1.9}]})

    def do_PUT(self):
        Market.rented.append((self.path.split("?")[0], self.headers.get("authorization"), self.body()))
        self.reply({"success": True, "new_contract": 990011})

    def log_message(self, *_):
        pass


class Screen:
    """bourse in a terminal: keys go in, and all that was drawn comes out."""

    def __init__(self, environment):
        self.drawn = b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(os.environ["BOURSE"], ["bourse"], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def wait_for(self, text, seconds=60):
        """Whether the text is drawn in time."""
        end = time.monotonic() + seconds
        while text.encode() not in self.drawn and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    self.drawn += os.read(self.terminal, 65536)
                except OSError:
                    break
        return text.encode() in self.drawn

    def press(self, keys):
        self.drawn = b""
        os.write(self.terminal, keys)

    def end(self):
        self.press(b"\x03")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def rents(check):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Market)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    client = str(Path(sys.executable).with_name("vastai"))
    with tempfile.TemporaryDirectory() as home:
        config = Path(home, ".config/bourse")
        config.mkdir(parents=True)
        command = [client, "--url", address, "create", "instance", "{id}", "--image", "pytorch/pytorch", "--disk", "20"]
        config.joinpath("config.toml").write_text(
            f'default_profile = "lab"\n[profiles.lab]\nbase_url = "{address}"\n'
            f'[commands.rent]\nkey = "f9"\nrun = {json.dumps(command)}\nconfirm = true\n'
        )
        # The client has a key of its own: bourse gives it none.
        key = Path(home, ".config/vastai/vast_api_key")
        key.parent.mkdir(parents=True)
        key.write_text(KEY)
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "VASTAI_NO_UPDATE_CHECK": "1"}
        screen = Screen(environment)
        check(screen.wait_for("H100 SXM"), "the offer is on the screen", screen.drawn[-500:])
        screen.press(b"\x1b[20~")
        check(screen.wait_for("pytorch"), "the whole command is shown before it runs", screen.drawn[-2000:])
        check(not Market.rented, "nothing is rented before it is confirmed", Market.rented)
        screen.press(b"y")
        check(screen.wait_for("990011"), "the client's reply is shown in the dashboard", screen.drawn[-3000:])
        screen.end()
        check(len(Market.rented) == 1, "the client rents once", Market.rented)
        for path, authorization, body in Market.rented:
            check(path == f"/api/v0/asks/{OFFER}/", "it rents the selected offer", path)
            check(authorization == f"Bearer {KEY}", "with the client's own key", authorization)
            check((body["image"], body["disk"]) == ("pytorch/pytorch", 20), "with the words of the command", body)
        history = Path(home, ".local/state/bourse/writes.jsonl").read_text()
        check(f'"{OFFER}"' in history and KEY not in history, "the write history has the command and no key", history)
    server.shutdown()
