/* Loads a library that the build has placed in the test program's folder. */
#ifndef REFERENCE_BASE_TEST_LIBRARY_H
#define REFERENCE_BASE_TEST_LIBRARY_H

/* Loads the library with the given file name from the running program's folder, for the life of the
 * process, and returns the address of the given function.  Fails the test if either is missing. The
 * caller, which knows the function's type, copies the address into a pointer of that type. */
void *test_library_function(const char *library, const char *function);

#endif
