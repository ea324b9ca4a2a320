# CPack runs this between installing and packing: adds the packages of the libraries that the program and its own libraries
# are linked with.  CPACK_DEBIAN_PACKAGE_SHLIBDEPS would ask `file` about every file, and a scenario is a file.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/bin/* ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.so)
set(folder ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
# What dpkg-shlibdeps reads.
file(WRITE ${folder}/debian/control "Source: assay\n\nPackage: assay\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps -O ${files}
  WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "shlibs:Depends=" "" depends "${depends}")
string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${depends}")
