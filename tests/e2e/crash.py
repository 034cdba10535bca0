"""crash.py BUILD [SEED]: a market of real programs whose processes are killed.

One node that orders and buys, three providers, two verifiers.  Each round buys
a job and kills one process with SIGKILL at a random moment, now the ordering
node, now a provider, a verifier, or some node's worker; a killed node is
started again with the same flags.  After each round: the job has ended with all
its tasks done, its outputs are what this machine computes, every lease is in
a final state.  At the end the clock rests, every node has the same state root,
and counts its money and rebuilds its root without a complaint.

WEFT_HEAVY=N makes N times as many rounds.  Only processes that this script
started are killed.
"""
import filecmp
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VECTORS = os.path.join(TOP, "tests", "vectors", "sim")
FINAL = "settled declined lapsed failed retracted cancelled refuted void unavailable unchecked".split()
KINDS = ["provider", "worker", "solo", "verifier"]
TASKS = 16
# Windows of seconds, and a proof asked of one audit in four.
PARAMS = {"block_ms": 100, "accept_blocks": 40, "commit_blocks_min": 60, "challenge_blocks": 60,
          "answer_blocks": 60, "lapse_close_blocks": 5, "prove_one_in": 4, "prove_blocks": 100}


class Node:
    def __init__(self, market, name, flags):
        self.market, self.name, self.flags = market, name, flags
        self.dir = os.path.join(market.dir, name)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        out = subprocess.run([market.weftd, "--data", self.dir, "--init"], check=True, capture_output=True)
        self.address = json.loads(out.stdout)["address"]
        self.process = None

    def start(self):
        endpoint = os.path.join(self.dir, "endpoint")
        if os.path.exists(endpoint):
            os.unlink(endpoint)
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.market.weftd, "--data", self.dir, "--node.port=%d" % self.port] + self.flags,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(lambda: self.alive() and os.path.exists(endpoint), 30, "%s listens" % self.name)

    def alive(self):
        if self.process.poll() is not None:
            raise Failure("%s ended by itself with %d: %s" % (self.name, self.process.returncode, self.last_words()))
        return True

    def last_words(self):
        with open(os.path.join(self.dir, "log"), errors="replace") as log:
            return " | ".join(log.read().splitlines()[-5:])

    def rpc(self, method, **params):
        with open(os.path.join(self.dir, "cookie")) as f:
            cookie = f.read().strip()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request("http://127.0.0.1:%d/rpc" % self.port, body, {
            "Authorization": "Bearer " + cookie, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            value = json.load(answer)
        if "error" in value:
            raise Failure("%s: %s: %s" % (self.name, method, value["error"]))
        return value["result"]

    def workers(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as f:
                    parent = f.read().rsplit(")", 1)[1].split()[1]
            except OSError:
                continue
            if int(parent) == self.process.pid:
                found.append(int(pid))
        return found


class Failure(Exception):
    pass


def wait_for(true, seconds, what, step=0.05):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return
        time.sleep(step)
    raise Failure("after %d s still not: %s" % (seconds, what))


class Market:
    def __init__(self, build, folder, seed):
        self.dir, self.random = folder, random.Random(seed)
        self.weft, self.weftd = os.path.join(build, "weft"), os.path.join(build, "weftd")
        self.make_job()
        genesis = os.path.join(folder, "genesis.json")
        self.solo = Node(self, "solo", ["--node.genesis=" + genesis])
        join = "--node.network=" + os.path.join(self.solo.dir, "network.json")
        self.providers = [Node(self, "provider%d" % i, [
            join, "--provider.enabled=true", "--provider.threads=1", "--provider.gop_price_picks=%d" % (9000 + 500 * i)])
            for i in range(3)]
        self.verifiers = [Node(self, "verifier%d" % i, [
            join, "--verifier.enabled=true", "--verifier.bond_picks=20000000000"]) for i in range(2)]
        self.nodes = [self.solo] + self.providers + self.verifiers
        with open(genesis, "w") as f:
            json.dump({"chain_id": "weft-crash", "params": {k: str(v) for k, v in PARAMS.items()},
                       "accounts": [{"address": n.address, "balance_picks": "100000000000000" if n is self.solo
                                     else "100000000000"} for n in self.nodes]}, f)

    def make_job(self):
        """The kernels of the simulation, larger, and what they give here."""
        self.job = os.path.join(self.dir, "job")
        os.mkdir(self.job)
        with open(os.path.join(VECTORS, "churn.json")) as f:
            manifest = json.load(f)
        manifest["let"]["ctas"] = 1024
        manifest["tasks"]["count"] = TASKS
        with open(os.path.join(self.job, "churn.json"), "w") as f:
            json.dump(manifest, f)
        shutil.copy(os.path.join(VECTORS, "churn.ptx"), self.job)
        for t in range(TASKS):
            with open(os.path.join(self.job, "input.%d" % t), "wb") as f:
                f.write(self.random.randbytes(1024 * 64 * 4))
        self.right = os.path.join(self.dir, "right")
        self.cli("job", "run", self.job + "/churn.json", "--local", "-q", "-o", self.right)

    def cli(self, *words):
        done = subprocess.run([self.weft] + list(words), capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failure("weft %s: %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
        return done.stdout

    def start(self):
        for n in self.nodes:
            n.start()
        wait_for(lambda: len(self.solo.rpc("offer.list")["offers"]) == 3, 60, "three offers stand")
        wait_for(lambda: all(self.solo.rpc("account.locks", account=v.address)["locks"] for v in self.verifiers), 60,
                 "two bonds stand")

    def stop(self):
        running = [n for n in self.nodes if n.process and n.process.poll() is None]
        for n in running:
            n.process.terminate()
        for n in running:
            try:
                n.process.wait(20)
            except subprocess.TimeoutExpired:
                n.process.kill()
                n.process.wait()

    def kill(self, kind):
        """One random process of the kind; returns what it was."""
        if kind == "worker":
            busy = []

            def find():
                busy[:] = [(n, pid) for n in self.nodes for pid in n.workers()]
                return busy
            # On a quiet machine a task takes milliseconds and none is met.
            try:
                wait_for(find, 5, "some worker runs", 0.001)
            except Failure:
                return "no worker met; instead " + self.kill("provider")
            node, pid = self.random.choice(busy)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return "a worker of %s (it had just ended)" % node.name
            return "a worker of %s" % node.name
        node = self.solo if kind == "solo" else self.random.choice(
            self.providers if kind == "provider" else self.verifiers)
        orphans = node.workers()
        node.process.kill()
        node.process.wait()
        wait_for(lambda: not any(is_worker(pid) for pid in orphans), 10, "workers of the dead %s end" % node.name)
        time.sleep(self.random.uniform(0, 1))
        node.start()
        return node.name

    def all_leases(self, job):
        leases, cursor = [], None
        while True:
            page = self.solo.rpc("lease.list", job=job, limit=500, **({"cursor": cursor} if cursor else {}))
            leases += page["leases"]
            cursor = page["next"]
            if not cursor:
                return leases

    def ended(self, job):
        for n in self.nodes:
            n.alive()
        return self.solo.rpc("job.get", id=job)["state"] == "ended"

    def round(self, number):
        kind = KINDS[number % len(KINDS)]
        begin = time.monotonic()
        submitted = self.cli("job", "submit", self.job + "/churn.json", "--data", self.solo.dir, "--json")
        job = json.loads(submitted)["id"]
        after = self.random.uniform(0, 2.5)
        time.sleep(after)
        who = self.kill(kind)
        wait_for(lambda: self.ended(job), 100, "the job has ended")
        done = self.solo.rpc("job.get", id=job)["tasks"]["done"]
        leases = self.all_leases(job)
        states = {}
        for s in leases:
            states[s["state"]] = states.get(s["state"], 0) + 1
        print("round %d: killed %s %.2f s after the submit; %d of %d tasks, leases %s, %.1f s" % (
            number, who, after, done, TASKS, states, time.monotonic() - begin), flush=True)
        if done != TASKS:
            raise Failure("the job ended with %d tasks done" % done)
        if set(states) - set(FINAL):
            raise Failure("the job ended before its leases")
        self.compare(job, number)

    def compare(self, job, number):
        out = os.path.join(self.dir, "out%d" % number)
        self.cli("job", "fetch", job, "--data", self.solo.dir, "--manifest", self.job + "/churn.json", "-q", "-o", out)
        names = ["out.%d" % t for t in range(TASKS)]
        _, other, missing = filecmp.cmpfiles(self.right, out, names, shallow=False)
        if other or missing:
            raise Failure("outputs differ: %s, missing: %s" % (other, missing))

    def check_end(self):
        wait_for(lambda: not self.solo.rpc("chain.status")["clock"], 100, "nobody waits for anything")
        height = self.solo.rpc("chain.status")["height"]
        wait_for(lambda: all(n.rpc("chain.status")["height"] >= height for n in self.nodes), 60, "followers have followed")
        roots = {n.rpc("chain.block", height=height)["state_root"] for n in self.nodes}
        if len(roots) != 1:
            raise Failure("state roots differ at height %d" % height)
        for n in self.nodes:
            f = n.rpc("chain.fsck")
            if not (f["conserved"] and f["root_right"] and f["canonical"]):
                raise Failure("%s: fsck: %s" % (n.name, f))
        print("height %d: six nodes with one root, all money there" % height)
        self.stop()
        for n in self.nodes:
            self.cli("node", "fsck", "--data", n.dir)
        print("six stopped nodes: fsck finds nothing")


def is_worker(pid):
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip() == "weft-worker"
    except OSError:
        return False


def main():
    build = os.path.abspath(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder = tempfile.mkdtemp(prefix="weft-crash-")
    market = None
    keep = False
    try:
        market = Market(build, folder, seed)
        market.start()
        for number in range(4 * int(os.environ.get("WEFT_HEAVY") or 1)):
            market.round(number)
        market.check_end()
    except Failure as f:
        keep = True
        print("FAILED: %s\n(seed %d; nodes and logs are in %s)" % (f, seed, folder))
        return 1
    finally:
        if market:
            market.stop()
        if not keep:
            shutil.rmtree(folder)
    return 0


sys.exit(main())
