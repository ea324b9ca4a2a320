/* Builds one image: clones the part, gives every definition the linkage of its role, optimises,
 * collects the symbols, then either translates and checks the translation against the symbols, or
 * writes PTX.
 *
 * Source: document 003, "sycl-post-link changes": linkage DL-SPLIT-10 to -12, property sets
 * DL-IMAGE-05 to -07. */
#include "reference/compiler/postlink/image.h"

#include "reference/base/map.h"
#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/clone_part.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/lower/prepare.h"
#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler/postlink/spec_constants.h"
#include "reference/compiler/postlink/symbols.h"
#include "reference/compiler/postlink/virtual_images.h"
#include "reference/compiler/ptx/ptx.h"
#include "reference/compiler/refuse/refuse.h"
#include "reference/compiler/spirv/lines.h"
#include "reference/compiler/spirv/linkage.h"
#include "reference/compiler/spirv/translate.h"

#include <llvm-c/DebugInfo.h>

static void make_internal(LLVMValueRef value)
{
    LLVMSetLinkage(value, LLVMInternalLinkage);
}

/* ---- Linkage ------------------------------------------------------------------------------- */

static void apply_role(LLVMValueRef value, const pl_node *node, pl_role role)
{
    CHECK(rt_text_is(node->name, LLVMGetValueName(value)));
    if (role == PL_ENTRY) {
        /* The sources have been linked, so a weak definition is now like any other. */
        CHECK(!LLVMIsDeclaration(value) && !pl_is_local(value));
        LLVMSetLinkage(value, LLVMExternalLinkage);
    }
    if (role != PL_COPY) return;
    CHECK(node->defined && !LLVMIsDeclaration(value));
    if (node->device_global) {
        /* In images that are linked together, all definitions of one device_global are the same
         * variable: any of them may replace the others, and a static variable is named after its
         * unique id. A device_global with image scope is in one image only (DG-POSTLINK-03); as
         * with DPC++'s compiler, its symbol is external for drivers that do not know HostAccess
         * names, although it is not an exported symbol. */
        rt_text id;
        if (pl_is_local(value) && pl_variable_attribute(value, PL_GLOBAL_ID, &id))
            LLVMSetValueName2(value, id.data, id.length);
        bool alone = pl_is_image_scope(value);
        LLVMSetLinkage(value, alone ? LLVMExternalLinkage : LLVMLinkOnceODRLinkage);
        return;
    }
    /* Other copies become internal, so that no two images of one input define the same symbol. */
    if (node->kind == PL_HELPER)
        RULE(DL_SPLIT_10, make_internal(value));
    else
        RULE(DL_SPLIT_11, make_internal(value));
    if (node->kind == PL_KERNEL) pl_make_plain_function(value);
}

/* Makes a module from the part; the caller owns the module. */
static LLVMModuleRef clone(LLVMModuleRef input, const pl_graph *graph, const pl_part *part,
                           rt_text name)
{
    rt_arena arena = {0};
    pl_clone_item *items = rt_arena_alloc_array(&arena, part->count, sizeof *items);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        pl_role role = part->placed[i].role;
        CHECK(role != PL_ABSENT && (node->defined || role == PL_DECLARE));
        items[i] = (pl_clone_item){.original = node->value,
                                   .defines = role == PL_ENTRY || role == PL_COPY};
    }
    LLVMModuleRef module = pl_clone_part(input, name, items, part->count);
    CHECK(pl_symbol_count(module) == part->count);
    for (uint32_t i = 0; i < part->count; i++)
        apply_role(items[i].clone, &graph->nodes[part->placed[i].node], part->placed[i].role);
    rt_arena_reset(&arena);
    return module;
}

/* ---- The check of the translation ---------------------------------------------------------- */

static void map_names(rt_map *map, const rt_text *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rt_map_set(map, names[i], i);
}

/* POSTLINK_ERROR: a name is not in `allowed`; `problem` completes the message. */
static rt_status require_names(pl_job *job, const rt_text *names, uint32_t count,
                               const rt_map *allowed, rt_text image, const char *problem)
{
    pl_text_list missing = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (rt_map_find(allowed, names[i]) == RT_MAP_NONE) *rt_vector_push(&missing) = names[i];
    }
    rt_status status = RT_STATUS_OK;
    if (missing.count > 0) {
        status = rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, missing.items,
                                missing.count, "image %.*s: symbol '%.*s' %s", RT_TEXT_ARG(image),
                                RT_TEXT_ARG(missing.items[0]), problem);
    }
    rt_vector_free(&missing);
    return status;
}

