# weft_folder(ledger PURE DEPS base LIBS PkgConfig::lmdb): one static library
# per folder, its dependencies spelled in one place (contrib/folders.cmake).
function(weft_folder name)
  cmake_parse_arguments(F "PURE" "" "DEPS;LIBS" ${ARGN})
  file(GLOB src CONFIGURE_DEPENDS ${name}/*.c)
  list(FILTER src EXCLUDE REGEX "/main\\.c$")
  if(NOT src)
    return()
  endif()
  string(REPLACE "/" "_" target weft_${name})
  add_library(${target} STATIC ${src})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND weft_)
  target_link_libraries(${target} PRIVATE ${F_DEPS} ${F_LIBS})
  if(F_PURE)
    target_compile_options(${target} PRIVATE -mgeneral-regs-only)
  endif()
endfunction()

# weft_program(weftd node DEPS ...): the program of a folder's main.c.
function(weft_program program folder)
  cmake_parse_arguments(F "" "" "DEPS;LIBS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${folder}/main.c)
    return()
  endif()
  string(REPLACE "/" "_" own weft_${folder})
  add_executable(${program} ${folder}/main.c)
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR})
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND weft_)
  if(TARGET ${own})
    target_link_libraries(${program} PRIVATE ${own})
  endif()
  target_link_libraries(${program} PRIVATE ${F_DEPS} ${F_LIBS})
  install(TARGETS ${program} RUNTIME DESTINATION bin)
endfunction()

# weft_test(ledger): tests/<folder>/*.c as one Criterion program that links
# the folder, what is below it, and tests/support.
function(weft_test folder)
  cmake_parse_arguments(F "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB src CONFIGURE_DEPENDS tests/${folder}/*.c)
  string(REPLACE "/" "_" target ${folder})
  if(NOT src OR NOT criterion_FOUND)
    return()
  endif()
  add_executable(test_${target} ${src})
  set_target_properties(test_${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(test_${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(test_${target} PRIVATE
    WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    WEFT_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(test_${target} PRIVATE -Wno-missing-prototypes)
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND weft_)
  if(TARGET weft_${target})
    target_link_libraries(test_${target} PRIVATE weft_${target})
  endif()
  if(TARGET weft_tests_support)
    target_link_libraries(test_${target} PRIVATE weft_tests_support)
  endif()
  target_link_libraries(test_${target} PRIVATE ${F_DEPS} ${F_LIBS}
    PkgConfig::criterion)
  add_test(NAME ${target} COMMAND test_${target})
  set_tests_properties(${target} PROPERTIES ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/contrib/lsan.supp:print_suppressions=0")
endfunction()

# weft_tool(tests/bench/ledger DEPS ...): a test or bench program with a main
# of its own, built as <build>/<path>.
function(weft_tool path)
  cmake_parse_arguments(F "" "" "DEPS;LIBS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${path}.c)
    return()
  endif()
  string(REPLACE "/" "_" target ${path})
  get_filename_component(leaf ${path} NAME)
  get_filename_component(dir ${path} DIRECTORY)
  add_executable(${target} ${path}.c)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${leaf}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${dir})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND weft_)
  target_link_libraries(${target} PRIVATE ${F_DEPS} ${F_LIBS})
endfunction()

# weft_fuzz(ptx DEPS gpu/ptx base): tests/fuzz/<name>.c.  As a libFuzzer
# program with WEFT_FUZZ, else a replay of tests/fuzz/corpus/<name>/.
function(weft_fuzz name)
  cmake_parse_arguments(F "" "" "DEPS;LIBS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}.c)
    return()
  endif()
  if(WEFT_FUZZ)
    add_executable(fuzz_${name} tests/fuzz/${name}.c)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(fuzz_${name} tests/fuzz/${name}.c tests/fuzz/replay/replay.c)
    add_test(NAME fuzz_${name} COMMAND fuzz_${name}
      ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  set_target_properties(fuzz_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(fuzz_${name} PRIVATE -Wno-missing-prototypes)
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND weft_)
  target_link_libraries(fuzz_${name} PRIVATE ${F_DEPS} ${F_LIBS})
endfunction()
