/* The device_globals that, according to the scenario, a module's host code registers in addition to
 * those of its sources, or in place of them. */
#include "conformance/scenario/schema/schema.h"

static const scn_choice accesses[] = {
#define ACCESS_CHOICE(access, name) [RT_HOST_ACCESS_##access] = {name, true},
    RT_HOST_ACCESSES(ACCESS_CHOICE)
#undef ACCESS_CHOICE
};
_Static_assert(sizeof accesses / sizeof *accesses == RT_HOST_ACCESS_COUNT,
               "a word for each access");
static const scn_shape shape_access = {SCN_CHOICE("a host access", accesses)};
static const scn_shape shape_id = {SCN_TEXT("a unique id")};
static const scn_shape shape_variable_name = {SCN_TEXT("the name of a variable")};
static const scn_shape shape_size = {SCN_INTEGER("a number of bytes", 1, UINT32_MAX)};
static const scn_shape shape_scope = {SCN_TRUTH("whether each image has a variable of its own")};

static const scn_row global_rows[] = {
    {"id", &shape_id, SCN_REQUIRED, SCN_FIELD(rt_device_global, unique_id),
     "The unique id, as in property sets and decorations."},
    {"name", &shape_variable_name, 0, SCN_FIELD(rt_device_global, name),
     "The qualified name in the source; default: the id."},
    {"size", &shape_size, SCN_REQUIRED, SCN_FIELD(rt_device_global, size),
     "The size of the underlying type in bytes."},
    {"image_scope", &shape_scope, 0, SCN_FIELD(rt_device_global, image_scope),
     "Whether it has the property device_image_scope; false by default."},
    {"host_access", &shape_access, 0, SCN_FIELD(rt_device_global, host_access),
     "How the host may access it: read_write (default), read, write or none."},
    SCN_HIDDEN(&scn_shape_raw_bytes, rt_device_global, initial),
};
static bool global_finish(scn_reader *reader, const scn_node *node, void *object)
{
    rt_device_global *global = object;
    (void)reader, (void)node;
    if (global->name.length == 0) global->name = global->unique_id;
    return true;
}

static const scn_shape shape_global = {
    SCN_OBJECT("a device_global", global_rows),
    .finish = global_finish,
};
const scn_shape scn_shape_globals = {
    SCN_LIST("the list of device_globals", rt_device_global, &shape_global),
    .least = 1,
};
