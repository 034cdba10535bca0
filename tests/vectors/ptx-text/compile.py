#!/usr/bin/env python3
"""compile.py NVRTC_LIBRARY INCLUDE...: makes every .ptx beside its .cu."""
import ctypes, glob, os, sys
lib = ctypes.CDLL(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
for path in sorted(glob.glob(here + "/*.cu")):
    prog = ctypes.c_void_p()
    src = open(path, "rb").read()
    lib.nvrtcCreateProgram(ctypes.byref(prog), src, os.path.basename(path).encode(), 0, None, None)
    opts = [b"--gpu-architecture=compute_" + (b"80" if b"__reduce" in src else b"75"), b"--std=c++17"] + [b"-I" + i.encode() for i in sys.argv[2:]]
    if b"__lineinfo" in src:
        opts.append(b"-lineinfo")
    rc = lib.nvrtcCompileProgram(prog, len(opts), (ctypes.c_char_p * len(opts))(*opts))
    n = ctypes.c_size_t()
    lib.nvrtcGetProgramLogSize(prog, ctypes.byref(n))
    log = ctypes.create_string_buffer(n.value)
    lib.nvrtcGetProgramLog(prog, log)
    if rc:
        print(path, log.value.decode())
        continue
    lib.nvrtcGetPTXSize(prog, ctypes.byref(n))
    ptx = ctypes.create_string_buffer(n.value)
    lib.nvrtcGetPTX(prog, ptx)
    open(path[:-3] + ".ptx", "wb").write(ptx.value)
