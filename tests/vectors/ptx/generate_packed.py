#!/usr/bin/env python3
"""Vectors of packed, narrow and video instructions: packed, narrow, video.txt.

Lines as in generate.py; an operand of a video instruction may have a sign and
a part, as in -r.b1:ff.  Everything is computed here from integers and
fractions, by the text of the PTX ISA.
"""
import random
from fractions import Fraction as F

import generate as g
from generate import Out, add, clamp01, fma, mask, mul, pack_inf, round_to, signed, unpack, zero

rng = random.Random(20251130)
g.rng = rng
HALF = {"f16": (11, -14, 5), "bf16": (8, -126, 8)}
BIG = F(2) ** 2000


def flush(v, bits):
    return g.flush(v, bits, True)


def key(v, bits):
    s, x = unpack(v, bits)
    return ((-BIG if s else BIG) if x == "inf" else x, -s)


def is_nan(v, bits):
    return unpack(v, bits)[1] == "nan"


def extreme(a, b, bits, least, nan=False, ftz=False, xs=False):
    if is_nan(a, bits) and is_nan(b, bits) or nan and (is_nan(a, bits) or is_nan(b, bits)):
        return g.NAN[bits]
    top = 1 << (bits - 1)
    sign = (a ^ b) & top
    if ftz:
        a, b = flush(a, bits), flush(b, bits)
    if xs:
        a, b = a & ~top, b & ~top
    if is_nan(a, bits) or is_nan(b, bits):
        r = b if is_nan(a, bits) else a
    else:
        r = a if (key(a, bits) < key(b, bits)) == least else b
    return r & ~top | sign if xs else r


def pair(lo, hi, bits):
    return hi << bits | lo


def f32x2(o):
    e = g.fedges(32)
    for mode in ("rn", "rz", "rm", "rp"):
        for k in range(24):
            v = [rng.choice(e) for _ in range(6)]
            if k % 3 == 0:
                v[2] = v[0] ^ 1 << 31 ^ rng.getrandbits(2)
            a, b, c = (pair(v[i], v[i + 1], 32) for i in (0, 2, 4))
            ops = {"add": lambda x, y, z: add(x, y, 32, mode), "sub": lambda x, y, z: add(x, y ^ 1 << 31, 32, mode),
                   "mul": lambda x, y, z: mul(x, y, 32, mode), "fma": lambda x, y, z: fma(x, y, z, 32, mode)}
            for op, f in ops.items():
                r = pair(f(v[0], v[2], v[4]), f(v[1], v[3], v[5]), 32)
                o.line("%s.%s.f32x2" % (op, mode), [("d", a), ("d", b)] + ([("d", c)] if op == "fma" else []), [("d", r)])
    for a, b, r in ((1, 1, 0), (0x80000001, 0x80000001, 0x80000000), (0x3f800000, 1, 0x3f800000), (0x00800000, 0x80800001, 0x80000000)):
        o.line("add.rn.ftz.f32x2", [("d", pair(a, 0x3f800000, 32)), ("d", pair(b, 0x3f800000, 32))], [("d", pair(r, 0x40000000, 32))])


