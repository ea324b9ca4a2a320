/* Copies and fills that the application requests.
 *
 * Both are commands on the queue's device: as for a kernel, the contents of their memories are
 * brought there first. A copy between two devices therefore goes through the host.  Source: SYCL
 * 2020, 4.9.4.3 "SYCL functions for explicit memory operations". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

/* ---- Checks ------------------------------------------------------------------------------- */

static rt_text transfer_name(const rt_transfer *transfer)
{
    return transfer->from ? RT_TEXT("copy") : RT_TEXT("fill");
}

static rt_status check_range(rt_scheduler *scheduler, const rt_transfer *transfer,
                             const rt_memory *memory, uint64_t offset)
{
    if (offset <= memory->size && transfer->size <= memory->size - offset) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                          "%.*s of %llu bytes at offset %llu of '%.*s': it has only %llu bytes",
                          RT_TEXT_ARG(transfer_name(transfer)), (unsigned long long)transfer->size,
                          (unsigned long long)offset, RT_TEXT_ARG(memory->name),
                          (unsigned long long)memory->size);
}

static rt_status check_pattern(rt_scheduler *scheduler, const rt_transfer *transfer)
{
    rt_text name = transfer->to->name;
    size_t size = transfer->pattern.size;
    if (size == 0 || size > DEV_PATTERN_SIZE_MAX) {
        return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "fill of '%.*s' with a pattern of %zu bytes: it must have 1 to %d",
                              RT_TEXT_ARG(name), size, DEV_PATTERN_SIZE_MAX);
    }
    if (transfer->to_offset % size == 0 && transfer->size % size == 0) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "fill of %llu bytes at offset %llu of '%.*s': both must be multiples of "
                          "the pattern's %zu bytes",
                          (unsigned long long)transfer->size,
                          (unsigned long long)transfer->to_offset, RT_TEXT_ARG(name), size);
}

/* Checks the device, ranges, overlap and pattern.  Called with the lock held. */
static rt_status check_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                const rt_transfer *transfer)
{
    rt_text user = transfer_name(transfer);
    if (transfer->from) {
        RT_TRY(rt_submission_check_device(scheduler, queue, transfer->from, user));
        RT_TRY(check_range(scheduler, transfer, transfer->from, transfer->from_offset));
    }
    RT_TRY(rt_submission_check_device(scheduler, queue, transfer->to, user));
    RT_TRY(check_range(scheduler, transfer, transfer->to, transfer->to_offset));
    if (!transfer->from) return check_pattern(scheduler, transfer);
    uint64_t low = transfer->from->origin + transfer->from_offset;
    uint64_t high = transfer->to->origin + transfer->to_offset;
    uint64_t distance = low < high ? high - low : low - high;
    bool is_same = rt_memory_whole(transfer->from) == rt_memory_whole(transfer->to);
    if (!is_same || distance >= transfer->size) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &transfer->to->name, 1,
                          "copy of %llu bytes within '%.*s': the ranges from offsets %llu and %llu "
                          "overlap",
                          (unsigned long long)transfer->size,
                          RT_TEXT_ARG(rt_memory_whole(transfer->to)->name), (unsigned long long)low,
                          (unsigned long long)high);
}

/* ---- Submission --------------------------------------------------------------------------- */

rt_status rt_transfer_submit(rt_scheduler *scheduler, rt_queue_id queue,
                             const rt_transfer *transfer, rt_program *program,
                             rt_command_id *out_command)
{
    CHECK(queue < scheduler->queues.count);
    RT_TRY(check_transfer(scheduler, queue, transfer));
    rt_not_fused_transfer(scheduler, queue, transfer); /* KF-QUEUE-06 */
    rt_access_list accesses = {0};
    bool overwrites = transfer->size == transfer->to->size;
    if (transfer->from)
        *rt_vector_push(&accesses) = (rt_memory_access){transfer->from, RT_ACCESS_READ, false};
    *rt_vector_push(&accesses) = (rt_memory_access){transfer->to, RT_ACCESS_WRITE, overwrites};
    const rt_submission submission = {.queue = queue,
                                      .kind = transfer->from ? RT_COMMAND_COPY : RT_COMMAND_FILL,
                                      .accesses = &accesses,
                                      .after = transfer->after,
                                      .after_count = transfer->after_count};
    rt_command *command = NULL;
    rt_status status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        command->program = program;
        command->moves_variable = program != NULL;
        status = rt_enqueue_transfer(scheduler, command, transfer);
        status = rt_submission_end(scheduler, command, &accesses, status, out_command);
    }
    rt_vector_free(&accesses);
    return status;
}

rt_status rt_scheduler_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                const rt_transfer *transfer, rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    rt_status status = rt_transfer_submit(scheduler, queue, transfer, NULL, out_command);
    rt_scheduler_unlock(scheduler);
    return status;
}
