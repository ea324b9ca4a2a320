/* A fake of Intel's offline compiler.  It joins files by appending them, and its machine code is an
 * ELF file whose symbols are the words of `functions`, which are local, and `variables`. */
#ifndef BACKENDS_OCLOC_TEST_FAKE_OCLOC_H
#define BACKENDS_OCLOC_TEST_FAKE_OCLOC_H

#include "backends/ocloc/ocloc_library.h"
#include "backends/vendor/test/fake_script.h"

typedef struct fake_ocloc {
    fake_script script;                /* a command counts as a call with the name of its verb */
    const char *functions, *variables; /* space-separated names; each variable has 12 bytes */
    const char *ze_info;               /* text of the machine code's section .ze_info */
    const char *extensions;
    const char *log;      /* what each command prints */
    uint16_t machine;     /* of the machine code */
    bool without_output;  /* a command returns only its log */
    uint64_t output_size; /* size that is reported for the output; 0: the real one */
    /* Observations. */
    char command[512]; /* the words of the last command, each followed by a space */
    uint64_t joined;   /* bytes of the files of the last link */
} fake_ocloc;

#endif