def halves(o, t):
    g.FORMATS[16] = HALF[t]
    e = g.fedges(16)
    tests = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
             "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
    one = {"f16": 0x3c00, "bf16": 0x3f80}[t]

    def compare(name, a, b, ftz=False):
        if ftz:
            a, b = flush(a, 16), flush(b, 16)
        un = is_nan(a, 16) or is_nan(b, 16)
        if name in ("num", "nan"):
            return int(un == (name == "nan"))
        base = name[:2]
        return int(name.endswith("u") if un else tests[base](key(a, 16)[0], key(b, 16)[0]))

    names = list(tests) + [n + "u" for n in tests] + ["num", "nan"]
    for k in range(60):
        v = [rng.choice(e) for _ in range(4)]
        if k % 3 == 0:
            v[2] = v[0]
        a, b = pair(v[0], v[1], 16), pair(v[2], v[3], 16)
        for n in rng.sample(names, 4):
            # neu is written neu, equ equ
            lo, hi = compare(n, v[0], v[2]), compare(n, v[1], v[3])
            o.line("setp.%s.%sx2" % (n, t), [("r", a), ("r", b)], [("p", lo), ("p", hi)])
            o.line("set.%s.%sx2.%sx2" % (n, t, t), [("r", a), ("r", b)], [("r", pair(lo * one, hi * one, 16))])
            o.line("set.%s.u32.%sx2" % (n, t), [("r", a), ("r", b)], [("r", pair(lo * 0xffff, hi * 0xffff, 16))])
            o.line("set.%s.%s.%s" % (n, t, t), [("h", v[0]), ("h", v[2])], [("h", lo * one)])
            o.line("set.%s.u16.%s" % (n, t), [("h", v[0]), ("h", v[2])], [("h", lo * 0xffff)])
            o.line("set.%s.s32.%s" % (n, t), [("h", v[0]), ("h", v[2])], [("r", lo * 0xffffffff)])
            c = rng.getrandbits(1)
            o.line("setp.%s.and.%sx2" % (n, t), [("r", a), ("r", b), ("p", c)], [("p", lo & c), ("p", hi & c)])
            o.line("set.%s.xor.u32.%sx2" % (n, t), [("r", a), ("r", b), ("p", c)],
                   [("r", pair((lo ^ c) * 0xffff, (hi ^ c) * 0xffff, 16))])
            if t == "f16":
                w = [v[0] & 0x83ff if k & 1 else v[0], v[2] & 0x83ff if k & 2 else v[2]]
                o.line("setp.%s.ftz.f16" % n, [("h", w[0]), ("h", w[1])], [("p", compare(n, w[0], w[1], True))])
        for op in ("min", "max"):
            for mods in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs") + ((".ftz", ".ftz.NaN") if t == "f16" else ()):
                f = lambda x, y: extreme(x, y, 16, op == "min", "NaN" in mods, "ftz" in mods, "xor" in mods)
                # the sign of a NaN is unspecified, so is its xor
                if "xor" in mods and "NaN" not in mods and any(is_nan(x, 16) for x in v):
                    continue
                o.line("%s%s.%sx2" % (op, mods, t), [("r", a), ("r", b)], [("r", pair(f(v[0], v[2]), f(v[1], v[3]), 16))])
                o.line("%s%s.%s" % (op, mods, t), [("h", v[0]), ("h", v[2])], [("h", f(v[0], v[2]))])
    g.FORMATS[16] = HALF["f16"]


def extremes(o):
    e = g.fedges(32)
    for k in range(60):
        a, b, c = (rng.choice(e) for _ in range(3))
        three = [("r", a), ("r", b), ("r", c)]
        for op in ("min", "max"):
            f = lambda x, y, m="": extreme(x, y, 32, op == "min", "NaN" in m, "ftz" in m, "xor" in m)
            for m in ("", ".NaN", ".ftz", ".abs", ".NaN.abs", ".ftz.NaN.abs"):
                v = [x & 0x7fffffff if "abs" in m else x for x in (a, b, c)]
                o.line("%s%s.f32" % (op, m), three, [("r", f(f(v[0], v[1], m), v[2], m))])
            if not (is_nan(a, 32) or is_nan(b, 32)):
                o.line("%s.ftz.xorsign.abs.f32" % op, three[:2], [("r", f(a, b, "ftz xor"))])
            o.line("%s.NaN.xorsign.abs.f32" % op, three[:2], [("r", f(a, b, "NaN xor"))])
            h = [signed(x >> s, 16) for s in (0, 16) for x in (a, b)]
            best = min if op == "min" else max
            o.line("%s.relu.s16x2" % op, three[:2], [("r", pair(max(0, best(h[0], h[1])), max(0, best(h[2], h[3])), 16))])


def narrow_float(v, fb, p, emin, bits, biggest, nan, relu):
    """To a format without room for infinities: to nearest even, clamped."""
    s, x = unpack(v, fb)
    if x == "nan":
        return nan
    if relu and s:
        return 0
    sign = s << (bits - 1)
    if x == 0:
        return sign
    if x != "inf":
        a = abs(x)
        exp = emin
        while F(2) ** (exp + 1) <= a:
            exp += 1
        unit = F(2) ** (exp - p + 1)
        q, rest = divmod(a, unit)
        q = int(q) + int(rest * 2 > unit or rest * 2 == unit and q % 2 == 1)
        r = (exp - emin << p - 1) + q
        if r <= biggest:
            return sign | r
    return sign | biggest


