"""Foreign clients against our conformance agent, and our client against foreign agents: every binding of
every version that both sides have.

Usage: matrix.py --program FORECOURT --agent CONFORMANCE_AGENT --python PYTHON --python-0.3 PYTHON
The two Pythons have the SDK's newest release and its last one of A2A 0.3.
Prints a table for each peer and then every failure; exits 1 where something failed that is not listed in
known_faults.tsv, or passed that is.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).parent
BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]
VERSIONS = ["1.0", "0.3"]
# The longest that one peer may take over one interface.
LONGEST = 120
COLUMN = 15


@dataclass(frozen=True)
class Peer:
    """A foreign program: its name and release, and the command of the client that drives the pair."""

    name: str
    versions: list[str]
    command: list[str]


@dataclass(frozen=True)
class Row:
    """What became of an operation."""

    peer: str
    version: str
    binding: str
    operation: str
    result: str
    detail: str


class Known:
    """The faults of peers that known_faults.tsv lists."""

    def __init__(self, path: Path):
        lines = path.read_text().splitlines()
        self.faults = [line.split("\t") for line in lines if line and not line.startswith("#")]
        for fault in self.faults:
            assert len(fault) == 5, f"{path}: five columns are needed: {fault}"

    def reason(self, row: Row) -> str | None:
        key = (row.peer, row.version, row.binding, row.operation)
        for *patterns, reason in self.faults:
            if all(fnmatchcase(cell, pattern) for cell, pattern in zip(key, patterns)):
                return reason
        return None


class Servers:
    """Programs that serve until the end."""

    def __init__(self, logs: Path):
        self.logs = logs
        self.running = []

    def start(self, name: str, command: list[str]) -> str:
        """Starts one, and waits for the address that its first line ends with."""
        with open(self.logs / f"{name}.log", "w") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.running.append(process)
        words = process.stdout.readline().split()
        if not words:
            sys.exit(f"{name} did not start; {self.logs / name}.log tells why")
        return words[-1]

    def stop(self):
        for process in self.running:
            process.kill()
            process.wait()


def drive(peer: Peer, binding: str, version: str) -> list[Row]:
    """Runs a client over one interface and reads what it prints."""
    command = [*peer.command, binding, version]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        output, end = run.stdout, f"exit status {run.returncode}: {run.stderr}"
    except subprocess.TimeoutExpired as late:
        output, end = (late.stdout or b"").decode(), f"not done within {LONGEST} s"
    cells = [line.split("\t") for line in output.splitlines()]
    rows = [Row(peer.name, version, binding, *line) for line in cells if len(line) == 3]
    if not end.startswith("exit status 0") or not rows:
        rows.append(Row(peer.name, version, binding, "client", "FAILED", " ".join(end.split())))
    return rows


def judged(row: Row, known: Known) -> Row:
    """The row, with the reason where it fails by a fault of the peer."""
    reason = known.reason(row)
    if reason is None or row.result == "-":
        return row
    if row.result == "ok":
        detail = f"passes, but known_faults.tsv lists it: {reason}"
        return Row(row.peer, row.version, row.binding, row.operation, "FAILED", detail)
    return Row(row.peer, row.version, row.binding, row.operation, "peer", reason)


def print_table(peer: Peer, rows: list[Row]):
    columns = [(version, binding) for version in peer.versions for binding in BINDINGS]
    results = {(row.operation, row.version, row.binding): row.result for row in rows}
    operations = list(dict.fromkeys(row.operation for row in rows))
    width = max(map(len, operations))
    print(f"\n{peer.name}")
    print(" " * width, *(f"{binding} {version}".ljust(COLUMN) for version, binding in columns))
    for operation in operations:
        line = (results.get((operation, *column), "").ljust(COLUMN) for column in columns)
        print(operation.ljust(width), *line)


def print_reasons(title: str, rows: list[Row]):
    """Each reason once, with the operations that it holds for."""
    if rows:
        print(f"\n{title}")
    for detail in dict.fromkeys(row.detail for row in rows):
        same = [row for row in rows if row.detail == detail]
        for peer in dict.fromkeys(row.peer for row in same):
            places = [f"{row.operation} ({row.binding} {row.version})" for row in same if row.peer == peer]
            print(f"  {peer}: {', '.join(places)}")
        print(f"    {detail}")


def peers_of(arguments, servers: Servers) -> list[Peer]:
    union_card = [arguments.agent, "--listen", "127.0.0.1:0", "--union-card"]
    agent = servers.start("conformance_agent", union_card)
    new_python, old_python = arguments.python, arguments.python_03
    python, javascript = HERE / "python", HERE / "javascript"
    python_agent = servers.start("python", [new_python, python / "server.py"])
    javascript_agent = servers.start("javascript", ["node", javascript / "server.js"])
    ours = [sys.executable, HERE / "our_client.py", arguments.program]
    return [
        Peer("python 1.3.0 client", VERSIONS, [new_python, python / "conformance_client.py", agent]),
        Peer("python 0.3.26 client", ["0.3"], [old_python, python / "conformance_client_03.py", agent]),
        Peer("javascript 1.3.0 client", VERSIONS, ["node", javascript / "conformance_client.js", agent]),
        Peer("javascript 0.3.14 client", ["0.3"], ["node", javascript / "conformance_client_03.js", agent]),
        Peer("python 1.3.0 server", VERSIONS, [*ours, python_agent]),
        Peer("javascript 1.3.0 server", VERSIONS, [*ours, javascript_agent]),
    ]


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("--program", "--agent", "--python", "--python-0.3"):
        parser.add_argument(name, required=True, dest=name.strip("-").replace("-", "_").replace(".", ""))
    parser.add_argument("--logs", type=Path, required=True)
    arguments = parser.parse_args()
    known = Known(HERE / "known_faults.tsv")
    began = time.monotonic()
    servers = Servers(arguments.logs)
    try:
        peers = peers_of(arguments, servers)
        pairs = [(peer, binding, version) for peer in peers for version in peer.versions for binding in BINDINGS]
        with ThreadPoolExecutor(max_workers=3) as pool:
            ran = list(pool.map(lambda pair: drive(*pair), pairs))
    finally:
        servers.stop()
    rows = [judged(row, known) for rows in ran for row in rows]
    for peer in peers:
        print_table(peer, [row for row in rows if row.peer == peer.name])
    failed = [row for row in rows if row.result == "FAILED"]
    print_reasons("Faults of the peers (known_faults.tsv):", [row for row in rows if row.result == "peer"])
    print_reasons("FAILED:", failed)
    passed = sum(row.result == "ok" for row in rows)
    faults = sum(row.result == "peer" for row in rows)
    seconds = time.monotonic() - began
    print(f"\n{passed} passed, {faults} fail by a fault of the peer, {len(failed)} failed, {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
