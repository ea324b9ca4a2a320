/* Proofs of the fusion compiler's rules, on LLVM modules between the compiler's passes: the
 * metadata of the stub, the order of the passes, and the queries that remain after remapping. The
 * behaviour of fused kernels is tested elsewhere (conformance/build/test). */
#include "reference/compiler/fuse/fuse.h"
#include "reference/compiler/fuse/input.h"
#include "reference/compiler/fuse/parameters.h"
#include "reference/compiler/fuse/values.h"
#include "reference/compiler/test/postlink_fixture.h"

#include "reference/base/alloc.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fuse_fixture {
    postlink_fixture *postlink;
    pl_job job;
    pl_fusing fusing;
    rt_text reasons[8];
} fuse_fixture;

static int open_fuse(void **state)
{
    fuse_fixture *fixture = rt_alloc(sizeof *fixture);
    void *postlink = NULL;
    fixture_open(&postlink);
    fixture->postlink = postlink;
    pl_job_open(&fixture->job, fixture->postlink->sink);
    fixture->fusing = (pl_fusing){.job = &fixture->job};
    *state = fixture;
    return 0;
}

static int close_fuse(void **state)
{
    fuse_fixture *fixture = *state;
    if (fixture->fusing.module) LLVMDisposeModule(fixture->fusing.module);
    pl_job_close(&fixture->job);
    void *postlink = fixture->postlink;
    fixture_close(&postlink);
    rt_free(fixture);
    return 0;
}

static void must(fuse_fixture *fixture, rt_status status)
{
    if (rt_ok(status)) return;
    fail_msg("%s", rt_sink_diagnostic(fixture->job.sink, status)->message.data);
}

/* ---- Making requests ----------------------------------------------------------------------- */

static rt_link_code compile(fuse_fixture *fixture, const char *source)
{
    const fixture_source sources[] = {{"A", source}, {NULL, NULL}};
    fixture_make(fixture->postlink, RT_SPLIT_OFF, 1, sources);
    rt_bytes code = fixture->postlink->images.images[0].code;
    return (rt_link_code){rt_arena_bytes(&fixture->postlink->arena, code), NULL, 0};
}

static rt_fusion_range line(uint64_t size)
{
    return (rt_fusion_range){1, {size, 1, 1}, {0, 0, 0}, {0, 0, 0}};
}

static rt_fusion_range plane(uint64_t x, uint64_t y)
{
    return (rt_fusion_range){2, {x, y, 1}, {0, 0, 0}, {0, 0, 0}};
}

static rt_fusion_range with_local(rt_fusion_range range, uint64_t x, uint64_t y)
{
    range.local[0] = x;
    range.local[1] = y;
    range.local[2] = 1;
    return range;
}

static rt_fusion_request request_of(const rt_fusion_kernel *kernels, uint32_t count,
                                    rt_fusion_range range)
{
    return (rt_fusion_request){.name = RT_TEXT("fused_7"),
                               .kernels = kernels,
                               .kernel_count = count,
                               .range = range,
                               .barriers = true,
                               .format = RT_FORMAT_SPIRV64,
                               .spirv_version_max = 0x00010200};
}

/* Builds the module that the first pass gets. */
static LLVMModuleRef begin(fuse_fixture *fixture, const rt_fusion_request *request)
{
    assert_null(fixture->fusing.module);
    memset(fixture->reasons, 0, sizeof fixture->reasons);
    must(fixture,
         pl_fusion_input(&fixture->job, request, fixture->reasons, &fixture->fusing.module));
    return fixture->fusing.module;
}

/* ---- Looking at modules -------------------------------------------------------------------- */

static LLVMValueRef stub_of(LLVMModuleRef module)
{
    LLVMValueRef stub = LLVMGetNamedFunction(module, "fused_7");
    assert_non_null(stub);
    return stub;
}

/* Writes a metadata node: "(a,b)" for a node with operands a and b; strings and numbers as they
 * are. */
static void print_node(LLVMValueRef value, rt_buffer *out)
{
    unsigned length = 0;
    const char *text = LLVMGetMDString(value, &length);
    if (text) {
        rt_buffer_append_text(out, (rt_text){text, length});
    } else if (LLVMIsAConstantInt(value)) {
        rt_buffer_printf(out, "%llu", LLVMConstIntGetZExtValue(value));
    } else {
        LLVMValueRef operands[16];
        uint32_t count = LLVMGetMDNodeNumOperands(value);
        assert_true(count <= 16);
        LLVMGetMDNodeOperands(value, operands);
        for (uint32_t i = 0; i < count; i++) {
            rt_buffer_printf(out, "%s", i ? "," : "(");
            print_node(operands[i], out);
        }
        rt_buffer_printf(out, ")");
    }
}

/* A function's metadata of the given kind as text, "" if it has none; freed by the caller. */
static rt_buffer metadata_of(LLVMValueRef function, const char *kind)
{
    rt_buffer out = {0};
    size_t count = 0;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind_id = LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != kind_id) continue;
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        print_node(LLVMMetadataAsValue(context, node), &out);
    }
    LLVMDisposeValueMetadataEntries(entries);
    return out;
}

static void assert_metadata(LLVMModuleRef module, const char *kind, const char *expected)
{
    rt_buffer actual = metadata_of(stub_of(module), kind);
    assert_string_equal(rt_buffer_string(&actual), expected);
    rt_buffer_free(&actual);
}

/* The module as text; freed by the caller with LLVMDisposeMessage. */
static bool holds(LLVMModuleRef module, const char *part)
{
    char *text = LLVMPrintModuleToString(module);
    bool found = strstr(text, part) != NULL;
    LLVMDisposeMessage(text);
    return found;
}

/* The number of calls to a function that remain. */
static uint32_t calls_of(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    uint32_t count = 0;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
         use = LLVMGetNextUse(use))
        count++;
    return count;
}

/* ---- Metadata ------------------------------------------------------------------------------ */

static const char stores[] =
    "kernel void K1(global int *a, global int *b) { a[get_global_id(0)] = b[0]; }\n"
    "kernel void K2(global int *a, int n, float f, global int *c) {"
    " c[get_global_id(0)] = a[get_global_id(0)] + n + (int)f; }\n";

/* [K1, K2, K1] over a one-dimensional range of 48; the first kernel's second argument is identical
 * to the second kernel's fourth. */
typedef struct three {
    rt_link_code code;
    rt_fusion_kernel kernels[3];
    rt_fusion_identity identity;
    rt_fusion_request request;
} three;

static void make_three(fuse_fixture *fixture, three *out)
{
    out->code = compile(fixture, stores);
    static const char *const names[] = {"K1", "K2", "K1"};
    for (uint32_t i = 0; i < 3; i++)
        out->kernels[i] = (rt_fusion_kernel){rt_text_of(names[i]), &out->code, 1, line(48)};
    out->identity = (rt_fusion_identity){{0, 1}, {1, 3}};
    out->request = request_of(out->kernels, 3, line(48));
    out->request.identities = &out->identity;
    out->request.identity_count = 1;
}

