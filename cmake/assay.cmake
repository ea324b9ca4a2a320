# Helpers for the folders' CMakeLists.txt, which only list what a folder contains; compiler flags are
# set here only.

if(ASSAY_MUTATE)
  # For every target: some compile files of the reference with flags of their own.  Mutants break what warnings
  # demand, such as the shape of a condition.
  add_library(assay_mutant STATIC ${PROJECT_SOURCE_DIR}/ci/mutant.c)
  target_include_directories(assay_mutant PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(assay_mutant PRIVATE _GNU_SOURCE)
  add_compile_options(-w "SHELL:-include ${PROJECT_SOURCE_DIR}/ci/mutant.h")
  link_libraries(assay_mutant)
endif()

add_library(assay_options INTERFACE)
target_include_directories(assay_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(assay_options INTERFACE _GNU_SOURCE)
target_compile_options(assay_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror
  -Wno-missing-field-initializers # fields left out are zero on purpose
  -ffp-contract=off -fno-math-errno
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes>)
if(ASSAY_PROVE)
  # ci/plant writes the faults of a file's rule marks into a copy, and compiles that.
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/ci/plant_marked ${Python3_EXECUTABLE} ${CMAKE_${language}_COMPILER_LAUNCHER})
  endforeach()
  target_compile_definitions(assay_options INTERFACE ASSAY_PROVE)
  # The names of faults contain __FILE__.
  target_compile_options(assay_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
if(ASSAY_SANITIZE OR ASSAY_FUZZ)
  # Allocates each arena object as a separate block, and enables the checks that walk whole structures (check.h).
  target_compile_definitions(assay_options INTERFACE RT_ARENA_BLOCKS RT_CHECK_SLOW)
endif()
if(ASSAY_SANITIZE)
  target_compile_options(assay_options INTERFACE
    -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<C_COMPILER_ID:GNU>:-Wno-conversion> # gcc 12 warns about its own instrumentation
    # gcc 14 takes LLVM's operators new and delete for mismatched where the instrumentation is between them
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>)
  target_link_options(assay_options INTERFACE -fsanitize=${ASSAY_SANITIZE})
  if(CMAKE_C_COMPILER_ID STREQUAL Clang AND ASSAY_SANITIZE MATCHES address)
    # Shared objects of ours need the runtime too, which must be in the process once.
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE sanitizer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET sanitizer PARENT_PATH sanitizer)
    target_link_options(assay_options INTERFACE -shared-libasan -Wl,-rpath,${sanitizer})
  endif()
endif()

if(ASSAY_FUZZ)
  target_compile_options(assay_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(assay_options INTERFACE -fsanitize=address,undefined)
endif()

# assay_library(NAME SOURCES a.c b.c [LINK other ...])
# A static library of one folder.
function(assay_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC assay_options ${ARG_LINK})
endfunction()

# assay_faults(LIBRARY FOLDER/faults.c FUNCTION ...)
# In the build `prove`, that file wraps functions of the library: it defines __wrap_FUNCTION, which other files then
# call (reference/base/fault.h).  No other build compiles it.
function(assay_faults library source)
  if(NOT ASSAY_PROVE)
    return()
  endif()
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    # An object, because a wrapper may be called only by libraries that follow this one on the linker's command line.
    add_library(${library}_faults OBJECT ${source})
    target_link_libraries(${library}_faults PRIVATE base)
    target_include_directories(${library}_faults PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
    target_link_libraries(${library} INTERFACE $<TARGET_OBJECTS:${library}_faults>)
  else()
    target_sources(${library} PRIVATE ${source})
  endif()
  list(TRANSFORM ARGN PREPEND -Wl,--wrap= OUTPUT_VARIABLE wraps)
  target_link_options(${library} PUBLIC ${wraps})
endfunction()

# assay_fault_table(PROGRAM)
# In the build `prove`, writes the faults in a program to faults-PROGRAM.txt next to it, for `assay requirements --prove`.
function(assay_fault_table program)
  if(NOT ASSAY_PROVE)
    return()
  endif()
  set(table ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/faults-${program}.txt)
  # Without marks, a program has no such section, and the table is empty.
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -f ${table}
    COMMAND ${CMAKE_COMMAND} -E touch ${table}
    COMMAND ${CMAKE_OBJCOPY} --dump-section assay_faults=${table} $<TARGET_FILE:${program}> /dev/null
    BYPRODUCTS ${table} VERBATIM)
endfunction()

# Links tests in half of the processor time that the default linker takes; more threads only compete with other links.
find_program(ASSAY_LLD ld.lld)
set(ASSAY_TEST_LINKER)
if(ASSAY_LLD AND NOT ASSAY_PROVE) # where wrappers (assay_faults) are for the linker that links the program
  set(ASSAY_TEST_LINKER -fuse-ld=lld -Wl,--threads=1)
endif()

# assay_unit_test(NAME SOURCES test_a.c [LINK library ...])
# A cmocka program, registered with CTest under the label "unit".
function(assay_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${ARG_LINK} PkgConfig::CMOCKA)
  target_link_options(${name} PRIVATE ${ASSAY_TEST_LINKER})
  # What is tested keeps its level; optimising the test would take longer than it saves.
  if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT ASSAY_PROVE) # where tests judge faults as in a release
    target_compile_options(${name} PRIVATE -O0)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# assay_fuzzer(NAME SOURCES fuzz_a.c [LINK library ...])
# A libFuzzer program (preset fuzz); ci/fuzz makes its seeds.
function(assay_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT ASSAY_FUZZ)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# assay_proof_test(NAME SOURCES test_a.c [LINK library ...])
# A unit test that proves rules: its tests are named after the rules' ids (DL_SPLIT_08_...), and its
# argument is a pattern for their names.  `assay requirements --prove` finds the test in proofs.txt next to
# the program, and runs it with the rules' faults.
function(assay_proof_test name)
  assay_unit_test(${name} ${ARGN})
  set_property(GLOBAL APPEND_STRING PROPERTY ASSAY_PROOF_PROGRAMS "${name}\n")
  set_property(GLOBAL APPEND PROPERTY ASSAY_PROOF_TARGETS ${name})
endfunction()

# assay_front_end_test(NAME SOURCES test_a.c [LINK library ...])
# A test of another project's front end, in which no fault can be planted; its tests are named after
# rules too, and twins show that the checks can fail (ARCHITECTURE.md, "Rules in the code").  It exits
# with 77 if that front end is not installed.
function(assay_front_end_test name)
  assay_unit_test(${name} ${ARGN})
  if(BUILD_TESTING)
    set_tests_properties(${name} PROPERTIES LABELS dpcpp SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY ASSAY_PROOF_PROGRAMS "front-end ${name}\n")
  set_property(GLOBAL APPEND PROPERTY ASSAY_PROOF_TARGETS ${name})
endfunction()

# Writes proofs.txt after all folders have been read; all programs are in one folder.  The target `proofs` builds what
# `assay requirements --prove` runs, a fraction of the tests.
function(assay_write_proofs)
  set(list ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/proofs.txt)
  get_property(programs GLOBAL PROPERTY ASSAY_PROOF_PROGRAMS)
  if(BUILD_TESTING AND programs)
    file(CONFIGURE OUTPUT ${list} CONTENT "${programs}" @ONLY)
    get_property(targets GLOBAL PROPERTY ASSAY_PROOF_TARGETS)
    add_custom_target(proofs DEPENDS assay assay_compiler assay_tier ${targets})
  else()
    file(REMOVE ${list})
  endif()
endfunction()
cmake_language(DEFER CALL assay_write_proofs)
