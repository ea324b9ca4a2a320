/* Feeds bytes to the reader of native images: unchanged, and with a matching hash, so that the
 * reader gets past the header.  Rewriting an accepted image brings it into the form that the
 * compiler writes, and a second rewrite must not change it; its modules must link or be refused.
 * Inputs that are SPIR-V modules, the seeds, are compiled to images. */
#include "sim/sim.h"

#include "reference/base/hash.h"
#include "reference/base/stream.h"
#include "sim/module/linker.h"

#include <string.h>

enum { MAGIC_SIZE = 4, HASH_AT = 12, CONTENT_AT = 28 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static bool is_image(const uint8_t *data, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(data, "ASIM", MAGIC_SIZE) == 0;
}

/* Compiles a module with values for some of its constants; empty if the module is refused. */
static rt_buffer compile(rt_sink *sink, rt_bytes spirv)
{
    static const uint8_t value[8] = {3};
    static const sim_spec_constant constants[] = {{0, {value, 4}}, {1, {value, 1}}};
    rt_buffer image = {0};
    sim_module *module = NULL;
    if (!rt_ok(sim_module_create(sink, spirv, constants, 2, &module)) &&
        !rt_ok(sim_module_create(sink, spirv, NULL, 0, &module)))
        return image;
    const sim_module *modules[] = {module};
    rt_status status = sim_native_write(sink, modules, 1, &image);
    CHECK(rt_ok(status) || image.size == 0);
    sim_module_destroy(module);
    return image;
}

/* Reads an image and writes it again; empty if the image is refused. */
static rt_buffer rewrite(rt_sink *sink, rt_bytes image)
{
    rt_buffer again = {0};
    sim_native native;
    rt_status status = sim_native_read(sink, image, &native);
    if (rt_ok(status)) {
        const sim_module *const *modules = (const sim_module *const *)native.modules;
        status = sim_native_write(sink, modules, native.module_count, &again);
        CHECK(rt_ok(status));
        sim_linkage linkage;
        status = sim_linkage_create(sink, modules, native.module_count, &linkage);
        CHECK(rt_ok(status) == (native.import_count == 0));
        if (rt_ok(status)) sim_linkage_free(&linkage);
    } else {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
        CHECK(rt_text_starts(diagnostic->message, "native image, byte "));
    }
    sim_native_free(&native);
    return again;
}

/* An accepted image must reach a fixed point after one rewrite. */
static void check(rt_sink *sink, rt_bytes image)
{
    rt_buffer once = rewrite(sink, image);
    if (once.size > 0) {
        rt_buffer twice = rewrite(sink, rt_buffer_bytes(&once));
        CHECK(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
        rt_buffer_free(&twice);
    }
    rt_buffer_free(&once);
}

/* Sets the hash in the header to the hash of what follows the header. */
static void seal(uint8_t *data, size_t size)
{
    if (!is_image(data, size) || size < CONTENT_AT) return;
    rt_hash hash = rt_hash128(data + CONTENT_AT, size - CONTENT_AT);
    rt_buffer bytes = {0};
    rt_write_u64(&bytes, hash.low);
    rt_write_u64(&bytes, hash.high);
    memcpy(data + HASH_AT, bytes.data, bytes.size);
    rt_buffer_free(&bytes);
}

/* Compiles modules to images; mutates images after their header or as a whole. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer image = {0};
    if (!is_image(data, size)) image = compile(sink, (rt_bytes){data, size});
    if (image.size > 0 && image.size <= max_size) {
        memcpy(data, image.data, image.size);
        size = image.size;
    }
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
    if (!is_image(data, size) || size <= CONTENT_AT || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    return CONTENT_AT +
           LLVMFuzzerMutate(data + CONTENT_AT, size - CONTENT_AT, max_size - CONTENT_AT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer image = {0};
    if (is_image(data, size)) {
        check(sink, (rt_bytes){data, size});
        rt_buffer_append(&image, data, size);
        seal((uint8_t *)image.data, image.size);
    } else {
        image = compile(sink, (rt_bytes){data, size});
    }
    if (image.size > 0) check(sink, rt_buffer_bytes(&image));
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
    return 0;
}
