/* A fake of NVIDIA's linker library: what it answers, logs and writes is asked for.
 *
 * The cubin of a link is an ELF file whose symbols are the words of `functions` and `variables`. */
#ifndef BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H
#define BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H

#include "backends/nvjitlink/nvj_library.h"
#include "backends/vendor/test/fake_script.h"

#include <stdbool.h>

typedef struct fake_nvjitlink {
    fake_script script;
    /* What a link makes. */
    const char *functions, *variables; /* names between spaces; variables have 12 bytes */
    bool no_cubin;                     /* bytes that are none */
    size_t cubin_cut;                  /* bytes that are left out at its end */
    size_t cubin_size;                 /* its reported size; 0: the real one */
    /* What goes wrong. */
    const char *log;     /* what such a call adds to the error log; NULL: nothing */
    const char *written; /* what it writes to standard error; NULL: nothing */
    /* What happened. */
    uint32_t added;    /* texts of the last link */
    char options[256]; /* of the last link, each followed by a space */
} fake_nvjitlink;

#endif