/* A module that is written before the passes and read again must be fused to the same result. */
static void KF_META_01_the_module_can_be_fused_by_itself(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.fused", "(K1,K2,K1)");
    LLVMMemoryBufferRef dump = LLVMWriteBitcodeToMemoryBuffer(module);
    must(fixture, pl_fuse_module(&fixture->fusing, NULL));
    char *once = LLVMPrintModuleToString(module);
    pl_job second_job;
    pl_job_open(&second_job, fixture->job.sink);
    pl_fusing second = {.job = &second_job};
    assert_false(LLVMParseBitcodeInContext2(second_job.context, dump, &second.module));
    must(fixture, pl_fuse_module(&second, NULL));
    char *twice = LLVMPrintModuleToString(second.module);
    /* The modules' names differ; the first line contains them. */
    assert_string_equal(strstr(once, "target"), strstr(twice, "target"));
    LLVMDisposeMessage(once);
    LLVMDisposeMessage(twice);
    LLVMDisposeMemoryBuffer(dump);
    LLVMDisposeModule(second.module);
    pl_job_close(&second_job);
}

static void KF_META_02_the_kernels_are_listed_in_order(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.fused", "(K1,K2,K1)");
    /* Twin: a name that no function has. */
    LLVMValueRef function = LLVMGetNamedFunction(module, "K2");
    LLVMSetValueName2(function, "K3", 2);
    rt_status status = pl_fuse_module(&fixture->fusing, NULL);
    assert_refused(fixture->postlink, status, RT_FUSION_REJECTED, "K2");
}

static void KF_META_03_identical_parameters_are_pairs_of_indices(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.param", "(((0,1),(1,3)))");
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    assert_int_equal(LLVMCountParams(stub_of(module)), 2 + 4 + 2 - 1);
}

/* The second argument of all three kernels is the same, and so is the first one of the outer two.
 */
static void KF_META_03_a_group_has_all_identical_parameters(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_identity identities[] = {{{0, 1}, {1, 3}}, {{0, 0}, {2, 0}}, {{0, 1}, {2, 1}}};
    list.request.identities = identities;
    list.request.identity_count = 3;
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.param", "(((0,1),(1,3),(2,1)),((0,0),(2,0)))");
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    assert_int_equal(LLVMCountParams(stub_of(module)), 2 + 4 + 2 - 3);
}

static void KF_META_03_without_identities_the_counts_add_up(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    list.request.identity_count = 0;
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.param", "");
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    assert_int_equal(LLVMCountParams(stub_of(module)), 2 + 4 + 2);
}

/* K1(a, b), K2(a', n, f, b): the first argument of the last kernel is number 5 of the fused kernel;
 * if the second kernel's fourth argument had a number of its own, it would be 6. */
static void KF_META_04_promotions_count_after_joining(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_promotion promotions[] = {{{0, 1}, RT_FUSION_PRIVATE, 1, 4},
                                              {{2, 0}, RT_FUSION_LOCAL, 4, 4}};
    list.request.promotions = promotions;
    list.request.promotion_count = 2;
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.promote", "((1,private),(5,local))");
}

/* 4 elements of 4 bytes are 4 elements of int, but 2 of int2. */
static void KF_META_05_sizes_count_elements(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_link_code code = compile(fixture, "kernel void K(global int *a, global int2 *b) {"
                                               " a[get_global_id(0)] = b[get_global_id(0)].x; }");
    const rt_fusion_kernel kernel = {RT_TEXT("K"), &code, 1, line(16)};
    const rt_fusion_promotion promotions[] = {{{0, 0}, RT_FUSION_PRIVATE, 4, 4},
                                              {{0, 1}, RT_FUSION_PRIVATE, 4, 4}};
    rt_fusion_request request = request_of(&kernel, 1, line(16));
    request.promotions = promotions;
    request.promotion_count = 2;
    LLVMModuleRef module = begin(fixture, &request);
    assert_metadata(module, "sycl.kernel.promote.size", "((0,4),(1,2))");
}

/* 256 as a little-endian int is the bytes 0, 1, 0, 0. */
static void KF_META_06_constants_are_strings_of_bytes(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_constant constant = {{1, 1}, {(const uint8_t *)"\0\1\0\0", 4}};
    list.request.constants = &constant;
    list.request.constant_count = 1;
    LLVMModuleRef module = begin(fixture, &list.request);
    rt_buffer actual = metadata_of(stub_of(module), "sycl.kernel.constants");
    assert_int_equal(actual.size, sizeof "((3,....))" - 1);
    assert_memory_equal(actual.data, "((3,\0\1\0\0))", actual.size);
    rt_buffer_free(&actual);
    must(fixture, pl_fuse_module(&fixture->fusing, NULL));
    assert_true(holds(module, ", 256"));
}

/* ---- Requests ------------------------------------------------------------------------------- */

static void assert_rejected(fuse_fixture *fixture, const rt_fusion_request *request,
                            const char *message)
{
    memset(fixture->reasons, 0, sizeof fixture->reasons);
    rt_status status =
        pl_fusion_input(&fixture->job, request, fixture->reasons, &fixture->fusing.module);
    assert_int_equal(status.code, RT_FUSION_REJECTED);
    assert_null(fixture->fusing.module);
    assert_string_equal(rt_sink_diagnostic(fixture->job.sink, status)->message.data, message);
}

/* K1 has two parameters, pointers to int; those of K2 are a pointer, an int, a float, a pointer. */
static void a_relation_that_does_not_fit_the_kernels_is_rejected(void **state)
{
#define CANNOT " of the list cannot be fused: "
    static const struct {
        rt_fusion_identity identity; /* all 0: none */
        rt_fusion_promotion promotion;
        rt_fusion_place constant;
        size_t constant_size; /* 0: none */
        const char *message;
    } rows[] = {
        {.identity = {{0, 2}, {1, 3}},
         .message = "parameter 2 of kernel 0" CANNOT "there is no such parameter"},
        {.identity = {{0, 1}, {1, 4}},
         .message = "parameter 4 of kernel 1" CANNOT "there is no such parameter"},
        {.identity = {{0, 1}, {1, 1}},
         .message = "parameter 1 of kernel 1" CANNOT "its type differs from that of the parameter "
                    "whose argument it shares"},
        {.identity = {{1, 1}, {1, 2}},
         .message = "parameter 2 of kernel 1" CANNOT "its type differs from that of the parameter "
                    "whose argument it shares"},
        {.promotion = {{2, 2}, RT_FUSION_PRIVATE, 1, 4},
         .message = "parameter 2 of kernel 2" CANNOT "there is no such parameter"},
        {.constant = {1, 4},
         .constant_size = 4,
         .message = "parameter 4 of kernel 1" CANNOT "there is no such parameter"},
        {.constant = {1, 3},
         .constant_size = 8,
         .message = "parameter 3 of kernel 1" CANNOT "it is a pointer, which no constant can "
                    "replace"},
        {.constant = {1, 2},
         .constant_size = 8,
         .message = "parameter 2 of kernel 1" CANNOT "the size of its constant differs from its "
                    "own"},
    };
#undef CANNOT
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rt_fusion_constant constant = {
            rows[i].constant, {(const uint8_t *)"\0\1\0\0\0\0\0\0", rows[i].constant_size}};
        list.request.identities = &rows[i].identity;
        list.request.identity_count = rows[i].identity.duplicate.kernel > 0;
        list.request.promotions = &rows[i].promotion;
        list.request.promotion_count = rows[i].promotion.elements > 0;
        list.request.constants = &constant;
        list.request.constant_count = constant.value.size > 0;
        assert_rejected(fixture, &list.request, rows[i].message);
    }
}

