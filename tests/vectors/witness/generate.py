#!/usr/bin/env python3
"""Witnesses of kernel.ptx, computed without the executor.

Writes witness.txt beside itself: seed, threads, witness; all hex but threads.
doc/formats/gpu-exec.md says what a witness is.
"""
import hashlib
import os
import struct

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
here = os.path.dirname(os.path.abspath(__file__))


def tagged(tag, data):
    t = hashlib.sha256(tag).digest()
    return hashlib.sha256(t + t + data).digest()


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & M64
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def f32_bits(n):
    return struct.unpack("<I", struct.pack("<f", float(n)))[0]


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def witness(seed, threads):
    key = tagged(b"weft/witness", seed + b"k")
    k0, k1 = struct.unpack("<QQ", key[:16])
    selected = {i for i in (6, 7, 9, 10, 11, 12, 13, 14) if mix(k0 + i & M64) % 16 == 0}
    out = b""
    for tid in range(threads):
        h = k1

        def put(i, v):
            nonlocal h
            h = (((h << 5 | h >> 59) & M64) ^ (v + (i << 32) & M64)) * 0x9E3779B97F4A7C15 & M64

        def result(i, v):
            if i in selected:
                put(i, v)

        r1, r2 = 1, 0
        while True:
            r1 = (r1 * 1664525 + 1013904223) & M32
            result(6, r1)
            r2 = (r2 + r1) & M32
            result(7, r2)
            r4 = ((r1 ^ r2) + tid) & M32
            result(9, r4)
            r5 = (r4 - r2) & M32
            result(10, r5)
            result(11, min(signed(r5), signed(r1)) & M32)
            result(12, f32_bits(tid))
            result(13, 0)
            result(14, 0x7FFFFFFF)  # 0 / 0: the canonical NaN
            taken = r1 < 0x80000000
            put(16, 1 if taken else 2)
            if not taken:
                break
        out += struct.pack("<Q", h)
    return tagged(b"weft/threads", out), selected


seen = set()
with open(os.path.join(here, "witness.txt"), "w") as f:
    f.write("# seed, threads, witness; written by generate.py\n")
    for n in range(40):
        seed = hashlib.sha256(b"seed %d" % n).digest()
        threads = (1, 32, 70)[n % 3]
        w, s = witness(seed, threads)
        seen |= s
        f.write("%s %d %s\n" % (seed.hex(), threads, w.hex()))
assert len(seen) == 8, seen