static rt_status check_imports(pl_job *job, const pl_symbols *symbols, const pl_linkage *linkage,
                               rt_text image)
{
    rt_map listed_names = {0}, written_names = {0};
    map_names(&listed_names, symbols->imports, symbols->import_count);
    map_names(&listed_names, symbols->unlisted, symbols->unlisted_count);
    map_names(&written_names, linkage->imports, linkage->import_count);
    /* By now, SPIR-V operations have become instructions, so the translation imports none. A list
     * that contains one passes this check, but would make launches fail. */
    for (uint32_t i = 0; i < symbols->import_count; i++) {
        rt_text name = symbols->imports[i];
        if (pl_symbol_is_spirv_operation(name)) rt_map_set(&written_names, name, i);
    }
    rt_status status = require_names(
        job, linkage->imports, linkage->import_count, &listed_names, image,
        "has the name of an OpenCL C builtin but parameter types that the SPIR-V translator does "
        "not know; do not call it or, if it is your own function, rename it");
    if (rt_ok(status)) {
        status = require_names(job, symbols->imports, symbols->import_count, &written_names, image,
                               "is listed as an import, but the translation does not import it");
    }
    rt_map_free(&listed_names);
    rt_map_free(&written_names);
    return status;
}

/* The translator exports the body of a kernel, which its entry point calls; in the document's sense
 * neither kernels nor device_globals with image scope are exports. */
static rt_status check_exports(pl_job *job, LLVMModuleRef module, const pl_symbols *symbols,
                               const pl_linkage *linkage, rt_text image)
{
    rt_map listed_names = {0}, written_names = {0};
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (pl_is_image_scope(variable)) rt_map_set(&listed_names, pl_name(variable), 0);
    }
    map_names(&listed_names, symbols->exports, symbols->export_count);
    map_names(&listed_names, symbols->kernels, symbols->kernel_count);
    map_names(&listed_names, symbols->provided, symbols->provided_count);
    map_names(&written_names, linkage->exports, linkage->export_count);
    rt_status status =
        require_names(job, linkage->exports, linkage->export_count, &listed_names, image,
                      "is exported by the translation, but not listed as an export");
    if (rt_ok(status)) {
        status = require_names(job, symbols->exports, symbols->export_count, &written_names, image,
                               "is listed as an export, but the translation does not export it");
    }
    rt_map_free(&listed_names);
    rt_map_free(&written_names);
    return status;
}

/* ---- Property sets ------------------------------------------------------------------------- */

/* An image that needs (offers) nothing has no such set; the document allows that as well as an
 * empty set. */
static void add_symbol_sets(pl_job *job, pl_properties *properties, const pl_symbols *symbols)
{
    pl_properties_add_symbols(job, properties, RT_SET_IMPORTED_SYMBOLS, symbols->imports,
                              symbols->import_count);
    pl_properties_add_symbols(job, properties, RT_SET_EXPORTED_SYMBOLS, symbols->exports,
                              symbols->export_count);
}

/* ---- The image ----------------------------------------------------------------------------- */

static rt_status translate(pl_job *job, const rt_postlink_request *request, LLVMModuleRef module,
                           rt_text name, rt_bytes *out_spirv)
{
    /* Without the extension the writer would end the process at the first function pointer. */
    static const char *const extensions[] = {"SPV_INTEL_function_pointers", "SPV_KHR_linkonce_odr"};
    rt_buffer written = {0}, lines = {0}, spirv = {0}, reason = {0};
    const pl_image_global *globals;
    uint32_t global_count;
    pl_device_globals_list(job, module, &globals, &global_count);
    rt_status status;
    if (pl_translate_to_spirv(module, request->spirv_version_max, extensions, 2, request->whole,
                              &written, &reason)) {
        status = pl_lines_keep(job, rt_buffer_bytes(&written), &lines);
        if (rt_ok(status))
            pl_device_globals_decorate(globals, global_count, rt_buffer_bytes(&lines), &spirv);
        *out_spirv = rt_arena_bytes(&job->arena, rt_buffer_bytes(&spirv));
    } else {
        status = rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
                         "image %.*s: the SPIR-V translator rejected the code: %s",
                         RT_TEXT_ARG(name), rt_buffer_string(&reason));
    }
    rt_buffer_free(&written);
    rt_buffer_free(&lines);
    rt_buffer_free(&spirv);
    rt_buffer_free(&reason);
    return status;
}

