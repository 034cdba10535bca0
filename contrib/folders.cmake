# Every folder, program, test, tool and fuzz target, bottom up.  What a line
# names below itself is all that it may link.  Folders without sources are
# passed over.
enable_testing()

weft_folder(base LIBS PkgConfig::secp256k1 PkgConfig::sodium PkgConfig::crypto
  msgpackc)
weft_folder(gpu/ptx DEPS base)
weft_folder(gpu/program DEPS base)
set(LANE_FLAGS -O3 -ffp-contract=off -frounding-math -fno-strict-aliasing
  -fno-sanitize=address,undefined)
set(LANE_AVX2 -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt -funroll-loops)
set_source_files_properties(gpu/exec/lanes_plain.c PROPERTIES
  COMPILE_OPTIONS "${LANE_FLAGS}")
set_source_files_properties(gpu/exec/lanes_avx2.c PROPERTIES
  COMPILE_OPTIONS "${LANE_FLAGS};${LANE_AVX2}")
set_source_files_properties(gpu/exec/lanes_avx512.c PROPERTIES
  COMPILE_OPTIONS "${LANE_FLAGS};${LANE_AVX2};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512cd;-mprefer-vector-width=512")
set_source_files_properties(gpu/exec/shadow.c gpu/exec/shadow_flow.c
  gpu/exec/shadow_calm.c gpu/exec/shadow_form.c gpu/exec/shadow_memory.c gpu/exec/shadow_race.c
  gpu/exec/trace.c gpu/exec/pages.c gpu/exec/cross.c gpu/exec/track_plain.c
  PROPERTIES COMPILE_OPTIONS "-O3;-fno-strict-aliasing")
set_source_files_properties(gpu/exec/track_avx2.c PROPERTIES
  COMPILE_OPTIONS "${LANE_FLAGS};${LANE_AVX2}")
set_source_files_properties(gpu/exec/track_avx512.c PROPERTIES
  COMPILE_OPTIONS "${LANE_FLAGS};${LANE_AVX2};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512cd;-mprefer-vector-width=512")
weft_folder(gpu/exec DEPS gpu/program gpu/ptx base LIBS m pthread)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND TARGET weft_gpu_exec)
  # A hint to vectorise that this version cannot follow is no error.
  target_compile_options(weft_gpu_exec PRIVATE -Wno-pass-failed)
endif()
weft_folder(gpu/cuda DEPS gpu/program gpu/ptx base LIBS dl)
weft_folder(gpu/strict DEPS base)
weft_folder(gpu/build DEPS gpu/strict gpu/program gpu/ptx base
  LIBS PkgConfig::yajl PkgConfig::png dl m)
weft_folder(gpu/client DEPS gpu/program base)
weft_folder(gpu/worker DEPS gpu/client gpu/build gpu/exec gpu/program gpu/ptx
  base LIBS PkgConfig::seccomp)
weft_folder(ledger PURE DEPS base LIBS PkgConfig::lmdb)
weft_folder(market PURE DEPS ledger base)
weft_folder(wallet DEPS ledger base LIBS PkgConfig::sodium)
weft_folder(verify PURE DEPS market ledger gpu/program base)
weft_folder(rpc DEPS market ledger base LIBS PkgConfig::jansson)
weft_folder(cli DEPS rpc gpu/client gpu/build gpu/program gpu/ptx verify market
  wallet ledger base
  LIBS PkgConfig::jansson PkgConfig::event PkgConfig::png)
weft_folder(node/core DEPS verify market gpu/program ledger base)
weft_folder(node/engine DEPS node/core ledger base)
weft_folder(node/data DEPS node/core gpu/program base LIBS PkgConfig::lmdb)
weft_folder(node/provider DEPS node/core gpu/program verify market ledger base)
weft_folder(node/verifier DEPS node/core gpu/program verify market ledger base)
weft_folder(node/buyer DEPS node/core gpu/program market ledger base)
weft_folder(node DEPS node/buyer node/verifier node/provider node/data node/engine
  node/core rpc gpu/client gpu/program verify wallet market ledger base
  LIBS PkgConfig::event PkgConfig::jansson PkgConfig::lmdb PkgConfig::sodium)

weft_program(weft-worker gpu/worker)
weft_program(weft cli)
weft_program(weftd node)

