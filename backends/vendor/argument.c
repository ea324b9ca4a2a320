/* Reports an argument that a vendor's library refused. */
#include "backends/vendor/argument.h"

/* Appends a description of an argument. */
static void argument_describe(const dev_argument *argument, rt_buffer *out_text)
{
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY:
        if (!argument->memory)
            rt_buffer_append_text(out_text, RT_TEXT("the null pointer"));
        else
            rt_buffer_printf(out_text, "a buffer of %llu bytes",
                             (unsigned long long)argument->memory->size);
        return;
    case DEV_ARGUMENT_POINTER:
        rt_buffer_printf(out_text, "a pointer to byte %llu of %s of %llu bytes",
                         (unsigned long long)argument->offset,
                         argument->memory->kind == DEV_MEMORY_GLOBAL ? "a variable"
                                                                     : "unified shared memory",
                         (unsigned long long)argument->memory->size);
        return;
    case DEV_ARGUMENT_BYTES:
        rt_buffer_printf(out_text, "a value of %zu bytes", argument->bytes.size);
        return;
    case DEV_ARGUMENT_LOCAL:
        rt_buffer_printf(out_text, "%llu bytes of local memory",
                         (unsigned long long)argument->size);
        return;
    case DEV_ARGUMENT_KINDS: break;
    }
    UNREACHABLE();
}

/* The kernel parameters that each kind of argument fits. */
static const char *const parameters_fitting[DEV_ARGUMENT_KINDS] = {
    [DEV_ARGUMENT_MEMORY] = "a buffer fits a parameter that points to global or constant memory",
    [DEV_ARGUMENT_POINTER] = "a pointer fits a parameter that points to global or constant memory",
    [DEV_ARGUMENT_BYTES] = "a value fits a non-pointer parameter of exactly the same size",
    [DEV_ARGUMENT_LOCAL] =
        "local memory fits a parameter that points to local memory, up to the device's limit",
};

rt_status vendor_argument_refuse(rt_sink *sink, const vendor_results *results, unsigned stage,
                                 const char *call, int result, uint32_t index, uint32_t count,
                                 const dev_argument *argument)
{
    CHECK(index < count);
    CHECK(argument->kind < DEV_ARGUMENT_KINDS);
    rt_buffer description = {0}, answer = {0};
    argument_describe(argument, &description);
    vendor_result_print(&answer, results, call, result);
    rt_status status = rt_fail(
        sink, vendor_result_code(results, stage, result), RT_RULE_NONE,
        "argument %u of %u (from 0), %s, was refused: %s; %s: compare with parameter %u in the "
        "kernel's source",
        index, count, rt_buffer_string(&description), rt_buffer_string(&answer),
        parameters_fitting[argument->kind], index);
    rt_buffer_free(&description);
    rt_buffer_free(&answer);
    return status;
}
