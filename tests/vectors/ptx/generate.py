#!/usr/bin/env python3
"""Vectors of single PTX instructions, from exact arithmetic.

Writes int, bits, float, compare, convert, half and flush.txt beside itself.
A line is   OPCODE OPERAND... = RESULT... OUTCOME
An operand is CLASS:HEX; classes: p predicate, h r d registers of 16, 32 and 64
bits, i a constant.  Nothing here knows the executor: integers are Python's,
floats are fractions rounded by round_to().
"""
import os
import random
import sys
from fractions import Fraction as F

rng = random.Random(20250101)
here = os.path.dirname(os.path.abspath(__file__))
NAN = {32: 0x7fffffff, 64: 0x7fffffffffffffff, 16: 0x7fff}
FORMATS = {64: (53, -1022, 11), 32: (24, -126, 8), 16: (11, -14, 5)}
CLASS = {16: "h", 32: "r", 64: "d"}


class Out:
    def __init__(self, name, title):
        self.f = open(os.path.join(here, name), "w")
        self.f.write("# %s; written by %s\n" % (title, os.path.basename(sys.argv[0])))

    def line(self, op, ins, outs):
        w = lambda cv: cv[0] + ":%x" % cv[1]
        self.f.write("%s %s = %s ok\n" % (op, " ".join(map(w, ins)), " ".join(map(w, outs))))


def mask(v, bits):
    return v & ((1 << bits) - 1)


def signed(v, bits):
    v = mask(v, bits)
    return v - (1 << bits) if v >> (bits - 1) else v


def edges(bits, n=5):
    e = [0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0x5555555555555555 & ((1 << bits) - 1)]
    return e + [rng.getrandbits(bits) for _ in range(n)]


def pairs(bits, n=24):
    e = edges(bits)
    all_ = [(a, b) for a in e for b in e]
    return rng.sample(all_, min(n, len(all_)))


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def ints():
    o = Out("int.txt", "Integer arithmetic")
    for bits in (16, 32, 64):
        c = CLASS[bits]
        for s in "us":
            t = s + str(bits)
            val = (lambda v: signed(v, bits)) if s == "s" else (lambda v: v)
            for a, b in pairs(bits):
                x, y = val(a), val(b)
                two = [(c, a), (c, b)]
                put = lambda op, r: o.line(op + "." + t, two, [(c, mask(r, bits))])
                put("add", x + y)
                put("sub", x - y)
                put("mul.lo", x * y)
                put("mul.hi", (x * y) >> bits)
                put("min", min(x, y))
                put("max", max(x, y))
                put("div", -1 if y == 0 else trunc_div(x, y))
                put("rem", x if y == 0 else x - y * trunc_div(x, y))
                z = rng.choice(edges(bits))
                three = two + [(c, z)]
                o.line("mad.lo." + t, three, [(c, mask(x * y + z, bits))])
                o.line("mad.hi." + t, three, [(c, mask(((x * y) >> bits) + z, bits))])
                o.line("sad." + t, three, [(c, mask(z + abs(x - y), bits))])
                if bits < 64:
                    w = CLASS[bits * 2]
                    zz = rng.getrandbits(bits * 2)
                    o.line("mul.wide." + t, two, [(w, mask(x * y, bits * 2))])
                    o.line("mad.wide." + t, two + [(w, zz)], [(w, mask(x * y + zz, bits * 2))])
            if s == "s":
                for a in edges(bits):
                    o.line("abs." + t, [(c, a)], [(c, mask(abs(val(a)), bits))])
                    o.line("neg." + t, [(c, a)], [(c, mask(-val(a), bits))])
    sat = lambda v: mask(max(-2**31, min(2**31 - 1, v)), 32)
    for a, b in pairs(32):
        x, y = signed(a, 32), signed(b, 32)
        z = rng.choice(edges(32))
        o.line("add.sat.s32", [("r", a), ("r", b)], [("r", sat(x + y))])
        o.line("sub.sat.s32", [("r", a), ("r", b)], [("r", sat(x - y))])
        o.line("mad.hi.sat.s32", [("r", a), ("r", b), ("r", z)], [("r", sat(((x * y) >> 32) + signed(z, 32)))])
        s24 = lambda v: signed(v & 0xffffff, 24)
        u24 = lambda v: v & 0xffffff
        for t, f in (("u32", u24), ("s32", s24)):
            p = f(a) * f(b)
            o.line("mul24.lo." + t, [("r", a), ("r", b)], [("r", mask(p, 32))])
            o.line("mul24.hi." + t, [("r", a), ("r", b)], [("r", mask(p >> 16, 32))])
            o.line("mad24.lo." + t, [("r", a), ("r", b), ("r", z)], [("r", mask(p + z, 32))])
            o.line("mad24.hi." + t, [("r", a), ("r", b), ("r", z)], [("r", mask((p >> 16) + z, 32))])
        for ta in "us":
            for tb in "us":
                part = lambda v, n, i, s: signed(v >> (n * i), n) if s == "s" else (v >> (n * i)) & ((1 << n) - 1)
                r = z + sum(part(a, 8, i, ta) * part(b, 8, i, tb) for i in range(4))
                o.line("dp4a.%s32.%s32" % (ta, tb), [("r", a), ("r", b), ("r", z)], [("r", mask(r, 32))])
                for h, k in (("lo", 0), ("hi", 2)):
                    r = z + sum(part(a, 16, i, ta) * part(b, 8, k + i, tb) for i in range(2))
                    o.line("dp2a.%s.%s32.%s32" % (h, ta, tb), [("r", a), ("r", b), ("r", z)], [("r", mask(r, 32))])


