/* The part that all fakes of vendors' libraries share. */
#include "backends/vendor/test/fake_script.h"

#include <stdlib.h>
#include <string.h>

bool fake_script_fails(fake_script *script, const char *name)
{
    size_t used = strlen(script->trace), length = strlen(name);
    if (used + length + 2 < sizeof script->trace) {
        memcpy(script->trace + used, name, length);
        script->trace[used + length] = ' ';
        script->trace[used + length + 1] = '\0';
    }
    script->calls++;
    return script->calls == script->fail_at ||
           (script->fail_from && script->calls >= script->fail_from) ||
           (script->fail_call && strcmp(script->fail_call, name) == 0);
}

void *fake_script_make(fake_script *script, size_t size)
{
    void *object = calloc(1, size);
    if (!object) abort();
    script->live++;
    return object;
}

void fake_script_end(fake_script *script, void *object)
{
    script->live--;
    free(object);
}
