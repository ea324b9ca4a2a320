/* Devices: the part of the subject's devices that a scenario shows to the program. */
#include "conformance/scenario/schema/schema.h"

#include "reference/device/device.h"

enum { DEVICE_COUNT_MAX = 8 };

/* The aspects that a scenario sets to true or false. */
typedef struct aspects_draft {
    bool is_present[DEV_ASPECT_COUNT];
} aspects_draft;

static const scn_shape shape_aspect = {SCN_TRUTH("whether the device has the aspect")};

#define ASPECT_FIELD(aspect) SCN_FIELD(aspects_draft, is_present[aspect])

static const scn_row aspect_rows[] = {
#define ASPECT_ROW(aspect, name, number)                                                           \
    [DEV_ASPECT_##aspect] = {name, &shape_aspect, 0, ASPECT_FIELD(DEV_ASPECT_##aspect),            \
                             "Aspect " name " of SYCL; false hides it, true requires a device "    \
                             "with it."},
    DEV_ASPECTS(ASPECT_ROW)
#undef ASPECT_ROW
};
const scn_shape scn_shape_aspects_object = {
    SCN_OBJECT("the aspects of a device", aspect_rows),
    .key_noun = "aspect",
};

bool scn_aspects_read(scn_reader *reader, const scn_node *node, uint32_t *out_present,
                      uint32_t *out_absent)
{
    aspects_draft draft = {0};
    if (!scn_object_read(reader, &scn_shape_aspects_object, node, &draft)) return false;
    for (uint32_t i = 0; i < DEV_ASPECT_COUNT; i++) {
        if (!scn_node_entry(node, aspect_rows[i].key)) continue;
        uint32_t *aspects = draft.is_present[i] ? out_present : out_absent;
        *aspects |= 1u << i;
    }
    CHECK((*out_present & *out_absent) == 0);
    return true;
}

static bool aspects_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_device *device = out;
    return scn_aspects_read(reader, node, &device->required_aspects, &device->hidden_aspects);
}

static const scn_shape shape_aspects = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the aspects of a device",
    .read = aspects_read,
    .alternatives = {&scn_shape_aspects_object},
};

const scn_shape scn_shape_aspect_mask = {SCN_NUMBER((1u << DEV_ASPECT_COUNT) - 1)};
static const scn_row device_rows[] = {
    {"aspects", &shape_aspects, 0, SCN_SAME,
     "Aspects that the device must have (true), or that are hidden from the program (false)."},
    {"links", &scn_shape_format_list, 0, SCN_FIELD_IF(scn_device, links, links_given),
     "The only formats that the device advertises as linkable; [] for none.  Default: what the "
     "device itself advertises."},
    {"architecture", &scn_shape_name, 0, SCN_FIELD(scn_device, architecture),
     "The architecture that the device must have, as a module's compile_target names it; the "
     "simulated device has any.  Default: the device's own."},
    SCN_HIDDEN(&scn_shape_aspect_mask, scn_device, hidden_aspects),
    SCN_HIDDEN(&scn_shape_aspect_mask, scn_device, required_aspects),
};
static const scn_shape shape_device = {SCN_OBJECT("a device", device_rows)};

const scn_shape scn_shape_devices = {
    SCN_MAP("the map of devices", scn_device, &shape_device),
    .least = 1,
    .most = DEVICE_COUNT_MAX,
};
