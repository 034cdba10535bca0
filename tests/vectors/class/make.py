#!/usr/bin/env python3
"""make.py: launches with the class that the rules give them, one JSON file each.

Written by hand from the definitions of the classes, never from the classifier's
answer.  Fields: why (a sentence), ptx (lines), kernel, launch (grid, block,
shared, stack, args: {"buffer": n, "offset": n}, {"u32": n}, {"u64": n},
{"bytes": hex}), expect (class, independence for class A and R, reason: the word
of the worst reason, "" for none).
"""
import glob, json, os

here = os.path.dirname(os.path.abspath(__file__))
for old in glob.glob(here + "/*.json"):
    os.unlink(old)
P2 = ".param .u64 p, .param .u64 q, .param .u32 n"
ARGS2 = [{"buffer": 0}, {"buffer": 1}, {"u32": 1024}]
LOAD = ["ld.param.u64 %d1, [p];", "ld.param.u64 %d2, [q];"]
INDEX = ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "mov.u32 %r3, %ntid.x;",
         "mad.lo.s32 %r4, %r2, %r3, %r1;", "mul.wide.s32 %d10, %r4, 4;"]
Q = ".reg .b128 %q<4>;"
seen = set()


def case(name, why, body, cls, reason, independence=None, head=(), params=P2, args=None,
         grid=(8,), block=(128,), shared=0, stack=0, load=True, version="8.0", target="sm_80", regs=None):
    assert name not in seen, name
    seen.add(name)
    lines = body.strip().split("\n") if isinstance(body, str) else list(body)
    text = [".version " + version, ".target " + target, ".address_size 64"] + list(head)
    text += [".visible .entry k(%s)" % params, "{", ".reg .pred %p<16>;", ".reg .b16 %h<16>;",
             ".reg .b32 %r<32>;", ".reg .b64 %d<32>;", ".shared .align 16 .b8 s[1024];",
             ".local .align 16 .b8 l[256];"] + ([regs] if regs else [])
    text += (LOAD if load else []) + [x.strip() for x in lines] + ["ret;", "}"]
    expect = {"class": cls, "reason": reason}
    if independence:
        expect["independence"] = independence
    grid, block = list(grid) + [1] * (3 - len(grid)), list(block) + [1] * (3 - len(block))
    file = {"why": why, "ptx": text, "kernel": "k",
            "launch": {"grid": grid, "block": block, "shared": shared, "stack": stack,
                       "args": ARGS2 if args is None else args},
            "expect": expect}
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(file, f, indent=1)
        f.write("\n")


def refuse(name, why, body, reason, cls="C", **more):
    case(name, why, body, cls, reason, **more)


# Waiting for other CTAs.
WAIT = "W: %s %%r1, [%%d1];\nsetp.eq.s32 %%p1, %%r1, 0;\n@%%p1 bra W;\nst.global.b32 [%%d2], %%r1;"
refuse("spin_volatile", "a volatile load waits for a flag", WAIT % "ld.volatile.global.u32", "volatile_access")
refuse("spin_volatile_generic", "the same through a generic address", WAIT % "ld.volatile.u32", "volatile_access")
refuse("spin_acquire", "an acquire load waits for a flag", WAIT % "ld.acquire.gpu.global.u32", "volatile_access")
refuse("spin_relaxed_sys", "a relaxed load at system scope waits", WAIT % "ld.relaxed.sys.global.u32", "volatile_access")
refuse("spin_once", "one volatile load, no loop: it sees what others have done by then",
       "ld.volatile.global.u32 %r1, [%d1];\nst.global.b32 [%d2], %r1;", "volatile_access")
refuse("release_store", "a release store tells other CTAs", "st.release.gpu.global.u32 [%d1], 1;", "volatile_access")
refuse("volatile_store", "a volatile store", "st.volatile.global.u32 [%d1], 1;", "volatile_access")
refuse("spin_plain", "a plain load in a loop, of a place that another CTA writes",
       "mov.u32 %r2, %ctaid.x;\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra W;\nst.global.b32 [%d1], 1;\n"
       "W: ld.global.u32 %r1, [%d1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra W;", "waits")
refuse("spin_plain_by_block", "every CTA waits for the flag of the one before",
       "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.s64 %d4, %d1, %d3;\n"
       "W: ld.global.u32 %r1, [%d4];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra W;\nst.global.b32 [%d4+4], 1;", "waits")
refuse("spin_ca", "cache modifiers do not make it another load",
       "W: ld.global.cg.u32 %r1, [%d1];\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra W;\nst.global.b32 [%d1+64], 1;", "waits")
refuse("spin_atomic", "an atomic that adds nothing is a load",
       "W: atom.global.add.u32 %r1, [%d1], 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra W;", "atomic_result_used")
refuse("spin_lock", "a lock by compare and swap",
       "W: atom.global.cas.b32 %r1, [%d1], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra W;", "atomic_result_used")
refuse("spin_exchange", "a lock by exchange",
       "W: atom.global.exch.b32 %r1, [%d1], 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra W;", "atomic_result_used")

# Addresses that show.
refuse("leak_store", "stores a pointer", "st.global.u64 [%d1], %d2;", "address_leak")
refuse("leak_vector", "stores a pointer in a vector", "st.global.v2.u64 [%d1], {%d3, %d2};\n", "address_leak")
refuse("leak_low", "the low half", "cvt.u32.u64 %r1, %d2;\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_high", "the high half", "mov.b64 {%r1, %r2}, %d2;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_byte", "one byte", "shr.u64 %d3, %d2, 16;\ncvt.u32.u64 %r1, %d3;\nst.global.u8 [%d1], %r1;", "address_leak")
refuse("leak_extract", "some bits", "bfe.u64 %d3, %d2, 12, 20;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_permute", "bytes turned round", "cvt.u32.u64 %r1, %d2;\nprmt.b32 %r2, %r1, 0, 0x0123;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_difference", "how far two buffers lie apart", "sub.s64 %d3, %d2, %d1;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_xor", "xor of two pointers", "xor.b64 %d3, %d1, %d2;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_product", "a product", "mul.lo.u64 %d3, %d2, 3;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_float", "as a float", "cvt.rn.f32.u64 %r1, %d2;\nst.global.f32 [%d1], %r1;", "address_leak")
refuse("leak_order", "which buffer comes first decides", "setp.lt.u64 %p1, %d1, %d2;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_equal", "compares with a number", "setp.eq.u64 %p1, %d1, 4096;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_sign", "its sign", "setp.lt.s64 %p1, %d1, 0;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_parity", "a bit above what alignment promises", "and.b64 %d3, %d1, 4096;\nsetp.ne.s64 %p1, %d3, 0;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_select", "selects by an address", "cvt.u32.u64 %r1, %d1;\nslct.b32.s32 %r2, 1, 2, %r1;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_index", "an address as an index", "and.b64 %d3, %d1, 0xff00;\nadd.s64 %d4, %d2, %d3;\nld.global.u32 %r1, [%d4];\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_shared_base", "where shared memory begins", "mov.u32 %r1, s;\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_shared_window", "where the shared window lies", "mov.u64 %d3, s;\ncvta.shared.u64 %d4, %d3;\nst.global.u64 [%d1], %d4;", "address_leak")
refuse("leak_local_window", "where the local window lies", "mov.u64 %d3, l;\ncvta.local.u64 %d4, %d3;\nsub.u64 %d5, %d4, %d3;\nst.global.u64 [%d1], %d5;", "address_leak")
refuse("leak_number_window", "a number made generic", "mov.u64 %d3, 64;\ncvta.shared.u64 %d4, %d3;\nst.global.u64 [%d1], %d4;", "address_leak")
refuse("leak_space", "asks which space a number is in", "mov.u64 %d3, 4096;\nisspacep.local %p1, %d3;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_through_local", "through local memory", "st.local.u64 [l+8], %d2;\nld.local.u64 %d3, [l+8];\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_through_halves", "spilled whole, read back by halves", "st.local.u64 [l+8], %d2;\nld.local.u32 %r1, [l+12];\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_through_shared", "through shared memory, at an index", "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 8;\nmov.u64 %d4, s;\nadd.s64 %d5, %d4, %d3;\nst.shared.u64 [%d5], %d2;\nbar.sync 0;\nld.shared.u64 %d6, [s+64];\nst.global.u64 [%d1], %d6;", "address_leak")
refuse("leak_through_lane", "through another lane", "cvt.u32.u64 %r1, %d2;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_through_select", "through a select", "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\nselp.b64 %d3, %d2, 0, %p1;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_through_guard", "through a guarded move into a register that was a number",
       "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\nmov.u64 %d3, 7;\n@%p1 mov.b64 %d3, %d2;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_through_loop", "a register that is a number first and a pointer the second time round",
       "mov.u64 %d3, 7;\nmov.u32 %r1, 0;\nL: st.global.u64 [%d1], %d3;\nmov.b64 %d3, %d2;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n@%p1 bra L;", "address_leak")
refuse("leak_through_call", "a function gives the pointer back as a number",
       "{ .param .b64 x; .param .b64 y;\nst.param.b64 [x], %d2;\ncall (y), id, (x);\nld.param.b64 %d3, [y]; }\nst.global.u64 [%d1], %d3;", "address_leak",
       head=[".func (.param .b64 r) id(.param .b64 a) { .reg .b64 %d<2>;", "ld.param.b64 %d0, [a]; st.param.b64 [r], %d0; ret; }"])
refuse("leak_through_register_call", "the same in registers", "call (%d3), id, (%d2);\nst.global.u64 [%d1], %d3;", "address_leak",
       head=[".func (.reg .b64 r) id(.reg .b64 a) { mov.b64 r, a; ret; }"])
refuse("leak_by_atomic", "an atomic adds it", "red.global.add.u64 [%d1], %d2;", "address_leak")
refuse("leak_by_vote", "a vote on one of its bits", "cvt.u32.u64 %r1, %d1;\nand.b32 %r1, %r1, 65536;\nsetp.ne.s32 %p1, %r1, 0;\nvote.sync.ballot.b32 %r2, %p1, -1;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_redux", "a reduction over the warp", "cvt.u32.u64 %r1, %d1;\nredux.sync.add.u32 %r2, %r1, -1;\nst.global.u32 [%d2], %r2;", "address_leak")
refuse("leak_by_jump", "jumps by an address", "cvt.u32.u64 %r1, %d1;\nand.b32 %r1, %r1, 1;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: st.global.u32 [%d1], 1;\nret;\nB: st.global.u32 [%d1], 2;", "address_leak")
refuse("leak_by_count", "how often a loop goes round until memory ends",
       "mov.b64 %d3, %d1;\nmov.u64 %d4, 0;\nL: add.u64 %d3, %d3, 0x10000000000;\nadd.u64 %d4, %d4, 1;\nsetp.gt.u64 %p1, %d3, %d1;\n@%p1 bra L;\nst.global.u64 [%d1], %d4;", "address_leak")
refuse("leak_of_function", "stores the address of a function", "mov.u64 %d3, f;\nst.global.u64 [%d1], %d3;", "address_leak", head=[".func f() { ret; }"])
refuse("leak_of_table", "stores a pointer that a constant holds", "ld.const.u64 %d3, [t];\nst.global.u64 [%d1], %d3;", "address_leak",
       head=[".global .b32 x;", ".const .u64 t[1] = {x};"])
