#!/usr/bin/env python3
"""Polynomial coefficients of gpu/strict/*.cuh.  Needs mpmath.

Floats: relative minimax fits by Lawson's reweighted least squares on Chebyshev
nodes, coefficients rounded to binary32 one after the other (largest share
first) with the rest fitted again.  Doubles: interpolation at Chebyshev nodes,
which is near enough to minimax, coefficients rounded to binary64.  Prints C
literals and the fit's error.
"""
import struct

from mpmath import (mp, mpf, log, exp, expm1, sin, cos, tan, asin, atan, sinh, tanh, asinh, acosh, atanh, erf, erfc,
                    sqrt, pi, euler, loggamma, matrix, lu_solve)

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
tiny = mpf(2)**-20


def fit_odd(name, f, hi, count):
    fit(f"{name}: ({name} x - x) / x^3 in x^2", lambda z: (f(sqrt(z)) - sqrt(z)) / sqrt(z)**3,
        lambda z: sqrt(z)**3 / f(sqrt(z)), range(0, count), tiny, mpf(hi)**2, nodes=120, rounds=20)


half = mpf("0.51")
fit("expm1: (e^x - 1 - x) / x^2", lambda x: (expm1(x) - x) / x**2 if x else mpf(1) / 2, lambda x: x**2 / expm1(x), range(0, 6), -half, half, nodes=120, rounds=20)
fit_odd("sinh", sinh, "1.01", 4)
fit_odd("tan", tan, q, 7)
fit_odd("asin", asin, "0.501", 5)
fit_odd("atan", atan, "0.4155", 5)
fit_odd("asinh", asinh, "0.501", 6)
fit_odd("atanh", atanh, "0.501", 6)
fit("acosh: (acosh(1 + t) / sqrt(2 t) - 1) / t", lambda t: (acosh(1 + t) / sqrt(2 * t) - 1) / t, lambda t: t, range(0, 6), tiny, half, nodes=120, rounds=20)
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

mp.prec = 400


def cheb(name, f, lo, hi, n, weight=lambda x: 1):
    """f on [lo, hi] by a polynomial of n coefficients, in Newton's form first."""
    lo, hi = mpf(lo), mpf(hi)
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    c = [f(x) for x in xs]
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (xs[i] - xs[i - j])
    p = [mpf(0)] * n
    for i in range(n - 1, -1, -1):
        p = [(p[k - 1] if k else c[i]) - xs[i] * p[k] for k in range(n)]
    p = [mpf(float(x)) for x in p]
    test = [lo + (hi - lo) * k / 401 for k in range(1, 401)]
    worst = max(abs((sum(c * x**k for k, c in enumerate(p)) - f(x)) * weight(x)) for x in test)
    print(f"/* {name}: error 2^{float(log(worst, 2)):.1f} */")
    for k, c in enumerate(p):
        print(f"  x^{k:<2} {float(c).hex()}")


def pieces_double(name, x, count):
    print(f"/* {name} in {count} doubles */")
    for _ in range(count):
        c = mpf(float(x))
        print(f"  {float(c).hex()}")
        x -= c


def odd(f):
    return lambda z: (f(sqrt(z)) / sqrt(z) - 1) / z


def stirling(w):
    x = 1 / sqrt(w)
    return (loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + log(2 * pi) / 2)) * x


def scaled_erfc(q):
    a = 4 * (1 + q) / (1 - q)
    return (1 + 2 * a) * erfc(a) * exp(a * a)


low = mpf(10)**-12
h = log(2) / 2 * mpf("1.01")
cheb("double exp: (e^x - 1 - x) / x^2", lambda x: (expm1(x) - x) / x**2, -h, h, 12, lambda x: x**2)
cheb("double log: (atanh x / x - 1) / x^2 - 1/3 over x^2, in x^2", lambda z: ((atanh(sqrt(z)) / sqrt(z) - 1) / z - mpf(1) / 3) / z, low, "0.0404", 12, lambda z: z**2)
cheb("double atan", odd(atan), low, "0.1725", 12, lambda z: z)
cheb("double tan", odd(tan), low, (pi / 4 * mpf("1.001"))**2, 16, lambda z: z)
cheb("double tanh", odd(tanh), low, mpf("0.551")**2, 11, lambda z: z)
cheb("sin(pi x) / (pi x) in x^2", lambda z: sin(pi * sqrt(z)) / sqrt(z) / pi, low, mpf(1) / 16, 9)
cheb("(cos(pi x) - 1) / x^2 in x^2", lambda z: (cos(pi * sqrt(z)) - 1) / z, low, mpf(1) / 16, 8, lambda z: z)
cheb("lgamma(2 + y) / y", lambda y: loggamma(2 + y) / y if y else 1 - euler, "-0.501", "0.501", 20)
cheb("Stirling's series, times x, in x^-2", stirling, mpf(10)**-9, mpf(1) / 64, 9)
cheb("double erf: erf x / x - 1 in x^2", lambda z: erf(sqrt(z)) / sqrt(z) - 1, low, mpf("0.2525"), 10)
cheb("(1 + 2 a) e^(a^2) erfc a in (a - 4) / (a + 4)", scaled_erfc, -1, 1, 26)
pieces_double("1 / ln 2", 1 / log(2), 2)
pieces_double("1 / ln 10", 1 / log(10), 2)
pieces_double("pi / 2", pi / 2, 3)
pieces_double("1 / 3", mpf(1) / 3, 2)
pieces_double("log(2 pi) / 2", log(2 * pi) / 2, 2)
pieces_double("sqrt(1/2)", sqrt(mpf(1) / 2), 2)
