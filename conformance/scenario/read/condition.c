/* Conditions on the images of an expected event: `holds` and `not` say what an image of it, or no
 * image of it, is like.  Which images those are, and what they are like, is the subject's to look
 * up. */
#include "conformance/scenario/schema/schema.h"
#include "reference/trace/trace.h"

static const scn_shape shape_set = {.kind = SCN_SHAPE_TEXT, .noun = "the name of a set"};
static const scn_shape shape_dummy = {.kind = SCN_SHAPE_TRUTH, .noun = "being a dummy"};
static const scn_shape shape_symbol = {.kind = SCN_SHAPE_TEXT, .noun = "a symbol"};

enum { CONDITION_SET, CONDITION_DUMMY, CONDITION_MODULE, CONDITION_KERNEL, CONDITION_EXPORTS };
static const scn_row condition_rows[] = {
    [CONDITION_SET] = {"set", &shape_set, 0, SCN_FIELD(scn_image_condition, set),
                       "The set of virtual functions that the image provides."},
    [CONDITION_DUMMY] = {"dummy", &shape_dummy, 0, SCN_FIELD(scn_image_condition, dummy),
                         "Whether it is a dummy, with empty virtual functions."},
    [CONDITION_MODULE] = {"module", &scn_shape_module_reference, 0,
                          SCN_FIELD(scn_image_condition, module), "The module that it is of."},
    [CONDITION_KERNEL] = {"kernel", &scn_shape_kernel, 0, SCN_FIELD(scn_image_condition, kernel),
                          "A kernel that it has."},
    [CONDITION_EXPORTS] = {"exports", &shape_symbol, 0, SCN_FIELD(scn_image_condition, exported),
                           "A symbol that it exports."},
};
const scn_shape scn_shape_image_condition = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a condition on images",
    .also = "{'minProperties': 1}",
    SCN_ROWS(condition_rows),
};

const char *scn_event_images_field(rt_event_kind kind)
{
    static const char *const fields[] = {"inputs", "images", "image"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (rt_event_has_field(kind, rt_text_of(fields[i]), NULL)) return fields[i];
    }
    return NULL;
}

bool scn_is_condition(rt_text key)
{
    return rt_text_is(key, "holds") || rt_text_is(key, "not");
}

bool scn_condition_read(scn_reader *reader, const scn_entry *entry, rt_event_kind kind,
                        scn_image_condition *out_condition)
{
    CHECK(scn_is_condition(entry->key));
    *out_condition = (scn_image_condition){.module = SCN_NONE};
    if (!scn_event_images_field(kind)) {
        return scn_report(reader->reporter, entry->at, "an event '%s' has no images",
                          rt_event_name(kind));
    }
    uint64_t given;
    if (!scn_object_read(reader, &scn_shape_image_condition, &entry->value, out_condition, &given))
        return false;
    out_condition->negated = rt_text_is(entry->key, "not");
    out_condition->has_dummy = given >> CONDITION_DUMMY & 1;
    if (given != 0) return true;
    return scn_report(reader->reporter, entry->value.at,
                      "an empty condition fits every image; say what the image is like");
}