def eights(o):
    kinds = {"e4m3x2": (4, -6, 0x7e), "e5m2x2": (3, -14, 0x7b)}
    for t, (p, emin, biggest) in kinds.items():
        # every eight-bit value, and what lies between neighbours
        def value(x):
            m, s = x & 127, x >> 7
            if t == "e4m3x2" and m == 127 or t == "e5m2x2" and m > 0x7c:
                return "nan"
            if t == "e5m2x2" and m == 0x7c:
                return "-inf" if s else "inf"
            q, exp = m & (1 << p - 1) - 1, m >> p - 1
            v = (q + (1 << p - 1 if exp else 0)) * F(2) ** (max(exp, 1) - 1 + emin - p + 1)
            return -v if s else v
        for x in range(0, 256, 3):
            y = 255 - x
            r = []
            for z in (x, y):
                v = value(z)
                r.append(0x7fff if v == "nan" else 0x7c00 if v == "inf" else 0xfc00 if v == "-inf"
                         else zero(16, z >> 7) if v == 0 else round_to(v, 16, "rn"))
            o.line("cvt.rn.f16x2.%s" % t, [("h", y << 8 | x)], [("r", pair(r[0], r[1], 16))])
            relu = [v if v == 0x7fff or not v >> 15 else 0 for v in r]
            o.line("cvt.rn.relu.f16x2.%s" % t, [("h", y << 8 | x)], [("r", pair(relu[0], relu[1], 16))])
        inputs = g.fedges(32) + [round_to(F(k, 64) * F(2) ** s, 32, "rn") for s in (-14, -9, 0, 8, 15) for k in range(-70, 71, 7) if k]
        inputs += [round_to(F(v), 32, "rn") for v in (448, 463, 464, 465, 480, 57344, 61439, 61440, 61441, 65536)]
        for x in inputs:
            y = rng.choice(inputs)
            for relu in (False, True):
                f = lambda v: narrow_float(v, 32, p, emin, 8, biggest, 0x7f, relu)
                o.line("cvt.rn.satfinite.%s%s.f32" % ("relu." if relu else "", t), [("r", x), ("r", y)], [("h", f(x) << 8 | f(y))])
        half = g.fedges(16) + [round_to(F(v), 16, "rn") for v in (448, 463, 464, 465, 57344, 61440)]
        for x in half:
            y = rng.choice(half)
            f = lambda v: narrow_float(v, 16, p, emin, 8, biggest, 0x7f, False)
            o.line("cvt.rn.satfinite.%s.f16x2" % t, [("r", y << 16 | x)], [("h", f(y) << 8 | f(x))])


def tf32(o):
    g.FORMATS[19] = (11, -126, 8)
    inputs = g.fedges(32) + [0x3f800000 + k for k in (0xfff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001)] + [0x7f7fffff, 0x7f7ff000, 0xff7fffff, 0x7f7fefff]
    for x in inputs:
        s, v = unpack(x, 32)
        for mode in ("rn", "rz", "rna"):
            for fin in ("", ".satfinite"):
                for relu in ("", ".relu") if mode != "rna" else ("",):
                    if v == "nan":
                        r = g.NAN[32]
                    elif relu and s:
                        r = 0
                    elif v == "inf" or v == 0:
                        r = x
                    elif mode == "rna":
                        m = x & 0x7fffffff
                        r = (m + 0x1000 >> 13 << 13) | s << 31
                    else:
                        r = round_to(v, 19, mode) << 13
                    if fin and r & 0x7fffffff == 0x7f800000:
                        r -= 0x2000
                    o.line("cvt.%s%s%s.tf32.f32" % (mode, fin, relu), [("r", x)], [("r", r)])