def bits_():
    o = Out("bits.txt", "Logic, shifts, fields and permutations")
    for bits in (16, 32, 64):
        c, t = CLASS[bits], ".b%d" % bits
        for a, b in pairs(bits, 16):
            o.line("and" + t, [(c, a), (c, b)], [(c, a & b)])
            o.line("or" + t, [(c, a), (c, b)], [(c, a | b)])
            o.line("xor" + t, [(c, a), (c, b)], [(c, a ^ b)])
            o.line("not" + t, [(c, a)], [(c, mask(~a, bits))])
            o.line("cnot" + t, [(c, a)], [(c, int(a == 0))])
        for a in edges(bits):
            for n in (0, 1, 7, bits - 1, bits, bits + 1, 63, 64, 255, 0xffffffff):
                k = min(n, bits)
                o.line("shl" + t, [(c, a), ("r", n)], [(c, mask(a << k, bits))])
                o.line("shr.u%d" % bits, [(c, a), ("r", n)], [(c, a >> k)])
                o.line("shr.s%d" % bits, [(c, a), ("r", n)], [(c, mask(signed(a, bits) >> k, bits))])
    for bits in (32, 64):
        c, t = CLASS[bits], ".b%d" % bits
        for a in edges(bits, 8):
            o.line("clz" + t, [(c, a)], [("r", bits - a.bit_length())])
            o.line("popc" + t, [(c, a)], [("r", bin(a).count("1"))])
            o.line("brev" + t, [(c, a)], [(c, int(format(a, "0%db" % bits)[::-1], 2))])
            for s in "us":
                v = a if s == "u" or not a >> (bits - 1) else mask(~a, bits)
                p = v.bit_length() - 1
                o.line("bfind.%s%d" % (s, bits), [(c, a)], [("r", mask(p, 32))])
                o.line("bfind.shiftamt.%s%d" % (s, bits), [(c, a)], [("r", mask(-1 if p < 0 else bits - 1 - p, 32))])
            for pos in (0, 1, 13, bits - 1, bits, 255, 256, 0x101):
                for n in (0, 1, 8, bits - 1, bits, 255, 0x108):
                    p, l, msb = pos & 255, n & 255, bits - 1
                    for s in "us":
                        sbit = 0 if s == "u" or l == 0 else a >> min(p + l - 1, msb) & 1
                        r = sum((a >> (p + i) & 1 if i < l and p + i <= msb else sbit) << i for i in range(bits))
                        o.line("bfe.%s%d" % (s, bits), [(c, a), ("r", pos), ("r", n)], [(c, r)])
                    b = rng.getrandbits(bits)
                    r = b
                    for i in range(l):
                        if p + i <= msb:
                            r = r & ~(1 << (p + i)) | (a >> i & 1) << (p + i)
                    o.line("bfi" + t, [(c, a), (c, b), ("r", pos), ("r", n)], [(c, r)])
    for _ in range(24):
        a, b, z = (rng.getrandbits(32) for _ in range(3))
        three = [("r", a), ("r", b), ("r", z)]
        lut = rng.getrandbits(8)
        r = sum((lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (z >> i & 1)) & 1) << i for i in range(32))
        o.line("lop3.b32", three + [("i", lut)], [("r", r)])
        pool = [(b << 32 | a) >> (8 * i) & 255 for i in range(8)]
        pick = lambda n: (255 if pool[n & 7] & 128 else 0) if n & 8 else pool[n & 7]
        o.line("prmt.b32", three, [("r", sum(pick(z >> (4 * i) & 15) << (8 * i) for i in range(4)))])
        n = rng.choice([0, 1, 31, 32, 33, 64, z])
        for d in "lr":
            for m in ("wrap", "clamp"):
                k = n & 31 if m == "wrap" else min(n, 32)
                v = b << 32 | a
                r = mask((v << k) >> 32, 32) if d == "l" else mask(v >> k, 32)
                o.line("shf.%s.%s.b32" % (d, m), [("r", a), ("r", b), ("r", n)], [("r", r)])
        modes = {"f4e": [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
                 "b4e": [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
                 "rc8": [[i] * 4 for i in range(4)],
                 "ecl": [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
                 "ecr": [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
                 "rc16": [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]}
        for m, rows in modes.items():
            r = sum(pool[rows[z & 3][3 - i]] << (8 * i) for i in range(4))
            o.line("prmt.b32." + m, three, [("r", r)])


def unpack(v, bits):
    p, emin, ebits = FORMATS[bits]
    sign, mag = v >> (bits - 1), v & ((1 << (bits - 1)) - 1)
    e, m = mag >> (p - 1), mag & ((1 << (p - 1)) - 1)
    if e == (1 << ebits) - 1:
        return sign, ("nan" if m else "inf")
    x = F(m if e == 0 else m | 1 << (p - 1)) * F(2) ** ((max(e, 1) - 1) + emin - p + 1)
    return sign, (-x if sign else x)


def pack_inf(bits, sign):
    p, _, ebits = FORMATS[bits]
    return sign << (bits - 1) | ((1 << ebits) - 1) << (p - 1)


def round_to(x, bits, mode):
    """x is a nonzero Fraction."""
    p, emin, ebits = FORMATS[bits]
    sign, a = int(x < 0), abs(x)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    while F(2) ** e > a:
        e -= 1
    while F(2) ** (e + 1) <= a:
        e += 1
    unit = F(2) ** (max(e, emin) - p + 1)
    q, rest = divmod(a, unit)
    q = int(q)
    up = {"rn": rest * 2 > unit or rest * 2 == unit and q & 1, "rz": False,
          "rp": rest and not sign, "rm": rest and sign}[mode]
    q += bool(up)
    if q >= 1 << p:
        q >>= 1
        e += 1
    biased = max(e, emin) - emin + 1 if q >> (p - 1) else 0
    if q * unit >= F(2) ** (2 - emin):
        away = {"rn": 1, "rz": 0, "rp": not sign, "rm": sign}[mode]
        return pack_inf(bits, sign) - (0 if away else 1)
    return sign << (bits - 1) | biased << (p - 1) | q & ((1 << (p - 1)) - 1)


def zero(bits, sign):
    return sign << (bits - 1)


def fma(a, b, c, bits, mode):
    (sa, x), (sb, y), (sc, z) = unpack(a, bits), unpack(b, bits), unpack(c, bits)
    if "nan" in (x, y, z):
        return NAN[bits]
    sp = sa ^ sb
    if x == "inf" or y == "inf":
        if x == 0 or y == 0 or z == "inf" and sc != sp:
            return NAN[bits]
        return pack_inf(bits, sp)
    if z == "inf":
        return c
    r = x * y + z
    if r:
        return round_to(r, bits, mode)
    if x * y == 0 and z == 0 and sp == sc:
        return zero(bits, sp)
    return zero(bits, int(mode == "rm"))


def add(a, b, bits, mode):
    one = round_to(F(1), bits, "rn")
    return fma(a, one, b, bits, mode)


def mul(a, b, bits, mode):
    (sa, x), (sb, y) = unpack(a, bits), unpack(b, bits)
    s = sa ^ sb
    if "nan" in (x, y) or {0, "inf"} == {x, y}:
        return NAN[bits]
    if "inf" in (x, y):
        return pack_inf(bits, s)
    return round_to(x * y, bits, mode) if x * y else zero(bits, s)


def div(a, b, bits, mode):
    (sa, x), (sb, y) = unpack(a, bits), unpack(b, bits)
    s = sa ^ sb
    if "nan" in (x, y) or x == y == "inf" or x == 0 and y == 0:
        return NAN[bits]
    if x == "inf" or y == 0:
        return pack_inf(bits, s)
    if y == "inf" or x == 0:
        return zero(bits, s)
    return round_to(x / y, bits, mode)


def sqrt(a, bits, mode):
    s, x = unpack(a, bits)
    if x == 0:
        return a
    if x == "nan" or s:
        return NAN[bits]
    if x == "inf":
        return a
    shift = 0
    while x.numerator < 1 << 240 or x.denominator != 1:
        x *= 4
        shift += 1
    n = x.numerator
    from math import isqrt
    r = isqrt(n)
    v = F(r) if r * r == n else F(2 * r + 1, 2)
    return round_to(v / F(2) ** shift, bits, mode)


def fedges(bits):
    p, emin, ebits = FORMATS[bits]
    one = round_to(F(1), bits, "rn")
    inf = pack_inf(bits, 0)
    top = 1 << (bits - 1)
    e = [0, 1, (1 << (p - 1)) - 1, 1 << (p - 1), one, one + 1, one - 1, inf - 1, inf, NAN[bits],
         round_to(F(1, 3), bits, "rn"), round_to(F(10) ** 3, bits, "rn")]
    e += [v | top for v in e if v != NAN[bits]]
    e += [rng.getrandbits(bits) for _ in range(6)]
    spread = (1 << (p + 4)) - 1
    e += [(one - (1 << (p + 3)) + (rng.getrandbits(64) & spread)) | rng.getrandbits(1) << (bits - 1) for _ in range(10)]
    return [v & ((1 << bits) - 1) for v in e]


def flush(v, bits, on):
    p, _, ebits = FORMATS[bits]
    return v & 1 << (bits - 1) if on and not v >> (p - 1) & ((1 << ebits) - 1) else v


def clamp01(v):
    s, x = unpack(v, 32)
    if x == "nan" or s:
        return 0
    return 0x3f800000 if x == "inf" or x > 1 else v


def floats():
    o = Out("float.txt", "f32 and f64 arithmetic in every rounding mode")
    for bits in (32, 64):
        c, t, e = CLASS[bits], ".f%d" % bits, fedges(bits)
        for mode in ("rn", "rz", "rm", "rp"):
            for k in range(60):
                a, b, z = rng.choice(e), rng.choice(e), rng.choice(e)
                if k % 3 == 0:
                    b = a ^ (1 << (bits - 1)) ^ rng.getrandbits(2)
                m = "." + mode + t
                o.line("add" + m, [(c, a), (c, b)], [(c, add(a, b, bits, mode))])
                o.line("sub" + m, [(c, a), (c, b)], [(c, add(a, b ^ 1 << (bits - 1), bits, mode))])
                o.line("mul" + m, [(c, a), (c, b)], [(c, mul(a, b, bits, mode))])
                o.line("div" + m, [(c, a), (c, b)], [(c, div(a, b, bits, mode))])
                o.line("fma" + m, [(c, a), (c, b), (c, z)], [(c, fma(a, b, z, bits, mode))])
                near = mul(a, b, bits, "rn") ^ 1 << (bits - 1)
                o.line("fma" + m, [(c, a), (c, b), (c, near)], [(c, fma(a, b, near, bits, mode))])
                o.line("mad" + m, [(c, a), (c, b), (c, z)], [(c, fma(a, b, z, bits, mode))])
                if k % 2:
                    o.line("rcp" + m, [(c, a)], [(c, div(round_to(F(1), bits, "rn"), a, bits, mode))])
                    o.line("sqrt" + m, [(c, a)], [(c, sqrt(a, bits, mode))])
        for _ in range(40):
            a, b = rng.choice(e), rng.choice(e)
            (sa, x), (sb, y) = unpack(a, bits), unpack(b, bits)
            big = F(2) ** 2000
            key = lambda s, v: ((-big if s else big) if v == "inf" else v, -s)
            for name, less in (("min", True), ("max", False)):
                if x == "nan" or y == "nan":
                    r = b if x == "nan" and y != "nan" else a if y == "nan" and x != "nan" else NAN[bits]
                    rn = NAN[bits]
                else:
                    r = rn = a if (key(sa, x) < key(sb, y)) == less else b
                o.line(name + t, [(c, a), (c, b)], [(c, r)])
                if bits == 32:
                    o.line(name + ".NaN" + t, [(c, a), (c, b)], [(c, rn)])
            top = 1 << (bits - 1)
            o.line("abs" + t, [(c, a)], [(c, NAN[bits] if x == "nan" else a & ~top)])
            o.line("neg" + t, [(c, a)], [(c, NAN[bits] if x == "nan" else a ^ top)])
            o.line("copysign" + t, [(c, a), (c, b)], [(c, a & top | b & ~top)])
    e = fedges(32)
    for _ in range(60):
        a, b, z = rng.choice(e), rng.choice(e), rng.choice(e)
        o.line("add.rn.sat.f32", [("r", a), ("r", b)], [("r", clamp01(add(a, b, 32, "rn")))])
        o.line("fma.rz.sat.f32", [("r", a), ("r", b), ("r", z)], [("r", clamp01(fma(a, b, z, 32, "rz")))])
        fa, fb = flush(a, 32, True), flush(b, 32, True)
        r = mul(fa, fb, 32, "rn")
        if unpack(r, 32)[1] not in ("nan", "inf") and r & 0x7fffffff > 0x00800000 or r & 0x7fffffff < 0x007fffff:
            o.line("mul.rn.ftz.f32", [("r", a), ("r", b)], [("r", flush(r, 32, True))])
        r = add(fa, fb, 32, "rn")
        o.line("add.rn.ftz.f32", [("r", a), ("r", b)], [("r", flush(r, 32, True))])


def flushes():
    """.ftz in every rounding mode: what is subnormal going in, and coming out."""
    o = Out("flush.txt", "f32 arithmetic that flushes subnormals")
    own = random.Random(7)
    e = [0, 1, 0x7fffff, 0x800000, 0x800001, 0x1000000, 0x3f800000, 0x3f7fffff, 0x40000000, 0x3f000000,
         0x7f7fffff, 0x7f000000, 0x7f800000, NAN[32], 0x00fffffe, 0x20000000, 0x1fffffff]
    e += [v | 1 << 31 for v in e if v != NAN[32]]
    least = 0x00800000
    one = round_to(F(1), 32, "rn")

    def line(op, mode, ins, exact):
        a = [flush(v, 32, True) for v in ins]
        r = exact(*a, 32, mode)
        # At the edge itself cards may differ in what is tiny.
        if r & 0x7fffffff in (least, least - 1):
            return
        o.line("%s.%s.ftz.f32" % (op, mode), [("r", v) for v in ins], [("r", flush(r, 32, True))])

    for mode in ("rn", "rz", "rm", "rp"):
        for _ in range(30):
            a, b, z = own.choice(e), own.choice(e), own.choice(e)
            line("add", mode, (a, b), add)
            line("mul", mode, (a, b), mul)
            line("div", mode, (a, b), div)
            line("fma", mode, (a, b, z), fma)
        for a in e:
            line("rcp", mode, (a,), lambda v, bits, m: div(one, v, bits, m))
            line("sqrt", mode, (a,), sqrt)


def compares():
    o = Out("compare.txt", "setp and set")
    names = ("eq", "ne", "lt", "le", "gt", "ge")
    test = lambda n, x, y: {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[n]
    for bits in (16, 32, 64):
        c = CLASS[bits]
        for a, b in pairs(bits, 12) + [(7, 7)]:
            for s in "us":
                x, y = (signed(a, bits), signed(b, bits)) if s == "s" else (a, b)
                for n in names:
                    o.line("setp.%s.%s%d" % (n, s, bits), [(c, a), (c, b)], [("p", int(test(n, x, y)))])
            for n, n2 in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")):
                o.line("setp.%s.u%d" % (n, bits), [(c, a), (c, b)], [("p", int(test(n2, a, b)))])
    for bits in (32, 64):
        c, e = CLASS[bits], fedges(bits)
        for _ in range(40):
            a, b = rng.choice(e), rng.choice(e)
            if rng.getrandbits(2) == 0:
                b = a
            (sa, x), (sb, y) = unpack(a, bits), unpack(b, bits)
            big = F(2) ** 2000
            un = "nan" in (x, y)
            fx, fy = ((-big if s else big) if v == "inf" else v for s, v in ((sa, x), (sb, y)))
            for n in names:
                r = False if un else test(n, fx, fy)
                o.line("setp.%s.f%d" % (n, bits), [(c, a), (c, b)], [("p", int(r))])
                o.line("setp.%su.f%d" % (n, bits), [(c, a), (c, b)], [("p", int(r or un))])
            o.line("setp.num.f%d" % bits, [(c, a), (c, b)], [("p", int(not un))])
            o.line("setp.nan.f%d" % bits, [(c, a), (c, b)], [("p", int(un))])
            r = 0 if un else int(fx < fy)
            o.line("set.lt.u32.f%d" % bits, [(c, a), (c, b)], [("r", 0xffffffff * r)])
            o.line("set.lt.f32.f%d" % bits, [(c, a), (c, b)], [("r", 0x3f800000 * r)])


def to_int(x, mode):
    f = x.numerator // x.denominator
    if x == f:
        return f
    if mode == "rmi":
        return f
    if mode == "rpi":
        return f + 1
    if mode == "rzi":
        return f if x > 0 else f + 1
    rest = x - f
    return f + (rest > F(1, 2) or rest == F(1, 2) and f & 1)


def converts():
    o = Out("convert.txt", "cvt")
    types = [(s, b) for s in "us" for b in (8, 16, 32, 64)]
    reg = lambda b: CLASS[max(b, 16)]
    for (s, b) in types:
        for (s2, b2) in types:
            if (s, b) == (s2, b2):
                continue
            for a in edges(b, 3):
                x = signed(a, b) if s == "s" else a
                rb = max(b2, 16)
                r = mask(x, b2)
                r = mask(signed(r, b2) if s2 == "s" else r, rb)
                o.line("cvt.%s%d.%s%d" % (s2, b2, s, b), [(reg(b), a)], [(reg(b2), r)])
                lo, hi = (-(1 << (b2 - 1)), (1 << (b2 - 1)) - 1) if s2 == "s" else (0, (1 << b2) - 1)
                # nothing to saturate: no form
                if (s == "u" or s2 == "s") and b2 - (s2 == "s") >= b - (s == "s"):
                    continue
                o.line("cvt.sat.%s%d.%s%d" % (s2, b2, s, b), [(reg(b), a)], [(reg(b2), mask(max(lo, min(hi, x)), rb))])
    for (s, b) in types:
        for fb in (32, 64):
            for mode in ("rn", "rz", "rm", "rp"):
                for a in edges(b, 4):
                    x = signed(a, b) if s == "s" else a
                    r = round_to(F(x), fb, mode) if x else 0
                    o.line("cvt.%s.f%d.%s%d" % (mode, fb, s, b), [(reg(b), a)], [(CLASS[fb], r)])
    for fb in (32, 64):
        e = fedges(fb)
        e += [round_to(F(v, 2), fb, "rn") for v in (1, 3, 5, -1, -3, -5, 255, 511, -257, 2**32 - 1, 2**32 + 1, 2**33, 2**64, 2**65, -2**32, -2**33, -2**64)]
        for (s, b) in types:
            for mode in ("rni", "rzi", "rmi", "rpi"):
                for a in rng.sample(e, 14):
                    sg, x = unpack(a, fb)
                    lo, hi = (-(1 << (b - 1)), (1 << (b - 1)) - 1) if s == "s" else (0, (1 << b) - 1)
                    if x == "nan":
                        r = 1 << (b - 1) if fb == 64 or b == 64 else 0
                        r = signed(r, b) if s == "s" else r
                    elif x == "inf":
                        r = lo if sg else hi
                    else:
                        r = max(lo, min(hi, to_int(x, mode)))
                    o.line("cvt.%s.%s%d.f%d" % (mode, s, b, fb), [(CLASS[fb], a)], [(reg(b), mask(r, max(b, 16)))])
        for mode in ("rni", "rzi", "rmi", "rpi"):
            for a in e:
                sg, x = unpack(a, fb)
                if x == "nan":
                    r = NAN[fb]
                elif x == "inf":
                    r = a
                else:
                    v = to_int(x, mode)
                    r = round_to(F(v), fb, "rn") if v else zero(fb, sg)
                o.line("cvt.%s.f%d.f%d" % (mode, fb, fb), [(CLASS[fb], a)], [(CLASS[fb], r)])
    def narrow(a, fb, tb, mode):
        sg, x = unpack(a, fb)
        if x == "nan":
            return NAN[tb]
        if x == "inf":
            return pack_inf(tb, sg)
        return round_to(x, tb, mode) if x else zero(tb, sg)
    for mode in ("rn", "rz", "rm", "rp"):
        for a in fedges(64) + [round_to(unpack(v, 32)[1] + F(2) ** -170, 64, "rn") for v in fedges(32) if unpack(v, 32)[1] not in ("nan", "inf")]:
            o.line("cvt.%s.f32.f64" % mode, [("d", a)], [("r", narrow(a, 64, 32, mode))])
    for mode in ("rn", "rz"):
        for a in fedges(32) + [round_to(F(v, 2 ** 20), 32, "rn") for v in (65519, 65520, 1, 3, 12345, -7777)] + \
                [round_to(F(v), 32, "rn") for v in (65504, 65519, 65520, 70000, -65520)]:
            o.line("cvt.%s.f16.f32" % mode, [("r", a)], [("h", narrow(a, 32, 16, mode))])
    for a in fedges(32):
        o.line("cvt.f64.f32", [("r", a)], [("d", narrow(a, 32, 64, "rn"))])
    for a in fedges(16):
        o.line("cvt.f32.f16", [("h", a)], [("r", narrow(a, 16, 32, "rn"))])


def halves():
    o = Out("half.txt", "f16 and bf16, alone and in pairs")
    for t, p, emin, ebits in (("f16", 11, -14, 5), ("bf16", 8, -126, 8)):
        FORMATS[16] = (p, emin, ebits)
        e = fedges(16)
        two = []
        for k in range(120):
            a, b, z = rng.choice(e), rng.choice(e), rng.choice(e)
            if k % 3 == 0:
                z = mul(a, b, 16, "rn") ^ 0x8000
            r = {"add": add(a, b, 16, "rn"), "sub": add(a, b ^ 0x8000, 16, "rn"),
                 "mul": mul(a, b, 16, "rn"), "fma": fma(a, b, z, 16, "rn")}
            (sa, x), (sb, y) = unpack(a, 16), unpack(b, 16)
            big = F(2) ** 2000
            key = lambda s, v: ((-big if s else big) if v == "inf" else v, -s)
            for name, less in (("min", True), ("max", False)):
                if "nan" in (x, y):
                    r[name] = b if x == "nan" and y != "nan" else a if x != "nan" else 0x7fff
                else:
                    r[name] = a if (key(sa, x) < key(sb, y)) == less else b
            h = [("h", a), ("h", b)]
            o.line("add.rn." + t, h, [("h", r["add"])])
            o.line("sub.rn." + t, h, [("h", r["sub"])])
            o.line("mul.rn." + t, h, [("h", r["mul"])])
            o.line("fma.rn." + t, h + [("h", z)], [("h", r["fma"])])
            o.line("min." + t, h, [("h", r["min"])])
            o.line("max." + t, h, [("h", r["max"])])
            o.line("neg." + t, [("h", a)], [("h", 0x7fff if x == "nan" else a ^ 0x8000)])
            un = "nan" in (x, y)
            fx, fy = ((-big if s else big) if v == "inf" else v for s, v in ((sa, x), (sb, y)))
            o.line("setp.lt." + t, h, [("p", int(not un and fx < fy))])
            o.line("setp.neu." + t, h, [("p", int(un or fx != fy))])
            two.append((a, b, z, r))
        for (a, b, z, r), (a2, b2, z2, r2) in zip(two, two[1:]):
            j = lambda lo, hi: ("r", hi << 16 | lo)
            for op in ("add", "sub", "mul"):
                o.line("%s.rn.%sx2" % (op, t), [j(a, a2), j(b, b2)], [j(r[op], r2[op])])
            o.line("fma.rn.%sx2" % t, [j(a, a2), j(b, b2), j(z, z2)], [j(r["fma"], r2["fma"])])
            o.line("max.%sx2" % t, [j(a, a2), j(b, b2)], [j(r["max"], r2["max"])])
        for v in (0, 1, 2049, 2050, 2051, 65519, 65520, 1 << 40):
            x = round_to(F(v), 16, "rn") if v else 0
            n = round_to(F(-v), 16, "rn") if v else 0
            o.line("cvt.rn.%s.u64" % t, [("d", v)], [("h", x)])
            o.line("cvt.rn.%s.s64" % t, [("d", mask(-v, 64))], [("h", n)])
    FORMATS[16] = (11, -14, 5)


if __name__ == "__main__":
    ints()
    bits_()
    floats()
    compares()
    converts()
    halves()
    flushes()
