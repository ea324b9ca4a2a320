/* Makes an image from SPIR-V that another tool wrote; the bytes are read, never changed.
 *
 * The bytes are not passed to LLVM, since they may be anything.  Source: SPIR-V specification,
 * 3.32.1 "OpEntryPoint" and 3.20 "LinkageAttributes". */
#include "reference/compiler/describe/describe.h"

#include "reference/base/map.h"
#include "reference/base/spirv.h"
#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/describe/properties.h"
#include "reference/compiler/spirv/linkage.h"

enum { OP_ENTRY_POINT = 15, EXECUTION_MODEL_KERNEL = 6 };

static rt_status describe(pl_job *job, rt_image *image)
{
    pl_linkage linkage;
    pl_properties properties = {0};
    RT_TRY(pl_linkage_scan(job, image->code, &linkage));
    pl_text_list kernels = {0}, exports = {0};
    rt_map kernel_names = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
        if (instruction.opcode != OP_ENTRY_POINT) continue;
        if (rt_spirv_word(&instruction, 1) != EXECUTION_MODEL_KERNEL) continue;
        rt_text name = rt_spirv_text(&instruction, 3);
        rt_map_set(&kernel_names, name, kernels.count);
        *rt_vector_push(&kernels) = name;
    }
    CHECK(!walk.is_damaged && kernel_names.count <= kernels.count);
    /* The translator may export a kernel's body under the kernel's name; kernels are not exports in
     * the document's sense (DL-EXPORT-02). */
    for (uint32_t i = 0; i < linkage.export_count; i++) {
        rt_text name = linkage.exports[i];
        if (rt_map_find(&kernel_names, name) == RT_MAP_NONE) *rt_vector_push(&exports) = name;
    }
    rt_map_free(&kernel_names);
    uint32_t export_count;
    image->kernels = pl_job_keep_texts(job, &kernels, &image->kernel_count);
    const rt_text *exported = pl_job_keep_texts(job, &exports, &export_count);
    pl_properties_add_symbols(job, &properties, RT_SET_IMPORTED_SYMBOLS, linkage.imports,
                              linkage.import_count);
    pl_properties_add_symbols(job, &properties, RT_SET_EXPORTED_SYMBOLS, exported, export_count);
    pl_properties_add_requirements(job, &properties, pl_aspects_of_spirv(image->code), image->code);
    pl_properties_finish(job, &properties, image);
    return RT_STATUS_OK;
}

rt_status pl_describe_spirv(rt_sink *sink, rt_bytes spirv, rt_buffer *out_images)
{
    CHECK(out_images->size == 0);
    pl_job job;
    pl_job_open(&job, sink);
    rt_image image = {.format = RT_FORMAT_SPIRV64, .code = spirv};
    rt_status status = describe(&job, &image);
    if (rt_ok(status)) rt_image_list_write(out_images, (rt_image_list){&image, 1});
    pl_job_close(&job);
    return status;
}