static void a_kernel_that_cannot_be_found_or_launched_is_rejected(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_link_code code = compile(fixture, "int plain(int x) { return x + 1; }\n"
                                               "kernel void K(global int *a) { *a = plain(*a); }");
    rt_fusion_kernel kernels[] = {{RT_TEXT("K"), &code, 1, line(16)},
                                  {RT_TEXT("K2"), &code, 1, line(16)}};
    rt_fusion_request request = request_of(kernels, 2, line(16));
    assert_rejected(fixture, &request,
                    "kernel K2 cannot be fused: its code has no kernel of that name");
    kernels[1].name = RT_TEXT("plain");
    assert_rejected(fixture, &request,
                    "kernel plain cannot be fused: its code has no kernel of that name");
    kernels[1].name = RT_TEXT("K");
    kernels[1].range = line(17);
    assert_rejected(fixture, &request,
                    "kernel K cannot be fused: the fused launch has fewer work-items than the "
                    "kernel's own range");
    kernels[0].range = line(17);
    kernels[1].range = line(15);
    assert_rejected(fixture, &request,
                    "kernel K cannot be fused: the fused launch has fewer work-items than the "
                    "kernel's own range");
    kernels[0].range = line(16);
    /* Twin: both kernels can. */
    begin(fixture, &request);
}

static void kernels_of_other_formats_are_not_fused(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    rt_buffer result = {0};
    make_three(fixture, &list);
    list.request.format = RT_FORMAT_NATIVE;
    rt_status status = pl_fuse(fixture->job.sink, &list.request, RT_TEXT(""), &result);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_int_equal(result.size, 0);
    assert_string_equal(rt_sink_diagnostic(fixture->job.sink, status)->message.data,
                        "kernels of format native cannot be fused: only spirv64 and ptx can");
    /* Twin: kernels of a format that can be. */
    list.request.format = RT_FORMAT_SPIRV64;
    must(fixture, pl_fuse(fixture->job.sink, &list.request, RT_TEXT(""), &result));
    assert_true(result.size > 0);
    rt_buffer_free(&result);
}

/* Only the last two can be promoted: 2^32 - 4 bytes, and one int. */
static void promotions_that_no_memory_can_replace_have_a_reason(void **state)
{
    static const char *const reasons[] = {"it is not a pointer to global memory",
                                          "its elements take 4 GiB or more",
                                          "its elements take 4 GiB or more",
                                          "the buffer is not a whole number of its elements",
                                          "",
                                          ""};
    const rt_fusion_promotion promotions[] = {{{1, 1}, RT_FUSION_PRIVATE, 1, 4},
                                              {{0, 0}, RT_FUSION_PRIVATE, UINT64_C(1) << 30, 4},
                                              {{0, 0}, RT_FUSION_PRIVATE, UINT64_MAX, 4},
                                              {{2, 0}, RT_FUSION_PRIVATE, 3, 2},
                                              {{0, 0}, RT_FUSION_PRIVATE, UINT32_MAX / 4, 4},
                                              {{2, 0}, RT_FUSION_LOCAL, 2, 2}};
    enum { COUNT = sizeof promotions / sizeof *promotions };
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    list.request.promotions = promotions;
    list.request.promotion_count = COUNT;
    LLVMModuleRef module = begin(fixture, &list.request);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_string_equal(fixture->reasons[i].length ? fixture->reasons[i].data : "", reasons[i]);
    assert_metadata(module, "sycl.kernel.promote", "((0,private),(5,local))");
    assert_metadata(module, "sycl.kernel.promote.size", "((0,1073741823),(5,1))");
}

static void parse_ir(fuse_fixture *fixture, rt_text ir)
{
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.data, ir.length, "ir");
    char *reason = NULL;
    LLVMParseIRInContext(fixture->job.context, memory, &fixture->fusing.module, &reason);
    if (reason) fail_msg("%s", reason);
}

/* Accesses to structures without members, and steps over them, do not count. */
static void elements_have_a_size(void **state)
{
    fuse_fixture *fixture = *state;
    static const char ir[] = "%n = type {}\n"
                             "define void @f(%n addrspace(1)* %p, i64 %i) {\n"
                             " store %n zeroinitializer, %n addrspace(1)* %p\n"
                             " %q = bitcast %n addrspace(1)* %p to i16 addrspace(1)*\n"
                             " store i16 1, i16 addrspace(1)* %q\n"
                             " %r = getelementptr %n, %n addrspace(1)* %p, i64 %i\n"
                             " store %n zeroinitializer, %n addrspace(1)* %p\n"
                             " ret void\n}\n";
    parse_ir(fixture, rt_text_of(ir));
    LLVMTypeRef element = pl_element_type(LLVMGetNamedFunction(fixture->fusing.module, "f"), 0);
    assert_ptr_equal(element, LLVMInt16TypeInContext(fixture->job.context));
}

/* Starts a fusion of kernels with these ranges, to be run with the range `launch`; each kernel is
 * K1 of `stores`. */
static LLVMModuleRef begin_ranges(fuse_fixture *fixture, const rt_fusion_range *ranges,
                                  uint32_t count, rt_fusion_range launch)
{
    rt_link_code *code = rt_arena_alloc_array(&fixture->job.arena, 1, sizeof *code);
    *code = compile(fixture, stores);
    rt_fusion_kernel *kernels = rt_arena_alloc_array(&fixture->job.arena, count, sizeof *kernels);
    for (uint32_t i = 0; i < count; i++)
        kernels[i] = (rt_fusion_kernel){RT_TEXT("K1"), code, 1, ranges[i]};
    rt_fusion_request request = request_of(kernels, count, launch);
    return begin(fixture, &request);
}

static void KF_META_07_the_range_is_there_where_ranges_differ(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_fusion_range ranges[] = {line(8), line(48)};
    LLVMModuleRef module = begin_ranges(fixture, ranges, 2, line(48));
    assert_metadata(module, "sycl.kernel.nd-range", "(1,(48,0,0),(0,0,0),(0,0,0))");
}

static void KF_META_07_the_range_is_not_there_where_they_are_the_same(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_fusion_range ranges[] = {line(48), line(48)};
    LLVMModuleRef module = begin_ranges(fixture, ranges, 2, line(48));
    assert_metadata(module, "sycl.kernel.nd-range", "");
    assert_metadata(module, "sycl.kernel.nd-ranges", "");
}