def half_conversions(o):
    def to(v, fb, t, mode):
        s, x = unpack(v, fb)
        g.FORMATS[16] = HALF[t]
        r = 0x7fff if x == "nan" else pack_inf(16, s) if x == "inf" else round_to(x, 16, mode) if x else zero(16, s)
        g.FORMATS[16] = HALF["f16"]
        return r

    def of(v, t):
        g.FORMATS[16] = HALF[t]
        r = unpack(v, 16)
        g.FORMATS[16] = HALF["f16"]
        return r

    def f16_value(v, fb=64):
        s, x = v
        return g.NAN[fb] if x == "nan" else pack_inf(fb, s) if x == "inf" else round_to(x, fb, "rn") if x else zero(fb, s)

    for mode in ("rn", "rz", "rm", "rp"):
        for a in g.fedges(64)[:24] + [0x3ff0200000000000, 0x3ff0200000000001, 0x3f70000000000001]:
            o.line("cvt.%s.bf16.f64" % mode, [("d", a)], [("h", to(a, 64, "bf16", mode))])
            o.line("cvt.%s.sat.f16.f64" % mode, [("d", a)], [("h", clamp_half(to(a, 64, "f16", mode)))])
        for a in g.fedges(32) + [0x3f818000, 0x387fffff, 0x33000001]:
            f = a & 0x80000000 if not a >> 23 & 255 else a
            o.line("cvt.%s.sat.f16.f32" % mode, [("r", a)], [("h", clamp_half(to(a, 32, "f16", mode)))])
            o.line("cvt.%s.ftz.f16.f32" % mode, [("r", a)], [("h", to(f, 32, "f16", mode))])
            o.line("cvt.%s.bf16.f32" % mode, [("r", a)], [("h", to(a, 32, "bf16", mode))])
        for a in g.fedges(16):
            g.FORMATS[16] = HALF["bf16"]
            wide = f16_value(unpack(a, 16))
            g.FORMATS[16] = HALF["f16"]
            o.line("cvt.%s.f16.bf16" % mode, [("h", a)], [("h", to(wide, 64, "f16", mode))])
            wide = f16_value(unpack(a, 16))
            o.line("cvt.%s.bf16.f16" % mode, [("h", a)], [("h", to(wide, 64, "bf16", mode))])
        for t in ("f16", "bf16"):
            for s in "us":
                for a in (0, 1, 257, 2049, 65519, 65520, 0xffffffff, 0x80000000):
                    x = signed(a, 32) if s == "s" else a
                    g.FORMATS[16] = HALF[t]
                    r = round_to(F(x), 16, mode) if x else 0
                    g.FORMATS[16] = HALF["f16"]
                    o.line("cvt.%s.%s.%s32" % (mode, t, s), [("r", a)], [("h", r)])
                    if t == "f16":
                        o.line("cvt.%s.sat.f16.%s32" % (mode, s), [("r", a)], [("h", clamp_half(r))])
    for a in g.fedges(16):
        o.line("cvt.f64.bf16", [("h", a)], [("d", f16_value(of(a, "bf16")))])
        o.line("cvt.sat.f64.f16", [("h", a)], [("d", clamp_double(f16_value(unpack(a, 16))))])
        for t in ("f16", "bf16"):
            for mode in ("rni", "rzi", "rmi", "rpi"):
                s, x = of(a, t)
                g.FORMATS[16] = HALF[t]
                v = g.to_int(x, mode) if x not in ("nan", "inf") else 0
                r = 0x7fff if x == "nan" else a if x == "inf" else round_to(F(v), 16, "rn") if v else zero(16, s)
                g.FORMATS[16] = HALF["f16"]
                o.line("cvt.%s.%s.%s" % (mode, t, t), [("h", a)], [("h", r)])
                if x != "nan":
                    i = (-1 << 31 if s else (1 << 31) - 1) if x == "inf" else max(-1 << 31, min((1 << 31) - 1, g.to_int(x, mode)))
                    o.line("cvt.%s.s32.%s" % (mode, t), [("h", a)], [("r", mask(i, 32))])


def clamp_half(v):
    s, x = unpack(v, 16)
    return 0 if x == "nan" or s else 0x3c00 if x == "inf" or x > 1 else v


def clamp_double(v):
    s, x = unpack(v, 64)
    return 0 if x == "nan" or s else 0x3ff << 52 if x == "inf" or x > 1 else v