refuse("leak_of_parameter", "the address of the parameters", "mov.b64 %d3, p;\nst.global.u64 [%d1], %d3;", "address_leak")
refuse("leak_reused", "one register: first a number that is stored, then a pointer, then its difference with another one",
       "mov.u64 %d3, 5;\nst.global.u64 [%d1], %d3;\nmov.b64 %d3, %d2;\nsub.s64 %d3, %d3, %d1;\nst.global.u64 [%d1+8], %d3;", "address_leak")

# The clock in disguise.
for reg, width in (("%clock", 32), ("%clock_hi", 32), ("%clock64", 64), ("%globaltimer", 64), ("%globaltimer_lo", 32),
                   ("%globaltimer_hi", 32), ("%smid", 32), ("%nsmid", 32), ("%warpid", 32), ("%nwarpid", 32),
                   ("%gridid", 64), ("%pm0", 32), ("%total_smem_size", 32)):
    r = "%r1" if width == 32 else "%d3"
    refuse("clock_" + reg[1:], reg + " differs from run to run", "mov.u%d %s, %s;\nst.global.u%d [%%d1], %s;" % (width, r, reg, width, r), "special_register")
refuse("clock_unused", "read and dropped: refused all the same", "mov.u32 %r1, %clock;\nst.global.u32 [%d1], 1;", "special_register")
refuse("clock_by_cvt", "read by a conversion", "cvt.u64.u32 %d3, %smid;\nst.global.u64 [%d1], %d3;", "special_register")
refuse("clock_in_function", "read by a function that the kernel calls", "call f;\nst.global.u32 [%d1], 1;", "special_register",
       head=[".func f() { .reg .b32 %r; mov.u32 %r, %smid; ret; }"])
refuse("clock_activemask", "who is active now", "activemask.b32 %r1;\nst.global.u32 [%d1], %r1;", "activemask")
refuse("clock_old_vote", "a vote of those who are there: no card from sm_70 on has it", "setp.eq.s32 %p1, %r1, %r1;\nvote.ballot.b32 %r1, %p1;\nst.global.u32 [%d1], %r1;", "unknown",
       cls="X", version="6.0", target="sm_60")

# Atomics.
ATOM = "atom.global.add.u32 %r1, [%d1], 1;\n"
refuse("atomic_stored", "the result is stored", ATOM + "st.global.u32 [%d2], %r1;", "atomic_result_used")
refuse("atomic_as_index", "the result is an index", ATOM + "mul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %d2, %d3;\nst.global.u32 [%d4], 1;", "atomic_result_used")
refuse("atomic_through_select", "through a select", ATOM + "mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 0;\nselp.b32 %r3, %r1, 0, %p1;\nst.global.u32 [%d2], %r3;", "atomic_result_used")
refuse("atomic_through_local", "through local memory", ATOM + "st.local.u32 [l], %r1;\nld.local.u32 %r2, [l];\nst.global.u32 [%d2], %r2;", "atomic_result_used")
refuse("atomic_through_shared", "through shared memory", ATOM + "st.shared.u32 [s], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [s];\nst.global.u32 [%d2], %r2;", "atomic_result_used")
refuse("atomic_through_call", "an argument of a call", ATOM + "{ .param .b32 x; st.param.b32 [x], %r1; call f, (x); }", "atomic_result_used",
       head=[".func f(.param .b32 a) { .reg .b32 %v; .reg .pred %p; ld.param.b32 %v, [a]; setp.eq.s32 %p, %v, 3; @%p trap; ret; }"])
refuse("atomic_through_pack", "half of a pair", ATOM + "mov.b64 %d3, {%r1, %r1};\nst.global.u64 [%d2], %d3;", "atomic_result_used")
refuse("atomic_as_guard", "decides who goes on", ATOM + "setp.gt.u32 %p1, %r1, 5;\n@%p1 exit;\nst.global.u32 [%d2], 1;", "atomic_result_used")
refuse("atomic_after_loop", "the last of several, used behind the loop",
       "mov.u32 %r2, 0;\nL: " + ATOM + "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 3;\n@%p1 bra L;\nst.global.u32 [%d2], %r1;", "atomic_result_used")
refuse("atomic_guarded", "a guarded atomic whose result may be the old value", "mov.u32 %r1, 0;\nmov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 " + ATOM + "st.global.u32 [%d2], %r1;", "atomic_result_used")
refuse("atomic_in_function", "a function gives the result back", "call (%r1), f, (%d1);\nst.global.u32 [%d2], %r1;", "atomic_result_used",
       head=[".func (.reg .b32 r) f(.reg .b64 a) { atom.global.add.u32 r, [a], 1; ret; }"])
refuse("atomic_shared_ticket", "a ticket in shared memory", "atom.shared.add.u32 %r1, [s], 1;\nmul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %d1, %d3;\nst.global.u32 [%d4], %r1;", "atomic_result_used")
refuse("atomic_exchange", "an exchange, its result dropped", "atom.global.exch.b32 _, [%d1], 1;", "atomic_order")
refuse("atomic_cas", "a compare and swap, its result dropped", "atom.global.cas.b32 _, [%d1], 1, 2;", "atomic_order")
refuse("atomic_inc", "increments that wrap", "red.global.inc.u32 [%d1], 7;", "atomic_order")
refuse("atomic_float", "sums of floats", "red.global.add.f32 [%d1], 0f3F800000;", "float_atomic")
refuse("atomic_double", "sums of doubles", "red.global.add.f64 [%d1], 0d3FF0000000000000;", "float_atomic")
refuse("atomic_half", "sums of halves", "red.global.add.noftz.f16x2 [%d1], %r1;", "float_atomic")
refuse("atomic_float_shared", "sums of floats in shared memory", "red.shared.add.f32 [s], 0f3F800000;\nbar.sync 0;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d1], %r1;", "float_atomic")
refuse("atomic_two_ops", "two operations on one buffer", "red.global.add.u32 [%d1], 1;\nred.global.max.u32 [%d1+4], 1;", "atomic_mixed")
refuse("atomic_two_widths", "two widths on one buffer", "red.global.add.u32 [%d1], 1;\nred.global.add.u64 [%d1+8], 1;", "atomic_mixed")
refuse("atomic_two_signs", "signed and unsigned minimum", "red.global.min.s32 [%d1], 1;\nred.global.min.u32 [%d1+4], 1;", "atomic_mixed")
refuse("atomic_and_read", "the buffer is read as well", "red.global.add.u32 [%d1], 1;\nld.global.u32 %r1, [%d1+64];\nst.global.u32 [%d2], %r1;", "atomic_and_plain")
refuse("atomic_and_alias", "read through another parameter that is the same buffer", "red.global.add.u32 [%d1], 1;\nld.global.u32 %r1, [%d2];", "atomic_and_plain",
       args=[{"buffer": 3}, {"buffer": 3, "offset": 256}, {"u32": 1}])
refuse("atomic_two_aliases", "two operations through two parameters of one buffer", "red.global.add.u32 [%d1], 1;\nred.global.or.b32 [%d2], 1;", "atomic_mixed",
       args=[{"buffer": 3}, {"buffer": 3}, {"u32": 1}])

# Read-only loads of what is written.
refuse("nc_written", "ld.global.nc of the output", "ld.global.nc.u32 %r1, [%d1];\nst.global.u32 [%d1+4], %r1;", "nc_written")
refuse("nc_alias", "two parameters, one buffer", "ld.global.nc.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;", "nc_written",
       args=[{"buffer": 0}, {"buffer": 0}, {"u32": 1}])
refuse("nc_alias_far", "two parts of one buffer", "ld.global.nc.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;", "nc_written",
       args=[{"buffer": 0}, {"buffer": 0, "offset": 65536}, {"u32": 1}])
refuse("nc_select", "one of two buffers, the other one is written", "mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 0;\nselp.b64 %d3, %d1, %d2, %p1;\nld.global.nc.u32 %r1, [%d3];\nst.global.u32 [%d2+512], %r1;", "nc_written")
refuse("nc_in_function", "a function loads, the kernel stores", "call (%r1), f, (%d1);\nst.global.u32 [%d1+4], %r1;", "nc_written",
       head=[".func (.reg .b32 r) f(.reg .b64 a) { ld.global.nc.u32 r, [a]; ret; }"])
refuse("nc_loaded_pointer", "through a pointer out of memory, perhaps the output", "ld.global.u64 %d3, [%d1];\nld.global.nc.u32 %r1, [%d3];\nst.global.u32 [%d2], %r1;", "nc_written")
refuse("nc_ldu", "ldu is such a load too", "ldu.global.u32 %r1, [%d1];\nst.global.u32 [%d1+4], %r1;", "nc_written")

# Pointers out of tables, and none.
refuse("pointer_table", "stores through a pointer that a buffer holds", "ld.global.u64 %d3, [%d1];\nst.global.u32 [%d3], 1;", "store_through_loaded")
refuse("pointer_table_index", "the same with an index", "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d3, %r1, 8;\nadd.s64 %d4, %d1, %d3;\nld.global.u64 %d5, [%d4];\nadd.s64 %d6, %d5, 16;\nst.global.u32 [%d6], 1;", "store_through_loaded")
refuse("pointer_halves", "put together from two words of memory", "ld.global.v2.u32 {%r1, %r2}, [%d1];\nmov.b64 %d3, {%r1, %r2};\nst.global.u32 [%d3], 1;", "store_through_loaded")
refuse("pointer_symbol", "a pointer in a variable that the manifest fills", "ld.const.u64 %d3, [t];\nst.global.u32 [%d3], 1;", "store_through_loaded", head=[".const .u64 t[2];"])
refuse("pointer_number", "a number as an address", "mov.u64 %d3, 1099511627776;\nst.global.u32 [%d3], 1;", "store_to_any")
refuse("pointer_argument", "an integer argument as an address", "st.global.u32 [%d2], 1;", "store_to_any", args=[{"buffer": 0}, {"u64": 1 << 40}, {"u32": 1}])
refuse("pointer_atomic", "an atomic through a pointer out of memory", "ld.global.u64 %d3, [%d1];\nred.global.add.u32 [%d3], 1;", "store_through_loaded")
refuse("pointer_far", "a 64-bit offset from memory may reach another buffer", "ld.global.u64 %d3, [%d1];\nadd.s64 %d4, %d1, %d3;\nld.global.u32 %r1, [%d4];\nst.global.u32 [%d2], %r1;", "far_offset")
refuse("pointer_far_store", "the same, stored to", "ld.global.u64 %d3, [%d1];\nshl.b64 %d3, %d3, 2;\nadd.s64 %d4, %d2, %d3;\nst.global.u32 [%d4], 1;", "far_offset")
refuse("pointer_far_walk", "a loop walks from one buffer into the next without touching what lies between",
       "mov.b64 %d3, %d1;\nL: add.s64 %d3, %d3, 0x100000;\nld.global.u32 %r1, [%d2];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%d3], 1;", "far_offset")
refuse("pointer_far_shared", "from shared memory, generic, by an offset out of memory", "ld.global.u64 %d3, [%d1];\nmov.u64 %d4, s;\ncvta.shared.u64 %d5, %d4;\nadd.s64 %d6, %d5, %d3;\nld.u32 %r1, [%d6];\nst.global.u32 [%d2], %r1;", "far_offset")
refuse("pointer_call", "calls what a buffer holds", "ld.global.u64 %d3, [%d1];\nP: .callprototype _ ();\ncall %d3, P;", "indirect_call", stack=1024)
refuse("pointer_mixed", "an address put together from parts of addresses", "xor.b64 %d3, %d1, %d2;\nxor.b64 %d4, %d3, %d2;\nst.global.u32 [%d4], 1;", "address_leak")
refuse("pointer_wrong_space", "a shared address used as a global one", "mov.u64 %d3, s;\nst.global.u32 [%d3], 1;", "wrong_space")
refuse("pointer_constant", "stores to a constant that holds addresses", "st.global.u64 [t], 0;", "stores_constant", head=[".global .b32 x;", ".global .u64 t[1] = {x};"])

