/* Sets the OpenCL layer's environment variables and reads its log. */
#include "conformance/subject/layer.h"

#include "backends/opencl/layer/layer.h"
#include "backends/opencl/opencl.h"
#include "conformance/process/child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOADER_VARIABLE "OPENCL_LAYERS"

bool cnf_layer_fits(const cnf_subject *subject)
{
    return subject->backend == &ocl_backend || subject->backend == &ocl_source_backend ||
           !subject->runtime->is_reference;
}

rt_text cnf_layer_find(rt_arena *arena)
{
    static const char *const places[] = {OCL_LAYER_FILE, "../lib/assay/" OCL_LAYER_FILE};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return (rt_text){0};
    program[length] = '\0';
    const char *slash = strrchr(program, '/');
    int folder = slash ? (int)(slash - program) : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        rt_text path = rt_arena_printf(arena, "%.*s/%s", folder, program, places[i]);
        if (access(path.data, R_OK) == 0) return path;
    }
    return (rt_text){0};
}

const char *const *cnf_layer_environment(rt_arena *arena, rt_text log, uint32_t hidden)
{
    rt_text path = cnf_layer_find(arena);
    if (path.length == 0) return NULL;
    rt_text before = rt_text_of(getenv(LOADER_VARIABLE)); /* the user's own layers stay active */
    rt_buffer names = {0};
    for (int aspect = 0; aspect < DEV_ASPECT_COUNT; aspect++) {
        if ((hidden >> aspect & 1) == 0) continue;
        rt_buffer_printf(&names, "%s%s", names.size > 0 ? "," : "",
                         dev_aspect_name((dev_aspect)aspect));
    }
    const char **list = rt_arena_alloc_array(arena, 4, sizeof *list);
    list[0] = rt_arena_printf(arena, LOADER_VARIABLE "=%.*s%s%.*s", RT_TEXT_ARG(path),
                              before.length > 0 ? ":" : "", RT_TEXT_ARG(before))
                  .data;
    list[1] = rt_arena_printf(arena, OCL_LAYER_LOG "=%.*s", RT_TEXT_ARG(log)).data;
    list[2] = rt_arena_printf(arena, OCL_LAYER_HIDE "=%s", rt_buffer_string(&names)).data;
    rt_buffer_free(&names);
    return list;
}

void cnf_layer_begin(cnf_layer *layer, uint32_t hidden)
{
    const char *before = getenv(LOADER_VARIABLE);
    *layer = (cnf_layer){.log = CNF_CHILD_LOG, .was_set = before != NULL};
    rt_buffer_append_text(&layer->before, rt_text_of(before));
    /* Uses the runner's log if the descriptor refers to an anonymous in-memory file; otherwise
     * creates a log. */
    if (fcntl(CNF_CHILD_LOG, F_GET_SEALS) < 0)
        layer->log = memfd_create("assay-opencl-log", MFD_CLOEXEC);
    if (layer->log < 0) return;
    rt_arena arena = {0};
    const char *const *list =
        cnf_layer_environment(&arena, rt_arena_printf(&arena, "%d", layer->log), hidden);
    layer->found = list != NULL;
    for (const char *const *entry = list; entry && *entry; entry++) {
        rt_text value = rt_text_of(*entry);
        rt_text name = rt_text_take_until(&value, '=');
        CHECK(name.length > 0 && name.length + 1 + value.length == strlen(*entry));
        setenv(rt_arena_text(&arena, name).data, value.data, 1);
    }
    rt_arena_reset(&arena);
}

void cnf_layer_again(cnf_layer *layer)
{
    rt_arena arena = {0};
    rt_text path = cnf_layer_find(&arena);
    *layer = (cnf_layer){.log = CNF_CHILD_LOG, .found = path.length > 0};
    /* Found only if the loader has loaded it. */
    void *library = layer->found ? dlopen(path.data, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void (*restart)(void) = NULL;
    void *symbol = library ? dlsym(library, OCL_LAYER_RESTART) : NULL;
    memcpy(&restart, &symbol, sizeof restart); /* POSIX lets an object pointer be a function's */
    if (restart) restart();
    if (library) dlclose(library);
    rt_arena_reset(&arena);
}

void cnf_layer_begun(cnf_layer *layer)
{
    unsetenv(OCL_LAYER_LOG);
    unsetenv(OCL_LAYER_HIDE);
    if (layer->was_set)
        setenv(LOADER_VARIABLE, rt_buffer_string(&layer->before), 1);
    else
        unsetenv(LOADER_VARIABLE);
}

void cnf_layer_end(cnf_layer *layer)
{
    rt_buffer_free(&layer->before);
}

bool cnf_layer_read(const cnf_layer *layer, rt_buffer *out_log)
{
    char part[1 << 16];
    for (off_t at = 0; layer->log >= 0;) {
        ssize_t size = pread(layer->log, part, sizeof part, at);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        if (size == 0) return true;
        rt_buffer_append(out_log, part, (size_t)size);
        at += size;
    }
    return false;
}