/* The global size is 8 by 6 in the order of get_global_id and 6 by 8 in SYCL's order. */
static void KF_META_08_unused_dimensions_of_the_global_size_are_0(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_fusion_range ranges[] = {line(8), plane(8, 6)};
    LLVMModuleRef module = begin_ranges(fixture, ranges, 2, plane(8, 6));
    assert_metadata(module, "sycl.kernel.nd-range", "(2,(6,8,0),(0,0,0),(0,0,0))");
}

static void KF_META_09_local_sizes_are_0_where_they_are_open(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_fusion_range ranges[] = {plane(8, 4), with_local(plane(8, 8), 2, 4)};
    LLVMModuleRef module = begin_ranges(fixture, ranges, 2, ranges[1]);
    assert_metadata(module, "sycl.kernel.nd-ranges",
                    "((2,(4,8,0),(0,0,0),(0,0,0)),(2,(8,8,0),(4,2,0),(0,0,0)))");
}

static void KF_META_10_offsets_are_0_where_unused(void **state)
{
    fuse_fixture *fixture = *state;
    rt_fusion_range ranges[] = {line(8), line(16)};
    ranges[0].offset[0] = ranges[1].offset[0] = 5;
    LLVMModuleRef module = begin_ranges(fixture, ranges, 2, ranges[1]);
    assert_metadata(module, "sycl.kernel.nd-range", "(1,(16,0,0),(0,0,0),(5,0,0))");
}

static void KF_META_11_every_kernel_has_its_range(void **state)
{
    fuse_fixture *fixture = *state;
    const rt_fusion_range ranges[] = {line(8), line(16), line(8)};
    LLVMModuleRef module = begin_ranges(fixture, ranges, 3, line(16));
    assert_metadata(module, "sycl.kernel.nd-ranges",
                    "((1,(8,0,0),(0,0,0),(0,0,0)),(1,(16,0,0),(0,0,0),(0,0,0)),"
                    "(1,(8,0,0),(0,0,0),(0,0,0)))");
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    /* Only two of the kernels are guarded: the second one runs on all work-items. */
    assert_true(holds(module, "icmp ult i64"));
}

/* ---- The compiler -------------------------------------------------------------------------- */

/* Calls the compiler through the plugin's single entry point, each time in a new context, so the
 * second call does not see the results of the first. */