# Reads of what other CTAs write.
refuse("neighbour_read", "every thread reads its right neighbour's place and writes its own",
       INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11+4];", "st.global.u32 [%d11], %r5;"], "reads_written")
refuse("neighbour_alias", "input and output are one buffer, and the stencil reads its neighbours",
       INDEX + ["setp.lt.s32 %p1, %r4, 1;", "setp.ge.s32 %p2, %r4, 1000;", "or.pred %p3, %p1, %p2;", "@%p3 exit;",
                "add.s64 %d11, %d1, %d10;", "add.s64 %d12, %d2, %d10;", "ld.global.u32 %r5, [%d11+-4];", "ld.global.u32 %r6, [%d11+4];",
                "add.s32 %r7, %r5, %r6;", "st.global.u32 [%d12], %r7;"], "reads_written",
       args=[{"buffer": 0}, {"buffer": 0}, {"u32": 1}])
refuse("transpose_in_place", "row and column of one matrix",
       ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "shl.b32 %r3, %r2, 5;", "add.s32 %r4, %r3, %r1;", "shl.b32 %r5, %r1, 5;",
        "add.s32 %r6, %r5, %r2;", "mul.wide.u32 %d3, %r4, 4;", "mul.wide.u32 %d4, %r6, 4;", "add.s64 %d5, %d1, %d3;", "add.s64 %d6, %d1, %d4;",
        "ld.global.u32 %r7, [%d6];", "st.global.u32 [%d5], %r7;"], "reads_written", grid=(32,), block=(32,))

# The whole grid at once.
refuse("grid_env", "the driver's registers, as grid-wide synchronisation reads them", "mov.u32 %r1, %envreg2;\nst.global.u32 [%d1], %r1;", "env_register", cls="D")
refuse("grid_cluster_rank", "the place in a cluster", "mov.u32 %r1, %cluster_ctarank;\nst.global.u32 [%d1], %r1;", "cluster", cls="D", target="sm_90")
refuse("grid_cluster_barrier", "a barrier of a cluster", "barrier.cluster.arrive;\nbarrier.cluster.wait;\nst.global.u32 [%d1], 1;", "cluster", cls="D", target="sm_90")
refuse("grid_last", "the last CTA adds up what all wrote",
       "mov.u32 %r1, %nctaid.x;\nadd.s32 %r1, %r1, -1;\nmembar.gl;\natom.global.add.u32 %r2, [%d1], 1;\nsetp.ne.s32 %p1, %r2, %r1;\n@%p1 exit;\nst.global.u32 [%d2], 1;", "grid_barrier", cls="D")
refuse("grid_last_inc", "the same with an atomic that wraps",
       "mov.u32 %r1, %nctaid.x;\nadd.s32 %r1, %r1, -1;\natom.global.inc.u32 %r2, [%d1], %r1;\nsetp.eq.s32 %p1, %r2, %r1;\n@!%p1 exit;\nst.global.u32 [%d2], 1;", "grid_barrier", cls="D")

# What does not run here.
refuse("x_unknown", "an instruction that nobody knows", "frob.b32 %r1, %r2;\nst.global.u32 [%d1], 1;", "unknown", cls="X")
refuse("x_modifier", "a modifier that nobody knows", "add.magic.s32 %r1, %r2, %r3;\nst.global.u32 [%d1], 1;", "unknown", cls="X")
refuse("x_printf", "a function without code", "call (%r1), vprintf, (%d1, %d2);", "no_body", cls="X", head=[".extern .func (.reg .b32 r) vprintf(.reg .b64 a, .reg .b64 b);"])
refuse("x_discard", "what is read after it is unspecified", "discard.global.L2 [%d1], 128;\nld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;", "refused", cls="X")
refuse("x_elect", "which lane is elected is unspecified", "elect.sync %r1|%p1, -1;\nst.global.u32 [%d1], %r1;", "refused", cls="X", target="sm_90")
refuse("x_threads", "too many threads", "st.global.u32 [%d1], 1;", "too_many_threads", cls="X", block=(1024, 2))
refuse("x_stack", "recursion without a stack", "call f;\n", "needs_stack", cls="X", head=[".func f();", ".func f() { call f; ret; }"])
refuse("x_shared", "too much shared memory", "st.shared.u32 [s], 1;\nst.global.u32 [%d1], 1;", "too_much_shared", cls="X", shared=227 * 1024)

# Matrices.
refuse("float_mma", "sums of a float matrix product have no order",
       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r1,%r2,%r3,%r4};\nst.global.u32 [%d1], %r1;", "float_mma")


# What passes through rarer instructions.
refuse("grid_last_in_call", "the ticket comes out of a function in a function", "mov.u32 %r1, %nctaid.x;\nadd.s32 %r1, %r1, -1;\n{ .param .b32 y; call (y), g, (%d1);\nld.param.b32 %r2, [y]; }\nsetp.ne.s32 %p1, %r2, %r1;\n@%p1 exit;\nst.global.u32 [%d2], 1;",
       "grid_barrier", cls="D", head=[".func (.reg .b32 r) f(.reg .b64 a) { atom.global.add.u32 r, [a], 1; ret; }",
                                      ".func (.param .b32 r) g(.reg .b64 a) { .reg .b32 %v; call (%v), f, (a); st.param.b32 [r], %v; ret; }"])
