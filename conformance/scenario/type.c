/* The element types of memories and scalar arguments. */
#include "conformance/scenario/model.h"

static const struct type_row {
    const char *name;
    uint32_t size; /* bytes */
    char class;
} type_rows[SCN_TYPE_COUNT] = {
#define SCN_TYPE_ROW(type, name, size, class) {name, size, class},
    SCN_TYPES(SCN_TYPE_ROW)
#undef SCN_TYPE_ROW
};

const char *scn_type_name(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].name;
}

uint32_t scn_type_size(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].size;
}

char scn_type_class(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].class;
}