def packs(o):
    for k in range(60):
        a, b, c = (rng.choice(g.edges(32) + [3, 0xfffffffd, 200, 0xffffff38, 40000, 0xffff63c0]) for _ in range(3))
        x, y = signed(a, 32), signed(b, 32)
        for s in "us":
            for bits in (16, 8, 4, 2):
                lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if s == "s" else (0, (1 << bits) - 1)
                f = lambda v: mask(max(lo, min(hi, v)), bits)
                r = f(x) << bits | f(y)
                if bits == 16:
                    o.line("cvt.pack.sat.%s16.s32" % s, [("r", a), ("r", b)], [("r", r)])
                else:
                    o.line("cvt.pack.sat.%s%d.s32.b32" % (s, bits), [("r", a), ("r", b), ("r", c)], [("r", mask(c << 2 * bits | r, 32))])


PARTS = {"": (32, 0), ".b0": (8, 0), ".b1": (8, 8), ".b2": (8, 16), ".b3": (8, 24), ".h0": (16, 0), ".h1": (16, 16)}


def part(v, is_signed, sel):
    n, at = PARTS[sel]
    v = mask(v >> at, n)
    return signed(v, n) if is_signed else v


def clamp(t, bits, is_signed):
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(lo, min(hi, t))


def video_value():
    return rng.choice([0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                       0x7f80ff01, 0x80017fff] + [rng.getrandbits(32) for _ in range(10)])


COMPARE = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
           "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}


def scalar_video(o, op):
    ds, as_, bs = (rng.choice("us") for _ in range(3))
    shift = op in ("vshl", "vshr")
    bs = "u" if shift else bs
    ds = "u" if op == "vset" else ds
    sat = op != "vset" and rng.getrandbits(1)
    second = rng.choice(("", "", ".add", ".min", ".max"))
    asel, bsel = (rng.choice(list(PARTS)) if rng.getrandbits(1) else "" for _ in range(2))
    dsel = rng.choice(list(PARTS)) if not second and rng.getrandbits(1) else ""
    a, b, c = video_value(), video_value(), video_value()
    if shift and rng.getrandbits(1):
        b = rng.choice((0, 1, 7, 8, 31, 32, 33, 0x120))
    mode = rng.choice((".wrap", ".clamp")) if shift else ""
    test = rng.choice(list(COMPARE))
    x, y = part(a, as_ == "s", asel), part(b, bs == "s", bsel)
    n = y & 31 if mode == ".wrap" else min(y, 32)
    t = {"vadd": lambda: x + y, "vsub": lambda: x - y, "vabsdiff": lambda: abs(x - y), "vmin": lambda: min(x, y),
         "vmax": lambda: max(x, y), "vshl": lambda: x << n, "vshr": lambda: x >> n,
         "vset": lambda: int(COMPARE[test](x, y))}[op]()
    if sat:
        t = clamp(t, PARTS[dsel][0], ds == "s")
    if second == ".add":
        r = t + c
    elif second:
        u, v = (signed(t, 32), signed(c, 32)) if ds == "s" else (mask(t, 32), c)
        r = min(u, v) if second == ".min" else max(u, v)
    elif dsel:
        bits, at = PARTS[dsel]
        r = c & ~((1 << bits) - 1 << at) | mask(t, bits) << at
    else:
        r = t
    types = ".%s32.%s32" % (as_, bs) if op == "vset" else ".%s32.%s32.%s32" % (ds, as_, bs)
    name = op + types + (".%s" % test if op == "vset" else ".sat" if sat else "") + mode + second
    ins = [("r" + asel, a), ("r" + bsel, b)] + ([("r", c)] if second or dsel else [])
    o.line(name, ins, [("r" + dsel, mask(r, 32))])


def vmad(o):
    as_, bs = rng.choice("us"), rng.choice("us")
    asel, bsel = (rng.choice(list(PARTS)) for _ in range(2))
    a, b, c = video_value(), video_value(), video_value()
    kind = rng.choice(("", "a", "b", "ab", "c", "po"))
    scale, sat = rng.choice((0, 7, 15)), rng.getrandbits(1)
    x, y = part(a, as_ == "s", asel), part(b, bs == "s", bsel)
    minus = kind in ("a", "b")
    is_signed = "s" in (as_, bs) or minus or kind == "c"
    t = (-1 if minus else 1) * x * y
    z = signed(c, 32) if is_signed else c
    t += -z if kind == "c" else z
    t = t + (kind == "po") >> scale
    if sat:
        t = clamp(t, 32, is_signed)
    ds = "s" if is_signed else "u"
    name = "vmad.%s32.%s32.%s32%s%s%s" % (ds, as_, bs, ".po" * (kind == "po"), ".sat" * sat, ".shr%d" % scale if scale else "")
    sign = lambda w: "-" if w in kind and kind != "po" else ""
    o.line(name, [(sign("a") + "r" + asel, a), (sign("b") + "r" + bsel, b), (sign("c") + "r", c)], [("r", mask(t, 32))])


