"""Programs in pseudo-terminals, and offers for them: shared by the scripts beside it."""

import fcntl
import http.server
import json
import os
import platform
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

# What benches/peers installed.
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["PATH"] += f":{ROOT}/target/peers/bin"

PATIENCE = 300.0
QUIET = 1.5

# The id of the offer with the lowest score. No digit is that of the other ids at its place: programs
# write only the cells that change.
LOWEST = 85_967_163
SCORES = 10_000_000


def offers(rows):
    """Offers in no order. Their scores are distinct, and as texts in the same order as numbers; the
    lowest is in the middle."""
    for row in range(rows):
        score = SCORES + (row + rows // 2) * 7919 % rows
        ident = LOWEST if score == SCORES else 10_000_000 + row
        price = 0.1 + row * 31 % 4000 / 1000
        yield {
            "score": score, "id": ident, "ask_contract_id": ident, "machine_id": row // 2,
            "host_id": row // 8, "gpu_name": ["RTX 4090", "H100 SXM", "A100 PCIE"][row % 3],
            "num_gpus": 1 + row % 8, "gpu_ram": 24564, "dph_base": price, "dph_total": price,
            "dlperf": row * 31 % 900, "reliability": 0.99, "geolocation": "Texas, US",
            "verification": "verified", "rentable": True, "storage_cost": 0.2,
            "inet_up": 800.5, "inet_down": 900.25, "duration": 864000.5, "disk_space": 500.5,
        }


def serve(rows):
    """Answers every request with that many offers, in a process of its own, so that the one that
    measures does nothing else; gives the address."""
    reader, writer = os.pipe()
    parent = os.getpid()
    if os.fork() == 0:
        body = json.dumps({"offers": list(offers(rows))}).encode()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(body))
        os.write(writer, str(server.server_address[1]).encode())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(0)
    return f"http://127.0.0.1:{os.read(reader, 16).decode()}"


def handler(body):
    """What answers every request with the same body."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *_):
            pass

    return Handler


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, command, home):
        env = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, env)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))

    def read(self, seconds):
        """What arrives next; empty after so many seconds of silence."""
        if not select.select([self.file], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.file, 1 << 20)
        except OSError:
            sys.exit("a program ended before it was measured")

    def settle(self, text):
        """Waits until `text` was written, then for silence. A frame without a letter, which some
        programs write again and again, is silence."""
        seen, end = b"", time.monotonic() + PATIENCE
        heard = time.monotonic()
        while time.monotonic() < end:
            new = self.read(QUIET)
            seen = (seen + new)[-1_000_000:]
            if plain(new).strip():
                heard = time.monotonic()
            elif time.monotonic() - heard >= QUIET and re.search(text, seen):
                return
        sys.exit(f"{text!r} did not appear within {PATIENCE:.0f} s")

    def time(self, key, text):
        """Seconds from a key to the first output that contains a text."""
        start, seen = time.monotonic(), b""
        os.write(self.file, key)
        while text not in plain(seen):
            if time.monotonic() - start > PATIENCE:
                sys.exit(f"{text!r} did not appear after the key")
            seen += self.read(PATIENCE)
        return time.monotonic() - start

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.file)


def plain(output):
    """The letters of an output, without its escape sequences."""
    return re.sub(rb"\x1b\[[0-9;?:]*[A-Za-z]|\x1b\][^\x1b\x07]*(\x1b\\|\x07)|\x1b[()][A-Z0-9]", b"", output)


def machine():
    """The machine and the date, for a table of figures."""
    return f"{platform.platform()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}"


def version(program):
    out = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return (out.stdout or out.stderr).strip().splitlines()[0]
