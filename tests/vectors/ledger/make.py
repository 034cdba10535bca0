#!/usr/bin/env python3
"""Expected values for tests/ledger, by a second implementation.

Writes smt.txt beside itself and ../format/ledger.txt: a sparse Merkle tree
that is rebuilt from the whole set of records every time, BIP-340 and
ECVRF-EDWARDS25519-SHA512-TAI in plain integers, and the state after a block
written down record by record.
"""
import hashlib
import os
import random
import struct
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "format"))
from make import pack, sha, tagged  # noqa: E402  msgpack and hashes

ZERO = bytes(32)


# --- the tree ----------------------------------------------------------------
def bit(path, i):
    return path[i // 8] >> (7 - i % 8) & 1


def root_of(leaves, depth=0):
    """leaves: path -> hash of the value."""
    if not leaves:
        return ZERO
    if len(leaves) == 1:
        (path, value_hash), = leaves.items()
        return sha(b"\0" + path + value_hash)
    left = {p: v for p, v in leaves.items() if not bit(p, depth)}
    right = {p: v for p, v in leaves.items() if bit(p, depth)}
    return sha(b"\1" + root_of(left, depth + 1) + root_of(right, depth + 1))


def state_root(state):
    return root_of({sha(k): sha(v) for k, v in state.items()})


# --- BIP-340 -----------------------------------------------------------------
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def k1_add(a, b):
    if a is None:
        return b
    if b is None:
        return a
    if a[0] == b[0]:
        if a[1] != b[1]:
            return None
        m = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        m = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (m * m - a[0] - b[0]) % P
    return x, (m * (a[0] - x) - a[1]) % P


def k1_mul(k, a):
    r = None
    while k:
        if k & 1:
            r = k1_add(r, a)
        a = k1_add(a, a)
        k >>= 1
    return r


def be32(x):
    return x.to_bytes(32, "big")


def public(secret):
    return be32(k1_mul(int.from_bytes(secret, "big"), G)[0])


def once(name, b):
    """BIP-340's own tagged hash: the tag twice, as everywhere here."""
    return tagged(name, b)


def sign(secret, msg):
    d = int.from_bytes(secret, "big")
    p = k1_mul(d, G)
    if p[1] % 2:
        d = N - d
    mask = once("BIP0340/aux", ZERO)
    t = bytes(a ^ b for a, b in zip(be32(d), mask))
    k = int.from_bytes(once("BIP0340/nonce", t + be32(p[0]) + msg), "big") % N
    r = k1_mul(k, G)
    if r[1] % 2:
        k = N - k
    e = int.from_bytes(once("BIP0340/challenge",
                            be32(r[0]) + be32(p[0]) + msg), "big") % N
    return be32(r[0]) + be32((k + e * d) % N)


# --- ECVRF (RFC 9381, suite 3) -----------------------------------------------
Q = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, Q) % Q


def ed_add(a, b):
    x1, y1 = a
    x2, y2 = b
    k = D * x1 * x2 * y1 * y2 % Q
    return ((x1 * y2 + y1 * x2) * pow(1 + k, -1, Q) % Q,
            (y1 * y2 + x1 * x2) * pow(1 - k, -1, Q) % Q)


def ed_mul(k, a):
    r = (0, 1)
    while k:
        if k & 1:
            r = ed_add(r, a)
        a = ed_add(a, a)
        k >>= 1
    return r


def ed_enc(a):
    return (a[1] | (a[0] & 1) << 255).to_bytes(32, "little")


