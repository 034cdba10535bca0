#!/usr/bin/env python3
"""node's records by a second implementation: make.py > ../format/node.txt"""
import hashlib

sha = lambda b: hashlib.sha256(b).digest()


def tagged(tag, data):
    t = sha(tag.encode())
    return sha(t + t + data)


def binary(b):
    return (b"\xc4" + bytes([len(b)]) if len(b) < 256
            else b"\xc5" + len(b).to_bytes(2, "big")) + b


def array(items):
    return bytes([0x90 + len(items)]) + b"".join(items)


uint = lambda n: bytes([n])  # below 128
sig = lambda n: binary(bytes([n]) * 64)

bundle = array([uint(1), array([array([binary(b"first"), sig(1)]),
                                array([binary(b""), sig(2)])])])
ask = tagged("weft/ask", b"\x11" * 32 + b"\x22" * 32 + (1234567890123).to_bytes(8, "big"))
feed = array([uint(7), array([binary(b"block6"), binary(b"block7")])])
items = [tagged("weft/item", b"ab"), tagged("weft/item", b"c")]
tree = tagged("weft/node", items[0] + items[1])
root = tagged("weft/list", (2).to_bytes(8, "little") + tree)
inputs = tagged("weft/inputs", b"\x33" * 32)
receipt_record = array([uint(1), binary(b"\x44" * 32)])
task_record = array([uint(1), binary(b"result"), binary(b"\x55" * 32), uint(3),
                     uint(4), uint(5), uint(6)])

print("# node's records; made by ../node/make.py")
print("bundle", bundle.hex())
print("ask_digest", ask.hex())
print("feed", feed.hex())
print("list_blob 0000000261620000000163")
print("list_root", root.hex())
print("inputs_owner", inputs.hex())
print("journal_receipt", receipt_record.hex())
print("journal_task", task_record.hex())
