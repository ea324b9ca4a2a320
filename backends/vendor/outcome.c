/* The result of waiting for a command. */
#include "backends/vendor/outcome.h"

void vendor_outcome_begin(vendor_outcome *out_outcome)
{
    *out_outcome = (vendor_outcome){0};
    pthread_mutex_init(&out_outcome->lock, NULL);
}

void vendor_outcome_end(vendor_outcome *outcome)
{
    pthread_mutex_destroy(&outcome->lock);
}

rt_status vendor_outcome_wait(vendor_outcome *outcome, dev_event *event,
                              rt_status (*wait)(dev_event *event))
{
    CHECK(event != NULL);
    pthread_mutex_lock(&outcome->lock);
    if (!outcome->is_known) {
        outcome->status = wait(event);
        outcome->is_known = true;
    }
    rt_status status = outcome->status;
    pthread_mutex_unlock(&outcome->lock);
    return status;
}

dev_event_state vendor_outcome_state(vendor_outcome *outcome)
{
    dev_event_state state = DEV_EVENT_PENDING;
    if (pthread_mutex_trylock(&outcome->lock) != 0) return state;
    if (outcome->is_known) state = rt_ok(outcome->status) ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
    pthread_mutex_unlock(&outcome->lock);
    return state;
}
