/* The simulated device's native format: what its offline compiler makes of SPIR-V, ahead of time.
 *
 * An image is a set of SPIR-V modules that were read and validated, that fit each other as far as
 * they define what they import, and whose specialisation constants have got their last values.
 * Imports that none of them defines stay open, by name: images are linked with each other, and with
 * modules, like the modules that they hold (sim_program_link).
 *
 *     u32 magic "ASIM"   u32 version of the format   u32 version of the device
 *     u64 low, u64 high  hash of everything behind it (reference/base/hash.h)
 *     u32 count          of modules, each: u64 bytes, SPIR-V
 *                        u64 low, high, low, high  its hashes of code and constants (module.h)
 *                        u32 count  of functions with a set, each: u64 bytes, name; u64 bytes, set
 *                        u32 count  of kernels that call sets, each likewise
 *     u32 count          of open imports, each: u64 bytes, name; as sim_linkage_imports orders them
 *
 * All numbers and words are little-endian, nothing is padded. */
#ifndef SIM_NATIVE_H
#define SIM_NATIVE_H

#include "reference/base/arena.h"
#include "sim/sim.h"

#define SIM_NATIVE_FORMAT 2u

/* Rises with every change of the device after which an image that was compiled before would be
 * refused or mean something else.  As of vendors' native code, an image is for one version. */
#define SIM_NATIVE_DEVICE 1u

/* What an image holds. */
typedef struct sim_native {
    sim_module **modules;   /* module_count >= 1, owned; without specialisation constants */
    const rt_text *imports; /* the open ones; owned by modules and arena */
    uint32_t module_count, import_count;
    rt_arena arena;
} sim_native;

/* Appends the image of count >= 1 modules, with the values that their specialisation constants have
 * now.  LINK_ERROR: two of them define one name, or have it with different types; LIMIT: the image
 * is larger than RT_IMAGE_SIZE_MAX.  A failure leaves *out as it was. */
RT_MUST_USE rt_status sim_native_write(rt_sink *sink, const sim_module *const *modules,
                                       uint32_t count, rt_buffer *out);

/* Reads an image and validates all of it; `image` need not outlive the call.  On success the caller
 * frees *out_native, on failure it is empty.  Every message names the byte where the fault is.
 * MALFORMED: not an image, cut short, damaged, or holding what the compiler does not write;
 * UNSUPPORTED: another version of format or device, both named; LIMIT. */
RT_MUST_USE rt_status sim_native_read(rt_sink *sink, rt_bytes image, sim_native *out_native);
void sim_native_free(sim_native *native);

#endif
