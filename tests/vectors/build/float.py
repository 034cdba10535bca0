#!/usr/bin/env python3
"""Make float.txt: decimals and the bits of the nearest f16, f32, f64.

Exact rational arithmetic, ties to even; shares nothing with gpu/build.
"""
from fractions import Fraction
import random
import re

FORMATS = {"f16": (16, 11, -24), "f32": (32, 24, -149), "f64": (64, 53, -1074)}


def value(text):
    m = re.fullmatch(r"([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", text)
    frac = m[3] or ""
    exp = int(m[4] or 0) - len(frac)
    v = Fraction(int(m[2] + frac)) * Fraction(10) ** exp
    return m[1] == "-", v


def encode(text, fmt):
    width, p, low = FORMATS[fmt]
    negative, v = value(text)
    inf = ((1 << (width - p)) - 1) << (p - 1)
    bits = 0
    if v:
        e = low
        while v >= Fraction(2) ** (e + p):
            e += 1
        q, rest = divmod(v / Fraction(2) ** e, 1)
        q = int(q)
        if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and q & 1):
            q += 1
        bits = ((e - low) << (p - 1)) + q
    if bits >= inf:
        return "over"
    return "%0*x" % (width // 4, bits | (1 << (width - 1) if negative else 0))


def decimal(v):
    """All digits of a dyadic fraction."""
    n = v.denominator.bit_length() - 1
    digits = str(v.numerator * 5 ** n)
    if n == 0:
        return digits
    digits = digits.rjust(n + 1, "0")
    return digits[:-n] + "." + digits[-n:]


def main():
    rng = random.Random(7)
    print("# type decimal bits; made by float.py with exact fractions")
    fixed = ["0", "-0", "0.0", "1", "-1", "0.1", "0.5", "1.5", "2.5", "3",
             "65504", "65519.99", "65520", "3.4028235e38", "3.4028236e38",
             "1e-45", "7e-46", "7.1e-46", "1e-400", "1e308", "1.8e308",
             "2.4703282292062327e-324", "2.4703282292062328e-324", "5e-324",
             "2.2250738585072011e-308", "2.2250738585072014e-308", "1e23",
             "9007199254740993", "9007199254740992.9999999999999999999999",
             "16777217", "16777216.99999999999999999", "33554435",
             "2048.5", "2049", "2049.0000000001", "5.9604644775390625e-8",
             "2.98023223876953125e-8", "2.98023223876953126e-8", "0.3333",
             "1.00048828125", "1.000488281250000000000000000000000000000001",
             "123456789012345678901234567890", "1E5", "1e+5", "00012.5"]
    for fmt, (width, p, low) in FORMATS.items():
        for t in fixed:
            print(fmt, t, encode(t, fmt))
        # halfway between neighbours, exactly, and one digit to each side
        for _ in range(12):
            e = rng.randrange(low, low + (1 << (width - p)) - 3)
            if rng.random() < 0.3:
                e = low + rng.randrange(3)
            q = rng.randrange(1 << (p - 1), 1 << p)
            if e == low and rng.random() < 0.7:
                q = rng.randrange(0, 1 << (p - 1))
            half = (Fraction(q) + Fraction(1, 2)) * Fraction(2) ** e
            t = decimal(half)
            if len(t) > 1000:
                continue
            dot = t if "." in t else t + ".0"
            for text in (t, dot + "1", decimal(half * (1 - Fraction(1, 1 << 80)))):
                if len(text) <= 1000:
                    print(fmt, text, encode(text, fmt))
        for _ in range(40):
            t = "%s%d.%de%d" % (rng.choice(["", "-"]), rng.randrange(10),
                                rng.randrange(10 ** rng.randrange(1, 30)),
                                rng.randrange(-12, 12))
            print(fmt, t, encode(t, fmt))


main()
