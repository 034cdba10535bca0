#!/usr/bin/env python3
"""Writes ../format/wallet.txt: a keystore of secret keys 1 and 2 whose
passphrase is "correct horse".

The record is laid out here from its definition; Argon2id and
XChaCha20-Poly1305 come from libsodium through ctypes, with fixed salt and
nonce.
"""
import ctypes
import ctypes.util
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "format"))
from make import pack  # noqa: E402

na = ctypes.CDLL(ctypes.util.find_library("sodium"))
assert na.sodium_init() >= 0

# x-only public keys of secrets 1 and 2: the generator and its double.
P1 = bytes.fromhex(
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
P2 = bytes.fromhex(
    "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5")
PASS, SALT, NONCE = b"correct horse", b"\x05" * 16, b"\x06" * 24
PASSES, KIB = 1, 8192

seven = [1, "argon2id13", PASSES, KIB, SALT, NONCE,
         [["main", P1, None], ["rig-1", P2, P1]]]
key = ctypes.create_string_buffer(32)
assert na.crypto_pwhash_argon2id(
    key, ctypes.c_ulonglong(32), PASS, ctypes.c_ulonglong(len(PASS)), SALT,
    ctypes.c_ulonglong(PASSES), ctypes.c_size_t(KIB << 10), 2) == 0
plain = bytes(31) + b"\1" + bytes(31) + b"\2"
ad = pack(seven)
sealed = ctypes.create_string_buffer(len(plain) + 16)
n = ctypes.c_ulonglong()
assert na.crypto_aead_xchacha20poly1305_ietf_encrypt(
    sealed, ctypes.byref(n), plain, ctypes.c_ulonglong(len(plain)), ad,
    ctypes.c_ulonglong(len(ad)), None, NONCE, key) == 0
with open(os.path.join(here, "..", "format", "wallet.txt"), "w") as f:
    f.write("# wallet's file; made by ../wallet/keystore.py\n")
    f.write("keystore %s\n" % pack(seven + [sealed.raw]).hex())
