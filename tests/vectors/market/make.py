#!/usr/bin/env python3
"""One vector of every record of market/, from a second implementation.

    tests/vectors/market/make.py > tests/vectors/format/market.txt

Field values count upwards, so that two exchanged fields show.
"""
import os
import struct
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "format"))
from make import pack, tagged  # noqa: E402  msgpack and hashes


def h(n):
    """A hash, key or root of one repeated byte."""
    return bytes([n]) * 32


def out(name, value):
    print(name, (value if isinstance(value, bytes) else pack(value)).hex())


# [ops_per_task, limit_ops, cta_ops_max, sample_ops, cta_open_max,
#  written_bytes, input_bytes, output_bytes, memory_bytes, step_count, sm_min,
#  class]
work = [1000001, 4000002, 1003, 504, 65536 + 5, 6000006, 707, 8000008,
        9000009, 10, 75, 1]
job_terms = [h(1), h(2), h(3), 1000, 20, work, 300003, 1, 64, 600, 5005, 60006,
             70, 2, 80, 1 << 33, "eu-west", 900, 2, 11111, [h(4), h(5)],
             [h(6)]]
# [device, sm, memory, name, device index, price per Gop, least value, rate,
#  slots, classes, seconds_max, region, watts, [[price, g] ...], until,
#  bond target]
offer_terms = [1, 89, 24 << 30, "GeForce RTX 4090", 3, 250000, 1000000,
               41000000000000, 2, 3, 1800, "de", 350, [[312, 380], [298, 401]],
               777777, 10 ** 10]
result = [h(20), 7, h(21), 2222, h(22), [12000, 11000, None], 10, None]
result_drop = result[:-1] + [[1, h(23), bytes([24]) * 64]]

print("# market's records; made by ../market/make.py")
out("work", work)
out("job_post", job_terms)
out("job_top_up", [h(9), 12345])
out("job_extend", [h(9), 99999])
out("job_redeclare", [h(9), h(10), work, 400004])
out("job_cancel", [h(9)])
out("offer_post", offer_terms)
out("offer_update", [h(11), offer_terms])
out("offer_withdraw", [h(11)])
out("lease_accept", [h(12)])
out("lease_decline", [h(12), 8])
out("lease_commit", [h(12), result])
out("lease_commit_drop", [h(12), result_drop])
out("lease_fail", [h(12), 13, [5, 6, 1 << 35], None])
out("lease_fail_done", [h(12), 10, None, result])
out("lease_retract", [h(12)])
out("lease_extend", [h(12), 3, h(13)])

# The state's records.
job = [1, h(9), h(8), job_terms, 1, 4, 100, 0, 170,
       [11, 12, 13, 14, 15, 16, True],
       [17, 2, 18, 19, 20, 21, 22, 23, 24, 25],
       2, 5, 132, 170,
       [2600, 2, 1, h(26), h(27), [[h(28), 29], [h(30), 31]]]]
out("job", job)
out("offer", [1, h(11), h(7), offer_terms, 100, 220, 2, 1, False, True, 9000])
lease = [1, h(12), h(9), h(11), h(8), h(7), 40, 20,
         [h(1), h(2), h(3), work, 1, 64, 1, 3, 1, 89, 250000, 251, 5020, 5021,
          5022, 1 << 31, 61],
         [3, 10, 200, 201, 202, 203, 205, 0, 20202, True, 9, h(13)],
         7, h(20), h(21), 2222, h(22), [12000, 11000, None],
         [True, False, True, 31, 32, 33, 34]]
out("lease", lease)
prices = [3, [100, 200, 150]]
provider = [1, 10 ** 10, 5021, 1, 2, 30, 4, 5, 600, 700,
            [2, bytes([3] + [0] * 12)], [[8, 1], [23, 4]], prices]
out("provider", provider)
out("device", [1, 12, 345, 67, 8900000])
out("buyer", [1, 2, 30, 4, 5, 6, 7000000])
out("prices", prices)
out("free_ranges", struct.pack(">IIII", 0, 5, 9, 991))

# Ids, roots and digests.
out("job_id", tagged("weft/job", h(40)))
out("offer_id", tagged("weft/offer", h(40)))
out("lease_id", tagged("weft/lease", h(9) + h(11) + struct.pack(">IQ", 40,
                                                               200)))
leaf = pack([41, 10, h(50), [h(51), h(52)]])
out("result_leaf", leaf)
out("result_root", tagged("weft/result", h(12) + h(7) + h(21)))
out("drop_digest", tagged("weft/drop", h(12) + h(23)))
numbers = [350000, 1001, None, 3, 4, 5, 6, 7, 8, 9, None, 11, 12, None, 14, 15,
           16, 401]
receipt = [1, h(12), h(9), h(1), 40, 7, h(20), 1, 89, "GeForce RTX 4090",
           "550.54.14", 1, 3, "DE", "entsoe", numbers]
out("receipt", receipt)
out("receipt_signed", [receipt, h(7), bytes([25]) * 64])
out("receipt_digest", tagged("weft/receipt", pack(receipt)))
