/* The status of an event, as expected.
 *
 * What SYCL calls running nobody here tells: a device says whether a command has ended, and the
 * runtime knows whether it has handed it over. */
#include "conformance/scenario/schema/schema.h"

static const scn_choice statuses[SCN_EVENT_STATUS_COUNT] = {
    [SCN_EVENT_SUBMITTED] = {"submitted", true},
    [SCN_EVENT_RUNNING] = {"running", false},
    [SCN_EVENT_COMPLETE] = {"complete", true},
};
const scn_shape scn_shape_event_status = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a status",
    SCN_CHOICES(statuses),
};

const char *scn_event_status_name(scn_event_status status)
{
    CHECK((unsigned)status < SCN_EVENT_STATUS_COUNT);
    return statuses[status].name;
}