def simd(o, op, lanes):
    bits = 32 // lanes
    ds, as_, bs = (rng.choice("us") for _ in range(3))
    ds = "u" if op == "vset" else ds
    extra = rng.choice(("", ".add") if op == "vset" else ("", ".sat", ".add"))
    a, b, c = video_value(), video_value(), video_value()
    test = rng.choice(list(COMPARE))
    both = [a >> bits * i & (1 << bits) - 1 for i in range(lanes)] + [b >> bits * i & (1 << bits) - 1 for i in range(lanes)]
    letter = "h" if lanes == 2 else "b"

    def chosen(first):
        if rng.getrandbits(1):
            return "", list(range(first, first + lanes))
        pick = [rng.randrange(2 * lanes) for _ in range(lanes)]
        return "." + letter + "".join(str(k) for k in reversed(pick)), pick

    asel, ai = chosen(0)
    bsel, bi = chosen(lanes)
    written = sorted(rng.sample(range(lanes), rng.randrange(1, lanes + 1))) if rng.getrandbits(1) else list(range(lanes))
    dsel = "" if len(written) == lanes else "." + letter + "".join(str(k) for k in reversed(written))
    r = c
    total = c
    for i in written:
        x, y = both[ai[i]], both[bi[i]]
        x = signed(x, bits) if as_ == "s" else x
        y = signed(y, bits) if bs == "s" else y
        t = {"vadd": lambda: x + y, "vsub": lambda: x - y, "vabsdiff": lambda: abs(x - y), "vmin": lambda: min(x, y),
             "vmax": lambda: max(x, y), "vset": lambda: int(COMPARE[test](x, y)),
             "vavrg": lambda: x + y + (x + y >= 0) >> 1}[op]()
        if extra == ".sat":
            t = clamp(t, bits, ds == "s")
        total += t
        r = r & ~((1 << bits) - 1 << bits * i) | mask(t, bits) << bits * i
    types = ".%s32.%s32.%s" % (as_, bs, test) if op == "vset" else ".%s32.%s32.%s32" % (ds, as_, bs)
    o.line("%s%d%s%s" % (op, lanes, types, extra), [("r" + asel, a), ("r" + bsel, b), ("r", c)],
           [("r" + dsel, mask(total if extra == ".add" else r, 32))])


def fns(o):
    for _ in range(120):
        m, base = rng.choice(g.edges(32)), rng.randrange(32)
        n = rng.choice((0, 1, 2, 3, 8, 31, 32, -1, -2, -5, -31, -32, 33, -(1 << 31)))
        ones = [i for i in (range(base, 32) if n > 0 else range(base, -1, -1)) if m >> i & 1]
        if n == 0:
            r = base if m >> base & 1 else 0xffffffff
        else:
            r = ones[abs(n) - 1] if len(ones) >= abs(n) else 0xffffffff
        o.line("fns.b32", [("r", m), ("r", base), ("r", mask(n, 32))], [("r", r)])


def main():
    o = Out("packed.txt", "Pairs of floats, their comparisons and extremes")
    f32x2(o)
    for t in HALF:
        halves(o, t)
    extremes(o)
    o = Out("narrow.txt", "Conversions to and from narrow formats")
    eights(o)
    tf32(o)
    half_conversions(o)
    packs(o)
    o = Out("video.txt", "Video instructions, scalar and SIMD; fns")
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"):
        for _ in range(90):
            scalar_video(o, op)
    for _ in range(200):
        vmad(o)
    for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"):
        for lanes in (2, 4):
            for _ in range(50):
                simd(o, op, lanes)
    fns(o)


if __name__ == "__main__":
    main()
