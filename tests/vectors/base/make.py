#!/usr/bin/env python3
"""Expected values for tests/base, from hashlib and plain recursion.

Writes merkle.txt and address.txt beside itself. Independent of the C code:
every tree is built by recursion straight from its definition.
"""
import hashlib
import os

here = os.path.dirname(os.path.abspath(__file__))
sha = lambda b: hashlib.sha256(b).digest()


def tagged(name, data):
    t = sha(name.encode())
    return sha(t + t + data)


def tree(leaves):
    if not leaves:
        return bytes(32)
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return tagged("weft/node", tree(leaves[:k]) + tree(leaves[k:]))


def leaf(b):
    return tagged("weft/leaf" if len(b) == 512 else "weft/short", b)


def leaves_of(b):
    return [leaf(b[i:i + 512]) for i in range(0, len(b), 512)]


def bytes_root(b):
    return tagged("weft/bytes", len(b).to_bytes(8, "little") + tree(leaves_of(b)))


def list_root(items):
    hashes = [tagged("weft/item", i) for i in items]
    return tagged("weft/list", len(items).to_bytes(8, "little") + tree(hashes))


def proof(leaves, first, asked):
    n = len(leaves)
    if not any(first <= a < first + n for a in asked):
        return [tree(leaves)]
    if n == 1:
        return []
    k = 1
    while k * 2 < n:
        k *= 2
    return proof(leaves[:k], first, asked) + proof(leaves[k:], first + k, asked)


def pattern(n):
    return bytes((i * 7 + i // 512 + 3) & 255 for i in range(n))


CHARS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def polymod(values):
    gen = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
    chk = 1
    for v in values:
        top = chk >> 25
        chk = (chk & 0x1ffffff) << 5 ^ v
        for i in range(5):
            chk ^= gen[i] if (top >> i) & 1 else 0
    return chk


def address(hrp, key):
    bits = "".join(f"{b:08b}" for b in key) + "0000"
    data = [int(bits[i:i + 5], 2) for i in range(0, 260, 5)]
    head = [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]
    pm = polymod(head + data + [0] * 6) ^ 0x2bc830a3
    return hrp + "1" + "".join(CHARS[d] for d in data + [(pm >> 5 * (5 - i)) & 31 for i in range(6)])


with open(os.path.join(here, "merkle.txt"), "w") as f:
    f.write("# bytes LENGTH ROOT | fill VALUE LENGTH ROOT | list COUNT ROOT (item i: i as 4 bytes LE)\n")
    f.write("# prove COUNT FIRST:COUNT,... HASH... (leaf i: item hash of i as 4 bytes LE)\n")
    for n in (0, 1, 511, 512, 513, 1024, 1025, 1536, 2560, 5000, 4096, 65536, 70001):
        f.write(f"bytes {n} {bytes_root(pattern(n)).hex()}\n")
    for v, n in ((0, 0), (0, 1), (0, 512), (7, 513), (255, 2048), (9, 3584), (1, 100000), (0, 1 << 20)):
        f.write(f"fill {v} {n} {bytes_root(bytes([v]) * n).hex()}\n")
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 1000):
        f.write(f"list {n} {list_root([i.to_bytes(4, 'little') for i in range(n)]).hex()}\n")
    for n, ranges in ((1, "0:1"), (5, "0:1"), (5, "4:1"), (7, "1:2,5:1"), (8, "0:8"), (13, "3:1,4:2,12:1"), (6, "")):
        hs = [tagged("weft/item", i.to_bytes(4, "little")) for i in range(n)]
        asked = set()
        for r in filter(None, ranges.split(",")):
            a, c = map(int, r.split(":"))
            asked |= set(range(a, a + c))
        f.write(f"prove {n} {ranges or '-'} {' '.join(h.hex() for h in proof(hs, 0, asked)) or '-'}\n")

with open(os.path.join(here, "address.txt"), "w") as f:
    f.write("# HRP KEY ADDRESS\n")
    for hrp in ("weft", "weftt"):
        for key in (bytes(32), bytes(range(32)), b"\xff" * 32, sha(b"weft")):
            f.write(f"{hrp} {key.hex()} {address(hrp, key)}\n")
