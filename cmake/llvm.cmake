# The version of LLVM that assay is built with, and its programs.  The compiler plugin links libLLVM and the SPIR-V
# translator; the program runs clang of the same version, and tests use the others.
set(ASSAY_LLVM_VERSIONS 14 19)
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
