#!/usr/bin/env python3
"""Vectors of the formats of gpu/program and verify, computed by a second
implementation that shares nothing with the C code.

    make.py program > program.txt        make.py verify > verify.txt

Each line is a name and hex bytes (or a decimal number for draws).
"""
import hashlib
import struct
import sys


def sha(b):
    return hashlib.sha256(b).digest()


def tag(name):
    return sha(name.encode()) * 2


def tagged(name, b):
    return sha(tag(name) + b)


# --- msgpack: nil, bool, int, bin (bytes), str, array (list) ---------------
def pack(v):
    if v is None:
        return b"\xc0"
    if v is True or v is False:
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        if 0 <= v < 128:
            return bytes([v])
        if -32 <= v < 0:
            return struct.pack(">b", v)
        for top, head, fmt in ((1 << 8, 0xCC, ">B"), (1 << 16, 0xCD, ">H"),
                               (1 << 32, 0xCE, ">I"), (1 << 64, 0xCF, ">Q")):
            if 0 <= v < top:
                return bytes([head]) + struct.pack(fmt, v)
        for bits, head, fmt in ((8, 0xD0, ">b"), (16, 0xD1, ">h"),
                                (32, 0xD2, ">i"), (64, 0xD3, ">q")):
            if -(1 << (bits - 1)) <= v:
                return bytes([head]) + struct.pack(fmt, v)
    if isinstance(v, bytes):
        n = len(v)
        if n < 1 << 8:
            return b"\xc4" + struct.pack(">B", n) + v
        if n < 1 << 16:
            return b"\xc5" + struct.pack(">H", n) + v
        return b"\xc6" + struct.pack(">I", n) + v
    if isinstance(v, str):
        s = v.encode()
        n = len(s)
        if n < 32:
            return bytes([0xA0 | n]) + s
        if n < 1 << 8:
            return b"\xd9" + struct.pack(">B", n) + s
        return b"\xda" + struct.pack(">H", n) + s
    n = len(v)
    head = bytes([0x90 | n]) if n < 16 else (
        b"\xdc" + struct.pack(">H", n) if n < 1 << 16 else
        b"\xdd" + struct.pack(">I", n))
    return head + b"".join(pack(x) for x in v)


# --- Merkle ------------------------------------------------------------------
def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def tree(leaves):
    if not leaves:
        return bytes(32)
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return tagged("weft/node", tree(leaves[:k]) + tree(leaves[k:]))


def byte_leaves(b):
    out = []
    for i in range(0, len(b), 512):
        part = b[i:i + 512]
        out.append(tagged("weft/leaf" if len(part) == 512 else "weft/short",
                          part))
    return out


def bytes_root(b):
    return tagged("weft/bytes", struct.pack("<Q", len(b)) +
                  tree(byte_leaves(b)))


def item(b):
    return tagged("weft/item", b)


def list_root(items):
    """items: already hashed"""
    return tagged("weft/list", struct.pack("<Q", len(items)) + tree(items))


def prove(leaves, wanted):
    """hashes of the subtrees without a wanted leaf, depth first"""
    def go(lo, hi):
        inside = [i for i in wanted if lo <= i < hi]
        if not inside:
            return [tree(leaves[lo:hi])]
        if hi - lo == 1:
            return []
        k = lo + split(hi - lo)
        return go(lo, k) + go(k, hi)
    return b"".join(go(0, len(leaves)))


# --- the toy program ---------------------------------------------------------
PUSH, REPEAT, TASK, COLUMN, ADD, SUB, MUL, DIV, REM, NEG = range(10)

BUFFERS = [[1500, 1, 0, False], [5000, 0, 7, True], [700, 0, 0, False]]
SYMBOLS = [["counter", 40, True, bytes([1, 2, 3, 4])],
           ["table", 8, False, bytes(range(8))]]