refuse("leak_by_carry", "whether a sum of pointers carries", "add.cc.u64 %d3, %d1, 0x7fffff0000000000;\naddc.u64 %d4, 0, 0;\nst.global.u64 [%d1], %d4;", "address_leak")
refuse("leak_by_borrow", "whether a difference borrows", "sub.cc.u64 %d3, %d1, %d2;\nsubc.u32 %r1, 0, 0;\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_by_minimum", "writes to whichever buffer comes first", "min.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], 1;", "address_leak")
refuse("leak_by_shift", "an address as a distance", "cvt.u32.u64 %r1, %d1;\nand.b32 %r1, %r1, 65536;\nshr.u32 %r1, %r1, 16;\nmov.u32 %r2, 1;\nshl.b32 %r3, %r2, %r1;\nst.global.u32 [%d1], %r3;", "address_leak")
refuse("leak_by_funnel", "shifted out of a pair", "mov.b64 {%r1, %r2}, %d1;\nshf.l.wrap.b32 %r3, %r1, %r2, 7;\nst.global.u32 [%d1], %r3;", "address_leak")
refuse("leak_by_match", "lanes whose pointers are equal", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\nselp.b64 %d3, %d1, %d2, %p1;\nmatch.any.sync.b64 %r2, %d3, -1;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_dot", "a dot product of its bytes", "cvt.u32.u64 %r1, %d1;\ndp4a.u32.u32 %r2, %r1, %r1, 0;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_video", "a video instruction", "mov.b64 {%r1, %r2}, %d1;\nvadd.u32.u32.u32 %r3, %r2.b0, 1;\nst.global.u32 [%d1], %r3;", "address_leak")
refuse("leak_by_test", "its bits as those of a double", "testp.subnormal.f64 %p1, %d1;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_by_barrier", "a barrier counts what pointers say", "and.b64 %d3, %d1, 0x100000;\nsetp.ne.s64 %p1, %d3, 0;\nbar.red.popc.u32 %r1, 0, %p1;\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_by_matrix", "a product of matrices", "cvt.u32.u64 %r1, %d1;\nmma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r2,%r3}, {%r1}, {%r1}, {%r4,%r4};\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_through_ldmatrix", "rows of shared memory that hold pointers", "mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 3;\nand.b32 %r1, %r1, 1016;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\nst.shared.u64 [%r2], %d1;\nbar.sync 0;\nand.b32 %r2, %r2, -16;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];\nst.global.u32 [%d1], %r3;", "address_leak")
refuse("leak_through_stmatrix", "a matrix of pointers, stored", "cvt.u32.u64 %r1, %d1;\nmov.u32 %r2, %tid.x;\nand.b32 %r2, %r2, 7;\nshl.b32 %r2, %r2, 4;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%d1], %r4;", "address_leak", version="7.8", target="sm_90")
refuse("leak_through_async_copy", "a table of pointers, copied into shared memory", "cp.async.ca.shared.global [s], [t], 16;\ncp.async.wait_all;\nbar.sync 0;\nld.shared.u64 %d3, [s+8];\nst.global.u64 [%d1], %d3;", "address_leak",
       head=[".global .b32 x;", ".global .align 16 .u64 t[2] = {x, x};"])
refuse("leak_through_carry_chain", "from one function to its caller by the carry flag alone", "mov.u32 %r2, 0;\ncall f, (%d2);\naddc.u32 %r1, %r2, 0;\nst.global.u32 [%d1], %r1;", "address_leak",
       head=[".func f(.reg .b64 a) { .reg .b64 %v; add.cc.u64 %v, a, 0x7fffff0000000000; ret; }"])
refuse("leak_through_movmatrix", "turned round in a warp", "cvt.u32.u64 %r1, %d1;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\nst.global.u32 [%d1], %r2;", "address_leak", version="7.8")
refuse("leak_through_128", "two pointers in a register of 128 bits", "mov.b128 %q1, {%d1, %d2};\nst.global.b128 [%d1], %q1;", "address_leak", regs=Q, version="8.3", target="sm_70")
refuse("leak_through_wide_atomic", "the same by an exchange", "mov.b128 %q1, {%d1, %d2};\natom.shared.exch.b128 _, [s], %q1;", "address_leak", regs=Q, version="8.3", target="sm_90")
refuse("leak_through_vector", "stored whole, read back as a vector of halves", "st.shared.u64 [s+16], %d1;\nld.shared.v2.u32 {%r2, %r3}, [s+16];\nst.global.u32 [%d2], %r3;", "address_leak")
refuse("atomic_wide_exchange", "an exchange of 16 bytes, its result dropped", "mov.b128 %q1, {%d3, %d4};\natom.global.exch.b128 _, [%d1], %q1;", "atomic_order", regs=Q, version="8.3", target="sm_90")
refuse("atomic_wide_compare", "half of what a compare and swap of 16 bytes gives", "mov.u64 %d3, 1;\nmov.b128 %q1, {%d3, %d3};\natom.global.cas.b128 %q2, [%d1], %q1, %q1;\nmov.b128 {%d4, _}, %q2;\nst.global.u64 [%d2], %d4;", "atomic_result_used", regs=Q, version="8.3", target="sm_90")
refuse("atomic_vector", "sums of vectors of floats", "red.global.add.v4.f32 [%d1], {%r1, %r2, %r1, %r2};", "float_atomic", target="sm_90", version="8.1")
refuse("atomic_vector_minimum", "minima of vectors of halves: of zeros with signs, and of NaNs", "red.global.min.noftz.v8.f16 [%d1], {%h1,%h2,%h1,%h2,%h1,%h2,%h1,%h2};", "float_atomic", target="sm_90", version="8.1")
refuse("atomic_to_trap", "whether the launch fails", ATOM + "setp.gt.u32 %p1, %r1, 100;\n@%p1 trap;\nst.global.u32 [%d2], 1;", "atomic_result_used")
refuse("atomic_to_barrier", "which barrier", ATOM + "and.b32 %r1, %r1, 7;\nbar.sync %r1;\nst.global.u32 [%d2], 1;", "atomic_result_used")
refuse("atomic_to_lane", "which lane's value", "mov.u32 %r2, %tid.x;\n" + ATOM + "shfl.sync.idx.b32 %r3, %r2, %r1, 31, -1;\nst.global.u32 [%d2], %r3;", "atomic_result_used")
refuse("atomic_to_mask", "who takes part in a vote", ATOM + "setp.eq.s32 %p1, %r2, %r2;\nor.b32 %r1, %r1, 1;\nvote.sync.ballot.b32 %r3, %p1, %r1;\nst.global.u32 [%d2], %r3;", "atomic_result_used")
refuse("atomic_to_jump", "where a table leads", ATOM + "and.b32 %r1, %r1, 1;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: st.global.u32 [%d2], 1;\nret;\nB: st.global.u32 [%d2], 2;", "atomic_result_used")
refuse("atomic_to_copy", "how much a copy takes", ATOM + "and.b32 %r1, %r1, 15;\ncp.async.ca.shared.global [s], [%d2], 16, %r1;\ncp.async.wait_all;\nbar.sync 0;", "atomic_result_used")
refuse("atomic_through_carry", "through the carry flag", ATOM + "add.cc.u32 %r2, %r1, -4;\naddc.u32 %r3, 0, 0;\nst.global.u32 [%d2], %r3;", "atomic_result_used")
refuse("atomic_and_copy", "an asynchronous copy reads what is counted up", "red.global.add.u32 [%d1], 1;\ncp.async.ca.shared.global [s], [%d1+64], 16;\ncp.async.wait_all;", "atomic_and_plain")
refuse("neighbour_copy", "an asynchronous copy of the next CTA's output", INDEX + ["and.b64 %d10, %d10, -16;", "add.s64 %d11, %d1, %d10;", "cp.async.ca.shared.global [s], [%d11+512], 16;", "cp.async.wait_all;", "st.global.u32 [%d11], %r4;"], "reads_written")
refuse("variable_flag", "a variable of the module, written by one CTA and read by all", "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [x], 5;\nld.global.u32 %r2, [x];\nst.global.u32 [%d1], %r2;", "reads_written", head=[".global .u32 x;"])
refuse("variable_counter", "a variable of the module counts", "atom.global.add.u32 %r1, [x], 1;\nst.global.u32 [%d1], %r1;", "atomic_result_used", head=[".global .u32 x;"])
refuse("nc_variable", "a read-only load of a variable that the launch writes", "ld.global.nc.u32 %r1, [x];\nst.global.u32 [x+4], %r1;", "nc_written", head=[".global .u32 x[2];"])
refuse("pointer_through_128", "a pointer in 16 bytes of memory", "ld.global.b128 %q1, [%d1];\nmov.b128 {%d3, %d4}, %q1;\nst.global.u32 [%d4], 1;", "store_through_loaded", regs=Q, version="8.3", target="sm_70")
refuse("pointer_sum", "half of one pointer and half of another", "shr.u64 %d3, %d1, 1;\nshr.u64 %d4, %d2, 1;\nadd.u64 %d5, %d3, %d4;\nst.global.u32 [%d5], 1;", "address_leak")
refuse("clock_in_table", "read by a function that only a table names", "ld.const.u64 %d3, [t];\nP: .callprototype _ ();\ncall %d3, P;\nst.global.u32 [%d1], 1;", "special_register", stack=1024,
       head=[".func f() { .reg .b32 %r; mov.u32 %r, %smid; ret; }", ".const .u64 t[1] = {f};"])
refuse("flag_in_buffer", "the same in a buffer", "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [%d2], 5;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d1], %r2;", "reads_written")
refuse("spin_in_function", "a function waits for a flag of another CTA", "mov.u32 %r2, %ctaid.x;\nsetp.ne.s32 %p2, %r2, 0;\n@!%p2 st.global.b32 [%d1], 1;\ncall f, (%d1);", "waits",
       head=[".func f(.reg .b64 a) { .reg .b32 %v; .reg .pred %p; W: ld.global.u32 %v, [a]; setp.eq.s32 %p, %v, 0; @%p bra W; ret; }"])

# What nothing has written may be anything, and not the same on two cards.
OFF = "add.s64 %d6, %d5, %d1;\nst.global.u32 [%d6], 1;"
refuse("unset_register", "an offset that nothing has written", OFF, "far_offset")
refuse("unset_pointer", "an address that nothing has written", "st.global.u32 [%d5], 1;", "store_through_loaded")
refuse("unset_and_address", "an address, mixed with what nothing has written", "cvt.u32.u64 %r1, %d1;\nxor.b32 %r2, %r1, %r5;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("unset_on_a_way", "an offset that only some threads have written", "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u64 %d5, 0;\n" + OFF, "far_offset")
refuse("unset_in_a_loop", "an offset that the first turn has not written", "mov.u32 %r1, 0;\nL: " + OFF + "\nmov.u64 %d5, 8;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra L;", "far_offset")
refuse("unset_local", "out of local memory that nothing has written", "mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 7;\nmul.wide.u32 %d3, %r1, 8;\nmov.u64 %d4, l;\nadd.u64 %d4, %d4, %d3;\nld.local.u64 %d5, [%d4];\n" + OFF, "far_offset")
refuse("unset_shared", "out of shared memory that nothing has written", "ld.shared.u64 %d5, [s+8];\n" + OFF, "far_offset")
refuse("unset_argument", "out of a parameter that no call has filled", "{ .param .b64 y;\nld.param.b64 %d5, [y]; }\n" + OFF, "far_offset")
refuse("unset_result", "a result that the function never sets", "{ .param .b64 y;\ncall (y), f;\nld.param.b64 %d5, [y]; }\n" + OFF, "far_offset", head=[".func (.param .b64 r) f() { ret; }"])
refuse("unset_register_result", "the same in a register", "call (%d5), f;\n" + OFF, "far_offset", head=[".func (.reg .b64 r) f() { ret; }"])

# Halves, tables, structs; and what an address decides.
refuse("leak_half_parameter", "half of a parameter", "ld.param.u32 %r1, [p+4];\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_parameter_vector", "a parameter as two halves", "ld.param.v2.u32 {%r1, %r2}, [p];\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_parameter_generic", "half of a parameter by a generic pointer", "mov.u64 %d3, p;\ncvta.param.u64 %d4, %d3;\nld.u32 %r1, [%d4+4];\nst.global.u32 [%d1], %r1;", "address_leak", version="7.7")
refuse("leak_half_table", "half of a pointer in a constant", "ld.const.u32 %r1, [t+4];\nst.global.u32 [%d1], %r1;", "address_leak", head=[".global .b32 x;", ".const .u64 t[1] = {x};"])
refuse("leak_byte_table", "a byte of a pointer in a constant", "ld.global.u8 %r1, [t];\nst.global.u32 [%d1], %r1;", "address_leak", head=[".global .b32 x;", ".global .u8 t[2] = {0xff(x), 0xff00(x)};"], version="7.1")
refuse("leak_wide_table", "16 bytes of pointers in a constant", "ld.global.b128 %q1, [t];\nmov.b128 {%d3, %d4}, %q1;\nst.global.u64 [%d1], %d4;", "address_leak", head=[".global .b32 x;", ".global .align 16 .u64 t[2] = {x, x};"], regs=Q, version="8.3", target="sm_70")
refuse("leak_through_wide_shared", "16 bytes of pointers in shared memory", "mov.b128 %q1, {%d1, %d2};\nst.shared.b128 [s], %q1;\nld.shared.u64 %d3, [s+8];\nst.global.u64 [%d1], %d3;", "address_leak", regs=Q, version="8.3", target="sm_70")
refuse("leak_through_wide_load", "16 bytes read at once of two pointers in shared memory", "st.shared.u64 [s], %d1;\nst.shared.u64 [s+8], %d2;\nld.shared.b128 %q1, [s];\nmov.b128 {%d3, %d4}, %q1;\nst.global.u64 [%d1], %d4;", "address_leak", regs=Q, version="8.3", target="sm_70")
refuse("leak_through_alloca", "through memory of the stack", "alloca.u64 %d3, 64;\nst.local.u64 [%d3+8], %d2;\nld.local.u64 %d4, [%d3+8];\nst.global.u64 [%d1], %d4;", "address_leak", stack=4096)
refuse("leak_through_indirect_call", "a function that a table names gives a pointer back", "ld.const.u64 %d3, [t];\n{ .param .b64 x; .param .b64 y;\nst.param.b64 [x], %d2;\nP: .callprototype (.param .b64 _) _ (.param .b64 _);\ncall (y), %d3, (x), P;\nld.param.b64 %d4, [y]; }\nst.global.u64 [%d1], %d4;", "address_leak", stack=1024, head=[".func (.param .b64 r) id(.param .b64 a) { .reg .b64 %d<2>;", "ld.param.b64 %d0, [a]; st.param.b64 [r], %d0; ret; }", ".const .u64 t[1] = {id};"])
refuse("leak_through_struct", "in a struct that a function takes and gives back", "{ .param .align 8 .b8 x[16]; .param .align 8 .b8 y[16];\nst.param.v2.b64 [x], {%d1, %d2};\ncall (y), id, (x);\nld.param.u32 %r1, [y+12]; }\nst.global.u32 [%d1], %r1;", "address_leak", head=[".func (.param .align 8 .b8 r[16]) id(.param .align 8 .b8 a[16]) { .reg .b64 %d<2>;", "ld.param.v2.b64 {%d0, %d1}, [a]; st.param.v2.b64 [r], {%d0, %d1}; ret; }"])
refuse("leak_of_two", "whether two parameters are one buffer", "setp.eq.u64 %p1, %d1, %d2;\n@%p1 st.global.u32 [%d1], 1;", "address_leak")
refuse("leak_by_set", "a comparison into a register", "set.lt.u32.u64 %r1, %d1, %d2;\nst.global.u32 [%d1], %r1;", "address_leak")
refuse("leak_by_pair", "a sum of two halves of pointers", "cvt.u32.u64 %r1, %d1;\nadd.u16x2 %r2, %r1, %r1;\nst.global.u32 [%d1], %r2;", "address_leak", target="sm_90")
refuse("leak_by_pack", "clamped into bytes", "cvt.u32.u64 %r1, %d1;\ncvt.pack.sat.u8.s32.b32 %r2, %r1, %r1, 0;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_nth_bit", "the place of its fourth bit", "cvt.u32.u64 %r1, %d1;\nfns.b32 %r2, %r1, 0, 4;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_half", "its halves as floats", "cvt.u32.u64 %r1, %d1;\nadd.rn.f16x2 %r2, %r1, %r1;\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_by_logic", "a predicate out of lop3", "cvt.u32.u64 %r1, %d1;\nsetp.eq.u32 %p2, 0, 1;\nlop3.or.b32 %r2|%p1, %r1, 65536, 0, 0x80, %p2;\n@%p1 st.global.u32 [%d1], 1;", "address_leak", version="8.2")
refuse("leak_to_copy", "how much a copy takes", "cvt.u32.u64 %r1, %d1;\nand.b32 %r1, %r1, 16;\nmov.u64 %d3, s;\ncp.async.ca.shared.global [s], [%d2], 16, %r1;\ncp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r2, [s];\nst.global.u32 [%d1], %r2;", "address_leak")
refuse("leak_to_stack", "how much of the stack is taken", "and.b64 %d3, %d1, 65536;\nadd.u64 %d3, %d3, 16;\nalloca.u64 %d4, %d3;\nst.local.u32 [%d4], 1;\nst.global.u32 [%d1], 1;", "address_leak", stack=4096)
refuse("leak_to_barrier", "which barrier", "cvt.u32.u64 %r1, %d1;\nshr.u32 %r1, %r1, 28;\nbar.sync %r1;\nst.global.u32 [%d1], 1;", "address_leak")
refuse("leak_to_shape", "which lanes a shuffle takes", "cvt.u32.u64 %r1, %d1;\nshr.u32 %r1, %r1, 27;\nmov.u32 %r2, %tid.x;\nshfl.sync.bfly.b32 %r3, %r2, %r1, 31, -1;\nst.global.u32 [%d1], %r3;", "address_leak")
refuse("leak_to_sleepless", "an address in a division", "div.u64 %d3, %d1, 1000;\nst.global.u64 [%d1], %d3;", "address_leak")

refuse("spin_by_copy", "an asynchronous copy brings the flag of another CTA", "mov.u32 %r2, %ctaid.x;\nsetp.ne.s32 %p2, %r2, 3;\n@!%p2 st.global.b32 [%d1], 1;\nW: cp.async.ca.shared.global [s], [%d1], 4;\ncp.async.wait_all;\nld.shared.u32 %r1, [s];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra W;", "waits")
refuse("leak_between_shared", "how far two variables in shared memory lie apart", "mov.u32 %r1, s;\nmov.u32 %r2, s2;\nsub.u32 %r3, %r2, %r1;\nst.global.u32 [%d1], %r3;", "address_leak", regs=".shared .align 4 .b8 s2[64];")
refuse("leak_order_shared", "which of two variables in shared memory comes first", "mov.u32 %r1, s;\nmov.u32 %r2, s2;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 st.global.u32 [%d1], 1;", "address_leak", regs=".shared .align 4 .b8 s2[64];")
refuse("leak_between_locals", "how far two local variables lie apart", "mov.u64 %d3, l;\nmov.u64 %d4, l2;\nsub.u64 %d5, %d3, %d4;\nst.global.u64 [%d1], %d5;", "address_leak", regs=".local .align 4 .b8 l2[64];")
refuse("leak_between_variables", "how far two variables of the module lie apart", "mov.u64 %d3, x;\nmov.u64 %d4, y;\nsub.u64 %d5, %d3, %d4;\nst.global.u64 [%d1], %d5;", "address_leak", head=[".global .b32 x;", ".global .b32 y;"])
refuse("leak_of_dynamic", "where dynamic shared memory begins", "mov.u32 %r1, dyn;\nst.global.u32 [%d1], %r1;", "address_leak", head=[".extern .shared .align 16 .b8 dyn[];"], shared=64)
refuse("pointer_patched", "a pointer with two of its bytes replaced", "st.shared.u64 [s], %d1;\nmov.b16 %h1, 5;\nst.shared.u16 [s+2], %h1;\nld.shared.u64 %d3, [s];\nst.global.u32 [%d3], 1;", "address_leak")
refuse("pointer_between", "from one buffer to the other by their distance", "sub.s64 %d3, %d2, %d1;\nand.b64 %d4, %d3, -2;\nadd.s64 %d5, %d1, %d4;\nst.global.u32 [%d5], 1;", "address_leak")
refuse("pointer_doubled", "twice an address less itself, by a shift", "shl.b64 %d3, %d1, 1;\nsub.s64 %d4, %d3, %d2;\nst.global.u32 [%d4], 1;", "address_leak")
refuse("pointer_negated", "minus an address", "neg.s64 %d3, %d1;\nneg.s64 %d4, %d3;\nsub.s64 %d5, %d4, %d2;\nadd.s64 %d6, %d5, %d1;\nst.global.u32 [%d6], 1;", "address_leak")
refuse("pointer_rotated", "an address turned round, and back", "mov.b64 {%r1, %r2}, %d1;\nshf.l.wrap.b32 %r3, %r1, %r2, 16;\nshf.l.wrap.b32 %r4, %r2, %r1, 16;\nmov.b64 %d3, {%r4, %r3};\nst.global.u32 [%d3], 1;", "address_leak")

# Honest launches.
def good(name, why, body, independence, **more):
    case(name, why, body, "A", "", independence, **more)


STORE = ["add.s64 %d11, %d1, %d10;", "st.global.u32 [%d11], %r4;"]
good("a_index", "one element a thread", INDEX + STORE, "proved")
good("a_index_guard", "the grid is rounded up", INDEX + ["ld.param.u32 %r9, [n];", "setp.ge.s32 %p1, %r4, %r9;", "@%p1 bra E;"] + STORE + ["E:"], "proved",
     args=[{"buffer": 0}, {"buffer": 1}, {"u32": 1000}])
good("a_copy", "from one buffer to another", INDEX + ["add.s64 %d11, %d1, %d10;", "add.s64 %d12, %d2, %d10;", "ld.global.nc.u32 %r5, [%d11];", "st.global.u32 [%d12], %r5;"], "proved")
good("a_in_place", "every thread its own element, input and output one buffer",
     INDEX + ["add.s64 %d11, %d1, %d10;", "add.s64 %d12, %d2, %d10;", "ld.global.u32 %r5, [%d11];", "add.s32 %r5, %r5, 1;", "st.global.u32 [%d12], %r5;"], "proved",
     args=[{"buffer": 0}, {"buffer": 0}, {"u32": 1}])
good("a_struct", "fields of a struct of 24 bytes",
     INDEX[:4] + ["mul.wide.s32 %d10, %r4, 24;", "add.s64 %d11, %d1, %d10;", "st.global.u64 [%d11], %d10;", "st.global.u32 [%d11+8], %r4;", "st.global.v2.u32 [%d11+16], {%r4, %r4};"], "proved")
good("a_vector", "sixteen bytes a thread", INDEX[:4] + ["mul.wide.s32 %d10, %r4, 16;", "add.s64 %d11, %d1, %d10;", "st.global.v4.u32 [%d11], {%r4,%r4,%r4,%r4};"], "proved")
ROW = ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "mov.u32 %r3, %ntid.x;", "mad.lo.s32 %r4, %r2, %r3, %r1;",
       "mov.u32 %r5, %tid.y;", "mov.u32 %r6, %ctaid.y;", "mov.u32 %r7, %ntid.y;", "mad.lo.s32 %r8, %r6, %r7, %r5;"]
WH = ".param .u64 p, .param .u32 w, .param .u32 h"
PIX = ["mad.lo.s32 %r11, %r8, %r9, %r4;", "mul.wide.s32 %d3, %r11, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r11;"]
good("a_grid2_exact", "a picture that the grid covers exactly", ["ld.param.u64 %d1, [p];", "ld.param.u32 %r9, [w];"] + ROW + PIX, "proved",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 64}, {"u32": 48}], grid=(4, 3), block=(16, 16))
good("a_grid2_rounded", "rounded up in two dimensions: if (x >= w || y >= h) return",
     ["ld.param.u64 %d1, [p];", "ld.param.u32 %r9, [w];", "ld.param.u32 %r10, [h];"] + ROW +
     ["setp.ge.s32 %p1, %r4, %r9;", "setp.ge.s32 %p2, %r8, %r10;", "or.pred %p3, %p1, %p2;", "@%p3 bra E;"] + PIX + ["E:"], "proved",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 1000}, {"u32": 700}], grid=(63, 44), block=(16, 16))
