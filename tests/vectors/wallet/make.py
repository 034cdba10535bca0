#!/usr/bin/env python3
"""Writes backup.txt: the backup text of secret key 1, Bech32m (BIP-350)."""
import os

CHARS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
HRP = "weftsecret"


def polymod(values):
    gen = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
    chk = 1
    for v in values:
        top = chk >> 25
        chk = (chk & 0x1FFFFFF) << 5 ^ v
        for i in range(5):
            chk ^= gen[i] if top >> i & 1 else 0
    return chk


secret = bytes(31) + b"\1"
bits = "".join("%d" % (b >> i & 1) for b in secret for i in range(7, -1, -1))
bits += "0" * (-len(bits) % 5)
data = [int(bits[i:i + 5], 2) for i in range(0, len(bits), 5)]
head = [ord(c) >> 5 for c in HRP] + [0] + [ord(c) & 31 for c in HRP]
check = polymod(head + data + [0] * 6) ^ 0x2BC830A3
data += [check >> 5 * (5 - i) & 31 for i in range(6)]
text = "".join(CHARS[d] for d in data)
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "backup.txt"), "w") as f:
    groups = [text[i:i + 4] for i in range(0, len(text), 4)]
    f.write(HRP + "1 " + " ".join(groups) + "\n")
