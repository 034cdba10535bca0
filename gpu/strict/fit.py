#!/usr/bin/env python3
"""Polynomial coefficients of gpu/strict/*.cuh.  Needs mpmath.

Relative minimax fits by Lawson's reweighted least squares on Chebyshev
nodes, coefficients rounded to binary32 one after the other (largest share
first) with the rest fitted again.  Prints C literals and the fit's error.
"""
import struct

from mpmath import mp, mpf, log, exp, sin, cos, tanh, erf, erfc, sqrt, pi, matrix, lu_solve, atanh

mp.prec = 120


def f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def solve(target, weight, basis, xs, ws):
    n = len(basis)
    a = matrix(n, n)
    b = matrix(n, 1)
    for x, w in zip(xs, ws):
        row = [g(x) * weight(x) for g in basis]
        t = target(x) * weight(x)
        for i in range(n):
            b[i] += w * row[i] * t
            for j in range(n):
                a[i, j] += w * row[i] * row[j]
    return list(lu_solve(a, b))


def fit(name, target, weight, powers, lo, hi, nodes=160, rounds=25):
    """target(x) ~ sum c_i x^powers[i], weighted error minimised."""
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * nodes)) for k in range(nodes)]
    fixed = []
    free = list(powers)
    while free:
        rest = lambda x: target(x) - sum(c * x**p for c, p in zip(fixed, powers))
        basis = [lambda x, p=p: x**p for p in free]
        ws = [mpf(1)] * nodes
        for _ in range(rounds):
            cs = solve(rest, weight, basis, xs, ws)
            err = [abs((rest(x) - sum(c * g(x) for c, g in zip(cs, basis))) * weight(x)) for x in xs]
            ws = [w * (e + mpf(2)**-60) for w, e in zip(ws, err)]
            s = sum(ws)
            ws = [w * nodes / s for w in ws]
        fixed.append(f32(cs[0]))
        free = free[1:]
    worst = max(abs((target(x) - sum(c * x**p for c, p in zip(fixed, powers))) * weight(x)) for x in xs)
    print(f"/* {name}: error 2^{float(mp.log(worst, 2)):.1f} */")
    for c, p in zip(fixed, powers):
        print(f"  x^{p:<2} {float(c).hex()}f")


def pieces(name, x, count):
    print(f"/* {name} in {count} pieces */")
    for _ in range(count):
        c = f32(x)
        print(f"  {float(c).hex()}f")
        x -= c


h = log(2) / 2 * mpf("1.01")
fit("exp: (e^x - 1 - x) / x^2", lambda x: (exp(x) - 1 - x) / x**2, lambda x: x**2 / exp(x), range(0, 5), -h, h)
fit("log: (log(1+x) - x) / x^2", lambda x: (log(1 + x) - x) / x**2, lambda x: x**2 / log(1 + x), range(0, 9), -mpf(1) / 3, mpf(1) / 3)
q = pi / 4 * mpf("1.001")
fit("sin: (sin x - x) / x^3 in x^2", lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z)**3, lambda z: z, range(0, 4), mpf(2)**-20, q**2)
fit("cos: (cos x - 1 + x^2/2) / x^4 in x^2", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, range(0, 4), mpf(2)**-20, q**2)
fit("tanh: (tanh x - x) / x^3 in x^2", lambda z: (tanh(sqrt(z)) - sqrt(z)) / sqrt(z)**3, lambda z: z, range(0, 6), mpf(2)**-20, mpf("0.66")**2)
fit("erf: (erf x - x) / x in x^2", lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: mpf(1), range(0, 7), mpf(2)**-20, mpf("1.0")**2)
fit("erf tail: -log(erfc(x)) - x, in x", lambda x: -log(erfc(x)) - x, lambda x: erfc(x) / erf(x), range(0, 9), mpf("0.9"), mpf("4.0"))
fit("pow: (atanh x / x - 1) / x^2 - 1/3 over x^2, in x^2", lambda z: ((atanh(sqrt(z)) / sqrt(z) - 1) / z - mpf(1) / 3) / z, lambda z: z**2, range(0, 4), mpf(2)**-20, (mpf(1) / 5)**2 * mpf("1.02"))
pieces("1 / ln 2", 1 / log(2), 2)
pieces("ln 2", log(2), 3)
pieces("pi / 2", pi / 2, 4)
pieces("1 / 3", mpf(1) / 3, 2)
pieces("2 / pi", 2 / pi, 1)
pieces("log2(10)", log(10) / log(2), 2)
pieces("log10(2)", log(2) / log(10), 2)
pieces("1 / ln 10", 1 / log(10), 2)
print("/* 2/pi, 192 bits, words from the top */")
v = int(mp.floor((2 / pi) * mpf(2)**288)) if mp.prec > 400 else None
mp.prec = 500
v = int(mp.floor((2 / pi) * mpf(2)**288))
print("  " + ", ".join(f"0x{(v >> (288 - 32 * (i + 1))) & 0xffffffff:08x}u" for i in range(9)))