good("a_grid2_nested", "the same with two branches",
     ["ld.param.u64 %d1, [p];", "ld.param.u32 %r9, [w];", "ld.param.u32 %r10, [h];"] + ROW +
     ["setp.lt.s32 %p1, %r4, %r9;", "@!%p1 bra E;", "setp.lt.s32 %p2, %r8, %r10;", "@!%p2 bra E;"] + PIX + ["E:"], "proved",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 37}, {"u32": 21}], grid=(3, 2), block=(16, 16))
good("a_grid2_setp_and", "both in one comparison, and a guarded store",
     ["ld.param.u64 %d1, [p];", "ld.param.u32 %r9, [w];", "ld.param.u32 %r10, [h];"] + ROW +
     ["setp.lt.u32 %p1, %r4, %r9;", "setp.lt.and.u32 %p2, %r8, %r10, %p1;"] + PIX[:3] + ["@%p2 st.global.u32 [%d4], %r11;"], "proved",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 37}, {"u32": 21}], grid=(3, 2), block=(16, 16))
good("a_grid2_unguarded", "a grid that is too wide, and no guard: rows overlap",
     ["ld.param.u64 %d1, [p];", "ld.param.u32 %r9, [w];"] + ROW + PIX, "assumed",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 1000}, {"u32": 700}], grid=(63, 44), block=(16, 16))
good("a_grid3", "a volume of 20 x 30 x 40 in blocks of 8 x 4 x 4",
     ["ld.param.u64 %d1, [p];"] + ROW + ["mov.u32 %r12, %tid.z;", "mov.u32 %r13, %ctaid.z;", "shl.b32 %r14, %r13, 2;", "add.s32 %r15, %r14, %r12;",
      "setp.gt.s32 %p1, %r4, 19;", "setp.gt.s32 %p2, %r8, 29;", "or.pred %p3, %p1, %p2;", "setp.gt.s32 %p4, %r15, 39;", "or.pred %p5, %p3, %p4;", "@%p5 bra E;",
      "mad.lo.s32 %r16, %r15, 30, %r8;", "mad.lo.s32 %r17, %r16, 20, %r4;", "mul.wide.s32 %d3, %r17, 8;", "add.s64 %d4, %d1, %d3;", "st.global.u64 [%d4], %d3;", "E:"], "proved",
     params=WH, load=False, args=[{"buffer": 0}, {"u32": 0}, {"u32": 0}], grid=(3, 8, 10), block=(8, 4, 4))
good("a_tile_by_division", "a thread's row and column in a tile by / and %, the CTA's likewise",
     ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "div.u32 %r3, %r2, 6;", "rem.u32 %r4, %r2, 6;", "shr.u32 %r5, %r1, 4;", "and.b32 %r6, %r1, 15;",
      "mad.lo.s32 %r7, %r3, 16, %r5;", "mad.lo.s32 %r8, %r4, 16, %r6;", "mad.lo.s32 %r9, %r7, 96, %r8;", "mul.wide.s32 %d3, %r9, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r9;"], "proved",
     grid=(42,), block=(256,))
