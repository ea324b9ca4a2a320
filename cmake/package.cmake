# The installed files, and the Debian package that contains them.  No file records where it was
# installed: the program finds its libraries and scenarios relative to itself (../lib/assay,
# ../share/assay).
include(GNUInstallDirs)

install(TARGETS assay RUNTIME DESTINATION bin)
if(TARGET assay_reference)
  install(TARGETS assay_reference LIBRARY DESTINATION lib/assay)
else()
  install(PROGRAMS $<TARGET_PROPERTY:assay_reference_file,path> DESTINATION lib/assay)
endif()
install(FILES api/assay.h DESTINATION include)
configure_file(api/assay.pc.in ${CMAKE_BINARY_DIR}/assay.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/assay.pc DESTINATION lib/pkgconfig)
# pkg-config prefers this one if PKG_CONFIG_PATH names the build folder.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/assay-uninstalled.pc @ONLY CONTENT [[
Name: assay
Description: Reference runtime for device code of DPC++, not installed
Version: @PROJECT_VERSION@
Cflags: -I@PROJECT_SOURCE_DIR@/api
Libs: -L@CMAKE_LIBRARY_OUTPUT_DIRECTORY@ -Wl,-rpath,@CMAKE_LIBRARY_OUTPUT_DIRECTORY@ -lassay_reference
]])
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION share/assay)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/doc/assay PATTERN "*.jsonl" EXCLUDE)
# The source tree's README is about building assay; an installation gets one about using it.
install(FILES cmake/installed.md DESTINATION share/doc/assay RENAME README.md)
install(FILES LICENSE DESTINATION share/doc/assay RENAME copyright)

# The manual page and the shells' completions, which the program prints from its command-line tables.
set(printed ${CMAKE_BINARY_DIR}/manual)
set(shells bash zsh fish)
set(completion_bash assay)
set(completion_zsh _assay)
set(completion_fish assay.fish)
set(completion_commands)
set(completion_files)
foreach(shell ${shells})
  list(APPEND completion_files ${printed}/${completion_${shell}})
  list(APPEND completion_commands COMMAND assay completion ${shell} > ${printed}/${completion_${shell}})
endforeach()
add_custom_command(OUTPUT ${printed}/assay.1 ${completion_files}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${printed}
  COMMAND assay manual > ${printed}/assay.1
  ${completion_commands}
  DEPENDS assay COMMENT "Printing the manual page and the completions" VERBATIM)
add_custom_target(manual ALL DEPENDS ${printed}/assay.1 ${completion_files})
install(FILES ${printed}/assay.1 DESTINATION share/man/man1)
install(FILES ${printed}/assay DESTINATION share/bash-completion/completions)
install(FILES ${printed}/_assay DESTINATION share/zsh/vendor-completions)
install(FILES ${printed}/assay.fish DESTINATION share/fish/vendor_completions.d)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
# Debian asks for a name and an e-mail address; the project has no address, and none is invented.
set(CPACK_PACKAGE_CONTACT "the assay project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tests runtimes that link and launch device code")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# package_depends.cmake adds those of the libraries that the files are linked with; the packages listed here contain what
# assay starts or opens at run time.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_depends.cmake)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "spirv-tools")
if(ASSAY_COMPILER)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", clang-${ASSAY_LLVM_VERSION}")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1, pocl-opencl-icd, libclc-${ASSAY_LLVM_VERSION}, gcc, g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, libze1, intel-opencl-icd")
include(CPack)