static rt_status write(pl_job *job, const rt_postlink_request *request, LLVMModuleRef module,
                       const pl_symbols *symbols, rt_image *image)
{
    pl_prepare_for_writer(job, module);
    RT_TRY(pl_module_verify(job, module, "ordering its blocks"));
    RT_TRY(translate(job, request, module, image->name, &image->code));
    CHECK(image->code.size > 0 && image->code.size % 4 == 0);
    pl_linkage linkage;
    RT_TRY(pl_linkage_scan(job, image->code, &linkage));
    RT_TRY(check_imports(job, symbols, &linkage, image->name));
    return check_exports(job, module, symbols, &linkage, image->name);
}

/* Embeds the image's code, without the bodies of builtin functions, for a fusion compiler. */
static void embed_ir(pl_job *job, LLVMModuleRef module, pl_properties *properties)
{
    LLVMModuleRef plain = LLVMCloneModule(module);
    LLVMStripModuleDebugInfo(plain);
    rt_buffer bitcode = {0};
    pl_write_bitcode(plain, &bitcode);
    rt_property *property = rt_arena_alloc(&job->arena, sizeof *property);
    *property = (rt_property){.name = RT_TEXT(RT_EMBEDDED_IR_PROPERTY),
                              .type = RT_PROPERTY_BYTES,
                              .bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&bitcode))};
    pl_properties_add(properties, RT_SET_EMBEDDED_IR, property, 1);
    rt_buffer_free(&bitcode);
    LLVMDisposeModule(plain);
}

static rt_status fill_image(pl_job *job, const rt_postlink_request *request, LLVMModuleRef module,
                            const pl_graph *graph, const pl_part *part, rt_image *image)
{
    bool ptx = request->format == RT_FORMAT_PTX;
    pl_properties properties = {0};
    if (part->dummy) pl_dummy_empty(job, module, graph, part);
    if (!request->ahead_of_time) pl_slots_separate(job, module, graph, part);
    if (ptx) {
        /* PTX has no specialisation constants, and its writer needs no workarounds. */
        pl_spec_constants_fold(job, module);
        RT_TRY(pl_prepare_optimise(job, module));
    } else {
        RT_TRY(pl_prepare_optimise(job, module));
        RT_TRY(pl_prepare_lower(job, module));
        RT_TRY(pl_refuse_unwritable(job, module));
        pl_spec_constants_place(job, module, &properties);
    }
    pl_device_globals_describe(job, module, &properties);
    RT_TRY(pl_vtables_place(job, module, graph, part));
    pl_virtual_properties_add(job, &properties, module, graph, part, request->ahead_of_time);
    pl_symbols symbols;
    pl_symbols_collect(job, module, &symbols);
    RT_TRY(ptx ? pl_ptx_write(job, module, request->library, &image->code)
               : write(job, request, module, &symbols, image));
    image->kernels = symbols.kernels;
    image->kernel_count = symbols.kernel_count;
    add_symbol_sets(job, &properties, &symbols);
    if (ptx) {
        pl_aspects used = pl_image_aspects(graph, part, pl_aspects_of_module(module));
        pl_properties_add_module_requirements(job, &properties, used, module);
    } else {
        pl_aspects used = pl_image_aspects(graph, part, pl_aspects_of_spirv(image->code));
        pl_properties_add_requirements(job, &properties, used, image->code);
    }
    /* Without the flag, the IR is left out to keep images small. */
    if (ptx && RULE(KF_TARGET_04, request->embed_ir)) embed_ir(job, module, &properties);
    pl_properties_finish(job, &properties, image);
    CHECK(image->code.size > 0 && image->set_count == properties.count);
    CHECK_IMPLIES(ptx, image->format == RT_FORMAT_PTX);
    return RT_STATUS_OK;
}

rt_status pl_image_make(pl_job *job, const rt_postlink_request *request, LLVMModuleRef input,
                        const pl_graph *graph, const pl_part *part, rt_text name,
                        rt_image *out_image)
{
    CHECK(part->count > 0 && name.length > 0);
    CHECK_SLOW(pl_graph_check(graph));
    *out_image = (rt_image){.name = name, .format = request->format};
    LLVMModuleRef module = clone(input, graph, part, name);
    if (request->format == RT_FORMAT_PTX) pl_ptx_names(job, module);
    rt_status status = fill_image(job, request, module, graph, part, out_image);
    LLVMDisposeModule(module);
    return status;
}
