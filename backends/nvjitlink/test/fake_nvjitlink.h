/* A fake of NVIDIA's linker library: what it answers, logs and writes is asked for.
 *
 * It is a shared object that exports the library's entry points and fake_nvjitlink_control.  The
 * cubin of a link is an ELF file whose symbols are the words of `functions` and `variables`. */
#ifndef BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H
#define BACKENDS_NVJITLINK_TEST_FAKE_NVJITLINK_H

#include "backends/nvjitlink/nvj_library.h"

#include <stdbool.h>

typedef struct fake_nvjitlink {
    /* What a link makes. */
    const char *functions, *variables; /* names between spaces; variables have 12 bytes */
    bool no_cubin;                     /* bytes that are none */
    size_t cubin_cut;                  /* bytes that are left out at its end */
    size_t cubin_size;                 /* what is told of its size; 0: the truth */
    /* What goes wrong. */
    uint32_t fail_at;      /* the n-th call, from 1; 0: none */
    const char *fail_call; /* every call of this name; NULL: none */
    nvj_result fail_with;  /* its result; 0: success, and nothing is given */
    const char *log;       /* what such a call adds to the error log; NULL: nothing */
    const char *written;   /* what it writes to standard error; NULL: nothing */
    /* What happened. */
    uint32_t calls;
    int32_t live;      /* links alive */
    uint32_t added;    /* texts of the last link */
    char options[256]; /* of the last link, each followed by a space */
    char trace[8192];  /* the calls' names, each followed by a space; cut when full */
} fake_nvjitlink;

/* The state of the fake, the same for all who opened it. */
fake_nvjitlink *fake_nvjitlink_control(void);

#endif
