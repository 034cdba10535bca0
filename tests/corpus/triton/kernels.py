"""Kernels in Triton, for tests/corpus; the twins in ../cuda/triton.cu say what
each must give, what its class is, and how it is launched.

  python3 kernels.py OUT.ptx

prints them all as Triton compiles them for sm_80 (no GPU is needed;
contrib/corpus-ptx triton-80 packs the text).
"""
import os
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def t_vector_add(out, a, b, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    m = i < n
    tl.store(out + i, tl.load(a + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def t_saxpy_grid(out, a, b, n, SIZE: tl.constexpr):
    for at in range(tl.program_id(0) * SIZE, n, tl.num_programs(0) * SIZE):
        i = at + tl.arange(0, SIZE)
        m = i < n
        x = tl.load(a + i, mask=m, other=0)
        y = tl.load(b + i, mask=m, other=0)
        tl.store(out + i, x * 3 + y, mask=m)


@triton.jit
def t_row_sum(out, a, columns, SIZE: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, SIZE)
    x = tl.load(a + row * columns + i, mask=i < columns, other=0)
    tl.store(out + row, tl.sum(x, axis=0))


@triton.jit
def t_row_max(out, at, a, columns, SIZE: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, SIZE)
    x = tl.load(a + row * columns + i, mask=i < columns, other=-2.0)
    tl.store(out + row, tl.max(x, axis=0))
    tl.store(at + row, tl.argmax(x, axis=0))


@triton.jit
def t_scan(out, a, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + i, tl.cumsum(tl.load(a + i), axis=0))


@triton.jit
def t_sort(out, a, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + i, tl.sort(tl.load(a + i)))


@triton.jit
def t_transpose(out, a, width, SIZE: tl.constexpr):
    x = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    y = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    tile = tl.load(a + y[:, None] * width + x[None, :])
    tl.store(out + x[:, None] * width + y[None, :], tl.trans(tile))


@triton.jit
def t_matmul_s8(out, a, b, n, SIZE: tl.constexpr):
    y = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    k = tl.arange(0, SIZE)
    c = tl.zeros((SIZE, SIZE), dtype=tl.int32)
    for at in range(0, n, SIZE):
        p = tl.load(a + y[:, None] * n + (at + k)[None, :])
        q = tl.load(b + (at + k)[:, None] * n + x[None, :])
        c = tl.dot(p, q, c, out_dtype=tl.int32)
    tl.store(out + y[:, None] * n + x[None, :], c)


@triton.jit
def t_matmul_s32(out, a, b, n, SIZE: tl.constexpr):
    y = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    c = tl.zeros((SIZE, SIZE), dtype=tl.int32)
    for k in range(0, n):
        p = tl.load(a + y * n + k)
        q = tl.load(b + k * n + x)
        c += p[:, None] * q[None, :]
    tl.store(out + y[:, None] * n + x[None, :], c)


@triton.jit
def t_matmul_fma(out, a, b, n, SIZE: tl.constexpr):
    y = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    k = tl.arange(0, SIZE)
    c = tl.zeros((SIZE, SIZE), dtype=tl.float32)
    for at in range(0, n, SIZE):
        p = tl.load(a + y[:, None] * n + (at + k)[None, :])
        q = tl.load(b + (at + k)[:, None] * n + x[None, :])
        c = tl.dot(p, q, c, input_precision="ieee")
    tl.store(out + y[:, None] * n + x[None, :], c)


@triton.jit
def t_matmul_f16(out, a, b, n, SIZE: tl.constexpr):
    y = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    k = tl.arange(0, SIZE)
    c = tl.zeros((SIZE, SIZE), dtype=tl.float32)
    for at in range(0, n, SIZE):
        p = tl.load(a + y[:, None] * n + (at + k)[None, :])
        q = tl.load(b + (at + k)[:, None] * n + x[None, :])
        c = tl.dot(p, q, c)
    tl.store(out + y[:, None] * n + x[None, :], c)


@triton.jit
def t_softmax(out, a, columns, SIZE: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, SIZE)
    x = tl.load(a + row * columns + i, mask=i < columns, other=float("-inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + i, x / tl.sum(x, axis=0), mask=i < columns)


@triton.jit
def t_layer_norm(out, a, columns, SIZE: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, SIZE)
    x = tl.load(a + row * columns + i, mask=i < columns, other=0.0)
    mean = tl.div_rn(tl.sum(x, axis=0), columns.to(tl.float32))
    x = tl.where(i < columns, x - mean, 0.0)
    var = tl.div_rn(tl.sum(x * x, axis=0), columns.to(tl.float32))
    y = tl.div_rn(x, tl.sqrt_rn(var + 1e-5))
    tl.store(out + row * columns + i, y, mask=i < columns)


@triton.jit
def t_histogram(bins, a, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(a + i, mask=i < n, other=0)
    tl.atomic_add(bins + (x & 63), 1, mask=i < n, sem="relaxed")


@triton.jit
def t_sum_floats(out, a, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.atomic_add(out, tl.sum(tl.load(a + i), axis=0), sem="relaxed")


@triton.jit
def t_lock(lock, out, a, SIZE: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) * 3 + tl.load(a + tl.program_id(0)))
    tl.atomic_xchg(lock, 0)


@triton.jit
def t_collatz(out, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = i.to(tl.uint32) + 1
    steps = tl.zeros((SIZE,), dtype=tl.int32)
    for k in range(0, n):
        go = x != 1
        x = tl.where(go, tl.where(x % 2 == 0, x // 2, x * 3 + 1), x)
        steps += go.to(tl.int32)
    tl.store(out + i, steps)


@triton.jit
def t_half_mix(out, a, b, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + i, tl.maximum(tl.load(a + i) + tl.load(b + i), tl.load(b + i)))


KERNELS = [
    (t_vector_add, "*fp32 *fp32 *fp32 i32", 256),
    (t_saxpy_grid, "*i32 *i32 *i32 i32", 256),
    (t_row_sum, "*i32 *i32 i32", 512),
    (t_row_max, "*fp32 *i32 *fp32 i32", 512),
    (t_scan, "*i32 *i32", 512),
    (t_sort, "*i32 *i32", 256),
    (t_transpose, "*i32 *i32 i32", 32),
    (t_matmul_s8, "*i32 *i8 *i8 i32", 32),
    (t_matmul_s32, "*i32 *i32 *i32 i32", 16),
    (t_matmul_fma, "*fp32 *fp32 *fp32 i32", 16),
    (t_matmul_f16, "*fp32 *fp16 *fp16 i32", 32),
    (t_softmax, "*fp32 *fp32 i32", 256),
    (t_layer_norm, "*fp32 *fp32 i32", 256),
    (t_histogram, "*i32 *i32 i32", 256),
    (t_sum_floats, "*fp32 *fp32", 256),
    (t_lock, "*i32 *i32 *i32", 1),
    (t_collatz, "*i32 i32", 256),
    (t_half_mix, "*fp16 *fp16 *fp16", 256),
]


def compile_one(fn, types, size):
    """The PTX of one kernel; without its debug sections, which name folders."""
    names = fn.arg_names
    signature = dict(zip(names, types.split() + ["constexpr"]))
    source = ASTSource(fn=fn, signature=signature, constexprs={"SIZE": size})
    made = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4, "enable_fp_fusion": False})
    text = re.sub(r"\t\.section\t\.debug.*", "", made.asm["ptx"], flags=re.S)
    for folder in (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(triton.__file__)):
        text = text.replace(folder, "/triton")
    shared = made.metadata.shared
    print("%-16s %6d bytes of shared memory" % (fn.__name__, shared))
    return text


def main():
    texts = [compile_one(*k) for k in KERNELS]
    with open(sys.argv[1], "w") as f:
        f.writelines("//// triton\n" + t + "\n" for t in texts)


if __name__ == "__main__":
    main()