COLUMNS = [0, 2]
ENTRIES = ["k0", "k1"]
PREAMBLE = [1, BUFFERS, SYMBOLS, COLUMNS, ENTRIES, 0]
PARTS = [
    [b"toy text 0", 0, 0, True, False, 0,
     [[0, 8, 1], [8, 8, 2], [16, 4, 0], [20, 4, 0], [24, 16, 0]],
     [[0, 3], [1, 1]], [75, 0, 64, 0, 7240]],
    [b"toy text 1", 0, 1, False, False, 0, [[0, 8, 3]], [],
     [80, 256, 8, 16, 7240]],
]
STEPS = [
    [0, 0, [3, 1, 1], [64, 1, 1], 0,
     [[0, 0, 0], [0, 1, [TASK, PUSH, 16, MUL]],
      [2, 5, [COLUMN, 0, PUSH, 3, MUL, PUSH, 1, ADD]],
      [2, 9, [COLUMN, 1]],
      [3, bytes([0xAA] * 8) + bytes(8), [[8, 2, 4]]]]],
    [3, 2, 3],
    [0, 1, [[REPEAT, 0, PUSH, 1, ADD], 2, 1], [8, 1, 1], 128,
     [[0, 1, 0]]],
    [3, 3, 1],
    [1, 1, 2, [REPEAT, 1, PUSH, 100, MUL], 0, 50],
    [2, 2, 10, 20, 9],
]
PROGRAM = [PREAMBLE, PARTS, STEPS]
ITEMS = [pack(PREAMBLE)] + [pack(p) for p in PARTS] + [pack(s) for s in STEPS]
PROGRAM_ID = list_root([item(i) for i in ITEMS])

ROWS = [
    [1, 3, 2, 1000, 1100, 4000, 5040, 3],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [2, 6, 0, 50, 60, 3000, 10000, 4],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [6, 0, 0, 0, 0, 0, 4200, 6],
    [1, 0, 0, 0, 0, 0, 700, 1],
]
HEADER = [1, 0, 1, [80, 384, 64, 16, 7240], 1500, 5000, ROWS]
HEADER_ROOT = list_root([item(pack(r)) for r in ROWS])

OBJECT_BYTES = [1500, 5000, 700, 40]
WRITES = {0: [1, 3], 2: [1], 4: [2], 5: [2]}  # static step -> objects


def walk():
    """executed steps: (static index, loop turns)"""
    yield 0, []
    for a in range(2):
        yield 2, [a]
        for b in range(3):
            yield 4, [a, b]
    yield 5, []


LAUNCHES = list(walk())


def make_task(index):
    data = bytes((index * 31 + i) & 255 for i in range(1200)) + bytes(300)
    return data, [1, PROGRAM_ID, index, [[bytes_root(data), 1200]],
                  [index - 2, 0x3F800000 + index]]


def cta_writes(number, static, cta):
    """the toy kernels: CTA writes (object, offset, bytes)"""
    if static == 0:
        out = bytes((number * 7 + cta * 5 + i) & 255 for i in range(64))
        w = [(1, cta * 600, out)]
        if cta == 2:
            w.append((3, 8, out[:4]))
        return w
    return [(1, 2048 + cta * 16, bytes([number & 255] * 16))]


def run(index):
    """all states of a task: lists of object bytes"""
    data, _ = make_task(index)
    state = [data, bytes([7]) * 5000, bytes(700),
             bytes([1, 2, 3, 4]) + bytes(36)]
    states = [list(state)]
    for n, (static, turns) in enumerate(LAUNCHES, 1):
        s = [bytearray(x) for x in state]
        if static in (0, 2):
            ctas = 3 if static == 0 else (turns[0] + 1) * 2
            for c in range(ctas):
                for o, at, b in cta_writes(n, static, c):
                    s[o][at:at + len(b)] = b
        elif static == 4:
            f = turns[1] * 100
            s[2][0:50] = s[1][f:f + 50]
        else:
            s[2][10:30] = bytes([9]) * 20
        state = [bytes(x) for x in s]
        states.append(list(state))
    return states


