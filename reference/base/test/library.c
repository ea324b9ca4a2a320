/* Loads a library from the running program's folder. */
#include "reference/base/test/library.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void *test_library_function(const char *library, const char *function)
{
    enum { PATH_SIZE = 4096, NAME_SIZE = 64 };
    char path[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - NAME_SIZE);
    assert_true(length > 0 && strlen(library) < NAME_SIZE);
    path[length] = '\0';
    snprintf(strrchr(path, '/') + 1, NAME_SIZE, "%s", library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail_msg("%s", dlerror());
    void *symbol = dlsym(handle, function);
    assert_non_null(symbol);
    return symbol;
}
