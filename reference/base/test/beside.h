/* Opens a library that the build has put into the folder of a test's program. */
#ifndef REFERENCE_BASE_TEST_BESIDE_H
#define REFERENCE_BASE_TEST_BESIDE_H

/* Loads the library of that file name from the folder of the running program, for as long as the
 * process lives, and returns the address of a function of it.  Fails the test where either is not
 * there.  The caller knows the function's type and copies the address into a pointer to it. */
void *test_function_beside(const char *library, const char *function);

#endif
