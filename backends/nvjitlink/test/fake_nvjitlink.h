/* A fake of NVIDIA's linker library, whose results, logs and output are configurable.  The cubin of
 * a link is an ELF file whose symbols are the words of `functions` and `variables`. */
#ifndef BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H
#define BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H

#include "backends/nvjitlink/nvj_library.h"
#include "backends/vendor/test/fake_script.h"

#include <stdbool.h>

typedef struct fake_nvjitlink {
    fake_script script;
    /* The result of a link. */
    const char *functions, *variables; /* space-separated names; each variable has 12 bytes */
    bool no_cubin;                     /* returns bytes that are not a cubin */
    size_t cubin_cut;                  /* bytes missing from the end of the cubin */
    size_t cubin_size;                 /* reported size of the cubin; 0: the real one */
    /* Failures. */
    const char *log;     /* added to the error log by a failing call; NULL for nothing */
    const char *written; /* written to stderr by a failing call; NULL for nothing */
    /* Observations. */
    uint32_t added;    /* number of texts in the last link */
    char options[256]; /* options of the last link, each followed by a space */
} fake_nvjitlink;

#endif
