/* Maps results of a vendor's calls to status codes. */
#include "backends/vendor/result.h"

rt_code vendor_result_code(const vendor_result *rows, size_t count, unsigned stage, int result)
{
    CHECK(stage < sizeof rows->stages * 8);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].result == result && (rows[i].stages >> stage & 1u) != 0) return rows[i].code;
    }
    return RT_DRIVER_ERROR;
}

const char *vendor_result_name(const vendor_result *rows, size_t count, int result)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].result == result) return rows[i].name;
    }
    return NULL;
}