def memory_root(objects):
    return list_root([item(bytes_root(o)) for o in objects])


TASKS = 5
FIRST, DONE = 1, 3
LEASE = sha(b"lease")
PROVIDER = sha(b"provider")
SEED = sha(b"seed")
AUDITOR = sha(b"auditor")

TASK_BYTES = [pack(make_task(i)[1]) for i in range(TASKS)]
TASKS_ROOT = list_root([item(t) for t in TASK_BYTES])
STATES = {i: run(i) for i in range(FIRST, FIRST + DONE)}
ROOTS = {i: [memory_root(s) for s in STATES[i]] for i in STATES}
TRACE = {i: list_root([item(r) for r in ROOTS[i]]) for i in STATES}
RESULTS = [pack([i, len(LAUNCHES), TRACE[i],
                 [bytes_root(o) for o in STATES[i][-1]]])
           for i in range(FIRST, FIRST + DONE)]
LEAVES_ROOT = list_root([item(r) for r in RESULTS])
RESULT_ROOT = tagged("weft/result", LEASE + PROVIDER + LEAVES_ROOT)


def leaf_set(ranges):
    out = set()
    for at, n in ranges:
        out |= set(range(at // 512, (at + n - 1) // 512 + 1))
    return sorted(out)


def pieces(objects, wanted):
    """wanted: object -> list of (offset, bytes)"""
    out = []
    for o in sorted(wanted):
        ls = leaf_set(wanted[o])
        if not ls:
            continue
        runs = []
        for x in ls:
            if runs and runs[-1][0] + runs[-1][1] == x:
                runs[-1][1] += 1
            else:
                runs.append([x, 1])
        data = b"".join(objects[o][x * 512:(x + 1) * 512] for x in ls)
        out.append([o, [v for r in runs for v in r], data,
                    prove(byte_leaves(objects[o]), ls)])
    return out


def opening(sample, writer, reads, writes):
    t, k, kind, number, warp = sample
    static = LAUNCHES[k - 1][0]
    launch = STEPS[static][0] == 0
    part = STEPS[static][1] if launch else 0xFFFFFFFE
    wanted = [0] + ([1 + part] if launch else []) + \
        list(range(1 + len(PARTS), len(ITEMS)))
    before, after = STATES[t][k - 1], STATES[t][k]
    ends = [0, k - 1, k, len(LAUNCHES)]
    b, a = {}, {}
    for o, at, n in reads:
        b.setdefault(o, []).append((at, n))
    for o, at, n in writes:
        b.setdefault(o, []).append((at, n))
        a.setdefault(o, []).append((at, n))
    if kind == 1:
        left = number
        for o in WRITES[static]:
            chunks = (OBJECT_BYTES[o] + 4095) // 4096
            if left < chunks:
                at = left * 4096
                n = min(4096, OBJECT_BYTES[o] - at)
                b.setdefault(o, []).append((at, n))
                a.setdefault(o, []).append((at, n))
                break
            left -= chunks
        if static == 4:
            f = LAUNCHES[k - 1][1][1] * 100
            b.setdefault(1, []).append((f, 50))
    return pack([
        1, sample, writer, ITEMS[0], part, ITEMS[1 + part] if launch else b"",
        ITEMS[1 + len(PARTS):], prove([item(i) for i in ITEMS], wanted),
        TASK_BYTES[t], prove([item(x) for x in TASK_BYTES], [t]),
        RESULTS[t - FIRST], prove([item(r) for r in RESULTS], [t - FIRST]),
        b"".join(ROOTS[t][e] for e in ends),
        prove([item(r) for r in ROOTS[t]], ends),
        b"".join(bytes_root(o) for o in before),
        b"".join(bytes_root(o) for o in after),
        pieces(before, b), pieces(after, a)])


CTA_SAMPLE = [2, 1, 0, 2, None]
CTA_OPENING = opening(CTA_SAMPLE, None, [(0, 700, 600)],
                      [(1, 1200, 64), (3, 8, 4)])
CHUNK_SAMPLE = [3, 6, 1, 0, None]


def chunk_byte(sample, before, after):
    word = struct.unpack(">Q", sha(SEED + pack(sample))[:8])[0]
    differ = [i for i in range(len(after)) if before[i] != after[i]]
    return differ[(word * len(differ)) >> 64]


CHUNK_BYTE = chunk_byte(CHUNK_SAMPLE, STATES[3][5][1][:4096],
                        STATES[3][6][1][:4096])
CHUNK_WRITER = (CHUNK_BYTE - 2048) // 16
CHUNK_OPENING = opening(CHUNK_SAMPLE, CHUNK_WRITER, [(1, 100, 4)],
                        [(1, 2048 + 16 * CHUNK_WRITER, 16)])
# Where warps are sampled a chunk's writer is [CTA, warp].
WARP_CHUNK_SAMPLE = [3, 1, 1, 0, None]
WARP_CHUNK_WRITER = chunk_byte(WARP_CHUNK_SAMPLE, STATES[3][0][1][:4096],
                               STATES[3][1][1][:4096]) // 600
WARP_CHUNK_OPENING = opening(
    WARP_CHUNK_SAMPLE, [WARP_CHUNK_WRITER, 1], [(0, 700, 600)],
    [(1, 600 * WARP_CHUNK_WRITER, 64)] +
    ([(3, 8, 4)] if WARP_CHUNK_WRITER == 2 else []))
# Two CTAs whose order is in question: the sample's, and the writer.
PAIR_SAMPLE = [2, 6, 3, 1, None]
PAIR_OPENING = opening(PAIR_SAMPLE, 3, [(1, 100, 4)],
                       [(1, 2048 + 16, 16), (1, 2048 + 48, 16)])
COPY_SAMPLE = [1, 4, 1, 0, None]
COPY_OPENING = opening(COPY_SAMPLE, None, [], [])

CLAIM = [LEASE, PROVIDER, PROGRAM_ID, TASKS_ROOT, TASKS, FIRST, DONE,
         RESULT_ROOT]
JUDGE_REQUEST = pack([1, 1, CLAIM, SEED, 0, 1 << 28, 1100, True, sha(b"w"),
                      CTA_OPENING])
JUDGE_ANSWER = pack([1, 1, 0, 0, 999, 12345, sha(b"x"), [1, 1201, 7, 8]])


# --- draws -------------------------------------------------------------------
def word(i, n):
    h = sha(tag("weft/draw") + SEED + LEASE + RESULT_ROOT +
            struct.pack(">II", i, n // 4))
    return struct.unpack(">Q", h[8 * (n % 4):8 * (n % 4) + 8])[0]


def pick(weights, x):
    for i, w in enumerate(weights):
        if x < w:
            return i, x
        x -= w
    raise ValueError


def draw(i, whole=()):
    """whole: steps whose part is of class R, so that a launch is a sample"""
    task = FIRST + ((word(i, 0) * DONE) >> 64)
    if i % 5 == 4:
        w = [r[6] for r in ROWS]
        static, _ = pick(w, (word(i, 1) * sum(w)) >> 64)
        at = (word(i, 2) * ROWS[static][7]) >> 64
        per = ROWS[static][7] // ROWS[static][0]
        run_index, number = divmod(at, per)
        ks = [k for k, l in enumerate(LAUNCHES, 1) if l[0] == static]
        return [task, ks[run_index], 1, number, None]
    w = [r[1] * r[3] for r in ROWS]
    static, _ = pick(w, (word(i, 1) * sum(w)) >> 64)
    warps = ROWS[static][2]
    at = (word(i, 2) * (ROWS[static][1] * max(warps, 1))) >> 64
    warp = None
    if warps:
        at, warp = divmod(at, warps)
    for k, (s, turns) in enumerate(LAUNCHES, 1):
        if s != static:
            continue
        ctas = 3 if s == 0 else (turns[0] + 1) * 2
        if at < ctas and static in whole:
            return [task, k, 2, 0, None]
        if at < ctas:
            return [task, k, 0, at, warp]
        at -= ctas
    raise ValueError


def emit(name, v):
    print(name, v.hex() if isinstance(v, bytes) else v)


def program():
    print("# gpu/program's records; made by make.py program")
    emit("program", pack(PROGRAM))
    emit("program_id", PROGRAM_ID)
    emit("header", pack(HEADER))
    emit("header_root", HEADER_ROOT)
    emit("task", TASK_BYTES[2])
    emit("tasks_root", TASKS_ROOT)
    emit("start_root", ROOTS[2][0])
    emit("last_root", ROOTS[2][-1])
    emit("trace_root", TRACE[2])
    emit("result", RESULTS[1])
    emit("leaves_root", LEAVES_ROOT)
    emit("result_root", RESULT_ROOT)
    emit("sample", pack([2, 1, 0, 2, 1]))
    emit("launch_sample", pack([2, 6, 2, 0, None]))
    emit("cta_opening", CTA_OPENING)
    emit("cta_digest", tagged("weft/opening", LEASE + CTA_OPENING))
    emit("chunk_opening", CHUNK_OPENING)
    emit("chunk_byte", CHUNK_BYTE)
    emit("chunk_writer", CHUNK_WRITER)
    emit("copy_opening", COPY_OPENING)
    emit("warp_writer", WARP_CHUNK_WRITER)
    emit("warp_chunk_opening", WARP_CHUNK_OPENING)
    emit("pair_opening", PAIR_OPENING)
    emit("judge_request", JUDGE_REQUEST)
    emit("judge_answer", JUDGE_ANSWER)


def verify():
    print("# verify's records and draws; made by make.py verify")
    emit("result_root", RESULT_ROOT)
    emit("program", pack(PROGRAM))
    emit("header", pack(HEADER))
    emit("word_0_0", word(0, 0))
    emit("word_7_5", word(7, 5))
    for i in range(40):
        emit("sample_%d" % i, pack(draw(i)))
    for i in range(40):
        emit("whole_%d" % i, pack(draw(i, (2,))))
    audited = struct.unpack(">Q", sha(SEED + LEASE)[:8])[0]
    emit("audited_word", audited)
    emit("witness_seed", tagged("weft/witness", SEED + LEASE + AUDITOR +
                                struct.pack(">I", 3)))
    ws = [sha(b"w%d" % i) for i in range(5)]
    emit("witness_root", tagged("weft/witness-root", LEASE + AUDITOR +
                                list_root([item(w) for w in ws])))
    reveal = [LEASE, 0, [1000, 990, 0, 0], sha(b"wr"), sha(b"salt")]
    emit("reveal", pack(reveal))
    emit("pledge", tagged("weft/pledge", AUDITOR + pack(reveal)))
    emit("evidence", pack([1, b"opening", bytes(range(64)), 3, b"header",
                           bytes(64)]))
    emit("evidence_plain", pack([1, b"opening", None, None, None, None]))
    emit("verifier_bond", pack([10 ** 10]))
    emit("verifier_unbond", pack([]))
    emit("verifier_pause", pack([True]))
    emit("audit_pledge", pack([LEASE, sha(b"p")]))
    emit("audit_demand", pack([LEASE, [3, 17], []]))
    emit("audit_demand_buyer", pack([LEASE, [], [CTA_SAMPLE]]))
    emit("audit_answer", pack([LEASE, 1, sha(b"e"), 300000]))
    emit("audit_prove", pack([LEASE, sha(b"e"), 300000]))
    emit("audit_delay", pack([LEASE, 12]))
    emit("evidence_part", pack([sha(b"case"), 2, b"data"]))
    emit("dispute_open", pack([LEASE, sha(b"e"), 300000]))
    emit("dispute_conflict", pack([sha(b"case"), sha(b"e"), 300000]))


if __name__ == "__main__":
    {"program": program, "verify": verify}[sys.argv[1]]()
