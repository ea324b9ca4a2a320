/* Fuzzes the reader of the OpenCL layer's log: any input must yield an error status, or calls that
 * can be queried and printed. */
#include "backends/opencl/layer/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_buffer text = {0};
    ocl_call_log log;
    bool is_tail = data[0] & 1;
    rt_text input = {(const char *)data + 1, size - 1};
    if (rt_ok(ocl_call_log_read(sink, &arena, input, is_tail, &log))) {
        for (uint32_t i = 0; i < log.call_count; i++) {
            const ocl_call *call = &log.calls[i];
            const uint64_t *numbers;
            uint32_t count;
            rt_text hash;
            uint64_t number;
            ocl_call_print(&text, call);
            (void)ocl_call_code(call, &hash, &number);
            for (uint32_t k = 0; k < call->field_count; k++) {
                rt_buffer key = {0};
                rt_buffer_append_text(&key, call->fields[k].key);
                (void)ocl_call_numbers(&arena, call, rt_buffer_string(&key), &numbers, &count);
                rt_buffer_free(&key);
            }
        }
    }
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return 0;
}
