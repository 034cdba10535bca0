#!/usr/bin/env python3
"""Vectors of atomics on memory that no other thread sees: atomic.txt.

Lines as in generate.py, in pairs of 64 bits, low half first: m what 16 bytes
of memory hold, then v the operands.  Of the results, m is what memory holds
afterwards, v what the instruction gives, in front of what memory holds behind
it.  Computed here from integers and fractions, by the text of the PTX ISA.
"""
import random

import generate as g
import generate_packed as p
from generate import Out, add, mask, signed

rng = random.Random(20260117)
g.rng = p.rng = rng


def line(o, op, old, ops, new, width):
    """width: bytes of memory that it touches."""
    pair = lambda c, v: [(c, mask(v, 64)), (c, v >> 64)]
    ones = (1 << 8 * width) - 1
    ins = pair("m", old) + [x for v in ops for x in pair("v", v & ones)]
    o.line(op, ins, pair("m", old & ~ones | new & ones))
    if op.startswith("atom"):
        o.line(op, ins, pair("v", old))


def old_of(v, width):
    """With something behind it that must stay."""
    return v | rng.getrandbits(128) >> 8 * width << 8 * width


def integers(o):
    for bits in (32, 64):
        for kind in "us":
            val = (lambda v: signed(v, bits)) if kind == "s" else (lambda v: v)
            ops = {"min": lambda a, b: min(val(a), val(b)), "max": lambda a, b: max(val(a), val(b))}
            if kind == "u" or bits == 32:
                ops["add"] = lambda a, b: a + b
            for a, b in g.pairs(bits, 10):
                for op, f in ops.items():
                    for name in ("atom", "red"):
                        line(o, "%s.global.%s.%s%d" % (name, op, kind, bits), old_of(a, bits // 8), [b], mask(f(a, b), bits), bits // 8)
        for a, b in g.pairs(bits, 10):
            for op, f in {"and": a & b, "or": a | b, "xor": a ^ b}.items():
                for name in ("atom", "red"):
                    line(o, "%s.global.%s.b%d" % (name, op, bits), old_of(a, bits // 8), [b], f, bits // 8)
    for a, b in g.pairs(32, 24) + [(5, 5), (6, 5), (0, 5)]:
        line(o, "atom.global.inc.u32", old_of(a, 4), [b], 0 if a >= b else a + 1, 4)
        line(o, "atom.global.dec.u32", old_of(a, 4), [b], b if a == 0 or a > b else a - 1, 4)
    for bits in (16, 32, 64, 128):
        for _ in range(8):
            a, b, c = (rng.getrandbits(bits) for _ in range(3))
            near = a ^ 1 << rng.randrange(bits)
            if bits > 16:
                line(o, "atom.global.exch.b%d" % bits, old_of(a, bits // 8), [b], b, bits // 8)
            for x in (a, b, near):
                line(o, "atom.global.cas.b%d" % bits, old_of(a, bits // 8), [x, c], c if x == a else a, bits // 8)


def joined(parts, bits):
    return sum(v << bits * i for i, v in enumerate(parts))


def floats(o):
    """Sums of f32 in global memory flush what is subnormal."""
    def sum32(a, b):
        a, b = g.flush(a, 32, True), g.flush(b, 32, True)
        return g.flush(add(a, b, 32, "rn"), 32, True)
    e = g.fedges(32) + [1, 0x80000001, 0x00800000, 0x80800001, 0x007fffff]
    for n in (1, 2, 4):
        for _ in range(20):
            a, b = ([rng.choice(e) for _ in range(n)] for _ in "ab")
            r = [sum32(x, y) for x, y in zip(a, b)]
            for name in ("atom", "red"):
                op = "%s.global.add.%sf32" % (name, "v%d." % n if n > 1 else "")
                line(o, op, old_of(joined(a, 32), 4 * n), [joined(b, 32)], joined(r, 32), 4 * n)
    e = g.fedges(64)
    for _ in range(20):
        a, b = rng.choice(e), rng.choice(e)
        line(o, "atom.global.add.f64", old_of(a, 8), [b], add(a, b, 64, "rn"), 8)


def halves(o, t):
    g.FORMATS[16] = p.HALF[t]
    e = g.fedges(16) + [0x8000, 0, 0x7fff, 0xffff, 1, 0x8001]
    ops = {"add": lambda x, y: add(x, y, 16, "rn"), "min": lambda x, y: p.extreme(x, y, 16, True),
           "max": lambda x, y: p.extreme(x, y, 16, False)}
    for op, f in ops.items():
        for kind, each in ((t, 1), (t + "x2", 2)):
            for n in (1, 2, 4, 8):
                if n * each > 8 or n == 1 and op != "add":
                    continue
                for _ in range(8):
                    a, b = ([rng.choice(e) for _ in range(n * each)] for _ in "ab")
                    r = [f(x, y) for x, y in zip(a, b)]
                    for name in ("atom", "red"):
                        vec = "v%d." % n if n > 1 else ""
                        width = 2 * n * each
                        line(o, "%s.global.%s.noftz.%s%s" % (name, op, vec, kind), old_of(joined(a, 16), width),
                             [joined(b, 16)], joined(r, 16), width)


def main():
    o = Out("atomic.txt", "Atomics")
    integers(o)
    floats(o)
    halves(o, "f16")
    halves(o, "bf16")


if __name__ == "__main__":
    main()
