/* device_global variables as images and modules describe them.
 *
 * An image has a property set "SYCL/device globals" with a property for each variable that it
 * contains.  A module's host code knows all its variables, even those that no image contains: it
 * registers the address and the unique id of each (device_global_map::add); the other properties
 * follow from the argument types of the copy functions. Source: document 002 (DeviceGlobal.md),
 * "New SYCL/device globals property set" and "Changes to the DPC++ runtime". */
#ifndef REFERENCE_IMAGE_DEVICE_GLOBAL_H
#define REFERENCE_IMAGE_DEVICE_GLOBAL_H

#include "reference/image/image.h"

#define RT_SET_DEVICE_GLOBALS "SYCL/device globals"

/* Among other things, this set maps the id of each variable to its symbol in the code, in a
 * property of type bytes whose name is the id followed by the suffix.  Observed: shipped DPC++
 * (requirements.yaml, DG-PLUGIN-06, key dpcpp). */
#define RT_SET_PROGRAM_METADATA  "SYCL/program metadata"
#define RT_GLOBAL_MAPPING_SUFFIX "@global_id_mapping"

/* The values of the property host_access, which restricts the host's access; READ_WRITE is the
 * default (sycl_ext_oneapi_device_global, "host_access"). */
#define RT_HOST_ACCESSES(ACCESS)                                                                   \
    ACCESS(READ_WRITE, "read_write")                                                               \
    ACCESS(READ, "read")                                                                           \
    ACCESS(WRITE, "write")                                                                         \
    ACCESS(NONE, "none")

typedef enum rt_host_access {
#define RT_HOST_ACCESS_ENUM(access, name) RT_HOST_ACCESS_##access,
    RT_HOST_ACCESSES(RT_HOST_ACCESS_ENUM)
#undef RT_HOST_ACCESS_ENUM
        RT_HOST_ACCESS_COUNT
} rt_host_access;

/* One variable as its module's host code describes it. */
typedef struct rt_device_global {
    rt_text unique_id; /* sycl-unique-id: the same in every declaration of the variable */
    rt_text name;      /* qualified, as in its source: "inner::Bar"; for messages */
    uint64_t size;     /* sizeof(T), bytes, >= 1 */
    bool image_scope;  /* property device_image_scope */
    rt_host_access host_access;
    rt_bytes initial; /* without image scope: `size` bytes with which the host's object begins, and
                       * so every instance; empty: zeros */
} rt_device_global;

typedef struct rt_device_global_list {
    const rt_device_global *globals; /* in the order of registration, each unique_id once */
    uint32_t count;
} rt_device_global_list;

/* The name of an access, static: "read_write". */
const char *rt_host_access_name(rt_host_access access);

/* The value of the property with which an image describes a variable. */
typedef struct rt_device_global_value {
    uint32_t size;    /* size of the variable's underlying type in bytes */
    bool image_scope; /* property device_image_scope */
} rt_device_global_value;

/* Size of a value in bytes: as written, and the minimum, which is the document's structure without
 * padding (a 32-bit size and an 8-bit flag).  DPC++ writes the flag as a 32-bit number. */
enum { RT_DEVICE_GLOBAL_VALUE_SIZE = 8, RT_DEVICE_GLOBAL_VALUE_SIZE_MIN = 5 };

/* Appends the value of a property of RT_SET_DEVICE_GLOBALS: RT_DEVICE_GLOBAL_VALUE_SIZE bytes,
 * padded with zeros.  Source: document 002, "New SYCL/device globals property set". */
void rt_device_global_value_write(rt_buffer *out, rt_device_global_value value);

/* Reads the value of such a property, which has 5 or 8 bytes: the size from bytes 0 to 3 and the
 * flag from byte 4; padding is ignored. False: the property is not of type bytes or has another
 * length, its size is 0, or its flag is neither 0 nor 1. */
bool rt_device_global_value_read(const rt_property *property, rt_device_global_value *out_value);

/* Appends the serialised form of a list, and reads it: spans point into the input; the table is
 * allocated in the arena.  A damaged list (a missing id, name or size, an unknown access, or a
 * duplicate id) leaves the reader failed and the result empty. */
void rt_device_global_list_write(rt_buffer *out, rt_device_global_list list);
rt_device_global_list rt_device_global_list_read(rt_arena *arena, rt_reader *reader);

#endif
