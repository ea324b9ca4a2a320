/* The part that all fakes of vendors' libraries share: it records each call's name, and fails the
 * calls that a test selects.  A fake is a separate shared object, like the real library; its state
 * begins with a fake_script, and fake_control returns it. */
#ifndef BACKENDS_VENDOR_TEST_FAKE_SCRIPT_H
#define BACKENDS_VENDOR_TEST_FAKE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fake_script {
    /* Failures. */
    uint32_t fail_at;      /* number of the call to fail, counted from 1; 0 for none */
    uint32_t fail_from;    /* all calls from this number on fail; 0 for none */
    const char *fail_call; /* all calls with this name fail; NULL for none */
    int fail_with;         /* the failed call's result; even if it is 0, which is success
                            * everywhere, the call returns no object */
    /* Observations. */
    uint32_t calls;
    int32_t live;      /* number of live objects */
    char trace[32768]; /* the calls' names, each followed by a space; truncated when full */
} fake_script;

/* Records a call.  True if it must fail. */
bool fake_script_fails(fake_script *script, const char *name);

/* Creates an object of `size` bytes, all zero; fake_script_end frees it. */
void *fake_script_make(fake_script *script, size_t size);
void fake_script_end(fake_script *script, void *object);

/* Returns the fake's state, which the fake and the test share; every fake exports this function. */
void *fake_control(void);

#endif
