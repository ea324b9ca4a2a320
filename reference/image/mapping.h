/* Memory by address: the readable bytes at the addresses of a process or an ELF file.
 *
 * Structures that hold pointers are read through a mapping, so that an invalid pointer is found
 * before it is followed. */
#ifndef REFERENCE_IMAGE_MAPPING_H
#define REFERENCE_IMAGE_MAPPING_H

#include "reference/base/arena.h"

typedef struct rt_mapped {
    uint64_t address;
    rt_bytes bytes;
} rt_mapped;

typedef struct rt_mapping {
    const rt_mapped *ranges;
    uint32_t count;
} rt_mapping;

/* Maximum length of a text in bytes; it bounds the cost of reading many texts. */
enum { RT_MAPPED_TEXT_MAX = 65535 };

/* The bytes from address on; false if they are not all inside one range. */
bool rt_mapping_bytes(const rt_mapping *mapping, uint64_t address, uint64_t size,
                      rt_bytes *out_bytes);

/* The text at address up to its NUL byte; false if the range ends, or RT_MAPPED_TEXT_MAX bytes
 * pass, without one. */
bool rt_mapping_text(const rt_mapping *mapping, uint64_t address, rt_text *out_text);

/* The readable segments of all modules loaded into this process (dl_iterate_phdr(3)), where
 * compilers put registered data; not its heaps and stacks.  The table is allocated in the arena; it
 * is valid until a module is unloaded. */
rt_mapping rt_mapping_of_process(rt_arena *arena);

/* Called by rt_mapping_visit with the readable segments of one module; everything is valid during
 * the call. */
typedef void rt_mapping_visitor(void *user, const rt_mapping *module, rt_text path);

/* Calls the visitor with the module of this process that contains the address, and the path of its
 * file (empty for the executable); false: no module does.  The module stays mapped during the call,
 * even if another thread unloads it, because that thread needs the lock of dl_iterate_phdr(3); so
 * the visitor must not load or unload a module. */
bool rt_mapping_visit(uint64_t address, rt_mapping_visitor *visitor, void *user);

#endif
