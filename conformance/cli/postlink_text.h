/* Post-link's result for a module, as text for people and as JSON. */
#ifndef CONFORMANCE_CLI_POSTLINK_TEXT_H
#define CONFORMANCE_CLI_POSTLINK_TEXT_H

#include "reference/image/device_global.h"

/* A module with its images. */
typedef struct cnf_postlinked {
    rt_text module;
    const char *split; /* its name */
    rt_image_list images;
    rt_device_global_list device_globals; /* registered by the sources' host code */
} cnf_postlinked;

/* Appends the device_globals that host code registers and, for each image: format and size,
 * kernels, exported and imported symbols with their demangled names, specialisation constants,
 * aspects, options, and the remaining property sets. The arena is for temporary texts. */
void cnf_postlink_text(rt_buffer *out, rt_arena *arena, const cnf_postlinked *module);

/* Appends the same for all modules as one JSON array and a newline; property sets are complete,
 * with bytes in hexadecimal. */
void cnf_postlink_json(rt_buffer *out, rt_arena *arena, const cnf_postlinked *modules,
                       uint32_t module_count);

#endif