static void KF_JIT_01_the_compiler_is_reached_through_the_plugin(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    rt_buffer first = {0}, second = {0};
    must(fixture,
         fixture->postlink->api->fuse(fixture->job.sink, &list.request, (rt_text){0}, &first));
    must(fixture,
         fixture->postlink->api->fuse(fixture->job.sink, &list.request, (rt_text){0}, &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    rt_buffer_free(&first);
    rt_buffer_free(&second);
}

static void KF_JIT_04_everything_asked_for_is_in_the_metadata(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_promotion promotion = {{0, 1}, RT_FUSION_PRIVATE, 1, 4};
    const rt_fusion_constant constant = {{1, 1}, {(const uint8_t *)"0123", 4}};
    list.request.promotions = &promotion;
    list.request.promotion_count = 1;
    list.request.constants = &constant;
    list.request.constant_count = 1;
    LLVMModuleRef module = begin(fixture, &list.request);
    assert_metadata(module, "sycl.kernel.fused", "(K1,K2,K1)");
    assert_metadata(module, "sycl.kernel.param", "(((0,1),(1,3)))");
    assert_metadata(module, "sycl.kernel.promote", "((1,private))");
    assert_metadata(module, "sycl.kernel.promote.size", "((1,1))");
    assert_metadata(module, "sycl.kernel.constants", "((3,0123))");
}

static const char helped[] = "__attribute__((noinline)) int help(int x) { return 3 * x; }\n"
                             "kernel void H1(global int *a) { a[get_global_id(0)] = help(1); }\n"
                             "kernel void H2(global int *a) { a[get_global_id(0)] += help(2); }\n";

static LLVMModuleRef begin_helped(fuse_fixture *fixture)
{
    rt_link_code *code = rt_arena_alloc_array(&fixture->job.arena, 1, sizeof *code);
    *code = compile(fixture, helped);
    rt_fusion_kernel *kernels = rt_arena_alloc_array(&fixture->job.arena, 2, sizeof *kernels);
    kernels[0] = (rt_fusion_kernel){RT_TEXT("H1"), code, 1, line(8)};
    kernels[1] = (rt_fusion_kernel){RT_TEXT("H2"), code, 1, line(8)};
    rt_fusion_request request = request_of(kernels, 2, line(8));
    return begin(fixture, &request);
}

static void KF_JIT_06_the_module_has_a_stub_and_what_kernels_need(void **state)
{
    fuse_fixture *fixture = *state;
    LLVMModuleRef module = begin_helped(fixture);
    assert_true(LLVMIsDeclaration(stub_of(module)));
    LLVMValueRef help = LLVMGetNamedFunction(module, "help");
    assert_non_null(help);
    assert_false(LLVMIsDeclaration(help));
    assert_non_null(LLVMGetNamedFunction(module, "H1"));
    assert_non_null(LLVMGetNamedFunction(module, "H2"));
}

static void KF_JIT_08_kernels_are_inlined(void **state)
{
    fuse_fixture *fixture = *state;
    LLVMModuleRef module = begin_helped(fixture);
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    uint32_t defined = 0;
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        defined += !LLVMIsDeclaration(function);
    assert_int_equal(defined, 1);
    assert_int_equal(calls_of(module, "_Z7barrierj"), 1);
}

/* Parses a module with a stub and runs the passes on it. */
static void fuse_ir(fuse_fixture *fixture, rt_text ir)
{
    parse_ir(fixture, ir);
    must(fixture, pl_fuse_module(&fixture->fusing, NULL));
}

/* A pointer that is cast to the generic address space: InferAddressSpaces, which runs before
 * promotion, leaves only accesses to global memory. */
static void KF_JIT_09_generic_pointers_are_gone_before_promotion(void **state)
{
    fuse_fixture *fixture = *state;
    static const char ir[] = "target triple = \"spir64\"\n"
                             "define internal spir_func void @G(i32 addrspace(1)* %p) {\n"
                             " %g = addrspacecast i32 addrspace(1)* %p to i32 addrspace(4)*\n"
                             " store i32 1, i32 addrspace(4)* %g\n ret void\n}\n"
                             "declare !sycl.kernel.fused !0 spir_kernel void @fused_7()\n"
                             "!0 = !{!\"G\"}\n";
    fuse_ir(fixture, rt_text_of(ir));
    assert_false(holds(fixture->fusing.module, "addrspace(4)"));
    assert_true(holds(fixture->fusing.module, "store i32 1, i32 addrspace(1)* %") ||
                holds(fixture->fusing.module, "store i32 1, ptr addrspace(1) %"));
}

typedef struct pass_trace {
    rt_buffer names;
    uint32_t allocas_behind_promotion;
} pass_trace;

static void note_pass(void *user, const char *next, LLVMModuleRef module)
{
    pass_trace *trace = user;
    rt_buffer_printf(&trace->names, "%s ", next);
    if (strcmp(next, "SYCLCP") == 0) trace->allocas_behind_promotion = holds(module, "alloca [1");
}

/* From now on, LLVM reports each pass that it runs on standard error, by the name of its class. The
 * option belongs to the process, so the test that sets it is the last. */
static void passes_report(void)
{
    static const char *const options[] = {"fuse_tests", "-print-after-all"};
    LLVMParseCommandLineOptions(2, options, NULL);
}

/* Writes the name of our table's next pass among what LLVM reports. */
static void mark_pass(void *user, const char *next, LLVMModuleRef module)
{
    (void)user;
    (void)module;
    fprintf(stderr, "*** next %s\n", next);
}

/* From the report: for every pass of the table after SYCLCP "NAME:" and the passes that LLVM ran.
 */
static void report_read(FILE *report, rt_buffer *out_names)
{
    char line[4096], name[64];
    bool is_past_promotion = false;
    while (fgets(line, sizeof line, report)) {
        const char *text =
            strncmp(line, "; ", 2) == 0 ? line + 2 : line; /* a comment from LLVM 17 on */
        if (sscanf(text, "*** next %63s", name) == 1) {
            if (is_past_promotion) rt_buffer_printf(out_names, "%s: ", name);
            is_past_promotion = is_past_promotion || strcmp(name, "SYCLCP") == 0;
        } else if (is_past_promotion && sscanf(text, "*** IR Dump After %63s", name) == 1) {
            rt_buffer_printf(out_names, "%s ", name);
        }
    }
}

static void KF_JIT_10_promotion_stands_behind_the_first_passes(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_promotion promotion = {{0, 1}, RT_FUSION_PRIVATE, 1, 4};
    list.request.promotions = &promotion;
    list.request.promotion_count = 1;
    begin(fixture, &list.request);
    pass_trace trace = {0};
    must(fixture, pl_fuse_module(&fixture->fusing,
                                 &(pl_fusion_observer){.user = &trace, .before = note_pass}));
    assert_int_equal(trace.allocas_behind_promotion, 1);
    assert_true(fixture->fusing.dropped[1]);
    rt_buffer_free(&trace.names);
}

static void KF_JIT_11_known_arguments_become_constants(void **state)
{
    fuse_fixture *fixture = *state;
    three list;
    make_three(fixture, &list);
    const rt_fusion_constant constant = {{1, 1}, {(const uint8_t *)"\7\0\0\0", 4}};
    list.request.constants = &constant;
    list.request.constant_count = 1;
    LLVMModuleRef module = begin(fixture, &list.request);
    must(fixture, pl_fuse_module(&fixture->fusing, NULL));
    assert_true(holds(module, ", 7"));
    assert_int_equal(LLVMCountParams(stub_of(module)), 2 + 4 + 2 - 1 - 1);
}

static void KF_JIT_12_the_passes_run_in_the_documents_order(void **state)
{
    fuse_fixture *fixture = *state;
    begin_helped(fixture);
    pass_trace trace = {0};
    must(fixture, pl_fuse_module(&fixture->fusing,
                                 &(pl_fusion_observer){.user = &trace, .before = note_pass}));
    assert_string_equal(
        rt_buffer_string(&trace.names),
        "SYCLKernelFusion IndVarSimplifyPass LoopUnrollPass SROAPass InferAddressSpacesPass "
        "SYCLInternalizer SYCLCP SROAPass SCCPPass InstCombinePass SimplifyCFGPass SROAPass "
        "InstCombinePass SimplifyCFGPass ADCEPass EarlyCSEPass finish emit ");
    rt_buffer_free(&trace.names);
    /* The metadata for the passes must have been removed. */
    assert_false(holds(fixture->fusing.module, "sycl.kernel"));
}

/* The table's names are ours; these are LLVM's own.  The module has one function with a body. */
static void KF_JIT_12_llvm_runs_what_the_names_say(void **state)
{
    fuse_fixture *fixture = *state;
    rt_buffer names = {0};
    begin_helped(fixture);
    passes_report();
    FILE *report = tmpfile();
    assert_non_null(report);
    fflush(stderr);
    int standard_error = dup(STDERR_FILENO);
    assert_true(dup2(fileno(report), STDERR_FILENO) >= 0);
    rt_status status = pl_fuse_module(&fixture->fusing, &(pl_fusion_observer){.before = mark_pass});
    fflush(stderr);
    assert_true(dup2(standard_error, STDERR_FILENO) >= 0);
    close(standard_error);
    must(fixture, status);
    rewind(report);
    report_read(report, &names);
    fclose(report);
    assert_string_equal(rt_buffer_string(&names),
                        "SROAPass: SROAPass SCCPPass: SCCPPass InstCombinePass: InstCombinePass "
                        "SimplifyCFGPass: SimplifyCFGPass SROAPass: SROAPass "
                        "InstCombinePass: InstCombinePass SimplifyCFGPass: SimplifyCFGPass "
                        "ADCEPass: ADCEPass EarlyCSEPass: EarlyCSEPass "
                        "finish: GlobalDCEPass StripDeadPrototypesPass emit: ");
    rt_buffer_free(&names);
}

/* ---- Remapping ----------------------------------------------------------------------------- */

/* Fuses a kernel that stores the result of a query with a kernel without queries, over these
 * ranges.
 */
static LLVMModuleRef fuse_query(fuse_fixture *fixture, const char *query, rt_fusion_range asking,
                                rt_fusion_range launch)
{
    rt_text source = rt_arena_printf(&fixture->job.arena,
                                     "kernel void Q(global ulong *a) { *a = %s; }\n"
                                     "kernel void N(global ulong *a) { *a = 1; }\n",
                                     query);
    const rt_link_code code = compile(fixture, source.data);
    const rt_fusion_kernel kernels[] = {{RT_TEXT("Q"), &code, 1, asking},
                                        {RT_TEXT("N"), &code, 1, launch}};
    rt_fusion_request request = request_of(kernels, 2, launch);
    LLVMModuleRef module = begin(fixture, &request);
    must(fixture, pl_fuse_kernels(&fixture->fusing));
    return module;
}

static void assert_query(fuse_fixture *fixture, const char *query, const char *symbol,
                         rt_fusion_range asking, rt_fusion_range launch, bool stays)
{
    LLVMModuleRef module = fuse_query(fixture, query, asking, launch);
    assert_int_equal(calls_of(module, symbol) > 0, stays);
    LLVMDisposeModule(module);
    fixture->fusing = (pl_fusing){.job = &fixture->job};
}

#define LOCAL_SIZE "get_local_size(0)", "_Z14get_local_sizej"
#define NUM_GROUPS "get_num_groups(0)", "_Z14get_num_groupsj"
#define LOCAL_ID   "get_local_id(0)", "_Z12get_local_idj"
#define GROUP_ID   "get_group_id(0)", "_Z12get_group_idj"

static void KF_REMAP_05_groups_are_constants_where_the_local_size_is_given(void **state)
{
    rt_fusion_range kernel_range = with_local(line(16), 4, 1), launch = with_local(line(32), 4, 1);
    assert_query(*state, LOCAL_SIZE, kernel_range, launch, false);
    assert_query(*state, NUM_GROUPS, kernel_range, launch, false);
    assert_query(*state, LOCAL_SIZE, line(8), launch, true);
    assert_query(*state, NUM_GROUPS, line(8), launch, true);
}

/* In SYCL's order, the kernel's {8,4} differs from the launch's {16,4} only in component 0; the
 * other pairs differ in more components. */
static void KF_REMAP_06_ids_are_replaced_where_lower_components_differ(void **state)
{
    assert_query(*state, GROUP_ID, plane(4, 8), plane(4, 16), true);
    assert_query(*state, GROUP_ID, plane(4, 8), plane(8, 8), false);
    assert_query(*state, GROUP_ID, line(32), plane(8, 8), false);
}

static void KF_REMAP_18_global_sizes_are_replaced(void **state)
{
    assert_query(*state, "get_global_size(0)", "_Z15get_global_sizej", line(8), line(16), false);
    assert_query(*state, "get_global_size(0)", "_Z15get_global_sizej", line(16), line(16), true);
}

static void KF_REMAP_19_local_sizes_are_replaced(void **state)
{
    rt_fusion_range kernel_range = with_local(line(16), 4, 1), launch = with_local(line(32), 4, 1);
    assert_query(*state, LOCAL_SIZE, kernel_range, launch, false);
    assert_query(*state, LOCAL_SIZE, launch, launch, true);
}

static void KF_REMAP_20_numbers_of_groups_are_replaced(void **state)
{
    rt_fusion_range kernel_range = with_local(line(16), 4, 1), launch = with_local(line(32), 4, 1);
    assert_query(*state, NUM_GROUPS, kernel_range, launch, false);
    assert_query(*state, NUM_GROUPS, launch, launch, true);
}

/* The linear id of a two-dimensional launch needs only the first two components. */
static void KF_REMAP_21_global_ids_are_replaced(void **state)
{
    fuse_fixture *fixture = *state;
    LLVMModuleRef module = fuse_query(fixture, "get_global_id(2)", line(8), plane(8, 8));
    assert_true(holds(module, "@_Z13get_global_idj(i32 1)"));
    assert_false(holds(module, "@_Z13get_global_idj(i32 2)"));
}

static void KF_REMAP_22_local_ids_are_replaced(void **state)
{
    assert_query(*state, LOCAL_ID, line(8), plane(8, 8), false);
    assert_query(*state, LOCAL_ID, line(8), line(16), true);
}

static void KF_REMAP_23_group_ids_are_replaced(void **state)
{
    assert_query(*state, GROUP_ID, line(8), plane(8, 8), false);
    assert_query(*state, GROUP_ID, line(8), line(16), true);
}

static void KF_REMAP_24_offsets_are_replaced(void **state)
{
    rt_fusion_range kernel = line(8), launch = line(16);
    kernel.offset[0] = launch.offset[0] = 4;
    assert_query(*state, "get_global_offset(0)", "_Z17get_global_offsetj", kernel, launch, false);
    assert_query(*state, "get_global_offset(0)", "_Z17get_global_offsetj", launch, launch, true);
}

/* ---- PTX ----------------------------------------------------------------------------------- */

/* Fuses two kernels for nvptx64. The first stores the value that `body` leaves in %v, over `size`
 * work-items in each of its dimensions (1 or 2), without a local size; the second only contributes
 * its range of 16. Both have the offset `offset` in SYCL's last component. */
static void fuse_ptx_over(fuse_fixture *fixture, const char *body, uint32_t dimensions,
                          uint32_t size, uint32_t offset)
{
    assert_true(dimensions == 2 || (dimensions == 1 && offset == 0));
    rt_text ir = rt_arena_printf(
        &fixture->job.arena,
        "target triple = \"nvptx64-nvidia-cuda\"\n"
        "define internal void @A(i32 addrspace(1)* %%p) {\n%s\n"
        " store i32 %%v, i32 addrspace(1)* %%p\n ret void\n}\n"
        "define internal void @B(i32 addrspace(1)* %%p) {\n ret void\n}\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
        "declare i32* @llvm.nvvm.implicit.offset()\n"
        "declare i64 @_Z15get_global_sizej(i32)\n"
        "declare i64 @_Z14get_local_sizej(i32)\n"
        "declare i64 @_Z14get_num_groupsj(i32)\n"
        "declare i64 @_Z13get_global_idj(i32)\n"
        "declare i64 @_Z12get_local_idj(i32)\n"
        "declare i64 @_Z12get_group_idj(i32)\n"
        "declare i64 @_Z17get_global_offsetj(i32)\n"
        "declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2"
        " void @fused_7()\n"
        "!0 = !{!\"A\", !\"B\"}\n!1 = !{i64 1, !3, !4, !5}\n!2 = !{!6, !1}\n"
        "!3 = !{i64 16, i64 0, i64 0}\n!4 = !{i64 0, i64 0, i64 0}\n"
        "!5 = !{i64 %u, i64 0, i64 0}\n!6 = !{i64 %u, !7, !4, !8}\n"
        "!7 = !{i64 %u, i64 %u, i64 0}\n!8 = !{i64 0, i64 %u, i64 0}\n",
        body, offset, dimensions, size, dimensions == 2 ? size : 0, offset);
    fuse_ir(fixture, ir);
}

/* Like fuse_ptx_over, with 4 by 4 work-items. */
static void fuse_ptx(fuse_fixture *fixture, const char *body, uint32_t offset)
{
    fuse_ptx_over(fixture, body, 2, 4, offset);
}

#define REGISTER(name) " %v = call i32 @llvm.nvvm.read.ptx.sreg." name ".x()"

static void assert_store_of(fuse_fixture *fixture, uint32_t value)
{
    rt_text store = rt_arena_printf(&fixture->job.arena, "store i32 %u, ", value);
    if (holds(fixture->fusing.module, store.data)) return;
    LLVMDumpModule(fixture->fusing.module);
    fail_msg("no '%s'", store.data);
}

static void assert_stored(fuse_fixture *fixture, const char *body, uint32_t offset, uint32_t value)
{
    fuse_ptx(fixture, body, offset);
    assert_store_of(fixture, value);
}

static LLVMValueRef operand(LLVMValueRef value, LLVMOpcode opcode, unsigned index)
{
    assert_int_equal(LLVMGetInstructionOpcode(value), opcode);
    return LLVMGetOperand(value, index);
}

/* Checks that the value is the register of that name, zero-extended. */
static void assert_register(LLVMValueRef value, const char *name)
{
    LLVMValueRef call = operand(value, LLVMZExt, 0);
    size_t length;
    assert_true(LLVMIsACallInst(call) != NULL);
    assert_string_equal(LLVMGetValueName2(LLVMGetCalledValue(call), &length), name);
}

/* An emitter into an empty function for nvptx64. */
static pl_emitter ptx_emitter(fuse_fixture *fixture)
{
    LLVMContextRef context = fixture->job.context;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("ptx", context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMValueRef function = LLVMAddFunction(module, "f", type);
    pl_emitter emitter = {&fixture->job, module, LLVMCreateBuilderInContext(context), true};
    LLVMPositionBuilderAtEnd(emitter.builder,
                             LLVMAppendBasicBlockInContext(context, function, "entry"));
    return emitter;
}

static void ptx_emitter_close(pl_emitter *emitter)
{
    LLVMDisposeBuilder(emitter->builder);
    LLVMDisposeModule(emitter->module);
}

/* ((ctaid * ntid) + tid) + offset, all for y, with an offset of 3. */
static void KF_PTX_01_the_global_id_is_a_formula(void **state)
{
    fuse_fixture *fixture = *state;
    pl_emitter emitter = ptx_emitter(fixture);
    rt_fusion_range launch = plane(8, 4);
    launch.offset[1] = 3;
    LLVMValueRef id = pl_emit_raw(&emitter, &launch, PL_GLOBAL_ID, 1);
    LLVMValueRef offset = operand(id, LLVMAdd, 1), inner = operand(id, LLVMAdd, 0);
    assert_int_equal(LLVMConstIntGetZExtValue(offset), 3);
    LLVMValueRef product = operand(inner, LLVMAdd, 0);
    assert_register(operand(inner, LLVMAdd, 1), "llvm.nvvm.read.ptx.sreg.tid.y");
    assert_register(operand(product, LLVMMul, 0), "llvm.nvvm.read.ptx.sreg.ctaid.y");
    assert_register(operand(product, LLVMMul, 1), "llvm.nvvm.read.ptx.sreg.ntid.y");
    ptx_emitter_close(&emitter);
}

/* The kernel's {8} differs from the launch's {16} only in component 0, which alone would not
 * require replacing these values. */
static void KF_PTX_02_an_open_local_size_is_replaced_on_ptx_alone(void **state)
{
    fuse_fixture *fixture = *state;
    static const struct {
        const char *body;
        uint32_t value;
    } rows[] = {{REGISTER("nctaid"), 1}, {REGISTER("ntid"), 8}, {REGISTER("ctaid"), 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fuse_ptx_over(fixture, rows[i].body, 1, 8, 0);
        assert_store_of(fixture, rows[i].value);
        LLVMDisposeModule(fixture->fusing.module);
        fixture->fusing = (pl_fusing){.job = &fixture->job};
    }
    assert_query(fixture, NUM_GROUPS, line(8), line(16), true);
    assert_query(fixture, LOCAL_SIZE, line(8), line(16), true);
    assert_query(fixture, GROUP_ID, line(8), line(16), true);
}

/* A dimension that there is not has the size 1 and the id 0 (OpenCL C 3.0, 6.15.1). */
static void a_fourth_dimension_has_one_work_item(void **state)
{
    fuse_fixture *fixture = *state;
    static const struct {
        const char *query;
        uint32_t value;
    } rows[] = {{"_Z15get_global_sizej", 1},  {"_Z14get_local_sizej", 1},
                {"_Z14get_num_groupsj", 1},   {"_Z13get_global_idj", 0},
                {"_Z12get_local_idj", 0},     {"_Z12get_group_idj", 0},
                {"_Z17get_global_offsetj", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text body = rt_arena_printf(&fixture->job.arena,
                                       " %%w = call i64 @%s(i32 3)\n %%v = trunc i64 %%w to i32",
                                       rows[i].query);
        fuse_ptx(fixture, body.data, 5);
        assert_store_of(fixture, rows[i].value);
        LLVMDisposeModule(fixture->fusing.module);
        fixture->fusing = (pl_fusing){.job = &fixture->job};
    }
}

static void KF_PTX_03_there_is_one_group(void **state)
{
    assert_stored(*state, REGISTER("nctaid"), 0, 1);
}

static void KF_PTX_04_the_group_is_number_0(void **state)
{
    assert_stored(*state, REGISTER("ctaid"), 0, 0);
}

static void KF_PTX_05_the_local_size_is_the_global_one(void **state)
{
    assert_stored(*state, REGISTER("ntid"), 0, 4);
}

/* Where a work-item is in a PTX launch: the values of three registers for x and y. */
typedef struct ptx_place {
    uint64_t tid[2], ctaid[2], ntid[2];
} ptx_place;

static uint64_t register_read(const char *name, const ptx_place *place)
{
    static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";
    assert_memory_equal(name, prefix, sizeof prefix - 1);
    name += sizeof prefix - 1;
    const char *dot = strchr(name, '.');
    assert_true(dot && (strcmp(dot, ".x") == 0 || strcmp(dot, ".y") == 0));
    size_t index = dot[1] == 'y', length = (size_t)(dot - name);
    const struct {
        const char *name;
        uint64_t value;
    } registers[] = {
        {"tid", place->tid[index]}, {"ctaid", place->ctaid[index]}, {"ntid", place->ntid[index]}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strlen(registers[i].name) == length && memcmp(registers[i].name, name, length) == 0)
            return registers[i].value;
    fail_msg("unexpected register '%s'", name);
    return 0;
}

/* The value that the emitted code computes for a work-item; fails on anything but arithmetic. */
static uint64_t value_at(LLVMValueRef value, const ptx_place *place)
{
    size_t length;
    if (LLVMIsAConstantInt(value)) return LLVMConstIntGetZExtValue(value);
    if (LLVMIsACallInst(value))
        return register_read(LLVMGetValueName2(LLVMGetCalledValue(value), &length), place);
    assert_non_null(LLVMIsAInstruction(value));
    uint64_t left = value_at(LLVMGetOperand(value, 0), place);
    if (LLVMGetInstructionOpcode(value) == LLVMZExt) return left;
    uint64_t right = value_at(LLVMGetOperand(value, 1), place);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd: return left + right;
    case LLVMSub: return left - right;
    case LLVMMul: return left * right;
    case LLVMUDiv: assert_true(right > 0); return left / right;
    case LLVMURem: assert_true(right > 0); return left % right;
    default: fail_msg("opcode %d is not arithmetic", LLVMGetInstructionOpcode(value));
    }
    return 0;
}

/* Evaluates the emitted ids for every work-item of a launch that belongs to the kernel.  A separate
 * launch of the kernel would number them row by row: local_id is that position, and global_id is
 * the position plus the offset. */
static void assert_local_ids(fuse_fixture *fixture, rt_fusion_range kernel, rt_fusion_range launch,
                             const uint64_t group[2])
{
    pl_emitter emitter = ptx_emitter(fixture);
    const pl_view view = {kernel, launch, {.sizes = true, .groups = true, .ids = true}};
    LLVMValueRef local[2], global[2];
    uint64_t expected[2] = {0, 0};
    for (uint32_t d = 0; d < 2; d++) {
        local[d] = pl_emit_seen(&emitter, &view, PL_LOCAL_ID, d);
        global[d] = pl_emit_seen(&emitter, &view, PL_GLOBAL_ID, d);
    }
    for (uint64_t y = 0; y < launch.global[1]; y++) {
        for (uint64_t x = 0; x < launch.global[0] && expected[1] < kernel.global[1]; x++) {
            const ptx_place place = {.tid = {x % group[0], y % group[1]},
                                     .ctaid = {x / group[0], y / group[1]},
                                     .ntid = {group[0], group[1]}};
            for (uint32_t d = 0; d < 2; d++) {
                assert_int_equal(value_at(local[d], &place), expected[d]);
                assert_int_equal(value_at(global[d], &place), expected[d] + kernel.offset[d]);
            }
            if (++expected[0] < kernel.global[0]) continue;
            expected[0] = 0;
            expected[1]++;
        }
    }
    assert_int_equal(expected[1], kernel.global[1]); /* the whole kernel was visited */
    ptx_emitter_close(&emitter);
}

static void KF_PTX_06_the_local_id_is_the_global_one(void **state)
{
    fuse_fixture *fixture = *state;
    static const uint64_t fours[] = {4, 1}, tiles[] = {2, 2};
    rt_fusion_range eight = line(8), sixteen = line(16);
    assert_local_ids(fixture, line(8), line(16), fours);
    assert_local_ids(fixture, plane(4, 4), line(16), fours);
    assert_local_ids(fixture, plane(4, 8), plane(8, 4), tiles);
    assert_local_ids(fixture, plane(2, 3), plane(4, 2), tiles);
    eight.offset[0] = sixteen.offset[0] = 4; /* the reading's example */
    assert_local_ids(fixture, eight, sixteen, fours);
}

static void KF_PTX_07_tid_is_the_local_id(void **state)
{
    fuse_fixture *fixture = *state;
    fuse_ptx(fixture, REGISTER("tid"), 0);
    assert_true(calls_of(fixture->fusing.module, "llvm.nvvm.read.ptx.sreg.ctaid.x") > 0);
}

static void KF_PTX_08_ctaid_is_the_group_id(void **state)
{
    fuse_fixture *fixture = *state;
    fuse_ptx(fixture, REGISTER("ctaid"), 0);
    assert_int_equal(calls_of(fixture->fusing.module, "llvm.nvvm.read.ptx.sreg.ctaid.x"), 0);
}

static void KF_PTX_09_ntid_is_the_local_size(void **state)
{
    fuse_fixture *fixture = *state;
    fuse_ptx(fixture, REGISTER("ntid"), 0);
    assert_int_equal(calls_of(fixture->fusing.module, "llvm.nvvm.read.ptx.sreg.ntid.x"), 0);
}

static void KF_PTX_10_nctaid_is_the_number_of_groups(void **state)
{
    fuse_fixture *fixture = *state;
    fuse_ptx(fixture, REGISTER("nctaid"), 0);
    assert_int_equal(calls_of(fixture->fusing.module, "llvm.nvvm.read.ptx.sreg.nctaid.x"), 0);
}

/* SYCL's last component is PTX's first: the kernel's offset of 5 is the offset of x. */
static void KF_PTX_11_implicit_offset_is_the_offset(void **state)
{
    assert_stored(*state,
                  " %o = call i32* @llvm.nvvm.implicit.offset()\n"
                  " %v = load i32, i32* %o, align 4",
                  5, 5);
}

/* The global size is the product of two registers, which have the kernel's own values: 4 in x. */
static void KF_PTX_12_the_global_size_follows_from_the_others(void **state)
{
    assert_stored(*state,
                  " %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                  " %b = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
                  " %v = mul i32 %a, %b",
                  0, 4);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fuse, close_fuse)
    const struct CMUnitTest tests[] = {
        TEST(KF_META_01_the_module_can_be_fused_by_itself),
        TEST(KF_META_02_the_kernels_are_listed_in_order),
        TEST(KF_META_03_identical_parameters_are_pairs_of_indices),
        TEST(KF_META_03_a_group_has_all_identical_parameters),
        TEST(KF_META_03_without_identities_the_counts_add_up),
        TEST(KF_META_04_promotions_count_after_joining),
        TEST(KF_META_05_sizes_count_elements),
        TEST(KF_META_06_constants_are_strings_of_bytes),
        TEST(a_relation_that_does_not_fit_the_kernels_is_rejected),
        TEST(a_kernel_that_cannot_be_found_or_launched_is_rejected),
        TEST(kernels_of_other_formats_are_not_fused),
        TEST(promotions_that_no_memory_can_replace_have_a_reason),
        TEST(elements_have_a_size),
        TEST(KF_META_07_the_range_is_there_where_ranges_differ),
        TEST(KF_META_07_the_range_is_not_there_where_they_are_the_same),
        TEST(KF_META_08_unused_dimensions_of_the_global_size_are_0),
        TEST(KF_META_09_local_sizes_are_0_where_they_are_open),
        TEST(KF_META_10_offsets_are_0_where_unused),
        TEST(KF_META_11_every_kernel_has_its_range),
        TEST(KF_JIT_01_the_compiler_is_reached_through_the_plugin),
        TEST(KF_JIT_04_everything_asked_for_is_in_the_metadata),
        TEST(KF_JIT_06_the_module_has_a_stub_and_what_kernels_need),
        TEST(KF_JIT_08_kernels_are_inlined),
        TEST(KF_JIT_09_generic_pointers_are_gone_before_promotion),
        TEST(KF_JIT_10_promotion_stands_behind_the_first_passes),
        TEST(KF_JIT_11_known_arguments_become_constants),
        TEST(KF_JIT_12_the_passes_run_in_the_documents_order),
        TEST(KF_REMAP_05_groups_are_constants_where_the_local_size_is_given),
        TEST(KF_REMAP_06_ids_are_replaced_where_lower_components_differ),
        TEST(KF_REMAP_18_global_sizes_are_replaced),
        TEST(KF_REMAP_19_local_sizes_are_replaced),
        TEST(KF_REMAP_20_numbers_of_groups_are_replaced),
        TEST(KF_REMAP_21_global_ids_are_replaced),
        TEST(KF_REMAP_22_local_ids_are_replaced),
        TEST(KF_REMAP_23_group_ids_are_replaced),
        TEST(KF_REMAP_24_offsets_are_replaced),
        TEST(KF_PTX_01_the_global_id_is_a_formula),
        TEST(KF_PTX_02_an_open_local_size_is_replaced_on_ptx_alone),
        TEST(a_fourth_dimension_has_one_work_item),
        TEST(KF_PTX_03_there_is_one_group),
        TEST(KF_PTX_04_the_group_is_number_0),
        TEST(KF_PTX_05_the_local_size_is_the_global_one),
        TEST(KF_PTX_06_the_local_id_is_the_global_one),
        TEST(KF_PTX_07_tid_is_the_local_id),
        TEST(KF_PTX_08_ctaid_is_the_group_id),
        TEST(KF_PTX_09_ntid_is_the_local_size),
        TEST(KF_PTX_10_nctaid_is_the_number_of_groups),
        TEST(KF_PTX_11_implicit_offset_is_the_offset),
        TEST(KF_PTX_12_the_global_size_follows_from_the_others),
        TEST(KF_JIT_12_llvm_runs_what_the_names_say), /* the last: see passes_report */
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
