/* Opens, checks and closes devices that several scenarios use one after another; see kept.h. */
#include "conformance/subject/kept.h"

static void finding_forward(void *user, const dev_finding *finding)
{
    const cnf_kept *kept = user;
    CHECK(kept->execution != NULL); /* between scenarios no command runs but the probe's */
    cnf_execution_finding(kept->execution, finding);
}

/* Opens a device whose new memories are filled. */
static rt_status device_open(const dev_backend *backend, const dev_open_parameters *parameters,
                             rt_text selector, cnf_kept_device *out)
{
    dev_device *device;
    dev_capabilities capabilities;
    RT_TRY(dev_device_open(backend, parameters, selector, &device));
    *out = (cnf_kept_device){.device = device};
    dev_device_capabilities(device, &capabilities);
    rt_status status = RT_STATUS_OK;
    if (capabilities.executes) status = dev_queue_create(device, &out->filler);
    if (rt_ok(status)) {
        dev_device_fill_memories(device, out->filler);
        dev_device_keep(device);
    } else {
        dev_device_destroy(device);
    }
    return status;
}

rt_status cnf_kept_open(cnf_kept *kept, cnf_execution *execution, uint32_t index,
                        const dev_open_parameters *parameters, rt_text selector,
                        dev_device **out_device)
{
    CHECK(index <= kept->devices.count && parameters->sink == kept->sink);
    CHECK(!kept->execution || kept->execution == execution);
    kept->execution = execution;
    *out_device = NULL;
    if (index == kept->devices.count) {
        dev_open_parameters forwarding = *parameters;
        forwarding.on_finding = finding_forward;
        forwarding.finding_user = kept;
        /* The device outlives the execution, and only a device that is not kept explores orders. */
        forwarding.choose_command = NULL;
        forwarding.on_order = NULL;
        forwarding.order_user = NULL;
        cnf_kept_device opened;
        RT_TRY(device_open(execution->subject->backend, &forwarding, selector, &opened));
        *rt_vector_push(&kept->devices) = opened;
    }
    *out_device = kept->devices.items[index].device;
    return RT_STATUS_OK;
}

static cnf_kept_fault device_check(cnf_kept_device *kept, rt_sink *sink, rt_buffer *out_message)
{
    const dev_live live = dev_device_live(kept->device);
    if (!dev_live_is_none(&live)) {
        rt_buffer_printf(out_message, "the scenario has ended, but its device still has ");
        dev_live_print(out_message, &live);
        return CNF_KEPT_OBJECTS;
    }
    if (!kept->probe) {
        kept->probe = cnf_probe_open(kept->device, sink);
        dev_device_keep(kept->device);
    }
    rt_buffer reason = {0};
    bool is_right = cnf_probe_run(kept->probe, &reason);
    if (!is_right)
        rt_buffer_printf(out_message, "after the scenario, its device no longer computes: %s",
                         rt_buffer_string(&reason));
    rt_buffer_free(&reason);
    return is_right ? CNF_KEPT_CLEAN : CNF_KEPT_ANSWER;
}

cnf_kept_fault cnf_kept_release(cnf_kept *kept, rt_buffer *out_message)
{
    cnf_kept_fault fault = CNF_KEPT_CLEAN;
    kept->execution = NULL;
    for (uint32_t i = 0; i < kept->devices.count && fault == CNF_KEPT_CLEAN; i++)
        fault = device_check(&kept->devices.items[i], kept->sink, out_message);
    return fault;
}

void cnf_kept_close(cnf_kept *kept)
{
    kept->execution = NULL; /* the last scenario has ended, with or without cnf_kept_release */
    for (uint32_t i = kept->devices.count; i-- > 0;) {
        cnf_kept_device *device = &kept->devices.items[i];
        cnf_probe_close(device->probe);
        dev_queue_destroy(device->filler);
        dev_device_destroy(device->device);
    }
    rt_vector_free(&kept->devices);
}