def ed_dec(b):
    y = int.from_bytes(b, "little")
    sign_bit, y = y >> 255, y & (1 << 255) - 1
    if y >= Q:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, -1, Q) % Q
    x = pow(xx, (Q + 3) // 8, Q)
    if x * x % Q != xx:
        x = x * pow(2, (Q - 1) // 4, Q) % Q
    if x * x % Q != xx or (x == 0 and sign_bit):
        return None
    return (Q - x if x & 1 != sign_bit else x), y


BASE = ed_dec((4 * pow(5, -1, Q) % Q).to_bytes(32, "little"))


def sha512(b):
    return hashlib.sha512(b).digest()


def ed_secret(seed):
    h = bytearray(sha512(seed)[:32])
    h[0] &= 248
    h[31] = h[31] & 127 | 64
    return int.from_bytes(h, "little")


def vrf_public(seed):
    return ed_enc(ed_mul(ed_secret(seed), BASE))


def vrf_prove(seed, alpha):
    x, pk = ed_secret(seed), vrf_public(seed)
    for ctr in range(256):
        h = ed_dec(sha512(b"\3\1" + pk + alpha + bytes([ctr, 0]))[:32])
        if h:
            h = ed_mul(8, h)
            break
    gamma = ed_mul(x, h)
    k = int.from_bytes(sha512(sha512(seed)[32:] + ed_enc(h)), "little") % L
    c = sha512(b"\3\2" + pk + ed_enc(h) + ed_enc(gamma) +
               ed_enc(ed_mul(k, BASE)) + ed_enc(ed_mul(k, h)) + b"\0")[:16]
    s = (k + int.from_bytes(c, "little") * x) % L
    pi = ed_enc(gamma) + c + s.to_bytes(32, "little")
    return pi, sha512(b"\3\3" + ed_enc(ed_mul(8, gamma)) + b"\0")


# Both against the published vectors of tests/base.
for row in open(os.path.join(here, "..", "base", "vrf.txt")):
    if not row.startswith("#"):
        sk, pk, alpha, want_pi, want_beta = row.split()
        got = vrf_prove(bytes.fromhex(sk), bytes.fromhex(alpha.strip("-")))
        assert (got[0].hex(), got[1].hex()) == (want_pi, want_beta), row
assert sign(be32(3), ZERO).hex().upper().startswith("E907831F80848D1069A5")


# --- records -----------------------------------------------------------------
CHAIN = "weft-test"


def secret(i):
    return tagged("weft-test/actor", struct.pack(">I", i))


def tx(kind, sender, seq, body, signer=None, lane=0, fee=10000000, expiry=100):
    key = None if signer is None else public(signer)
    ten = [1, CHAIN, kind, public(sender), key, lane, seq, fee, expiry, body]
    digest = tagged("weft/tx", pack(ten))
    raw = pack(ten + [sign(signer or sender, digest)])
    return raw, digest


def u64(n):
    return struct.pack(">Q", n)


def account(balance, keys=(), payout=None):
    return pack([balance, 0, 0, False, payout, list(keys)])


def format_file(out):
    def put(name, b):
        out.write("%s %s\n" % (name, b.hex() or "-"))

    s0, s1, s2, rig = secret(0), secret(1), secret(2), secret(50)
    p0, p1, p2 = public(s0), public(s1), public(s2)
    vrf_seed, ed_key = b"\x09" * 32, b"\x07" * 32
    start = 1000000000
    genesis = pack([1, CHAIN, 1000000, [],
                    [[p, start] for p in sorted([p1, p2])],
                    [[ed_key, vrf_public(vrf_seed), p0, 1]]])
    genesis_hash = tagged("weft/genesis", genesis)
    seed = tagged("weft/seed", genesis_hash)
    state = {
        b"p": pack([CHAIN, []]),
        b"t": pack([2 * start, 0]),
        b"a" + p1: account(start),
        b"a" + p2: account(start),
        b"v" + ed_key: pack([vrf_public(vrf_seed), p0, 1]),
        b"c": pack([0, 0, 0, seed]),
    }
    root = state_root(state)
    put("genesis", genesis)
    put("genesis_hash", genesis_hash)
    put("genesis_root", root)

    pi, beta = vrf_prove(vrf_seed, b"weft-beacon" + CHAIN.encode() + u64(1) +
                         seed)
    beacon = pack([1, CHAIN, 1, p0, None, 0, 0, 0, 1, [pi], None])
    transfer, digest = tx(2, s1, 0, [p2, 12345, False, b"memo"])
    keys, _ = tx(3, s2, 0, [[public(rig)], p1])
    operator_sig = sign(s1, tagged("weft/operator", CHAIN.encode() + p2))
    node = [["127.0.0.1:9421"], b"\x11" * 32, b"\x22" * 32, p1]
    announce, _ = tx(4, s2, 1, node + [operator_sig, None])
    by_rig, _ = tx(4, s2, 0, node + [operator_sig, None], signer=rig, lane=255)
    txs = [beacon, transfer, keys, announce, by_rig]
    put("beacon", beacon)
    put("transfer", transfer)
    put("transfer_digest", digest)
    put("transfer_id", tagged("weft/txid", transfer))
    put("keys", keys)
    put("announce", announce)
    put("announce_by_rig_key", by_rig)

    seven = [1, CHAIN, 1, genesis_hash, 1001000, root, txs]
    block = pack(seven + [sign(s0, tagged("weft/block", pack(seven)))])
    block_id = tagged("weft/blockid", block)
    put("block", block)
    put("block_id", block_id)

    fees = [1000 + 10 * len(t) for t in txs[1:]]
    half = sum(fees) // 2
    seed = sha(seed + beta)
    state[b"a" + p0] = account(half)
    state[b"a" + p1] = account(start - 12345 - fees[0])
    state[b"a" + p2] = account(start + 12345 - sum(fees[1:]), [public(rig)],
                               p1)
    state[b"t"] = pack([2 * start, sum(fees) - half])
    state[b"n" + p1 + b"\0"] = pack(1)
    state[b"n" + p2 + b"\0"] = pack(2)
    state[b"n" + p2 + b"\xff"] = pack(1)
    state[b"e" + p2] = pack(node + [1])
    state[b"s" + u64(1)] = pack([seed, p0, 1, 1])
    state[b"h" + u64(1)] = pack(block_id)
    state[b"c"] = pack([0, 1, 1, seed])
    put("seed_after", seed)
    put("root_after", state_root(state))
    for k in sorted(state):
        put("record_" + k.hex(), state[k])
    stamp = struct.pack(">I", len(CHAIN)) + CHAIN.encode() + block_id + p2
    nonce = next(n for n in range(1 << 20)
                 if tagged("weft/stamp", stamp + u64(n))[:1] == b"\0")
    put("stamp_nonce_8_bits", u64(nonce))
    put("stamp_hash", tagged("weft/stamp", stamp + u64(nonce)))


def smt_file(out):
    rng = random.Random(1)
    leaves = {}

    def near(path, shared):
        """A path that parts from another after so many bits."""
        x = int.from_bytes(path, "big") ^ 1 << (255 - shared)
        low = (1 << (255 - shared)) - 1 if shared < 255 else 0
        return be32(x & ~low | rng.getrandbits(256) & low)

    def change(path, value_hash):
        if value_hash is None:
            leaves.pop(path, None)
            out.write("del %s\n" % path.hex())
        else:
            leaves[path] = value_hash
            out.write("set %s %s\n" % (path.hex(), value_hash.hex()))

    def batch(changes):
        for path, value_hash in changes:
            change(path, value_hash)
        out.write("root %s\n" % root_of(leaves).hex())

    first = sha(b"first")
    batch([])
    batch([(first, sha(b"1"))])
    batch([(first, sha(b"2"))])
    for shared in (255, 254, 9, 8, 7, 1, 0):
        batch([(near(first, shared), sha(b"near"))])
    for path in list(leaves):
        batch([(path, None)])
    batch([(first, sha(b"1")), (near(first, 200), sha(b"2"))])
    batch([(near(first, 199), None)])  # of what never was
    for step in range(60):
        changes = {}
        for _ in range(rng.choice((1, 2, 7, 40))):
            known = rng.choice(list(leaves) or [first])
            kind = rng.random()
            if kind < 0.35:
                changes[rng.randbytes(32)] = rng.randbytes(32)
            elif kind < 0.5:
                changes[near(known, rng.randrange(256))] = rng.randbytes(32)
            elif kind < 0.6:
                changes[known] = rng.randbytes(32)
            else:
                changes[known] = None
        batch(changes.items())
    batch([(p, None) for p in list(leaves)])


with open(os.path.join(here, "smt.txt"), "w") as f:
    f.write("# set PATH VALUE_HASH, del PATH; root ROOT ends a batch\n")
    smt_file(f)
with open(os.path.join(here, "..", "format", "ledger.txt"), "w") as f:
    f.write("# ledger's records; made by ../ledger/make.py\n")
    format_file(f)