weft_folder(tests/support DEPS gpu/program base)
weft_test(base DEPS base LIBS PkgConfig::crypto)
weft_test(gpu/ptx DEPS base LIBS PkgConfig::jansson)
weft_test(gpu/strict DEPS base LIBS m)
weft_test(gpu/program DEPS base)
if(criterion_FOUND)
  weft_folder(tests/support/ptx DEPS base)
  target_compile_definitions(weft_tests_support_ptx PRIVATE
    WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()
weft_test(gpu/exec DEPS tests/support/ptx gpu/ptx gpu/program base)
weft_folder(tests/support/cuda DEPS tests/support/kernels gpu/cuda gpu/exec
  gpu/program gpu/ptx base)
weft_test(gpu/cuda DEPS tests/support/cuda tests/support/ptx
  tests/support/kernels gpu/exec gpu/program gpu/ptx base LIBS m)
weft_tool(tests/bench/card DEPS tests/support/cuda gpu/cuda gpu/exec
  gpu/program gpu/ptx base LIBS m)
weft_test(gpu/build DEPS gpu/strict gpu/program gpu/ptx base)
weft_test(corpus DEPS gpu/exec gpu/ptx gpu/program base)
weft_test(gpu/worker DEPS gpu/client gpu/build gpu/exec gpu/program gpu/ptx
  base)
weft_fuzz(market DEPS market ledger base)
weft_fuzz(worker_frame DEPS gpu/client gpu/program base)
weft_tool(tests/liar/worker DEPS gpu/client gpu/program base)
weft_test(gpu/client DEPS gpu/program base)
weft_folder(tests/support/ledger DEPS ledger base)
weft_test(ledger DEPS tests/support/ledger base)
weft_test(market DEPS tests/support/ledger ledger base)
weft_test(wallet DEPS ledger base)
weft_test(verify DEPS tests/support/ledger market ledger gpu/program base)
weft_test(rpc DEPS tests/support/ledger market ledger base
  LIBS PkgConfig::jansson)
weft_test(cli DEPS base LIBS PkgConfig::jansson)
weft_test(node DEPS wallet ledger base LIBS PkgConfig::event PkgConfig::jansson)
weft_test(node/core DEPS verify market gpu/program ledger base)
weft_test(node/engine DEPS tests/support/ledger node/core ledger base)
weft_test(node/data DEPS node/core gpu/program base)
weft_test(node/provider DEPS tests/support/ledger node/core gpu/program verify market ledger base)
weft_test(node/verifier DEPS tests/support/ledger node/core gpu/program verify market ledger base)
weft_test(node/buyer DEPS node/core gpu/program market ledger base)

find_library(MPFR_LIBRARY mpfr)
if(MPFR_LIBRARY)
  weft_tool(tests/bench/strict DEPS gpu/build gpu/strict gpu/exec gpu/ptx
    gpu/program base LIBS ${MPFR_LIBRARY} gmp m)
  add_test(NAME bench_strict COMMAND tests_bench_strict 40009 2000)
  set_tests_properties(bench_strict PROPERTIES ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/contrib/lsan.supp:print_suppressions=0")
endif()
set_source_files_properties(tests/bench/strict.c tests/gpu/strict/accuracy.c
  tests/gpu/worker/strict.c
  PROPERTIES COMPILE_OPTIONS "-ffp-contract=off;-fno-fast-math")
weft_tool(tests/bench/ledger DEPS ledger base)
weft_tool(tests/bench/ptx DEPS gpu/ptx base)
weft_tool(tests/bench/exec DEPS gpu/exec gpu/ptx gpu/program base)
weft_tool(tests/bench/slowest DEPS gpu/exec gpu/ptx gpu/program base)
set_source_files_properties(tests/bench/native.c PROPERTIES COMPILE_OPTIONS
  "-O3;-march=native;-ffp-contract=off")
weft_tool(tests/bench/native DEPS gpu/exec gpu/ptx gpu/program base LIBS m)

weft_fuzz(rpc DEPS rpc market ledger base LIBS PkgConfig::jansson)
weft_fuzz(manifest DEPS gpu/build gpu/strict gpu/program gpu/ptx base)
weft_fuzz(ptx DEPS gpu/ptx base)
weft_fuzz(build_record DEPS gpu/build gpu/strict gpu/program gpu/ptx base)
weft_fuzz(program DEPS gpu/program base)
weft_fuzz(opening DEPS tests/support gpu/program base)
weft_fuzz(evidence DEPS verify market ledger gpu/program base)
weft_fuzz(ledger_tx DEPS ledger base)
weft_fuzz(ledger_block DEPS ledger base)
weft_fuzz(keystore DEPS wallet ledger base LIBS PkgConfig::sodium)

# A lease in one process, and what audits make of its cheats.
set(SIM_DEPS gpu/worker gpu/client gpu/build gpu/exec gpu/program gpu/ptx
  verify market ledger base)
weft_folder(tests/sim/lease DEPS ${SIM_DEPS})
if(TARGET weft_tests_sim_lease)
  target_compile_definitions(weft_tests_sim_lease PRIVATE
    WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()
weft_tool(tests/sim/tamper DEPS tests/sim/lease ${SIM_DEPS} LIBS m)
if(TARGET tests_sim_tamper)
  add_test(NAME sim_tamper COMMAND tests_sim_tamper --runs
    $<IF:$<CONFIG:Debug>,10,200> --fraction 64)
endif()
weft_fuzz(http DEPS node base)
weft_fuzz(bundle DEPS node node/core ledger base)
weft_fuzz(feed DEPS node/engine ledger base)
weft_fuzz(journal DEPS node/provider node/core ledger base)
weft_fuzz(exec DEPS gpu/exec gpu/program gpu/ptx base)

find_path(OPENCL_INCLUDE CL/cl.h)
find_library(OPENCL_LIBRARY OpenCL)
if(OPENCL_INCLUDE AND OPENCL_LIBRARY)
  set_source_files_properties(tests/bench/pocl.c PROPERTIES COMPILE_OPTIONS
    "-O3;-march=native")
  weft_tool(tests/bench/pocl DEPS gpu/exec gpu/ptx gpu/program base
    LIBS ${OPENCL_LIBRARY} m)
endif()

# A market of node cores with everything between them unreliable.
set(SHELL_DEPS node/buyer node/verifier node/provider node/core
  tests/support/ledger tests/support verify market ledger gpu/program base)
weft_folder(tests/sim/shell DEPS ${SHELL_DEPS})
weft_tool(tests/sim/market DEPS tests/sim/shell ${SHELL_DEPS})
if(TARGET tests_sim_market)
  add_test(NAME sim_market COMMAND tests_sim_market --runs
    $<IF:$<CONFIG:Debug>,1,3>)
endif()
weft_tool(tests/bench/merkle DEPS base LIBS PkgConfig::crypto m)

# Random kernels, and programs that run them in two ways and compare.
weft_folder(tests/support/kernels DEPS base)
set(DIFF_DEPS gpu/exec gpu/program gpu/ptx base)
weft_folder(tests/diff/engine DEPS ${DIFF_DEPS})
weft_tool(tests/diff/lanes DEPS tests/diff/engine tests/support/kernels
  ${DIFF_DEPS})
weft_tool(tests/diff/instrument DEPS tests/support/kernels ${DIFF_DEPS})
weft_folder(tests/diff/code DEPS tests/support/kernels base)
weft_tool(tests/diff/native DEPS tests/diff/code tests/support/kernels
  ${DIFF_DEPS} LIBS dl)
weft_fuzz(kernels DEPS tests/diff/engine tests/support/kernels ${DIFF_DEPS})
if(TARGET tests_diff_lanes)
  add_test(NAME diff_lanes COMMAND tests_diff_lanes --ways 2 --count
    $<IF:$<CONFIG:Debug>,200,2000>)
endif()
if(TARGET tests_diff_native)
  add_test(NAME diff_native COMMAND tests_diff_native --count
    $<IF:$<CONFIG:Debug>,50,100>)
endif()
if(TARGET tests_diff_instrument)
  add_test(NAME diff_instrument COMMAND tests_diff_instrument --count
    $<IF:$<CONFIG:Debug>,60,500>)
endif()

# The examples on a hostile stand-in for a card, and on a card.
weft_tool(tests/sim/card DEPS tests/support/cuda gpu/cuda ${SIM_DEPS} LIBS m)
if(TARGET tests_sim_card)
  add_test(NAME sim_card COMMAND tests_sim_card --seeds
    $<IF:$<CONFIG:Debug>,4,20>)
endif()

# doc/coverage.md is what this prints (20 s under sanitizers, 2 without).
weft_tool(tests/coverage/ptx DEPS gpu/exec gpu/program gpu/ptx base)
if(TARGET tests_coverage_ptx AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_test(NAME coverage COMMAND sh -c
    "$<TARGET_FILE:tests_coverage_ptx> | diff -u ${CMAKE_SOURCE_DIR}/doc/coverage.md -")
endif()