LOOP = INDEX[:4] + ["mov.u32 %r10, %nctaid.x;", "mul.lo.s32 %r11, %r10, %r3;", "ld.param.u32 %r9, [n];", "setp.ge.s32 %p1, %r4, %r9;", "@%p1 bra E;"]
BODY = ["mul.wide.s32 %d10, %r4, 4;", "add.s64 %d11, %d1, %d10;", "st.global.u32 [%d11], %r4;", "add.s32 %r4, %r4, %r11;", "setp.lt.s32 %p2, %r4, %r9;", "@%p2 bra L;", "E:"]
good("a_stride", "a grid-stride loop, one register for the index", LOOP + ["L:"] + BODY, "proved", args=[{"buffer": 0}, {"buffer": 1}, {"u32": 100003}])
good("a_stride_odd", "a stride that is no power of two", LOOP + ["L:"] + BODY, "proved", args=[{"buffer": 0}, {"buffer": 1}, {"u32": 1000000}], grid=(7,), block=(96,))
good("a_rows", "a thread writes a row of 17 by a loop",
     INDEX[:4] + ["mul.lo.s32 %r5, %r4, 17;", "mov.u32 %r6, 0;", "L: add.s32 %r7, %r5, %r6;", "mul.wide.s32 %d3, %r7, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r6;",
      "add.s32 %r6, %r6, 1;", "setp.ne.s32 %p1, %r6, 17;", "@%p1 bra L;"], "proved")
good("a_rows_pointer", "the same with a pointer that walks",
     INDEX[:4] + ["mul.wide.s32 %d3, %r4, 68;", "add.s64 %d4, %d1, %d3;", "mov.u32 %r6, 0;", "L: st.global.u32 [%d4], %r6;", "add.s64 %d4, %d4, 4;",
      "add.s32 %r6, %r6, 1;", "setp.lt.u32 %p1, %r6, 17;", "@%p1 bra L;"], "proved")
good("a_rows_overlap", "a row of 18 at a pitch of 17", INDEX[:4] + ["mul.lo.s32 %r5, %r4, 17;", "mov.u32 %r6, 0;", "L: add.s32 %r7, %r5, %r6;", "mul.wide.s32 %d3, %r7, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r6;",
      "add.s32 %r6, %r6, 1;", "setp.ne.s32 %p1, %r6, 18;", "@%p1 bra L;"], "assumed")
good("a_slot", "one slot a CTA, written by thread 0", ["mov.u32 %r1, %tid.x;", "setp.ne.s32 %p1, %r1, 0;", "@%p1 bra E;", "mov.u32 %r2, %ctaid.x;", "mul.wide.u32 %d3, %r2, 8;", "add.s64 %d4, %d1, %d3;", "st.global.u64 [%d4], %d3;", "E:"], "proved")
good("a_first_block", "only CTA 0 writes the header", INDEX + STORE + ["setp.ne.s32 %p1, %r2, 0;", "@%p1 bra E;", "st.global.u32 [%d2], 1;", "E:"], "proved")
good("a_one_block", "one CTA", "red.shared.add.u32 [s], 1;\nbar.sync 0;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d1], %r1;", "proved", grid=(1,))
good("a_flag", "all CTAs write one flag", INDEX + ["setp.eq.s32 %p1, %r4, -1;", "@!%p1 st.global.u32 [%d1], 1;"], "assumed")
good("a_gather", "a 32-bit index out of memory reads anywhere", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11];", "mul.wide.s32 %d12, %r5, 4;", "add.s64 %d13, %d1, %d12;", "ld.global.u32 %r6, [%d13];",
      "add.s64 %d14, %d2, %d10;", "st.global.u32 [%d14], %r6;"], "proved")
good("a_scatter", "a 32-bit index out of memory writes anywhere", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11];", "mul.wide.s32 %d12, %r5, 4;", "add.s64 %d13, %d2, %d12;", "st.global.u32 [%d13], %r5;"], "assumed")
good("a_gather_far_guarded", "a 64-bit index out of memory, compared with the size first",
     INDEX + ["shl.b64 %d15, %d10, 1;", "add.s64 %d11, %d1, %d15;", "ld.global.u64 %d5, [%d11];", "mov.u32 %r6, 0;", "setp.ge.u64 %p1, %d5, 1024;", "@%p1 bra E;", "shl.b64 %d6, %d5, 2;", "add.s64 %d7, %d1, %d6;", "ld.global.u32 %r6, [%d7];",
      "E: add.s64 %d14, %d2, %d10;", "st.global.u32 [%d14], %r6;"], "proved")
good("a_difference", "A + (B - A) is B, in one register", INDEX + ["sub.s64 %d3, %d2, %d1;", "add.s64 %d3, %d3, %d1;", "add.s64 %d3, %d3, %d10;", "st.global.u32 [%d3], %r4;"], "proved")
good("a_reuse", "one register is an index, then a pointer, then a number that is stored",
     INDEX + ["mov.b64 %d9, %d10;", "add.s64 %d9, %d9, %d1;", "ld.global.u32 %r5, [%d9];", "cvt.u64.u32 %d9, %r5;", "add.s64 %d11, %d2, %d10;", "add.s64 %d11, %d11, %d10;", "st.global.u64 [%d11], %d9;"], "proved")
good("a_spill", "pointers and an index spilled to local memory", INDEX + ["st.local.u64 [l], %d1;", "st.local.u64 [l+8], %d10;", "st.local.u32 [l+16], %r4;", "ld.local.u64 %d3, [l];", "ld.local.u64 %d4, [l+8];", "ld.local.u32 %r5, [l+16];", "add.s64 %d5, %d3, %d4;", "st.global.u32 [%d5], %r5;"], "proved")
good("a_generic_frame", "a frame as unoptimised code has it: generic, of 4 and 8 bytes",
     INDEX + ["mov.u64 %d3, l;", "cvta.local.u64 %d4, %d3;", "st.u32 [%d4+4], %r4;", "st.u64 [%d4+8], %d1;", "ld.u32 %r5, [%d4+4];", "ld.u64 %d5, [%d4+8];", "mul.wide.s32 %d6, %r5, 4;", "add.s64 %d7, %d5, %d6;", "st.u32 [%d7], %r5;"], "proved")
good("a_call", "a function stores through the pointer that it is given", INDEX + ["add.s64 %d11, %d1, %d10;", "call f, (%d11, %r4);"], "proved",
     head=[".func f(.reg .b64 a, .reg .b32 b) { st.global.u32 [a], b; ret; }"])
good("a_table", "a constant table of pointers to variables", "ld.const.u64 %d3, [t+8];\nld.global.u32 %r1, [%d3];\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d4, %r2, 4;\nadd.s64 %d5, %d1, %d4;\nst.global.u32 [%d5], %r1;", "proved",
     head=[".global .b32 x[4];", ".global .b32 y[4];", ".const .u64 t[2] = {x, y};"])
good("a_functions", "a constant table of functions", "ld.const.u64 %d3, [t+8];\nP: .callprototype _ ();\ncall %d3, P;\n" + "\n".join(INDEX + STORE), "proved", stack=1024,
     head=[".func f() { ret; }", ".func g() { ret; }", ".const .u64 t[2] = {f, g};"])
good("a_null", "a pointer that may be missing", INDEX + ["setp.eq.s64 %p1, %d2, 0;", "@%p1 bra E;"] + STORE + ["E:"], "proved")
good("a_align", "low bits below the alignment", INDEX + ["and.b64 %d3, %d1, 15;", "add.s64 %d11, %d1, %d10;", "cvt.u32.u64 %r5, %d3;", "st.global.u32 [%d11], %r5;"], "proved")
good("a_warp", "a warp sums by exchange", INDEX + ["shfl.sync.down.b32 %r5, %r4, 16, 31, -1;", "add.s32 %r6, %r4, %r5;", "vote.sync.any.pred %p1, %p2, -1;"][:2] + STORE, "proved")
good("a_shared_tile", "a tile in shared memory behind a barrier", INDEX + ["shl.b32 %r5, %r1, 2;", "mov.u32 %r6, s;", "add.s32 %r7, %r6, %r5;", "st.shared.u32 [%r7], %r4;", "bar.sync 0;", "xor.b32 %r8, %r5, 4;", "add.s32 %r9, %r6, %r8;", "ld.shared.u32 %r10, [%r9];",
      "add.s64 %d11, %d1, %d10;", "st.global.u32 [%d11], %r10;"], "proved")
good("a_shared_histogram", "a histogram in shared memory, results dropped", "red.shared.add.u32 [s], 1;\nbar.sync 0;\nld.shared.u32 %r1, [s];\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d4, %r2, 4;\nadd.s64 %d5, %d1, %d4;\nst.global.u32 [%d5], %r1;", "proved")
good("a_volatile_shared", "volatile in shared memory is the CTA's own business", INDEX + ["st.volatile.shared.u32 [s], %r4;", "ld.volatile.shared.u32 %r5, [s];"] + STORE, "proved")
good("a_private_loop", "a loop that changes the thread's own place until it is done",
     INDEX + ["add.s64 %d11, %d1, %d10;", "L: ld.global.u32 %r5, [%d11];", "shr.u32 %r5, %r5, 1;", "st.global.u32 [%d11], %r5;", "setp.ne.s32 %p1, %r5, 0;", "@%p1 bra L;"], "proved")
good("a_halves", "reads the lower half of a buffer, writes the upper half", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11+-4];", "st.global.u32 [%d11+4096], %r5;"], "proved",
     args=[{"buffer": 0, "offset": 4}, {"buffer": 1}, {"u32": 1}])
good("a_triton", "an index as Triton makes it: and, shl, or; one register used again and again",
     ["mov.u32 %r1, %ctaid.x;", "shl.b32 %r1, %r1, 10;", "mov.u32 %r2, %tid.x;", "shl.b32 %r2, %r2, 2;", "and.b32 %r2, %r2, 508;", "or.b32 %r1, %r1, %r2;", "mul.wide.s32 %d3, %r1, 4;", "add.s64 %d3, %d1, %d3;",
      "st.global.v4.b32 [%d3], {%r1,%r1,%r1,%r1};", "st.global.v4.b32 [%d3+2048], {%r1,%r1,%r1,%r1};"], "proved", grid=(98,))
good("a_trap", "what traps is a fault, not a search", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11];", "setp.ne.s32 %p1, %r5, 12345;", "@%p1 bra E;", "trap;", "E: add.s64 %d12, %d2, %d10;", "st.global.u32 [%d12], %r5;"], "proved")
good("a_object", "a pointer to one of two local structs with a pointer inside, and a function table",
     INDEX + ["mov.u64 %d3, l;", "cvta.local.u64 %d4, %d3;", "st.local.u64 [l], %d1;", "st.local.u32 [l+8], %r4;", "st.local.u64 [l+16], %d2;", "st.local.u32 [l+24], %r4;", "and.b32 %r5, %r4, 1;", "setp.eq.s32 %p1, %r5, 1;", "add.s64 %d5, %d4, 16;",
              "selp.b64 %d6, %d4, %d5, %p1;", "ld.u32 %r6, [%d6+8];", "add.s64 %d11, %d1, %d10;", "st.global.u32 [%d11], %r6;"], "proved")
good("a_other_thread", "thread 0 writes where another thread says, through shared memory: not by its own index",
     ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "st.shared.u32 [s], %r1;", "bar.sync 0;", "setp.ne.s32 %p1, %r1, 0;", "@%p1 bra E;", "ld.shared.u32 %r3, [s];", "add.s32 %r4, %r3, %r2;",
      "mul.wide.u32 %d3, %r4, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r4;", "E:"], "assumed")
good("a_packed", "packed halves do not carry: 65535 + 1 is no index of its own",
     ["mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;", "mad.lo.s32 %r3, %r2, 65536, %r1;", "add.u16x2 %r4, %r3, %r3;", "mul.wide.u32 %d3, %r4, 4;", "add.s64 %d4, %d1, %d3;", "st.global.u32 [%d4], %r4;"], "assumed",
     target="sm_90")
