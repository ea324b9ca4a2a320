/* What every fake of a vendor's library does with a call: it writes its name down, and fails it
 * where it was told to.
 *
 * A fake is a shared object of its own, as the real library is; its state begins with one of these,
 * and fake_control leads there. */
#ifndef BACKENDS_VENDOR_TEST_FAKE_SCRIPT_H
#define BACKENDS_VENDOR_TEST_FAKE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fake_script {
    /* What goes wrong. */
    uint32_t fail_at;      /* the n-th call, from 1; 0: none */
    uint32_t fail_from;    /* every call from the n-th; 0: none */
    const char *fail_call; /* every call of this name; NULL: none */
    int fail_with;         /* its result; 0, success everywhere: it gives nothing all the same */
    /* What happened. */
    uint32_t calls;
    int32_t live;      /* objects alive */
    char trace[32768]; /* the calls' names, each followed by a space; cut when full */
} fake_script;

/* Records a call and says whether it is to fail. */
bool fake_script_fails(fake_script *script, const char *name);

/* Makes an object of size bytes, all zero; fake_script_end frees it. */
void *fake_script_make(fake_script *script, size_t size);
void fake_script_end(fake_script *script, void *gone);

/* The state of the fake, the same for all who opened it; every fake exports it. */
void *fake_control(void);

#endif
