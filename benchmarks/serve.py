"""Load on `dlst serve`: requests a second, latencies and memory, on loopback, bounded.

``python benchmarks/serve.py [MODEL --texts FILE.csv]``: single-row requests to a model of texts,
with the texts of a file's column ``text``; by default a model that is fitted here to 40,000 texts
of drawn words, and more of these.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd

N_WORDS, N_TAGS, LENGTH = 20_000, 28, 14
SNAPSHOTS = 5
MOST_TEXTS = 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--texts", type=Path, help="what to ask a model that is given")
    parser.add_argument("--rows", type=int, default=40_000, help="of the model fitted here")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600.0, help="the longest that it may take")
    parser.add_argument("--reasons", action="store_true", help="ask why, too")
    options = parser.parse_args()
    if (options.model is None) != (options.texts is None):
        parser.error("MODEL and --texts belong together: words that it does not know cost nothing")
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or fitted(Path(folder) / "texts.skops", options.rows)
        port = free_port()
        command = [sys.executable, "-m", "dlst", "serve", str(model), "--port", str(port)]
        command += ["--workers", str(options.workers)]
        server = subprocess.Popen(command)  # noqa: S603
        try:
            wait_until_it_answers(port, server)
            measure(options, port, server.pid)
        finally:
            server.terminate()
            server.wait(30)


def fitted(path: Path, n_rows: int) -> Path:
    from dlst import Tagger, save_model

    rng = np.random.default_rng(0)
    texts, tags = drawn(rng, n_rows)
    started = time.process_time()
    save_model(Tagger(random_state=0).fit(texts, tags), path)
    print(f"fitted to {n_rows:,} texts in {time.process_time() - started:.0f} s of CPU, ", end="")
    print(f"{path.stat().st_size / 1e6:.0f} MB")
    return path


def drawn(rng: np.random.Generator, n_rows: int) -> tuple[list[str], list[list[str]]]:
    """Draw texts by Zipf's law; each tag has some words of its own."""
    common = 1.0 / np.arange(1, N_WORDS + 1)
    common /= common.sum()
    texts, tags = [], []
    for _ in range(n_rows):
        own = rng.choice(N_TAGS, rng.integers(1, 3), replace=False)
        words = rng.choice(N_WORDS, LENGTH, p=common)
        words[: 2 * len(own)] = np.repeat(own, 2) * 40 + rng.integers(200, 240, 2 * len(own))
        texts.append(" ".join(f"w{word}" for word in words))
        tags.append([f"tag{tag}" for tag in own])
    return texts, tags


def asked_texts(path: Path | None) -> list[str]:
    if path is None:
        return drawn(np.random.default_rng(1), MOST_TEXTS)[0]
    return pd.read_csv(path, keep_default_na=False, nrows=MOST_TEXTS)["text"].tolist()


def measure(options: argparse.Namespace, port: int, pid: int) -> None:
    bodies = [json.dumps({"text": text}).encode() for text in asked_texts(options.texts)]
    path = "/predict?reasons=true" if options.reasons else "/predict"
    requests = [
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
        for body in bodies
    ]
    print(
        f"{options.requests:,} requests of one row, {options.connections} connections, "
        f"{options.workers} workers, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'requests':>9} {'a second':>9} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'MiB':>7}")
    print(f"{0:9} {'':>9} {'':>8} {'':>8} {'':>8} {memory(pid):7.1f}")
    deadline = time.monotonic() + options.seconds
    all_latencies, spent, cpu = [], 0.0, cpu_seconds(pid)
    for part in range(SNAPSHOTS):
        started = time.perf_counter()
        count = options.requests // SNAPSHOTS
        latencies = asyncio.run(load(port, requests, count, options.connections, deadline))
        spent += time.perf_counter() - started
        all_latencies += latencies
        line(len(latencies) * (part + 1), latencies, time.perf_counter() - started, memory(pid))
    line("all", all_latencies, spent, memory(pid))
    used = 1000 * (cpu_seconds(pid) - cpu) / len(all_latencies)
    print(f"CPU of the server: {used:.2f} ms a request")


def line(name: object, latencies: list[float], seconds: float, mebibytes: float) -> None:
    p50, p99, most = 1000 * np.quantile(latencies, [0.5, 0.99, 1.0])
    rate = len(latencies) / seconds
    print(f"{name:>9} {rate:9.0f} {p50:8.1f} {p99:8.1f} {most:8.1f} {mebibytes:7.1f}", flush=True)


async def load(
    port: int, requests: list[bytes], count: int, connections: int, deadline: float
) -> list[float]:
    """Send requests over connections that stay open, the next when the last was answered."""
    latencies: list[float] = []

    async def ask(first: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(first, count, connections):
            if time.monotonic() > deadline:
                raise SystemExit("took longer than --seconds")
            started = time.perf_counter()
            writer.write(requests[number % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            body = await reader.readexactly(length)
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(body.decode())
            latencies.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(ask(first) for first in range(connections)))
    return latencies


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(int(child) for child in children)]


def memory(pid: int) -> float:
    """Proportional set sizes: what the processes share counts once."""
    total = 0
    for each in family(pid):
        lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def cpu_seconds(pid: int) -> float:
    ticks = 0
    for each in family(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def wait_until_it_answers(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except urllib.error.URLError:
            if server.poll() is not None:
                raise SystemExit("the server ended") from None
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


if __name__ == "__main__":
    main()