good("a_wide_parameter", "a parameter of 32 bits in a register of 64, zero-extended: the two halves of the grid meet",
     ["ld.param.u32 %d3, [n];", "mov.u32 %r2, %ctaid.x;", "cvt.u64.u32 %d4, %r2;", "and.b64 %d5, %d3, 0x100000000;", "shr.u64 %d5, %d5, 32;", "mul.lo.s64 %d4, %d4, %d5;", "shl.b64 %d4, %d4, 2;", "add.s64 %d6, %d1, %d4;", "st.global.u32 [%d6], 1;"], "assumed",
     args=[{"buffer": 0}, {"buffer": 1}, {"u32": 0xffffffff}])

# Sold otherwise.
case("b_approximate", "an approximate sine", INDEX + ["sin.approx.f32 %r5, %r4;"] + STORE, "B", "approximate")
case("b_division", "an approximate division", INDEX + ["div.full.f32 %r5, %r4, %r4;"] + STORE, "B", "approximate")
case("b_exponential", "ex2 is approximate in every form", INDEX + ["ex2.approx.ftz.f32 %r5, %r4;"] + STORE, "B", "approximate")
case("b_flush", "flushing at the edge", INDEX + ["mul.rn.ftz.f32 %r5, %r4, %r4;"] + STORE, "B", "subnormal_ftz")
case("b_saturating", "a saturating integer matrix product", ["mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%r1,%r2}, {%r3}, {%r4}, {%r1,%r2};"] + INDEX + STORE, "B", "saturating_mma")
case("r_histogram", "a histogram by red", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11];", "and.b32 %r5, %r5, 255;", "mul.wide.u32 %d12, %r5, 4;", "add.s64 %d13, %d2, %d12;", "red.global.add.u32 [%d13], 1;"], "R", "atomic_one_op", "proved")
case("r_dropped", "atom whose result nobody reads", "atom.global.max.s32 %r1, [%d1], 7;", "R", "atomic_one_op", "proved")
case("r_dropped_reused", "the register that takes the result is written again before it is read", "atom.global.add.u32 %r1, [%d1], 7;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 4;", "R", "atomic_one_op", "proved")
case("r_two_buffers", "two buffers, each with its own operation", "red.global.add.u64 [%d1], 1;\nred.global.min.u32 [%d2], 5;", "R", "atomic_one_op", "proved")
case("r_and_output", "a counter beside an output", INDEX + STORE + ["red.global.or.b32 [%d2], 1;"], "R", "atomic_one_op", "proved")
case("r_in_function", "in a function", "call f, (%d1);", "R", "atomic_one_op", "proved", head=[".func f(.reg .b64 a) { red.global.xor.b32 [a], 3; ret; }"])
FIND = INDEX + ["xor.b32 %r5, %r4, 0x5bd1e995;", "shr.u32 %r6, %r5, 15;", "xor.b32 %r5, %r5, %r6;", "setp.gt.u32 %p1, %r5, 99;", "@%p1 bra E;", "st.global.u32 [%d1], %r4;", "E:"]
case("s_search", "writes only what it finds", FIND, "S", "writes_by_chance")
case("s_search_slot", "and a slot for every CTA", FIND + ["setp.ne.s32 %p2, %r1, 0;", "@%p2 bra F;", "mul.wide.u32 %d3, %r2, 8;", "add.s64 %d4, %d2, %d3;", "st.global.u64 [%d4], %d3;", "F:"], "S", "writes_by_chance")
case("s_search_shared", "what is found goes through shared memory, the witness too",
     FIND[:7] + ["setp.eq.s32 %p3, %r1, 0;", "@%p3 st.shared.u32 [s], -1;", "bar.sync 0;", "setp.gt.u32 %p1, %r5, 99;", "@%p1 bra E;", "mov.u64 %d5, s;", "atom.shared.min.u32 %r7, [%d5], %r4;", "E: bar.sync 0;",
                 "ld.shared.u32 %r8, [s];", "setp.eq.s32 %p4, %r8, -1;", "not.pred %p6, %p3;", "or.pred %p5, %p6, %p4;", "@%p5 bra F;", "mul.wide.u32 %d6, %r2, 4;", "add.s64 %d7, %d1, %d6;", "st.global.u32 [%d7], %r8;",
                 "F: @%p6 bra G;", "mov.u32 %r9, %nctaid.x;", "cvt.u64.u32 %d12, %r9;", "mov.u32 %r10, %ctaid.y;", "mov.u32 %r11, %nctaid.y;", "mov.u32 %r12, %ctaid.z;", "mul.wide.u32 %d13, %r11, %r12;", "cvt.u64.u32 %d14, %r10;",
                 "add.s64 %d15, %d13, %d14;", "mul.lo.s64 %d16, %d15, %d12;", "cvt.u64.u32 %d17, %r2;", "add.s64 %d18, %d16, %d17;", "shl.b64 %d19, %d18, 3;", "add.s64 %d20, %d2, %d19;", "st.global.u64 [%d20], %d19;", "G:"], "S", "writes_by_chance", grid=(5, 3, 2))
case("s_found_in_data", "writes where the data say so", INDEX + ["add.s64 %d11, %d1, %d10;", "ld.global.u32 %r5, [%d11];", "setp.ne.s32 %p1, %r5, 42;", "@%p1 bra E;", "st.global.u32 [%d2], %r4;", "E:"], "S", "writes_by_chance")

# Frames: a place that only its own loads and stores touch is a register, and
# one that anything else may touch is not.
FRAME = INDEX + ["mov.u64 %d20, l;", "cvta.local.u64 %d21, %d20;"]
KEEP = "add.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], %r9;"


def frame(body):
    return "\n".join(FRAME) + "\n" + body.strip() + "\n" + KEEP


case("a_frame_loop", "a counter in a frame bounds the stores", frame("""
st.u32 [%d21+8], 0;
st.u64 [%d21+16], %d2;
B: ld.u32 %r5, [%d21+8];
setp.ge.s32 %p1, %r5, 4;
@%p1 bra E;
ld.u32 %r6, [%d21+8];
mad.lo.s32 %r7, %r4, 4, %r6;
ld.u64 %d5, [%d21+16];
mul.wide.s32 %d6, %r7, 4;
add.s64 %d7, %d5, %d6;
st.u32 [%d7], %r6;
ld.u32 %r8, [%d21+8];
add.s32 %r8, %r8, 1;
st.u32 [%d21+8], %r8;
bra B;
E: ld.global.u32 %r9, [%d1];""").replace(KEEP, ""), "A", "", "proved")
case("a_frame_twice", "one place holds an address and then a number", frame("""
st.u64 [%d21+16], %d2;
ld.u64 %d5, [%d21+16];
ld.global.u64 %d6, [%d1];
st.u64 [%d21+16], %d6;
ld.u64 %d7, [%d21+16];
setp.gt.u64 %p1, %d7, 7;
selp.u32 %r9, 1, 2, %p1;"""), "A", "", "proved")
case("a_frame_array", "an index that has bounds stays in its array", frame("""
st.local.u64 [%d20+128], %d1;
and.b32 %r5, %r4, 15;
mul.wide.u32 %d5, %r5, 4;
add.s64 %d6, %d20, %d5;
st.local.u32 [%d6], %r4;
ld.local.u32 %r9, [%d6];
ld.local.u64 %d7, [%d20+128];
st.local.u64 [%d20+128], 0;
ld.local.u64 %d8, [%d20+128];
cvt.u32.u64 %r10, %d8;
add.s32 %r9, %r9, %r10;"""), "A", "", "proved")
case("r_frame_dead", "the result of an atomic is put by and never looked at", """
mov.u64 %d20, l;
cvta.local.u64 %d21, %d20;
atom.global.add.u32 %r1, [%d1], 1;
st.u32 [%d21+4], %r1;
mov.u32 %r2, %r1;
st.u32 [%d21+8], %r2;""", "R", "atomic_one_op", "proved")
case("r_frame_call_dead", "the result of an atomic that a call gives is never looked at", """
{ .param .b64 x;
.param .b32 y;
st.param.b64 [x], %d1;
call (y), count, (x);
ld.param.b32 %r1, [y]; }""", "R", "atomic_one_op", "proved", head=[
    ".func (.param .b32 out) count(.param .b64 at) { .reg .b64 %a; .reg .b32 %v;",
    "ld.param.u64 %a, [at]; atom.add.u32 %v, [%a], 1; st.param.b32 [out], %v; ret; }"])
case("r_argument_dead", "an argument that the function never looks at", """
atom.global.add.u32 %r1, [%d1], 1;
{ .param .b32 x; st.param.b32 [x], %r1; call f, (x); }""", "R", "atomic_one_op", "proved",
     head=[".func f(.param .b32 a) { ret; }"])
refuse("frame_call_used", "the same, and one of two callers looks", """
{ .param .b64 x;
.param .b32 y;
st.param.b64 [x], %d1;
call (y), count, (x);
ld.param.b32 %r1, [y]; }
{ .param .b64 x;
.param .b32 y;
st.param.b64 [x], %d1;
call (y), count, (x);
ld.param.b32 %r2, [y];
st.global.u32 [%d2], %r2; }""", "atomic_result_used", head=[
    ".func (.param .b32 out) count(.param .b64 at) { .reg .b64 %a; .reg .b32 %v;",
    "ld.param.u64 %a, [at]; atom.add.u32 %v, [%a], 1; st.param.b32 [out], %v; ret; }"])
refuse("frame_call_through", "what a call gives goes through another function", """
{ .param .b64 x;
.param .b32 y;
st.param.b64 [x], %d1;
call (y), outer, (x);
ld.param.b32 %r1, [y];
setp.eq.s32 %p1, %r1, 5;
@%p1 st.global.u32 [%d2], 1; }""", "atomic_result_used", head=[
    ".func (.param .b32 out) count(.param .b64 at) { .reg .b64 %a; .reg .b32 %v;",
    "ld.param.u64 %a, [at]; atom.add.u32 %v, [%a], 1; st.param.b32 [out], %v; ret; }",
    ".func (.param .b32 out) outer(.param .b64 at) { .reg .b64 %a; .reg .b32 %v; .param .b64 x; .param .b32 y;",
    "ld.param.u64 %a, [at]; st.param.b64 [x], %a; call (y), count, (x); ld.param.b32 %v, [y];",
    "st.param.b32 [out], %v; ret; }"])
