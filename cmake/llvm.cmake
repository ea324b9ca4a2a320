# The version of LLVM that assay is built with, and its programs.  The compiler plugin links libLLVM and the SPIR-V
# translator; the program runs clang of the same version, and tests use the others.
set(ASSAY_LLVM_VERSIONS 14 19 21)
set(ASSAY_LLVM_VERSION "" CACHE STRING "Version of LLVM (empty: that of the installed SPIR-V translator)")

pkg_check_modules(SPIRVLIB QUIET LLVMSPIRVLib)
string(REGEX MATCH "^[0-9]+" translator_version "${SPIRVLIB_VERSION}")
if(ASSAY_LLVM_VERSION STREQUAL "")
  # The translator is the part of which only one version's headers can be installed at a time.
  set(ASSAY_LLVM_VERSION 14)
  if(translator_version IN_LIST ASSAY_LLVM_VERSIONS)
    set(ASSAY_LLVM_VERSION ${translator_version})
  endif()
endif()

find_program(ASSAY_CLANG clang-${ASSAY_LLVM_VERSION})
find_program(ASSAY_LLVM_CONFIG llvm-config-${ASSAY_LLVM_VERSION})
# Only tests use these.
find_program(ASSAY_LLVM_SPIRV llvm-spirv-${ASSAY_LLVM_VERSION})
find_program(ASSAY_LLVM_LINK llvm-link-${ASSAY_LLVM_VERSION})
find_program(ASSAY_LLVM_NM llvm-nm-${ASSAY_LLVM_VERSION})

if(ASSAY_COMPILER)
  find_path(ASSAY_SPIRVLIB_INCLUDE LLVMSPIRVLib/LLVMSPIRVLib.h)
  find_library(ASSAY_SPIRVLIB LLVMSPIRVLib)
  set(needed_ASSAY_LLVM_CONFIG llvm-${ASSAY_LLVM_VERSION}-dev)
  set(needed_ASSAY_CLANG clang-${ASSAY_LLVM_VERSION})
  set(needed_ASSAY_SPIRVLIB_INCLUDE libllvmspirvlib-${ASSAY_LLVM_VERSION}-dev)
  set(needed_ASSAY_SPIRVLIB libllvmspirvlib-${ASSAY_LLVM_VERSION}-dev)
  foreach(needed ASSAY_LLVM_CONFIG ASSAY_CLANG ASSAY_SPIRVLIB_INCLUDE ASSAY_SPIRVLIB)
    if(NOT ${needed})
      message(FATAL_ERROR
        "The compiler plugin needs the package ${needed_${needed}}.  ci/setup installs what assay needs; by hand: "
        "apt-get install ${needed_ASSAY_CLANG} ${needed_ASSAY_LLVM_CONFIG} ${needed_ASSAY_SPIRVLIB}")
    endif()
  endforeach()
  if(NOT translator_version EQUAL ASSAY_LLVM_VERSION)
    message(FATAL_ERROR
      "The installed SPIR-V translator is of version ${SPIRVLIB_VERSION}, and LLVM of version ${ASSAY_LLVM_VERSION}: "
      "install libllvmspirvlib-${ASSAY_LLVM_VERSION}-dev, or configure with -DASSAY_LLVM_VERSION=${translator_version}")
  endif()
endif()

# The processor for which PTX is written: any NVIDIA GPU that is not older runs it, because its driver compiles PTX.  The
# rows have the first version of LLVM whose back end knows a processor, and the version of PTX that the processor needs.
# Rows for versions other than those above are from LLVM's release notes and untested.
set(ASSAY_PTX_PROCESSOR sm_75 CACHE STRING "Processor of the PTX: sm_75 (every current GPU), sm_80, sm_86, sm_90, sm_100 …")
set(ptx_rows sm_75:14:64 sm_80:14:70 sm_86:14:71 sm_89:16:78 sm_90:16:78 sm_100:20:86 sm_120:20:87)
set(ASSAY_PTX_FEATURES "")
foreach(row ${ptx_rows})
  string(REPLACE ":" ";" row ${row})
  list(GET row 0 processor)
  list(GET row 1 since)
  list(GET row 2 ptx)
  if(processor STREQUAL ASSAY_PTX_PROCESSOR AND NOT ASSAY_LLVM_VERSION VERSION_LESS since)
    set(ASSAY_PTX_FEATURES +ptx${ptx})
  endif()
endforeach()
if(ASSAY_PTX_FEATURES STREQUAL "")
  message(FATAL_ERROR
    "ASSAY_PTX_PROCESSOR: LLVM ${ASSAY_LLVM_VERSION} has no row for '${ASSAY_PTX_PROCESSOR}'; expected one of (processor, "
    "first LLVM, PTX): ${ptx_rows}")
endif()
