/* Loads a library that the build has put into the folder of a test's program. */
#ifndef REFERENCE_BASE_TEST_LIBRARY_H
#define REFERENCE_BASE_TEST_LIBRARY_H

/* Loads the library with that file name from the running program's folder, for the life of the
 * process, and returns the address of one of its functions. Fails the test if either is missing.
 * The caller, which knows the function's type, copies the address into a pointer of that type. */
void *test_library_function(const char *library, const char *function);

#endif