refuse("frame_atomic", "the result of an atomic comes back from its place", frame("""
atom.global.add.u32 %r5, [%d1], 1;
st.u32 [%d21+4], %r5;
st.u32 [%d21+8], 0;
ld.u32 %r9, [%d21+4];"""), "atomic_result_used")
refuse("frame_by_pointer", "a place is read by an address made at run time", frame("""
atom.global.add.u32 %r5, [%d1], 1;
st.local.u32 [%d20+4], %r5;
and.b32 %r6, %r4, 3;
mul.wide.u32 %d5, %r6, 4;
add.s64 %d6, %d20, %d5;
ld.local.u32 %r9, [%d6];"""), "atomic_result_used")
refuse("frame_overwritten", "a store at an index of the data reaches a place with a number", frame("""
st.local.u64 [%d20+8], 5;
ld.global.u32 %r5, [%d1];
and.b32 %r5, %r5, 1;
mul.wide.u32 %d5, %r5, 8;
add.s64 %d6, %d20, %d5;
st.local.u64 [%d6], %d2;
ld.local.u64 %d7, [%d20+8];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_unbounded", "an index without bounds may reach any place", frame("""
st.local.u64 [%d20+200], 5;
ld.global.u32 %r5, [%d1];
mul.wide.s32 %d5, %r5, 8;
add.s64 %d6, %d20, %d5;
st.local.u64 [%d6], %d2;
ld.local.u64 %d7, [%d20+200];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_halves", "an address goes in whole and comes out in halves", frame("""
st.local.u64 [%d20+8], %d2;
ld.local.u32 %r9, [%d20+12];"""), "address_leak")
refuse("frame_vector", "an address goes in with a vector", frame("""
st.local.v2.u64 [%d20+16], {%d2, %d2};
st.local.u64 [%d20+40], 1;
ld.local.u64 %d7, [%d20+24];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_both_ways", "one way leaves a number in a place, the other an address", frame("""
st.local.u64 [%d20+8], 5;
setp.eq.s32 %p1, %r1, 0;
@%p1 bra S;
st.local.u64 [%d20+8], %d2;
S: ld.local.u64 %d7, [%d20+8];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_guarded", "a store under a guard may not happen", frame("""
st.local.u64 [%d20+8], %d2;
setp.eq.s32 %p1, %r1, 0;
@%p1 st.local.u64 [%d20+8], 5;
ld.local.u64 %d7, [%d20+8];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_own_index", "an index in a place walks on until it comes to that place itself", frame("""
st.local.u64 [%d20+128], 0;
st.local.u64 [%d20+136], 7;
L: ld.local.u64 %d5, [%d20+128];
shl.b64 %d6, %d5, 3;
add.s64 %d6, %d6, %d20;
st.local.u64 [%d6], %d2;
ld.local.u64 %d5, [%d20+128];
add.s64 %d5, %d5, 1;
st.local.u64 [%d20+128], %d5;
ld.global.u32 %r5, [%d1];
setp.ne.s32 %p1, %r5, 0;
@%p1 bra L;
ld.local.u64 %d7, [%d20+136];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
WRITER = [".func put(.param .b64 at, .param .b64 what) { .reg .b64 %a, %b;",
          "ld.param.u64 %a, [at]; ld.param.u64 %b, [what]; st.u64 [%a], %b; ret; }"]
refuse("frame_callee", "a function writes the caller's place through a pointer", frame("""
st.u64 [%d21+8], 5;
add.s64 %d5, %d21, 8;
{ .param .b64 x;
.param .b64 y;
st.param.b64 [x], %d5;
st.param.b64 [y], %d2;
call put, (x, y); }
ld.u64 %d7, [%d21+8];
cvt.u32.u64 %r9, %d7;"""), "address_leak", head=WRITER)
case("a_frame_callee", "a function writes another place of the frame", frame("""
st.u64 [%d21+8], 5;
add.s64 %d5, %d21, 16;
{ .param .b64 x;
.param .b64 y;
st.param.b64 [x], %d5;
st.param.b64 [y], %d2;
call put, (x, y); }
ld.u64 %d7, [%d21+8];
cvt.u32.u64 %r9, %d7;"""), "A", "", "proved", head=WRITER)
refuse("frame_pointer_in_memory", "a pointer to a place goes through memory", frame("""
st.u64 [%d21+8], 5;
add.s64 %d5, %d21, 8;
st.shared.u64 [s], %d5;
ld.shared.u64 %d6, [s];
st.u64 [%d6], %d2;
ld.u64 %d7, [%d21+8];
cvt.u32.u64 %r9, %d7;"""), "address_leak")
refuse("frame_recursion", "a function called again writes its caller's place", """
{ .param .b64 x;
.param .b64 y;
.param .b64 z;
st.param.b64 [x], %d2;
st.param.b64 [y], 0;
call (z), again, (x, y);
ld.param.b64 %d5, [z]; }
st.global.u64 [%d2], %d5;""", "address_leak", stack=4096, head=[
    ".func (.param .b64 out) again(.param .b64 what, .param .b64 up) {",
    ".local .align 16 .b8 f[32]; .reg .b64 %a<9>; .reg .pred %p<2>;",
    "mov.u64 %a0, f; cvta.local.u64 %a1, %a0;",
    "ld.param.u64 %a2, [what]; ld.param.u64 %a3, [up];",
    "st.u64 [%a1+8], 5; setp.ne.u64 %p1, %a3, 0; @%p1 bra W;",
    "add.s64 %a4, %a1, 8;",
    "{ .param .b64 x; .param .b64 y; .param .b64 z; st.param.b64 [x], %a2; st.param.b64 [y], %a4;",
    "call (z), again, (x, y); ld.param.b64 %a5, [z]; } bra D;",
    "W: st.u64 [%a3], %a2;",
    "D: ld.u64 %a6, [%a1+8]; st.param.b64 [out], %a6; ret; }"])
refuse("frame_wrong_space", "a generic address of a place, used as a local one", frame("""
st.local.u32 [%d21+8], 5;
ld.local.u32 %r9, [%d21+8];"""), "wrong_space")

# Memory of the stack.
refuse("stack_address", "the address that alloca gives is stored", "alloca.u64 %d3, 64;\nst.global.u64 [%d2], %d3;", "address_leak", stack=4096)
refuse("stack_save", "where the stack is, is stored", "stacksave.u64 %d3;\nst.global.u64 [%d2], %d3;", "stack_pointer", stack=4096)
refuse("stack_save_decides", "where the stack is decides", "stacksave.u32 %r1;\nsetp.gt.u32 %p1, %r1, 99;\n@%p1 st.global.u32 [%d2], 1;", "stack_pointer", stack=4096)
refuse("stack_compare", "two allocas are compared", "alloca.u64 %d3, 64;\nalloca.u64 %d4, 64;\nsetp.gt.u64 %p1, %d3, %d4;\n@%p1 st.global.u32 [%d2], 1;", "address_leak", stack=4096)
refuse("stack_difference", "two allocas are subtracted", "alloca.u64 %d3, 64;\nalloca.u64 %d4, 64;\nsub.s64 %d5, %d3, %d4;\nst.global.u64 [%d2], %d5;", "address_leak", stack=4096)
refuse("stack_loop", "an alloca in a loop", "mov.u32 %r1, 0;\nL: alloca.u64 %d3, 64;\nst.local.u32 [%d3], %r1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 3;\n@%p1 bra L;\nld.local.u32 %r5, [%d3];\nst.global.u32 [%d2], %r5;", "stack_pointer", stack=4096)
refuse("stack_function", "an alloca in a function, whose memory lives on", "call (%d5), f, (%d1);\nst.global.u64 [%d2], %d5;", "stack_pointer", stack=4096,
       head=[".func (.reg .b64 r) f(.reg .b64 a) { .reg .b64 %x; alloca.u64 %x, 64; st.local.u64 [%x], a; ld.local.u64 r, [%x]; ret; }"])
refuse("stack_restored", "memory is given back and used again", "stacksave.u64 %d9;\nalloca.u64 %d3, 64;\nstackrestore.u64 %d9;\nalloca.u64 %d4, 64;\nst.local.u32 [%d4], 1;\nld.local.u32 %r5, [%d3];\nst.global.u32 [%d2], %r5;", "stack_pointer", stack=4096)
refuse("stack_keeps_address", "an address goes through memory of the stack", "alloca.u64 %d3, 64;\nst.local.u64 [%d3+8], %d1;\nld.local.u64 %d4, [%d3+8];\nst.global.u64 [%d2], %d4;", "address_leak", stack=4096)
refuse("stack_keeps_ticket", "the result of an atomic goes through memory of the stack", "alloca.u64 %d3, 64;\natom.global.add.u32 %r1, [%d1], 1;\nst.local.u32 [%d3+8], %r1;\nld.local.u32 %r2, [%d3+8];\nst.global.u32 [%d2], %r2;", "atomic_result_used", stack=4096)
case("a_stack", "numbers and a pointer in memory of the stack, of a size from an argument",
     "\n".join(INDEX) + """
ld.param.u32 %r9, [n];
mul.wide.u32 %d9, %r9, 8;
alloca.u64 %d3, %d9;
cvta.local.u64 %d4, %d3;
and.b32 %r5, %r4, 7;
mul.wide.u32 %d5, %r5, 8;
add.s64 %d6, %d4, %d5;
st.u64 [%d6], %d10;
ld.u64 %d7, [%d6];
cvt.u32.u64 %r6, %d7;
add.s64 %d11, %d2, %d10;
st.global.u32 [%d11], %r6;""", "A", "", "proved", stack=16384)
case("a_stack_null", "a generic pointer into it is not null", "alloca.u64 %d3, 64;\ncvta.local.u64 %d4, %d3;\nsetp.eq.s64 %p1, %d4, 0;\n@%p1 st.global.u32 [%d2], 1;", "A", "", "assumed", stack=4096)

# CTAs that meet: nothing of the kind is proved.
good("a_not_proved_shift", "bits shifted out: two CTAs write one place", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 31;\nshr.u32 %r9, %r3, 20;\nadd.u32 %r9, %r9, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_wrap", "a product that wraps", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.lo.u32 %r3, %r2, 0x40000000;\nadd.u32 %r3, %r3, %r1;\nand.b32 %r9, %r3, 0x4000ffff;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_remainder", "four places for eight CTAs", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nrem.u32 %r3, %r2, 4;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_quotient", "two CTAs a place", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshr.u32 %r3, %r2, 1;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_narrow", "16 bits of an index", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.lo.u32 %r3, %r2, 256;\ncvt.u16.u32 %h1, %r3;\ncvt.u32.u16 %r9, %h1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed", grid=(300,), block=(1,))
good("a_not_proved_byte", "eight bits of an index", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\ncvt.u32.u8 %r9, %r2;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed", grid=(300,), block=(1,))
good("a_not_proved_other_axis", "CTAs side by side in y", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed", grid=(8, 2))
good("a_not_proved_stride", "a loop that strides by one CTA too few", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 7;\nadd.u32 %r9, %r3, %r1;\nL: mul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;\nadd.u32 %r9, %r9, 896;\nsetp.lt.u32 %p1, %r9, 8192;\n@%p1 bra L;", "assumed")
good("a_not_proved_field", "a field too short for the CTA", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r4, 0;\nbfi.b32 %r9, %r2, %r1, 7, 2;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_extract", "some bits of the CTA", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nbfe.u32 %r3, %r2, 0, 2;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_signed", "a sign bit out of nowhere", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.lo.s32 %r3, %r2, 0x20000000;\nshr.s32 %r3, %r3, 29;\nabs.s32 %r3, %r3;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_xor", "CTAs that meet by xor", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 6;\nxor.b32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_maximum", "all but one at one place", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmin.u32 %r3, %r2, 1;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_select", "two halves at one place", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nsetp.lt.u32 %p1, %r2, 4;\nselp.b32 %r3, %r2, 3, %p1;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_high", "the high half of a product", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.hi.u32 %r3, %r2, 0x20000000;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_funnel", "rotated, and cut", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshf.l.wrap.b32 %r3, %r2, %r2, 31;\nand.b32 %r3, %r3, 3;\nshl.b32 %r3, %r3, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], 1;", "assumed")
good("a_not_proved_wide", "rows wider than their distance", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.v2.u32 [%d11], {%r1, %r2};", "assumed")
good("a_not_proved_offset", "one row and the next", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 7;\nadd.u32 %r9, %r3, %r1;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d2, %d10;\nst.global.u32 [%d11], %r2;\nst.global.u32 [%d11+512], %r2;", "assumed")
print(len(seen))
